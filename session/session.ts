import type { RequestSession } from "./_request_session.ts";
import { checkUserId, stringify, stringifyWithinLimit } from "./_change.ts";
import type { PendingChanges } from "./_pending_changes.ts";
import { SessionConflictError } from "./errors.ts";
import type { JSONValue, Storable } from "./json.ts";

/** Marks a request's session, so that nothing else can make a `Session`. */
export const REQUEST_SESSION: unique symbol = /* @__PURE__ */ Symbol(
  "request session",
);

let readRequest: ((session: Session) => RequestSession) | undefined;

/** Returns the request's side of a session, for the library only. */
export function requestSessionOf(session: Session): RequestSession {
  // There is a session, so the constructor has run.
  return readRequest!(session);
}

/** Creates the `Session` that handlers see. */
export function createSession(request: RequestSession): Session {
  return new Session(request as never);
}

/**
 * What the server remembers of one browser, by `context.get(Session)`.
 *
 * A session is not written as a whole: it keeps its changes and applies them to
 * what is stored when it is saved, at the end of the request or by `commit()`.
 * Two requests at once both keep their changes. A session that was destroyed
 * meanwhile stays destroyed.
 *
 * The key `userId` is the login. Setting it to another value ends the old
 * session id, so that a planted id is worth nothing after login.
 *
 * @example Logging in and out
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
   * `createTestSession()` from `@gatehouse/web/session/testing`.
   *
   * @param request The request's side, which only the library has.
   * @throws {TypeError} If the library did not make it.
   */
  constructor(request: never) {
    this.#request = checkRequest(request);
    // Not in a static block, which would keep bundlers from dropping the class.
    readRequest ??= (session) => session.#request;
  }

  /**
   * The id that the session is stored under, and that `sessions(context)` calls
   * it by; empty until it is first saved. It is no secret: it is not the token
   * in the cookie, and does not lead to it.
   */
  get id(): string {
    return this.#reading().id;
  }

  /** The logged-in user's id: the value of the key `userId`. */
  get userId(): string | number | undefined {
    return this.#reading().record.userId;
  }

  /** The time of the login, or of the session's start. Epoch milliseconds. */
  get createdAt(): number {
    return this.#reading().record.createdAt;
  }

  /**
   * The time at which the user last proved their identity, if one is logged in,
   * in epoch milliseconds. After an external login it may be before `createdAt`.
   */
  get authenticatedAt(): number | undefined {
    return this.#reading().record.authenticatedAt;
  }

  /**
   * Reads the session from its store, where the middleware was told to be
   * `lazy`: before that, nothing else works. It is read once, however many ask,
   * and again where reading failed. Without `lazy` it has been read already.
   *
   * @returns The session itself.
   * @throws {SessionStoreError} If the store failed.
   * @throws {TypeError} After the response was made, and on Deno after the
   * upgrade to a WebSocket, which closes the request.
   */
  async load(): Promise<this> {
    const request = this.#request;
    if (!request.changes.isLoaded) await request.load();
    return this;
  }

  /** Reads the logged-in user's id. */
  get(key: "userId"): string | number | undefined;
  /**
   * Reads a value, or a flash value, which is gone with the next request.
   *
   * Changing what an object holds inside is no change of the session: `set` it.
   *
   * @param key The key.
   * @returns The value, or `undefined` where there is none.
   */
  get(key: string): JSONValue | undefined;
  get(key: string): JSONValue | undefined {
    const changes = this.#reading();
    const { readFlash, record } = changes;
    if (key === "userId") return record.userId;
    if (!record.flash.has(key)) {
      return readFlash.has(key) ? readFlash.get(key) : record.values.get(key);
    }
    const value = record.flash.get(key)!;
    if (changes.keptFlash.has(key) || changes.closed) return value;
    readFlash.set(key, value);
    changes.apply({ type: "read", key, text: stringify(value) });
    return value;
  }

  /**
   * Tells whether there is a value or a flash value. It does not use up a flash
   * value.
   *
   * @param key The key.
   * @returns Whether there is one.
   */
  has(key: string): boolean {
    const { readFlash, record } = this.#reading();
    if (key === "userId") return record.userId !== undefined;
    return record.values.has(key) || record.flash.has(key) ||
      readFlash.has(key);
  }

  /**
   * Stores a value.
   *
   * With the key `userId` it is a login: the session's id changes when it is
   * saved, and values of another user are dropped.
   *
   * @typeParam Value The type of the value.
   * @param key The key.
   * @param value What JSON can hold; all else is what JSON makes of it, such as
   * `null` of NaN.
   * @throws {TypeError} If JSON makes nothing of the value, a `userId` is neither
   * a finite number nor a text that is not empty, after `destroy`, or after the
   * response was made.
   * @throws {RangeError} If the value is larger than a session may be.
   */
  set<Value>(key: string, value: JSONValue | Storable<Value>): void {
    const changes = this.#writing("set");
    if (key === "userId") {
      const userId = checkUserId(value);
      if (userId !== changes.record.userId) changes.logIn(userId);
      return;
    }
    changes.readFlash.delete(key);
    changes.apply({ type: "set", key, text: stringifyWithinLimit(value) });
  }

  /**
   * Stores what a function makes of the present value. It is called again with
   * the newer value where another request was faster, so that a counter counts
   * them all.
   *
   * @typeParam Value The type of the new value.
   * @param key The key.
   * @param change Makes the new value of the present one. It may run several
   * times: it should do nothing else.
   * @throws {TypeError} If JSON makes nothing of the new value, for the key
   * `userId`, after `destroy`, or after the response was made.
   */
  update<Value>(
    key: string,
    change: (value: JSONValue | undefined) => JSONValue | Storable<Value>,
  ): void {
    const changes = this.#writing("update");
    if (key === "userId") {
      throw new TypeError('Cannot update "userId": set it instead');
    }
    changes.readFlash.delete(key);
    changes.apply({ type: "update", key, change });
  }

  /**
   * Removes a value. Removing `userId` ends the login, and the id with it.
   *
   * @param key The key.
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  unset(key: string): void {
    const changes = this.#writing("unset");
    changes.readFlash.delete(key);
    if (key !== "userId") changes.apply({ type: "unset", key });
    else if (changes.record.userId !== undefined) changes.logIn(undefined);
  }

  /**
   * Stores a message that is readFlash once: it lasts until a request has read it.
   *
   * @typeParam Value The type of the value.
   * @param key The key.
   * @param value What JSON can hold; all else is what JSON makes of it, such as
   * `null` of NaN.
   * @throws {TypeError} If JSON makes nothing of the value, for the key `userId`,
   * after `destroy`, or after the response was made.
   * @throws {RangeError} If the value is larger than a session may be.
   */
  flash<Value>(key: string, value: JSONValue | Storable<Value>): void {
    const changes = this.#writing("flash");
    if (key === "userId") {
      throw new TypeError('Cannot flash "userId": it is the login');
    }
    changes.readFlash.delete(key);
    changes.keptFlash.delete(key);
    changes.apply({ type: "flash", key, text: stringifyWithinLimit(value) });
  }

  /**
   * Keeps flash values for one more request, whether they were read or not.
   *
   * @param key The key; all of them where it is missing.
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  keep(key?: string): void {
    const changes = this.#writing("keep");
    const unread = changes.undoReads(key);
    for (const [name, value] of changes.readFlash) {
      if ((key ?? name) !== name) continue;
      // What is still stored is only put back in sight: by now, another request
      // may have stored a newer one.
      if (unread.has(name)) changes.record.flash.set(name, value);
      else changes.apply({ type: "flash", key: name, text: stringify(value) });
      changes.readFlash.delete(name);
    }
    for (const name of changes.record.flash.keys()) {
      if ((key ?? name) === name) changes.keptFlash.add(name);
    }
  }

  /**
   * Removes a value and returns it, for what may be used only once. Of several
   * requests that take the same value at once, one gets past
   * `await session.commit()`; in the others it throws, and what they did to the
   * session after taking it is dropped. So commit before doing what the value
   * allows.
   *
   * @param key The key of a value or a flash value.
   * @returns The value, or `undefined` where there is none.
   * @throws {TypeError} For the key `userId`, after `destroy`, or after the
   * response was made.
   */
  take(key: string): JSONValue | undefined {
    const changes = this.#writing("take");
    if (key === "userId") {
      throw new TypeError('Cannot take "userId": unset it instead');
    }
    const { readFlash, record } = changes;
    const isRead = changes.undoReads(key).has(key) && readFlash.has(key);
    const holder = isRead
      ? readFlash
      : record.flash.has(key)
      ? record.flash
      : record.values;
    const value = holder.get(key);
    readFlash.delete(key);
    if (value !== undefined) {
      changes.apply({ type: "take", key, text: stringify(value) });
    }
    return value;
  }

  /**
   * Ends the session when it is saved, also where another request has given it
   * a new id meanwhile. Reads are empty from now on, and writes throw.
   *
   * @throws {TypeError} After the response was made.
   */
  destroy(): void {
    const { changes } = this.#request;
    if (!changes.destroyed) this.#writing("destroy").destroy();
  }

  /**
   * Gives the session a new id when it is saved, as is due when its rights
   * change. A login does so by itself.
   *
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  regenerateId(): void {
    this.#writing("regenerate").rotateId();
  }

  /**
   * Saves at once, for what must be stored before anything else is done.
   *
   * @throws {SessionConflictError} If another request took a value that this
   * one has taken, or if the session ended meanwhile.
   * @throws {SessionStoreError} If the store failed.
   * @throws {RangeError} If the session takes more than 32,768 bytes, or its
   * cookie more than 4,096 where cookies keep it.
   * @throws {TypeError} If the response was made without what has changed.
   */
  async commit(): Promise<void> {
    if (!await this.#request.changes.commit()) {
      throw new SessionConflictError("ended");
    }
  }

  #reading(verb = "read"): PendingChanges {
    const { changes } = this.#request;
    if (!changes.isLoaded) {
      throw new TypeError(
        `Cannot ${verb} session: it was not loaded, "await session.load()" has to come first`,
      );
    }
    changes.accessed = true;
    return changes;
  }

  #writing(verb: string): PendingChanges {
    const changes = this.#reading(verb);
    changes.assertWritable(verb);
    return changes;
  }
}

function checkRequest(request: unknown): RequestSession {
  if (Object(request)[REQUEST_SESSION] === true) {
    return request as RequestSession;
  }
  throw new TypeError(
    "Cannot create session: only the session middleware can, and createTestSession() in tests",
  );
}
