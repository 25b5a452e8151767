import type { RequestSession } from "./_request_session.ts";
import {
  type AuthMethodTimes,
  checkUserId,
  type JSONValue,
  type Storable,
} from "./record.ts";

/** Marks the `RequestSession` objects, which no other code can create. */
export const REQUEST_SESSION: unique symbol = /* @__PURE__ */ Symbol(
  "request session",
);

let readRequest: ((session: Session) => RequestSession) | undefined;

/** Returns the internal part of a session, for the library only. */
export function requestSessionOf(session: Session): RequestSession {
  // A session exists, so the constructor has set the function.
  return readRequest!(session);
}

/**
 * The session of a browser, which the server stores between its requests.
 *
 * A session saves its changes, not its whole content. They are applied to the
 * stored session at the end of the request, or by `commit()`. Concurrent
 * requests therefore do not overwrite each other's changes, and a session that
 * was destroyed in the meantime stays destroyed.
 *
 * The key `userId` is the login. A new value also changes the session's id, so
 * that an id which an attacker planted before the login becomes useless.
 *
 * @example Log in and read the user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", (context) => {
 *   context.get(Session).set("userId", 7);
 *   return new Response("Welcome");
 * });
 * router.get("/", (context) => {
 *   return new Response(`User ${context.get(Session).userId}`);
 * });
 *
 * const login = await router.fetch("https://example.com/login", {
 *   method: "POST",
 * });
 * const [cookie] = login.headers.getSetCookie()[0].split(";");
 * const page = await router.fetch("https://example.com/", {
 *   headers: { cookie },
 * });
 * assertEquals(await page.text(), "User 7");
 * ```
 */
export class Session {
  readonly #request: RequestSession;

  /**
   * Creates the session of a request, for the library only. In tests, use
   * `createTestSession()` from `@gatehouse/web/testing`.
   *
   * @param request The internal part, which only the library can create.
   * @throws {TypeError} If the library did not create it.
   */
  constructor(request: never) {
    if (Object(request)[REQUEST_SESSION] !== true) {
      throw new TypeError(
        "Cannot create session: only the session middleware can, and createTestSession() in tests",
      );
    }
    this.#request = request;
    // If this were in a static block, bundlers could not remove the unused
    // class.
    readRequest ??= (session) => session.#request;
  }

  /**
   * The id in the store, which `userSessions(context)` also uses. It is empty until
   * the session is first saved. It is not secret: it is a hash of the token in the
   * cookie.
   */
  get id(): string {
    return this.#request.read().id;
  }

  /** The logged-in user's id: the value of the key `userId`. */
  get userId(): string | number | undefined {
    return this.#request.read().userId;
  }

  /** The time of the login, or of the session's start. Epoch milliseconds. */
  get createdAt(): number {
    return this.#request.read().record.createdAt;
  }

  /**
   * The time at which the logged-in user last proved their identity, in epoch
   * milliseconds. After an external login it may be before `createdAt`.
   */
  get authenticatedAt(): number | undefined {
    return this.#request.read().record.authenticatedAt;
  }

  /**
   * The authentication methods of the logged-in user, such as `pwd` or `otp`, and
   * the times at which the user last proved their identity by each of them.
   * `completeAuth` sets them; without any, the value is `undefined`.
   */
  get authMethods(): AuthMethodTimes | undefined {
    return this.#request.read().record.methods;
  }

  /**
   * The version of the user's credentials that the login verified, as
   * `completeAuth` got it.
   */
  get version(): number | undefined {
    return this.#request.read().record.version;
  }

