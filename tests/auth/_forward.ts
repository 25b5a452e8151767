import {
  type ForwardOptions,
  forwardTo,
  type GetTokenOptions,
  type TokenResult,
} from "@gatehouse/web/auth/provider-tokens";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";

/** The first token of the user. */
export const TOKEN = "first-token-of-ada-0123456789";

/** A request that the API received. */
export interface Received {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: RequestRedirect | undefined;
  readonly signal: AbortSignal;
}

/** The API's response to its n-th request, from 1. */
export type Answer = (
  received: Received,
  count: number,
) => Response | Promise<Response>;

/** An application that forwards `/api` to `https://api.example/v1`. */
export class ForwardApp {
  readonly router: Router = createRouter();
  readonly received: Received[] = [];
  readonly errors: string[] = [];
  /** The options of each call of `get`. */
  readonly gets: GetTokenOptions[] = [];
  /** The results of `get`, of which the last one stays. */
  results: TokenResult[] = [{ ok: true, accessToken: TOKEN }];
  answer: Answer = () => Response.json({ done: true });

  constructor(options: Partial<ForwardOptions> = {}) {
    const { router } = this;
    router.mount(
      "/api",
      forwardTo("https://api.example/v1", {
        tokens: {
          get: (_context, options = {}) => {
            this.gets.push(options);
            const { results } = this;
            const index = Math.min(this.gets.length, results.length) - 1;
            return Promise.resolve(results[index]!);
          },
        },
        paths: {
          "/notes": ["GET", "POST"],
          "/notes/:id": ["GET", "PUT", "DELETE"],
          "/files/*": ["GET", "PUT"],
        },
        fetch: (url, init) => this.#fetch(url, init),
        onError: ({ message }) => this.errors.push(message),
        ...options,
      }),
    );
  }

  /** Sends a request of a script on a page of the application. */
  send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("Sec-Fetch-Site")) {
      headers.set("Sec-Fetch-Site", "same-origin");
    }
    const url = `https://app.example/api${path}`;
    return this.router.fetch(url, { ...init, headers });
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { method = "GET", redirect } = init;
    const headers = new Headers(init.headers);
    const body = init.body ? await new Response(init.body).text() : "";
    const signal = init.signal!;
    const received = { url, method, headers, body, redirect, signal };
    this.received.push(received);
    return await this.answer(received, this.received.length);
  }
}
