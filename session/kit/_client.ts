import { RequestContext } from "../../router/mod.ts";
import { session, type SessionOptions } from "../middleware.ts";
import { Session, type SessionStore } from "../mod.ts";
import type { Check } from "./checks.ts";

type Action = (
  session: Session,
  context: RequestContext,
  n: number,
) => void | Promise<void>;

/** A browser that sends requests through the middleware. */
export class Client {
  cookie = "";
  readonly store: SessionStore;
  readonly #middleware: ReturnType<typeof session>;

  constructor(store: SessionStore, options: SessionOptions = {}) {
    this.store = store;
    this.#middleware = session({ ...options, store });
  }

  /** Sends a request and keeps the cookie of the response. */
  async send(action: Action): Promise<Response> {
    const response = await this.#request(this.cookie, action, 0);
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(";")[0];
    return response;
  }

  /** Sends concurrent requests and returns their responses. */
  sendMany(count: number, cookie: string, action: Action): Promise<Response[]> {
    const requests = Array.from(
      { length: count },
      (_none, n) => this.#request(cookie, action, n),
    );
    return Promise.all(requests);
  }

  async #request(cookie: string, action: Action, n: number): Promise<Response> {
    const headers: HeadersInit = cookie === "" ? {} : { Cookie: cookie };
    const request = new Request("https://example.com/", { headers });
    const context = new RequestContext(request);
    const response = await this.#middleware(context, async () => {
      await action(context.get(Session), context, n);
      return new Response();
    });
    return response as Response;
  }
}

/** Creates a check for the stores with compare-and-swap. */
export function strongCheck(
  name: string,
  run: (client: Client) => Promise<void>,
): Check {
  return [`session: ${name}`, async (store) => {
    if ((store.consistency ?? "strong") !== "strong") return;
    await run(new Client(store));
  }];
}

/** Logs each user in with another client. */
export async function logIn(
  store: SessionStore,
  userIds: readonly string[],
): Promise<Client[]> {
  return await Promise.all(userIds.map(async (userId) => {
    const client = new Client(store);
    await client.send((session) => session.set("userId", userId));
    return client;
  }));
}

/** Counts the clients that are logged in. */
export async function countUsers(clients: readonly Client[]): Promise<number> {
  let count = 0;
  for (const client of clients) {
    await client.send((session) => {
      if (session.userId !== undefined) count++;
    });
  }
  return count;
}
