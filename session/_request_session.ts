import { Abandoned, withHeaders } from "../router/internal.ts";
import type {
  ContextEntry,
  Middleware,
  RequestContext,
} from "../router/mod.ts";
import { reportLogin, type StoredLogin } from "./_login_reports.ts";
import { PendingChanges } from "./_pending_changes.ts";
import { makePrivate, withCookies } from "./cookies/cache_headers.ts";
import type { HostCookies, PrefixedCookie } from "./cookies/prefixed_cookie.ts";
import type {
  CreateDriver,
  SessionBegin,
  SessionConfig,
  SessionDriver,
} from "./drivers/driver.ts";
import { SessionConflictError } from "./errors.ts";
import { createLabel, createRecord, type SessionRecord } from "./record.ts";
import { REQUEST_SESSION, Session } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** The setup of one session middleware, which its requests share. */
export interface SessionSetup {
  /** `true` if a session is read only when the handler calls `load`. */
  readonly isLazy: boolean;
  readonly config: SessionConfig;
  readonly cookie: PrefixedCookie;
  /** The store that sessions can be listed in; `null` for encrypted cookies. */
  readonly store: SessionStore | null;
  readonly createDriver: CreateDriver;
  /** The value of `Clear-Site-Data` after `destroy()`. */
  readonly clearSiteData: string;
  /** Removes expired sessions from the store, from time to time. */
  sweep(): void;
}

/** Creates the middleware of a setup. */
export function createMiddleware(
  setup: SessionSetup,
): Middleware<readonly [ContextEntry<typeof Session, Session>]> {
  return (context, next) => {
    const request = new RequestSession(setup, context);
    context.set(Session, new Session(request as never));
    return request.handle(next);
  };
}

/** The login of a session that is not stored. */
const NO_LOGIN: StoredLogin = { userId: undefined, id: "" };

/** The session of one request, from the `Cookie` header to the response. */
export class RequestSession {
  /**
   * Only the library has an object with this property. The constructor sets it,
   * because bundlers keep an unused class with a computed name.
   */
  declare readonly [REQUEST_SESSION]: true;
  /** Headers to set on the response. */
  headers: Headers | undefined;
  /** `true` if the handler used the session. Then caches must not share it. */
  isAccessed = false;
  /** The reason why changes begin a new session after this one has ended. */
  canBegin: SessionBegin = false;
  /** `true` as soon as the response exists, so that changes come too late. */
  isClosed = false;
  /** The changes, as soon as there are any. */
  changes: PendingChanges | undefined;
  /** Other cookies that the request reads or sets. */
  hostCookies: HostCookies | undefined;
  /** The login as stored, for the reports of its changes. */
  login: StoredLogin = NO_LOGIN;
  /** `true` after a login was saved. */
  hasLogin = false;
  /** `true` if the session was loaded. */
  isLoaded: boolean;
  readonly context: RequestContext;
  readonly setup: SessionSetup;
  #cookieName = "";
  #driver: SessionDriver | undefined;
  #record: SessionRecord | undefined;
  #isDestroyed = false;
  #hasEnded = false;
  #loading: Promise<void> | undefined;
  #saving: Promise<void> | undefined;

  constructor(setup: SessionSetup, context: RequestContext) {
    this[REQUEST_SESSION] = true;
    this.setup = setup;
    this.context = context;
    // A session that is not lazy is loaded by `handle` before the handler runs.
    this.isLoaded = !setup.isLazy;
  }

  /** The id in the store, or an empty string if the session is not stored. */
  get id(): string {
    return this.#driver?.id ?? "";
  }

