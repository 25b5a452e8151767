import { type CookieChange, readCookies } from "../cookies/prefixed_cookie.ts";
import { SessionStoreError } from "../errors.ts";
import { createLabel, parseRecord, type SessionRecord } from "../record.ts";
import { hashToken } from "../secrets.ts";
import { callStore } from "../timeouts.ts";
import {
  type SessionStore,
  type StoredValue,
  userIndexName,
} from "../store.ts";
import {
  type CallStore,
  parseTombstone,
  replaceByTombstone,
  rotateId,
} from "./_id_rotation.ts";
import { breakerOf, type CircuitBreaker } from "./circuit_breaker.ts";
import {
  type CreateDriver,
  type IdChange,
  isRevoked,
  MAX_CANDIDATES,
  outlastRevocation,
  type SessionConfig,
  type SessionDriver,
  type UpdateRecord,
} from "./driver.ts";
import { endOldest } from "./ended_sessions.ts";

/** The maximum number of attempts to save against other writers. */
const MAX_ATTEMPTS = 100;

/** Tokens are 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Creates a function that creates the drivers of requests.
 *
 * @param admit Counts an anonymous session that begins, by the client's address.
 * It throws if there are too many.
 */
export function storeDrivers(
  store: SessionStore,
  config: SessionConfig,
  admit: (address: string | undefined) => void,
): CreateDriver {
  const breaker = breakerOf(store);
  return (name, context) => {
    const admitAnonymous = () => admit(createLabel(context).address);
    return new StoreDriver(name, store, breaker, config, admitAnonymous);
  };
}

/**
 * A session in a store. It is saved by compare-and-swap: the driver loads the
 * session, applies the changes, and stores it if no other request was faster.
 * Otherwise it tries again. A session that is gone from the store stays gone.
 */
class StoreDriver implements SessionDriver {
  readonly isInCookies = false;
  id = "";
  cookies: readonly CookieChange[] = [];
  readonly #name: string;
  readonly #store: SessionStore;
  readonly #breaker: CircuitBreaker | undefined;
  readonly #config: SessionConfig;
  readonly #admitAnonymous: () => void;
  /** The stored session, as far as known. */
  #stored: StoredValue | null = null;
  /** The old ids that this request has replaced by new ones. */
  readonly #replaced: string[] = [];
  /** `true` if the stored session may have changed since it was loaded. */
  #isStale = false;
  /** `true` if a tombstone was found: the session ended a moment ago. */
  #hasEnded = false;
  /** The new id that the tombstone names. */
  #next: string | undefined;
  /** `true` if this request loaded a session. */
  #isLoaded = false;

  constructor(
    name: string,
    store: SessionStore,
    breaker: CircuitBreaker | undefined,
    config: SessionConfig,
    admitAnonymous: () => void,
  ) {
    this.#name = name;
    this.#store = store;
    this.#breaker = breaker;
    this.#config = config;
    this.#admitAnonymous = admitAnonymous;
  }

