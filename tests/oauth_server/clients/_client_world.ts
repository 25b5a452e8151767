import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  registrationEndpoint,
  type RegistrationOptions,
} from "@gatehouse/web/oauth-server";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import {
  type ClientsOptions,
  createClients,
} from "../../../oauth_server/clients/create_clients.ts";

/** The response to a request for a document or for keys, or an error to throw. */
export type Answer = Response | Error | ((init: RequestInit) => Response);

/** Options for {@linkcode ClientWorld}. */
interface WorldOptions extends Partial<Omit<ClientsOptions, "registration">> {
  readonly registration?: RegistrationOptions;
}

/** The part of a server with which clients register themselves. */
interface Registration
  extends Omit<NonNullable<ClientsOptions["registration"]>, "answer"> {
  /** Answers a request, for which few settings of a server are needed. */
  answer(
    settings: { readonly dpop: unknown },
    context: RequestContext,
  ): Promise<Response>;
}

function createRegistration(
  options: RegistrationOptions,
  settings: { readonly now: () => number; readonly store: SessionStore },
): Registration {
  const { parts } = registrationEndpoint(options);
  return (parts as (given: typeof settings) => Registration)(settings);
}

/** Clients on an internet without sockets, with a clock that the test moves. */
export class ClientWorld {
  /** The responses by URL. Others are 404. */
  readonly answers = new Map<string, Answer>();
  /** The URLs that were fetched. */
  readonly fetched: string[] = [];
  /** The messages of the errors. */
  readonly errors: string[] = [];
  readonly store = createMemorySessionStore({ now: () => this.now });
  readonly clients: ReturnType<typeof createClients>;
  now = 1_700_000_000_000;

  /** The clients that register themselves, with the option. */
  readonly registration: Registration | null;

  constructor({ cimd = {}, registration, ...options }: WorldOptions = {}) {
    const { store } = this;
    const now = () => this.now;
    this.registration = registration === undefined
      ? null
      : createRegistration(registration, { now, store });
    this.clients = createClients({
      ...this.registration && { registration: this.registration },
      issuer: "https://app.example",
      store,
      now,
      ...options,
      cimd: cimd && {
        fetch: (url, init) => this.#fetch(url, init),
        onError: ({ message }) => void this.errors.push(message),
        ...cimd,
      },
    });
  }

  /** Sets the document of a client, or the keys at a URL. */
  publish(url: string, body: unknown, headers: HeadersInit = {}): void {
    this.answers.set(url, () => Response.json(body, { headers }));
  }

  // deno-lint-ignore require-await -- a `fetch` rejects, and never throws.
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    this.fetched.push(url);
    const answer = this.answers.get(url) ?? new Response(null, { status: 404 });
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer(init) : answer;
  }
}

/** Documents in the shape of those that the clients published in 2026. */
export const CLAUDE_CODE = {
  client_id: "https://claude.ai/oauth/claude-code-client-metadata",
  client_name: "Claude Code",
  client_uri: "https://claude.ai",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

export const CLAUDE = {
  client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
  client_name: "Claude",
  client_uri: "https://claude.ai",
  logo_uri: "https://claude.ai/logo.png",
  redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

export const CHATGPT = {
  client_id: "https://chatgpt.com/oauth/client.json",
  client_name: "ChatGPT",
  client_uri: "https://chatgpt.com",
  redirect_uris: ["https://chatgpt.com/connector/oauth/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  token_endpoint_auth_signing_alg: "RS256",
  jwks_uri: "https://chatgpt.com/oauth/jwks.json",
};
