import {
  createRouter,
  type RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";

/** A handler: it uses the session and returns the response, or its JSON. */
export type Action = (
  session: Session,
  context: RequestContext,
) => unknown;

/** A server with the session middleware, for requests with any handler. */
export class Server {
  readonly #actions = new Map<string, Action>();
  readonly #router: Router;
  #count = 0;

  constructor(
    options: SessionOptions = {},
    onError = (error: unknown) => new Response(String(error), { status: 500 }),
  ) {
    const router = createRouter({ middleware: [session(options)], onError });
    router.get("/:action", async (context) => {
      const action = this.#actions.get(context.params.action)!;
      const result = await action(context.get(Session), context);
      return result instanceof Response
        ? result
        : Response.json(result ?? null);
    });
    this.#router = router;
  }

  /** Sends a request that runs an action. */
  request(
    action: Action,
    headers: HeadersInit = {},
    origin = "https://example.com",
    ...platform: unknown[]
  ): Promise<Response> {
    const name = `a${++this.#count}`;
    this.#actions.set(name, action);
    const request = new Request(`${origin}/${name}`, { headers });
    return this.#router.fetch(request, ...platform);
  }
}

/** A browser of one server. It keeps cookies. */
export class Browser {
  readonly server: Server;
  readonly cookies: Map<string, string>;
  /** The last response. */
  response: Response = new Response();

  constructor(server: Server, cookies: Iterable<[string, string]> = []) {
    this.server = server;
    this.cookies = new Map(cookies);
  }

  /** The `Cookie` header that the browser sends. */
  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`)
      .join("; ");
  }

  /** Returns another browser with the same cookies. */
  copy(): Browser {
    return new Browser(this.server, this.cookies);
  }

  /** Sends a request, keeps its cookies and returns the result of the action. */
  async visit<Result>(
    action: (session: Session, context: RequestContext) => Result,
  ): Promise<Awaited<Result>> {
    let result: Awaited<Result> | undefined;
    const headers: HeadersInit = this.cookies.size > 0
      ? { Cookie: this.header }
      : {};
    this.response = await this.server.request(async (session, context) => {
      result = await action(session, context);
      return result instanceof Response ? result : undefined;
    }, headers);
    this.keep(this.response);
    if (this.response.status === 500) {
      throw new Error(await this.response.text());
    }
    return result as Awaited<Result>;
  }

  /** Keeps the cookies of a response. */
  keep(response: Response): void {
    for (const header of response.headers.getSetCookie()) {
      const [pair, ...attributes] = header.split(";").map((part) =>
        part.trim()
      );
      const [name, value] = pair.split(/=(.*)/);
      if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** A clock that tests set. */
export class Clock {
  /** Epoch milliseconds. */
  time: number = Date.UTC(2026, 0, 1);

  /** Returns the time. */
  readonly now = (): number => this.time;
}

/** One minute in milliseconds. */
export const MINUTE = 60_000;

/** Creates a memory store that can run a function once during `byIndex()`. */
export function interruptibleStore(): {
  readonly store: SessionStore;
  duringNextList(run: () => Promise<unknown>): void;
} {
  const memory = createMemorySessionStore();
  let next: (() => Promise<unknown>) | undefined;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    async byIndex(name) {
      const found = await memory.byIndex!(name);
      const run = next;
      next = undefined;
      await run?.();
      return found;
    },
  };
  return { store, duringNextList: (run) => void (next = run) };
}