  async open(header: string | null): Promise<SessionRecord | null> {
    let tried = 0;
    for (const token of readCookies(header, this.#name)) {
      if (!TOKEN.test(token)) continue;
      if (++tried > MAX_CANDIDATES) break;
      this.id = await hashToken(token);
      const found = callStore(
        "read",
        () => this.#store.get(this.id),
        this.#config.storeTimeout,
        this.#breaker,
      );
      // The memory store returns the value itself, so there is no need to wait.
      const record = this.#accept(
        found instanceof Promise ? await found : found,
      );
      if (record === null) continue;
      const isChecked = this.#config.revokedBefore !== undefined;
      if (!isChecked || !await isRevoked(record, this.#config)) {
        this.#isLoaded = true;
        return record;
      }
      this.#stored = null;
    }
    this.id = "";
    return null;
  }

  get hasMoved(): boolean {
    return this.#isLoaded && this.#next !== undefined;
  }

  async save(
    update: UpdateRecord,
    idChange: IdChange,
    canBegin: boolean,
  ): Promise<SessionRecord | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (this.#isStale) await this.#reload();
      const stored = this.#stored && parseRecord(this.#stored.value);
      const isGone = stored === null && (this.id !== "" || this.#hasEnded);
      if (isGone && !canBegin) {
        // The cookie of a new session could replace that of a login which ended
        // this session, because this response comes later.
        this.cookies = [];
        return null;
      }
      const record = update(stored);
      if (stored === null) {
        if (record.isEmpty) return record;
        if (record.userId === undefined) this.#admitAnonymous();
      }
      const isSaved = await this.#compareAndSwap(record, idChange);
      // Only the next load can tell which value the store has now.
      this.#isStale = true;
      if (!isSaved) continue;
      if (idChange === "login") {
        const call: CallStore = (...args) => this.#call(...args);
        await endOldest(call, this.#config, record.userId);
      }
      return record;
    }
    throw new SessionStoreError("save", {
      cause: new Error("Cannot save session: too many writers at once"),
    });
  }

  async end(): Promise<void> {
    this.cookies = [];
    // Without a back-off, so that the logout is faster than other writers.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (this.#isStale) await this.#reload();
      if (this.#stored === null) {
        if (this.#next === undefined) return;
        // Another request gave the session a new id. It ends there.
        this.id = this.#next;
        this.#next = undefined;
      } else if (
        await replaceByTombstone(
          (verb, call) => this.#call(verb, call),
          this.id,
          this.#stored.version,
          attempt,
        )
      ) {
        this.#stored = null;
        this.cookies = [{ suffix: "", value: null }];
        return;
      }
      this.#isStale = true;
    }
    throw new SessionStoreError("end");
  }

  async discard(): Promise<void> {
    if (!this.cookies.some(({ value }) => value !== null)) return;
    this.cookies = [];
    // The tombstones of old ids are deleted too: they protect the new session,
    // and the next request of the browser begins another one.
    for (const id of [this.id, ...this.#replaced]) {
      await this.#call("end", (store) => store.delete(id));
    }
  }

  /**
   * Stores a record if no other request has changed the session since it was
   * loaded. Returns `false` otherwise.
   */
  async #compareAndSwap(
    record: SessionRecord,
    idChange: IdChange,
  ): Promise<boolean> {
    const { now, timeouts } = this.#config;
    const { content, userId } = record;
    if (idChange === "login") await outlastRevocation(record, this.#config);
    const value = record.serialize();
    const ttl = Math.max(1, timeouts.expiryOf(record) - now());
    const index = userId === undefined
      ? []
      : [userIndexName(userId), ...content.names];
    const old = this.#stored && { id: this.id, version: this.#stored.version };
    if (old !== null && idChange === "keep") {
      const options = { ttl, index, ifVersion: old.version };
      return await callStore(
        "save",
        () => this.#store.put(old.id, value, options),
        this.#config.storeTimeout,
        this.#breaker,
      );
    }
    const created = await rotateId(
      (verb, call) => this.#call(verb, call),
      value,
      { ttl, index },
      old,
    );
    if (created === null) return false;
    if (old !== null) this.#replaced.push(old.id);
    this.id = created.id;
    this.cookies = [{ suffix: "", value: created.token }];
    return true;
  }

  async #reload(): Promise<void> {
    this.#accept(await this.#call("read", (store) => store.get(this.id)));
  }

  /** Remembers a stored value, and returns it if it is a session that lives. */
  #accept(found: StoredValue | null): SessionRecord | null {
    const { now, timeouts } = this.#config;
    const record = found === null ? null : parseRecord(found.value);
    const isLive = record !== null && timeouts.expiryOf(record) > now();
    this.#stored = isLive ? found : null;
    this.#isStale = false;
    if (isLive) {
      this.#next = undefined;
      return record;
    }
    const tombstone = found === null ? null : parseTombstone(found.value);
    this.#hasEnded ||= tombstone !== null;
    // A second cookie without a session does not change this.
    this.#next = tombstone?.next ?? this.#next;
    return null;
  }

  #call<Value>(
    verb: string,
    call: (store: SessionStore) => Value | Promise<Value>,
  ): Value | Promise<Value> {
    const { storeTimeout } = this.#config;
    return callStore(
      verb,
      () => call(this.#store),
      storeTimeout,
      this.#breaker,
    );
  }
}

/** Waits for a random time, so that writers do not meet again and again. */
function backOff(attempt: number): Promise<void> {
  const longest = Math.min(2 ** attempt, 32);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
