import { MAX_TIMEOUT } from "../limits.ts";
import { PageSession, PERIOD } from "./_page_session.ts";

/**
 * Options for `sessionState`.
 *
 * @typeParam Body The body that the server sends.
 * @typeParam Session The session that the page shows.
 */
export interface SessionStateOptions<Body, Session> {
  /**
   * Returns the session of a body, or `null` if no user is logged in.
   *
   * @default {the body}
   */
  readonly select?: (body: Body) => Session | null | undefined;
  /**
   * The pause between requests while the page is visible, in milliseconds, 10,000
   * or more. Polling keeps a session with an idle timeout alive.
   *
   * @default {no polling}
   */
  readonly pollInterval?: number;
  /**
   * The window of the page, for tests and other windows. With `null`, as on a
   * server, the state stays `undefined` and sends no request.
   *
   * @default {globalThis, if it has a document}
   */
  readonly window?: SessionWindow | null;
}

/** The parts of a browser's window that `sessionState` uses. */
export interface SessionWindow extends Pick<EventTarget, "addEventListener"> {
  /** The document, whose visibility decides if a change is read at once. */
  readonly document:
    & Pick<EventTarget, "addEventListener">
    & { readonly visibilityState: string };
  /** The clock. */
  readonly performance: { now(): number };
  /** The channel to other tabs of the same origin. */
  readonly BroadcastChannel: new (name: string) => {
    onmessage: ((event: MessageEvent) => void) | null;
    postMessage(message: unknown): void;
    close(): void;
  };
  /** Starts a timer, with a time in milliseconds. */
  setTimeout(callback: () => void, time: number): number;
  /** Cancels a timer. */
  clearTimeout(timer: number | undefined): void;
}

/** The part of a result that `sessionState` reads. */
export interface SessionResult {
  /** `true` if the server has sent the session. */
  readonly ok: boolean;
  /** The status code. 401 means that no user is logged in. */
  readonly status: number;
  /** The session, or `null` if no user is logged in. */
  readonly body?: unknown;
}

/** The body of a successful result. */
export type SessionBody<Result extends SessionResult> = Extract<
  Result,
  { readonly ok: true }
>["body"];

/**
 * The logged-in user as a page shows it. The functions need no `this`, so you can
 * pass them to a framework.
 *
 * @typeParam Session The session.
 */
export interface SessionState<Session> {
  /**
   * Returns the session, `null` if no user is logged in, or `undefined` if the
   * server has not answered yet. The object stays the same until it changes.
   */
  readonly get: () => Session | null | undefined;
  /**
   * Calls a function with the session, now and after each change. Returns a
   * function that ends this.
   */
  readonly subscribe: (
    listener: (session: Session | null | undefined) => void,
  ) => () => void;
  /**
   * Asks the server again. Call it after a login, a logout or a change of the
   * profile. The promise resolves even if the request fails.
   */
  readonly refresh: () => Promise<void>;
  /**
   * Asks the server, unless a request is under way or no user is logged in. Call it
   * when your API answers 401.
   */
  readonly reportUnauthorized: () => void;
}

declare const document: unknown;

/**
 * Creates a state that tells a page who is logged in.
 *
 * It asks the server at the first subscription, if another tab has noticed a login
 * or logout, and if the user returns to the page. A hidden page waits until it is
 * shown. If the server cannot be reached, the state stays. It sends five requests
 * at once at most, and then one in ten seconds.
 *
 * Trust: the state is for display. The server must check each request itself.
 *
 * @example Showing a name
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createClient, sessionState } from "@gatehouse/web/client";
 * import { nullable, object, string } from "@gatehouse/web/data-schema";
 * import { get, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const Account = object({ name: string() });
 * const Session = object({ account: nullable(Account) });
 * const routes = route({
 *   session: get("/account/session", { responses: { 200: Session } }),
 * });
 * const client = createClient(routes, { baseUrl: "https://app.example" });
 * const user = sessionState(client.session, {
 *   select: ({ account }) => account,
 * });
 *
 * const shown: unknown[] = [];
 * user.subscribe((account) => shown.push(account?.name));
 * // Outside a browser, the state stays unknown.
 * assertEquals(shown, [undefined]);
 * ```
 *
 * @typeParam Result The result of the call.
 * @typeParam Session The session that the page shows.
 * @param call Calls the route that responds with the session, or with 401, such as
 * a function of `createClient()`.
 * @param options The session of a body, and how often to poll.
 * @returns The state.
 * @throws {RangeError} If `pollInterval` is less than 10,000 or too large.
 */
export function sessionState<
  Result extends SessionResult,
  Session = SessionBody<Result>,
>(
  call: (input: { readonly signal: AbortSignal }) => Promise<Result>,
  options: SessionStateOptions<SessionBody<Result>, Session> = {},
): SessionState<NonNullable<Session>> {
  const { pollInterval, select, window = defaultWindow() } = options;
  const isValid = pollInterval === undefined ||
    pollInterval >= PERIOD && pollInterval <= MAX_TIMEOUT;
  if (!isValid) {
    throw new RangeError(
      `Cannot poll the session every "${pollInterval}" ms: not ${PERIOD} to ${MAX_TIMEOUT}`,
    );
  }
  return new PageSession(
    async (signal) => {
      const { body, ok, status } = await call({ signal });
      if (!ok) return status === 401 ? null : undefined;
      const session = select ? select(body) : body;
      return (session ?? null) as NonNullable<Session> | null;
    },
    pollInterval,
    window,
  );
}

function defaultWindow(): SessionWindow | null {
  return typeof document === "object"
    ? globalThis as unknown as SessionWindow
    : null;
}
