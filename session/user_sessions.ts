import { reportSecurityEvent } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import { bindingOf } from "./device_binding.ts";
import {
  type Accept,
  endIndexed,
  endStored,
  findMany,
  firstIdOf,
} from "./drivers/ended_sessions.ts";
import { type CallStore, storeCaller } from "./drivers/circuit_breaker.ts";
import { reportEnd } from "./drivers/end_listeners.ts";
import { checkVersion, requireVersion } from "./drivers/user_version.ts";
import {
  isSessionId,
  parseRecord,
  type SessionLabel,
  type SessionRecord,
} from "./record.ts";
import { requestSessionOf, Session } from "./session.ts";
import { type SessionStore, userIndexName } from "./store.ts";

/** One of a user's sessions, for an account page. */
export interface SessionInfo {
  /** The session's id, for `end`. It is not the token in the cookie. */
  readonly id: string;
  /** `true` if it is the session of this request. */
  readonly current: boolean;
  /** The time of the login in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of the last proof of identity in epoch milliseconds. */
  readonly authenticatedAt: number | undefined;
  /** The time of the last use, accurate to a quarter of the idle timeout. */
  readonly seenAt: number;
  /** The time at which an unused session expires, in epoch milliseconds. */
  readonly expiresAt: number;
  /** The browser and the address of the login. */
  readonly label: SessionLabel;
  /**
   * `true` if the session is bound to a device: a copy of its cookies becomes
   * worthless within minutes. See `deviceBoundSessions`.
   */
  readonly bound: boolean;
}

/** Options for `endAll`. */
export interface EndAllOptions {
  /**
   * The user.
   *
   * @default {the user of this request's session}
   */
  readonly userId?: string | number;
  /**
   * The id of a session to keep.
   *
   * @default {undefined}
   */
  readonly except?: string;
  /**
   * The new version of the user's credentials. Sessions whose login had it or a
   * later one stay. For an hour, logins with an older version fail with a
   * `SessionConflictError`. If `except` is the session of this request, it
   * continues with this version.
   *
   * @default {undefined}
   */
  readonly version?: number;
}

/** Options for `page`. */
export interface PageOptions {
  /**
   * The user.
   *
   * @default {the user of this request's session}
   */
  readonly userId?: string | number;
  /**
   * The property `next` of the page before. It may come from a URL.
   *
   * @default {the first page}
   */
  readonly after?: string | undefined;
  /**
   * The maximum number of sessions, at most 200.
   *
   * @default {100}
   */
  readonly limit?: number;
}

/** Some of a user's sessions. */
export interface SessionPage {
  /** The sessions, most recently used first. */
  readonly sessions: readonly SessionInfo[];
  /** The position of the next page, or `undefined` on the last one. */
  readonly next: string | undefined;
}

/** Methods to list and end the sessions of a user. */
export interface UserSessions {
  /**
   * Returns a user's sessions, most recently used first. If there are more than a
   * hundred, it returns the first page: see `page`.
   *
   * @param userId The user. The default is the user of this request's session.
   * @returns The sessions, or an empty array if no user is logged in.
   * @throws {TypeError} If the sessions are in cookies, or in a store without
   * `byIndex`.
   * @throws {SessionStoreError} If the store fails.
   */
  list(userId?: string | number): Promise<SessionInfo[]>;
  /**
   * Returns a part of a user's sessions, for users with very many. A session
   * that exists throughout the listing is on one page. The sessions are in
   * random order, but those of a page are sorted.
   *
   * @param options The user, the position and the size of the page.
   * @returns The page.
   * @throws {RangeError} If the limit is not an integer from 1 to 200.
   * @throws {TypeError} If the sessions are in cookies, or in a store without
   * `byIndex`.
   * @throws {SessionStoreError} If the store fails.
   */
  page(options?: PageOptions): Promise<SessionPage>;
  /**
   * Ends a session of a user.
   *
   * @param id The id of the session.
   * @param userId The user. The default is the user of this request's session.
   * @returns `true` if the user had a session with this id.
   * @throws {TypeError} If the sessions are in cookies.
   * @throws {SessionStoreError} If the store fails.
   */
  end(id: string, userId?: string | number): Promise<boolean>;
  /**
   * Ends all sessions of a user, or all but one, for example after a change of
   * the password.
   *
   * @param options The user, and the session to keep.
   * @returns The number of ended sessions.
   * @throws {TypeError} If the sessions are in cookies, or in a store without
   * `byIndex`.
   * @throws {RangeError} If the version is not an integer.
   * @throws {SessionStoreError} If the store fails.
   */
  endAll(options?: EndAllOptions): Promise<number>;
}

/**
 * Returns methods to list and end the sessions of a user. It needs the session
 * middleware.
 *
 * @example End all other sessions when the password changes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session, userSessions } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", async (context) => {
 *   context.get(Session).set("userId", 7);
 *   await context.get(Session).commit();
 *   return Response.json(await userSessions(context).list());
 * });
 * router.post("/password", async (context) => {
 *   const { id } = context.get(Session);
 *   return Response.json(await userSessions(context).endAll({ except: id }));
 * });
 *
 * const post = { method: "POST" };
 * await router.fetch("https://example.com/login", post);
 * const login = await router.fetch("https://example.com/login", post);
 * assertEquals((await login.json()).length, 2);
 *
 * const [cookie] = login.headers.getSetCookie()[0].split(";");
 * const changed = await router.fetch("https://example.com/password", {
 *   ...post,
 *   headers: { cookie },
 * });
 * assertEquals(await changed.json(), 1);
 * ```
 *
 * @param context The request's context.
 * @returns The methods.
 * @throws {MissingContextValueError} If the session middleware did not run.
 */