  /** The session as the handler sees it. */
  get record(): SessionRecord {
    return this.changes?.record ?? (this.#record ??= this.createRecord({}));
  }

  /** The logged-in user's id. Reading it creates no record for a visitor. */
  get userId(): string | number | undefined {
    return (this.changes?.record ?? this.#record)?.userId;
  }

  /** `true` if changes can only be saved together with a cookie. */
  get needsCookie(): boolean {
    return this.id === "" || this.#driver!.isInCookies ||
      this.changes !== undefined && this.changes.idChange !== "keep";
  }

  /** Creates the record of a new session. */
  createRecord(label = createLabel(this.context)): SessionRecord {
    const { now, timeouts } = this.setup.config;
    return createRecord(now(), timeouts, label);
  }

  /**
   * Loads the session, runs the handler, saves the session and completes the
   * response.
   */
  async handle(next: () => Promise<Response>): Promise<Response> {
    try {
      // The first read of a header is slow on Deno, so lazy sessions avoid it.
      if (!this.setup.isLazy) {
        const { headers } = this.context.request;
        const header = headers.get("Cookie");
        const mayExist = header?.includes(this.setup.cookie.name);
        // Later would be too late: Deno closes a request that is upgraded to a
        // WebSocket.
        if (mayExist || headers.get("Upgrade")) await this.#open(header);
      }
    } catch (error) {
      this.isClosed = true;
      throw error;
    }
    const response = await next();
    this.isClosed = true;
    if (this.context.error !== undefined) await this.#saveAfterError();
    else if (this.#isDue) return await this.#saveAfterHandler(response);
    return this.#addHeaders(response);
  }

  /**
   * Loads the session, if it was not loaded yet.
   *
   * @throws {TypeError} If the response exists already.
   */
  async load(): Promise<void> {
    if (this.isClosed) {
      throw new TypeError("Cannot load session: the response was already made");
    }
    const header = this.context.request.headers.get("Cookie");
    // After a failure, the next call tries again.
    await (this.#loading ??= this.#open(header).finally(() => {
      this.#loading = undefined;
    }));
  }

  /**
   * Prepares an operation that reads the session.
   *
   * @throws {TypeError} If the session was not loaded.
   */
  read(verb = "read"): this {
    if (!this.isLoaded) {
      throw new TypeError(
        `Cannot ${verb} session: it was not loaded, "await session.load()" has to come first`,
      );
    }
    this.isAccessed = true;
    return this;
  }

  /**
   * Prepares an operation that changes the session.
   *
   * @throws {TypeError} If the session was not loaded, or can no longer change.
   */
  write(verb: string): PendingChanges {
    this.read(verb);
    const problem = this.#isDestroyed
      ? "it was destroyed"
      : this.isClosed && "the response was already made";
    if (problem) throw new TypeError(`Cannot ${verb} session: ${problem}`);
    this.#driver ??= this.#createDriver();
    return this.changes ??= new PendingChanges(this);
  }

  /** Drops the changes. The next save ends the session. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.write("destroy");
    this.#isDestroyed = true;
    this.changes = undefined;
    this.#record = undefined;
  }

  /** Makes the request anonymous. The stored session does not change. */
  leave(): void {
    this.#driver?.leave?.();
    this.#record = undefined;
    this.changes = undefined;
    this.login = NO_LOGIN;
  }

  /**
   * Saves the session while the handler runs.
   *
   * @throws {SessionConflictError} If the session has ended, or if another
   * request took the same value.
   * @throws {TypeError} If the response exists already without the changes.
   */
  async commit(): Promise<void> {
    const { changes } = this;
    const conflicts = changes?.conflicts;
    while (this.#saving !== undefined) await this.#saving;
    // A conflict of the previous save has dropped these changes too.
    if (changes?.conflicts !== conflicts) {
      throw new SessionConflictError("taken");
    }
    const isChanged = this.#isDestroyed
      ? !this.#hasEnded
      : this.changes?.isEmpty === false;
    if ((this.isClosed || this.#isAbandoned) && isChanged) {
      throw new TypeError(
        "Cannot commit session: the response was already made",
      );
    }
    if (!await this.#save()) throw new SessionConflictError("ended");
  }

  /** `true` if the browser gets no cookie. A logout needs none. */
  get #isAbandoned(): boolean {
    return !this.#isDestroyed && this.context.get(Abandoned);
  }

  /** `true` if there are changes, or an old time of the last use. */
  get #isDue(): boolean {
    if (this.#isDestroyed) return !this.#hasEnded;
    if (this.changes?.isEmpty === false) return true;
    if (!this.isAccessed || !this.#driver?.id) return false;
    const { record, setup: { config } } = this;
    return config.timeouts.isRefreshDue(record, record.seenAt, config.now());
  }

  async #open(header: string | null): Promise<void> {
    this.#driver ??= this.#createDriver();
    this.#record = await this.#driver.open(header) ?? undefined;
    this.login = { userId: this.#record?.userId, id: this.#driver.id };
    this.isLoaded = true;
  }

  #createDriver(): SessionDriver {
    this.#cookieName = this.setup.cookie.nameFor(this.context);
    return this.setup.createDriver(this.#cookieName, this.context);
  }

  /** Saves the changes. Returns `false` if the session has ended. */
  async #save(): Promise<boolean> {
    // The loop is not in a separate function, where two callers could begin at
    // the same time.
    while (this.#saving !== undefined) await this.#saving;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#saving = promise;
    try {
      if (!this.#isDue) {
        return this.canBegin !== false || !this.changes?.hasEnded;
      }
      const driver = this.#driver!;
      if (!this.#isDestroyed) {
        this.changes ??= new PendingChanges(this);
        const isLogin = this.changes.idChange === "login";
        const isSaved = await this.changes.save(driver, this.canBegin);
        const { id, record: { userId } } = this;
        if (isSaved) this.#report({ userId, id }, isLogin);
        return isSaved;
      }
      await driver.end();
      this.#hasEnded = true;
      this.#report(NO_LOGIN, false);
      const clear = this.setup.clearSiteData;
      if (clear) (this.headers ??= new Headers()).set("Clear-Site-Data", clear);
      return true;
    } finally {
      this.#saving = undefined;
      resolve();
    }
  }

  /** Reports the login or the logout of a save, if it was one. */
  #report(after: StoredLogin, isLogin: boolean): void {
    const { login: before } = this;
    const { id, userId } = after;
    if (!isLogin && id === before.id && userId === before.userId) return;
    this.login = after;
    if (isLogin) this.hasLogin = userId !== undefined;
    reportLogin(this.context, before, after, isLogin);
  }

  async #saveAfterHandler(response: Response): Promise<Response> {
    for (let isSaved = false; !isSaved;) {
      try {
        await this.#save();
        isSaved = true;
      } catch (error) {
        response.body?.cancel().catch(() => {});
        if (!(error instanceof SessionConflictError)) {
          // The browser will not get the cookie of a login that was committed.
          await this.#driver?.discard().catch(() => {});
          throw error;
        }
        // The conflict has dropped some changes, but the session can still save
        // the others.
        response = await error.toResponse(this.context);
      }
    }
    return this.#addHeaders(response);
  }

  /**
   * Ends a destroyed session after an error in the handler, so that a logout
   * cannot fail because of the code after it. Other changes are not saved.
   */
  async #saveAfterError(): Promise<void> {
    // The handler may not have waited for a commit.
    while (this.#saving !== undefined) await this.#saving;
    // The browser will not get the cookie of a login that was committed.
    if (this.#isAbandoned) await this.#driver?.discard().catch(() => {});
    // The response describes the handler's error, which came first.
    if (this.#isDestroyed) await this.#save().catch(() => {});
  }

  /** Adds cookies and other headers, and keeps the response out of caches. */
  #addHeaders(response: Response): Response {
    const { headers } = this;
    const cookies = this.hostCookies?.headers ?? [];
    const { cookie } = this.setup;
    const { cookies: changes = [] } = this.#driver ?? {};
    if (changes.length > 0) {
      this.#driver!.close();
      this.setup.sweep();
      cookies.unshift(
        ...changes.map((change) => cookie.setCookie(change, this.#cookieName)),
      );
    }
    if (cookies.length > 0) response = withCookies(response, cookies);
    else if (this.isAccessed) response = makePrivate(response);
    if (headers === undefined || response.status === 101) return response;
    return withHeaders(response, (own) => {
      for (const [name, value] of headers) own.set(name, value);
    });
  }
}
