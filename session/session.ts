import { SessionConflictError } from "./errors.ts";
import type { SessionConfig } from "./_backing.ts";
import { detachedScope } from "./_detached.ts";
import type { Journal } from "./_journal.ts";
import type { JSONValue, Storable } from "./json.ts";
import { checkedText, checkUserId, toText } from "./_operation.ts";
import type { SessionStore } from "./store.ts";

/** Another cookie, which has the security of the session's cookie. */
export interface HostCookie {
  /** The value that the browser sent, or that was set before. */
  readonly value: string | undefined;
  /** Sets the cookie on the response, for a number of seconds. */
  set(value: string, maxAge: number): void;
}

/** Where a session comes from. */
export interface SessionScope {
  /** What the middleware was set up with. */
  readonly config: SessionConfig;
  /** Headers that the response needs besides. */
  headers: Headers | undefined;
  /** Returns another cookie of this host. */
  hostCookie(name: string): HostCookie;
  /** The session's changes. */
  readonly journal: Journal;
  /** Where sessions can be listed; `null` where there is no such place. */
  readonly store: SessionStore | null;
  /** `true` if browsers send the cookie only from pages of the same site. */
  readonly isStrict: boolean;
  /** Reads the session, once for all who ask. */
  load(): Promise<void>;
}

/** Reaches into a session, for this folder alone. */
export function scopeOf(session: Session): SessionScope {
  return Session["~scopeOf"](session) as SessionScope;
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
  readonly #scope: SessionScope;

  /**
   * Creates a session that nothing keeps, for tests. The sessions of requests
   * are made by the session middleware.
   *
   * @param scope For the middleware alone.
   */
  constructor(scope?: unknown) {
    this.#scope = isScope(scope) ? scope : detachedScope();
  }

  /**
   * Reaches into a session, for the library alone.
   *
   * @param session The session.
   * @returns What is inside.
   */
  static "~scopeOf"(session: Session): unknown {
    return session.#scope;
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
    return this.#reading().view.userId;
  }

  /** The time of the login, or of the session's start. Epoch milliseconds. */
  get createdAt(): number {
    return this.#reading().view.createdAt;
  }

  /**
   * The time at which the user last proved their identity, if one is logged in,
   * in epoch milliseconds. After an external login it may be before `createdAt`.
   */
  get authenticatedAt(): number | undefined {
    return this.#reading().view.authenticatedAt;
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
    const scope = this.#scope;
    if (!scope.journal.isLoaded) await scope.load();
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
    const journal = this.#reading();
    const { shown, view } = journal;
    if (key === "userId") return view.userId;
    if (!view.flash.has(key)) {
      return shown.has(key) ? shown.get(key) : view.values.get(key);
    }
    const value = view.flash.get(key)!;
    if (journal.kept.has(key) || journal.closed) return value;
    shown.set(key, value);
    journal.add({ type: "read", key, text: toText(value) });
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
    const { shown, view } = this.#reading();
    if (key === "userId") return view.userId !== undefined;
    return view.values.has(key) || view.flash.has(key) || shown.has(key);
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
    const journal = this.#writing("set");
    if (key === "userId") {
      const userId = checkUserId(value);
      if (userId !== journal.view.userId) journal.logIn(userId);
      return;
    }
    journal.shown.delete(key);
    journal.add({ type: "set", key, text: checkedText(value) });
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
    const journal = this.#writing("update");
    if (key === "userId") {
      throw new TypeError('Cannot update "userId": set it instead');
    }
    journal.shown.delete(key);
    journal.add({ type: "update", key, change });
  }

  /**
   * Removes a value. Removing `userId` ends the login, and the id with it.
   *
   * @param key The key.
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  unset(key: string): void {
    const journal = this.#writing("unset");
    journal.shown.delete(key);
    if (key !== "userId") journal.add({ type: "unset", key });
    else if (journal.view.userId !== undefined) journal.logIn(undefined);
  }

  /**
   * Stores a message that is shown once: it lasts until a request has read it.
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
    const journal = this.#writing("flash");
    if (key === "userId") {
      throw new TypeError('Cannot flash "userId": it is the login');
    }
    journal.shown.delete(key);
    journal.kept.delete(key);
    journal.add({ type: "flash", key, text: checkedText(value) });
  }

  /**
   * Keeps flash values for one more request, whether they were read or not.
   *
   * @param key The key; all of them where it is missing.
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  keep(key?: string): void {
    const journal = this.#writing("keep");
    const unread = journal.withdrawReads(key);
    for (const [name, value] of journal.shown) {
      if ((key ?? name) !== name) continue;
      // What is still stored is only put back in sight: by now, another request
      // may have stored a newer one.
      if (unread.has(name)) journal.view.flash.set(name, value);
      else journal.add({ type: "flash", key: name, text: toText(value) });
      journal.shown.delete(name);
    }
    for (const name of journal.view.flash.keys()) {
      if ((key ?? name) === name) journal.kept.add(name);
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
    const journal = this.#writing("take");
    if (key === "userId") {
      throw new TypeError('Cannot take "userId": unset it instead');
    }
    const { shown, view } = journal;
    const isRead = journal.withdrawReads(key).has(key) && shown.has(key);
    const holder = isRead
      ? shown
      : view.flash.has(key)
      ? view.flash
      : view.values;
    const value = holder.get(key);
    shown.delete(key);
    if (value !== undefined) {
      journal.add({ type: "take", key, text: toText(value) });
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
    const { journal } = this.#scope;
    if (!journal.destroyed) this.#writing("destroy").destroy();
  }

  /**
   * Gives the session a new id when it is saved, as is due when its rights
   * change. A login does so by itself.
   *
   * @param deleteOld Whether the old id ends. Where it does not, the session
   * goes on twice.
   * @throws {TypeError} After `destroy`, or after the response was made.
   */
  regenerateId(deleteOld = true): void {
    this.#writing("regenerate").renew(deleteOld);
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
    if (!await this.#scope.journal.commit()) {
      throw new SessionConflictError("ended");
    }
  }

  #reading(verb = "read"): Journal {
    const { journal } = this.#scope;
    if (!journal.isLoaded) {
      throw new TypeError(
        `Cannot ${verb} session: it was not loaded, "await session.load()" has to come first`,
      );
    }
    journal.accessed = true;
    return journal;
  }

  #writing(verb: string): Journal {
    const journal = this.#reading(verb);
    journal.demandWritable(verb);
    return journal;
  }
}

function isScope(scope: unknown): scope is SessionScope {
  return typeof scope === "object" && scope !== null && "journal" in scope;
}