export function userSessions(context: RequestContext): UserSessions {
  return new Sessions(context.get(Session));
}

/** The maximum number of sessions of a page. */
const MAX_PAGE = 200;

class Sessions implements UserSessions {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async list(userId?: string | number): Promise<SessionInfo[]> {
    const { sessions } = await this.page(
      userId === undefined ? {} : { userId },
    );
    return [...sessions];
  }

  async page(options: PageOptions = {}): Promise<SessionPage> {
    const { after = "", limit = 100 } = options;
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE)) {
      throw new RangeError(
        `Cannot list sessions: limit "${limit}" is not an integer from 1 to ${MAX_PAGE}`,
      );
    }
    const own = await this.#ownUserId();
    const { userId = own } = options;
    if (userId === undefined) return { sessions: [], next: undefined };
    const all = (await this.#idsOf(userId)).filter((id) => id > after).sort();
    const ids = all.slice(0, limit);
    const found = await findMany(this.#call, ids);
    const sessions: SessionInfo[] = [];
    for (const [index, stored] of found.entries()) {
      const record = stored && parseRecord(stored.value);
      if (record === null || !this.#belongsTo(record, userId)) continue;
      sessions.push(this.#infoOf(ids[index]!, record));
    }
    sessions.sort((a, b) => b.seenAt - a.seenAt);
    return { sessions, next: all.length > limit ? ids.at(-1) : undefined };
  }

  async end(id: string, userId?: string | number): Promise<boolean> {
    userId ??= await this.#ownUserId();
    const hasEnded = await this.#end(id, userId);
    if (hasEnded) this.#report("session-end", userId);
    return hasEnded;
  }

  async endAll(options: EndAllOptions = {}): Promise<number> {
    const own = await this.#ownUserId();
    const { userId = own, except, version } = options;
    if (userId === undefined) return 0;
    this.#checkIndex();
    if (version !== undefined) {
      checkVersion(version);
      // The version is stored before the sessions are listed, so that no login
      // can be missed.
      await requireVersion(this.#call, userId, version);
    }
    const kept = except && await firstIdOf(this.#call, except);
    const accept: Accept = (record, id) =>
      (record.firstId ?? id) !== kept && this.#belongsTo(record, userId) &&
      !(version !== undefined && (record.version ?? -Infinity) >= version);
    const name = userIndexName(userId);
    const count = await endIndexed(this.#call, name, accept);
    const isAll = kept === undefined && version === undefined;
    if (isAll) await reportEnd(this.#call, { name, before: Infinity });
    if (version !== undefined && except === this.#session.id) {
      requestSessionOf(this.#session).write("continue")
        .apply({ type: "version", version });
    }
    this.#report("logout-everywhere", userId);
    return count;
  }

  /** Reports that sessions of a user have ended, and who ended them. */
  #report(
    action: "session-end" | "logout-everywhere",
    targetId: string | number | undefined,
  ): void {
    const { context, login: { userId } } = requestSessionOf(this.#session);
    const isOwn = String(userId) === String(targetId);
    const target = isOwn ? {} : { targetId };
    reportSecurityEvent(context, { action, userId, ...target });
  }

  /** Ends a session if it belongs to the user. */
  async #end(
    id: string,
    userId: string | number | undefined,
  ): Promise<boolean> {
    this.#storeFor("end");
    if (userId === undefined || !isSessionId(id)) return false;
    // A user must not end the session of another user by its id.
    const accept: Accept = (record) => this.#belongsTo(record, userId);
    return await endStored(this.#call, id, accept);
  }

  get #setup() {
    return requestSessionOf(this.#session).setup;
  }

  async #ownUserId(): Promise<string | number | undefined> {
    return (await this.#session.load()).userId;
  }

  #infoOf(id: string, record: SessionRecord): SessionInfo {
    const { authenticatedAt, content, createdAt, seenAt } = record;
    return {
      id,
      current: id === this.#session.id,
      createdAt,
      authenticatedAt,
      seenAt,
      expiresAt: this.#setup.config.timeouts.expiryOf(record),
      label: content.label,
      bound: bindingOf(record)?.boundAt !== undefined,
    };
  }

  async #idsOf(userId: string | number): Promise<readonly string[]> {
    this.#checkIndex();
    const name = userIndexName(userId);
    return await this.#call("list", (store) => store.byIndex!(name));
  }

  #checkIndex(): void {
    if (this.#storeFor("list").byIndex !== undefined) return;
    throw new TypeError("Cannot list sessions: the store has no byIndex");
  }

  #belongsTo(record: SessionRecord, userId: string | number): boolean {
    const { now, timeouts } = this.#setup.config;
    return timeouts.expiryOf(record) > now() &&
      String(record.userId) === String(userId);
  }

  readonly #call: CallStore = (verb, call) => {
    const store = this.#storeFor(verb);
    const { storeTimeout } = this.#setup.config;
    return storeCaller(store, storeTimeout)(verb, call);
  };

  #storeFor(verb: string): SessionStore {
    const { store } = this.#setup;
    // The response now depends on the session and must not be shared.
    requestSessionOf(this.#session).isAccessed = true;
    if (store !== null) return store;
    throw new TypeError(
      `Cannot ${verb} sessions: they are in cookies, use revokedBefore to end them`,
    );
  }
}
