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

/** Does something with a session and says what to answer. */
export type Action = (
  session: Session,
  context: RequestContext,
) => unknown;

/** A server that runs the action a request names. */
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
      const answer = await action(context.get(Session), context);
      return answer instanceof Response
        ? answer
        : Response.json(answer ?? null);
    });
    this.#router = router;
  }

  /** Runs an action in a request of its own. */
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

/** A browser with one cookie jar, at one server. */
export class Browser {
  readonly server: Server;
  readonly cookies: Map<string, string>;
  /** The last response. */
  response: Response = new Response();

  constructor(server: Server, cookies: Iterable<[string, string]> = []) {
    this.server = server;
    this.cookies = new Map(cookies);
  }

  /** What the browser sends. */
  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`)
      .join("; ");
  }

  /** Another browser that knows the same cookies. */
  copy(): Browser {
    return new Browser(this.server, this.cookies);
  }

  /** Sends a request, keeps the cookies, returns what the action returned. */
  async visit<Answer>(
    action: (session: Session, context: RequestContext) => Answer,
  ): Promise<Awaited<Answer>> {
    let answer: Awaited<Answer> | undefined;
    const headers: HeadersInit = this.cookies.size > 0
      ? { Cookie: this.header }
      : {};
    this.response = await this.server.request(async (session, context) => {
      answer = await action(session, context);
      return answer instanceof Response ? answer : undefined;
    }, headers);
    this.keep(this.response);
    if (this.response.status === 500) {
      throw new Error(await this.response.text());
    }
    return answer as Awaited<Answer>;
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

/** A clock that tests move on. */
export class Clock {
  /** Epoch milliseconds. */
  time: number = Date.UTC(2026, 0, 1);

  /** Tells the time. */
  readonly now = (): number => this.time;
}

/** Milliseconds. */
export const MINUTE = 60_000;

/** A store in memory where something happens while sessions are listed, once. */
export function interruptedStore(): {
  readonly store: SessionStore;
  meanwhile(run: () => Promise<unknown>): void;
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
  return { store, meanwhile: (run) => void (next = run) };
}