  /**
   * Loads the session from its store, if the middleware is `lazy`. Other methods
   * throw before that. Further calls do nothing, but after a failure the next call
   * tries again. Without `lazy`, the session is already loaded.
   *
   * @returns The session itself.
   * @throws {SessionStoreError} If the store fails.
   * @throws {TypeError} If the response exists already. On Deno it also throws
   * after the upgrade to a WebSocket, which closes the request.
   */
  async load(): Promise<this> {
    if (!this.#request.isLoaded) await this.#request.load();
    return this;
  }

  /** Returns the logged-in user's id. */
  get(key: "userId"): string | number | undefined;
  /**
   * Returns a value or a flash value. A flash value that was read is removed at the
   * end of the request.
   *
   * To change an array or an object in the session, pass it to `set` again.
   *
   * @param key The key.
   * @returns The value, or `undefined` if there is no value.
   */
  get(key: string): JSONValue | undefined;
  get(key: string): JSONValue | undefined {
    const request = this.#request.read();
    const { record } = request;
    if (key === "userId") return record.userId;
    const { flash, values } = record.content;
    const value = flash.get(key);
    if (value === undefined) {
      const read = request.changes?.readFlash.get(key);
      return read === undefined ? values.get(key) : read;
    }
    if (!request.isClosed) request.write("read").markRead(key, value);
    return value;
  }

  /**
   * Returns `true` if there is a value or a flash value. The flash value stays
   * unread.
   *
   * @param key The key.
   * @returns `true` if there is a value.
   */
  has(key: string): boolean {
    const { changes, record } = this.#request.read();
    if (key === "userId") return record.userId !== undefined;
    const { flash, values } = record.content;
    return values.has(key) || flash.has(key) ||
      changes?.readFlash.has(key) === true;
  }

  /**
   * Sets a value.
   *
   * The key `userId` is the login: the next save changes the session's id, and
   * removes the values of another user.
   *
   * @typeParam Value The type of the value.
   * @param key The key.
   * @param value A JSON value. Other values are converted as by `JSON.stringify`,
   * such as NaN to `null`.
   * @throws {TypeError} If JSON cannot represent the value, a `userId` is not a
   * finite number or a non-empty string, the session was destroyed, or the response
   * exists already.
   * @throws {RangeError} If the value is larger than a session may be.
   */
  set<Value>(key: string, value: JSONValue | Storable<Value>): void {
    const changes = this.#request.write("set");
    if (key !== "userId") return changes.set("set", key, value);
    const userId = checkUserId(value);
    if (userId !== changes.record.userId) changes.logIn(userId);
  }

  /**
   * Changes a value with a function. If another request changes the value
   * first, the function is called again with the new value, so a counter counts
   * all requests.
   *
   * @typeParam Value The type of the new value.
   * @param key The key.
   * @param change Returns the new value for the current one. It should have no
   * side effects, because it may be called several times.
   * @throws {TypeError} If JSON cannot represent the new value, the key is
   * `userId`, the session was destroyed, or the response exists already.
   */
  update<Value>(
    key: string,
    change: (value: JSONValue | undefined) => JSONValue | Storable<Value>,
  ): void {
    const changes = this.#request.write("update");
    refuseUserId("update", key, "set it instead");
    changes.apply({ type: "update", key, change });
  }

  /**
   * Removes a value. Removing `userId` is a logout, which changes the id.
   *
   * @param key The key.
   * @throws {TypeError} If the session was destroyed, or the response exists
   * already.
   */
  unset(key: string): void {
    const changes = this.#request.write("unset");
    if (key !== "userId") return changes.apply({ type: "unset", key });
    if (changes.record.userId !== undefined) changes.logIn(undefined);
  }

  /**
   * Sets a flash value, such as a message to show once. It is removed at the end of
   * the request that reads it.
   *
   * @typeParam Value The type of the value.
   * @param key The key.
   * @param value A JSON value. Other values are converted as by `JSON.stringify`,
   * such as NaN to `null`.
   * @throws {TypeError} If JSON cannot represent the value, the key is `userId`,
   * the session was destroyed, or the response exists already.
   * @throws {RangeError} If the value is larger than a session may be.
   */
  flash<Value>(key: string, value: JSONValue | Storable<Value>): void {
    const changes = this.#request.write("flash");
    refuseUserId("flash", key, "it is the login");
    changes.set("flash", key, value);
  }

  /**
   * Keeps flash values for one more request, even if they were read.
   *
   * @param key The key. Without it, all flash values are kept.
   * @throws {TypeError} If the session was destroyed, or the response exists
   * already.
   */
  keep(key?: string): void {
    this.#request.write("keep").keepFlash(key);
  }

  /**
   * Removes and returns a value that may be used only once. If concurrent
   * requests take the same value, `await session.commit()` succeeds in one of
   * them. In the others it throws, and drops the `take` and the changes after
   * it. Therefore, commit before you use the value.
   *
   * @param key The key of a value or a flash value.
   * @returns The value, or `undefined` if there is no value.
   * @throws {TypeError} If the key is `userId`, the session was destroyed, or the
   * response exists already.
   */
  take(key: string): JSONValue | undefined {
    const changes = this.#request.write("take");
    refuseUserId("take", key, "unset it instead");
    return changes.take(key);
  }

  /**
   * Ends the session when it is saved, even if another request has given it a new
   * id in the meantime. The session is empty from now on, and writes throw.
   *
   * @throws {TypeError} If the response exists already.
   */
  destroy(): void {
    this.#request.destroy();
  }

  /**
   * Gives the session a new id when it is saved. Call it if the rights of the user
   * change. A login does so itself.
   *
   * @throws {TypeError} If the session was destroyed, or the response exists
   * already.
   */
  regenerateId(): void {
    const changes = this.#request.write("regenerate");
    if (changes.idChange === "keep") changes.idChange = "rotate";
  }

  /**
   * Saves the session at once, before an action that depends on it.
   *
   * @throws {SessionConflictError} If another request took the same value, or if
   * the session has ended.
   * @throws {SessionStoreError} If the store fails.
   * @throws {RangeError} If the session is larger than 32,768 bytes, or its cookie
   * larger than 4,096 bytes.
   * @throws {TypeError} If the response exists already without the changes.
   */
  commit(): Promise<void> {
    return this.#request.commit();
  }
}

function refuseUserId(verb: string, key: string, reason: string): void {
  if (key !== "userId") return;
  throw new TypeError(`Cannot ${verb} "userId": ${reason}`);
}
