import { type CookieChange, readCookies } from "../cookies/prefixed_cookie.ts";
import { SessionLimitError } from "../errors.ts";
import { createLabel, parseRecord, type SessionRecord } from "../record.ts";
import { sha256Base64Url } from "../secrets.ts";
import {
  type PutOptions,
  type SessionStore,
  type StoredValue,
  userIndexName,
} from "../store.ts";
import {
  findMoved,
  type Move,
  parseTombstone,
  REPLACED_TTL,
  rotateId,
} from "./_id_rotation.ts";
import { OldIds } from "./_old_ids.ts";
import { backOff, SaveQueue, tooManyWriters } from "./_save_queue.ts";
import type { AnonymousLimiter } from "./anonymous_limit.ts";
import { type CallStore, storeCaller } from "./circuit_breaker.ts";
import {
  cookieAge,
  type CreateDriver,
  type IdChange,
  isRevoked,
  MAX_CANDIDATES,
  outlastRevocation,
  type SessionBegin,
  type SessionConfig,
  type SessionDriver,
  type UpdateRecord,
} from "./driver.ts";
import { reportEnd } from "./end_listeners.ts";
import { endStored } from "./ended_sessions.ts";
import { limitSessions } from "./session_limit.ts";

/** The maximum number of attempts to save against other writers. */
const MAX_ATTEMPTS = 100;

/** Tokens are 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The state that the drivers of a session middleware share. */
interface SharedState {
  readonly call: CallStore;
  readonly config: SessionConfig;
  /** The requests that are saving, by the id of their session. */
  readonly queues: Map<string, SaveQueue>;
  readonly oldIds: OldIds;
  readonly limiter: AnonymousLimiter;
}

/**
 * Creates a function that creates the drivers of requests.
 *
 * @param limiter Counts the anonymous sessions that begin.
 */
export function storeDrivers(
  store: SessionStore,
  config: SessionConfig,
  limiter: AnonymousLimiter,
): CreateDriver {
  const shared: SharedState = {
    call: storeCaller(store, config.storeTimeout),
    config,
    queues: new Map(),
    oldIds: new OldIds(),
    limiter,
  };
  return (name, context) => {
    const address = () => createLabel(context).address;
    return new StoreDriver(name, shared, address);
  };
}

/**
 * A session in a store. It is saved by compare-and-swap: the driver loads the
 * session, applies the changes, and stores it unless another request won the
 * race. Otherwise it tries again. A session that the store has removed is not
 * stored again.
 */
class StoreDriver implements SessionDriver {
  readonly isInCookies = false;
  id = "";
  cookies: readonly CookieChange[] = [];
  /** The name of the cookie. */
  readonly #name: string;
  readonly #shared: SharedState;
  /** Returns the client's address. */
  readonly #address: () => string | undefined;
  /** The stored session, as far as known. */
  #stored: StoredValue | null = null;
  /** The old ids that this request has replaced by new ones. */
  readonly #replaced: string[] = [];
  /** `true` if the stored session may have changed since it was loaded. */
  #isStale = false;
  /** `true` if a tombstone was found: the session ended a moment ago. */
  #hasEnded = false;
  /** The move to a new id by another request. */
  #move: Move | undefined;
  /** The milliseconds that the store took for the session. */
  #callTime = 0;
  /** `true` if this request loaded a session. */
  #isLoaded = false;

  constructor(
    name: string,
    shared: SharedState,
    address: () => string | undefined,
  ) {
    this.#name = name;
    this.#shared = shared;
    this.#address = address;
  }

  async open(header: string | null): Promise<SessionRecord | null> {
    const { call, config, oldIds } = this.#shared;
    const arrival = { time: config.now(), count: ++oldIds.arrivals };
    let tried = 0;
    for (const token of readCookies(header, this.#name)) {
      if (!TOKEN.test(token) || ++tried > MAX_CANDIDATES) continue;
      this.id = await sha256Base64Url(token);
      const begunAt = performance.now();
      const found = call("read", (store) => store.get(this.id));
      const earlier = this.#move;
      // The memory store returns the value itself, so there is no need to wait.
      let record = this.#accept(
        found instanceof Promise ? await found : found,
      );
      this.#callTime = performance.now() - begunAt;
      if (this.#move !== earlier && record === null) {
        const move = { id: this.id, ...this.#move! };
        record = await oldIds.open(move, arrival, config, call);
      }
      if (record === null) continue;
      if (config.revokedBefore && await isRevoked(record, config)) {
        this.#stored = null;
        continue;
      }
      this.#isLoaded = true;
      return record;
    }
    this.id = "";
    return null;
  }

  get hasMoved(): boolean {
    return this.#isLoaded && this.#move !== undefined;
  }

  async save(
    update: UpdateRecord,
    idChange: IdChange,
    canBegin: SessionBegin,
  ): Promise<SessionRecord | null> {
    const { id } = this;
    const { config: { storeTimeout }, queues } = this.#shared;
    const limits = { callTime: this.#callTime, storeTimeout };
    let queue = queues.get(id);
    this.#isStale ||= queue !== undefined;
    if (queue === undefined) {
      queue = new SaveQueue();
      if (id !== "") queues.set(id, queue);
    }
    const turn = queue.isEmpty ? queue.begin(limits) : await queue.wait(limits);
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (attempt > 0) await backOff(attempt);
        const record = await this.#trySave(update, idChange, canBegin);
        if (record !== undefined) return record;
      }
    } finally {
      queue.end(turn);
      if (queue.isEmpty) queues.delete(id);
    }
    throw tooManyWriters();
  }

  /**
   * Saves the record once. Returns `undefined` if another writer won the race.
   */
  async #trySave(
    update: UpdateRecord,
    idChange: IdChange,
    canBegin: SessionBegin,
  ): Promise<SessionRecord | null | undefined> {
    const { id } = this;
    const { call, config, limiter } = this.#shared;
    let stored = this.#isStale
      ? this.#accept(await call("read", (store) => store.get(this.id)))
      : this.#stored && parseRecord(this.#stored.value);
    if (idChange === "login" && stored === null && this.#move) {
      stored = await this.#continueLogin(update);
    }
    if (stored === null && (this.id !== "" || this.#hasEnded) && !canBegin) {
      // This response comes later than that of the login which ended this
      // session, so its cookie could replace the new one.
      this.cookies = [];
      return null;
    }
    const userId = stored?.userId;
    const record = update(stored);
    if (stored === null) {
      if (record.isEmpty) return record;
      if (record.userId === undefined) limiter.admit(this.#address(), canBegin);
    }
    if (idChange === "login") await outlastRevocation(record, config);
    const keepsUser = userId === record.userId;
    const isSaved = await this.#put(record, idChange === "keep", keepsUser);
    // Only the next load can tell which value the store now has.
    this.#isStale = true;
    if (!isSaved) return undefined;
    if (stored === null && canBegin === "login-step") {
      const oldest = limiter.addStep(this.id);
      if (oldest !== undefined) {
        await call("end", (store) => store.delete(oldest));
      }
    } else if (id !== this.id) {
      const isLogin = record.userId !== undefined;
      limiter.moveStep(id, isLogin ? undefined : this.id);
    }
    if (userId !== undefined && !keepsUser) {
      // The login has ended, although the session continues.
      const firstId = record.firstId ?? this.id;
      await reportEnd(call, { firstId, userId });
    }
    if (idChange === "login") {
      await this.#limitSessions(record.userId, userId);
    }
    return record;
  }

  /**
   * Stores a record. Returns `false` if another writer won the race.
   *
   * @param keepsId `true` unless a stored session gets a new id.
   * @param keepsUser `true` if it belongs to the same user as before.
   */
  async #put(
    record: SessionRecord,
    keepsId: boolean,
    keepsUser: boolean,
  ): Promise<boolean> {
    const { call, config } = this.#shared;
    const old = this.#stored;
    if (old !== null && !keepsId) record.firstId ??= this.id;
    const value = record.serialize();
    const ttl = Math.max(1, config.timeouts.expiryOf(record) - config.now());
    const index = record.userId === undefined
      ? []
      : [userIndexName(record.userId), ...record.content.names];
    if (old === null || !keepsId) {
      const age = cookieAge(record, config);
      return await this.#changeId(value, { ttl, index, age }, keepsUser);
    }
    const options = { ttl, index, ifVersion: old.version };
    return await call("save", (store) => store.put(this.id, value, options));
  }

  async end(): Promise<void> {
    this.cookies = [];
    this.#isStale = true;
    // If another request gave the session a new id, that id ends.
    const id = this.id || this.#move?.next;
    if (id === undefined) return;
    const { call } = this.#shared;
    if (!await endStored(call, id, () => true, undefined, REPLACED_TTL)) return;
    this.cookies = [{ suffix: "", value: null }];
  }

  async discard(): Promise<void> {
    if (!this.cookies.some(({ value }) => value !== null)) return;
    this.cookies = [];
    // The tombstones of old ids are deleted too: they protect the new session,
    // but the next request of the browser begins another one.
    for (const id of [this.id, ...this.#replaced]) {
      await this.#shared.call("end", (store) => store.delete(id));
    }
  }

  close(): void {
    for (const id of this.#replaced) this.#shared.oldIds.complete(id);
  }

  leave(): void {
    this.id = "";
    this.#stored = null;
    this.#move = undefined;
    this.#isLoaded = false;
    // A new cookie must not replace that of the session, just as after a
    // logout.
    this.#hasEnded = true;
  }

  /**
   * Stores a session under a new id. Returns `false` if another request changed
   * it first.
   *
   * @param keepsUser `true` if it belongs to the same user as before.
   */
  async #changeId(
    value: string,
    { age, ...options }: Pick<PutOptions, "ttl" | "index"> & {
      readonly age: Pick<CookieChange, "maxAge">;
    },
    keepsUser: boolean,
  ): Promise<boolean> {
    const { call, config: { now }, oldIds } = this.#shared;
    const old = this.#stored && {
      id: this.id,
      version: this.#stored.version,
      before: keepsUser ? this.#stored.value : "",
    };
    if (old !== null) oldIds.add(old.id, now());
    const settings = { ...options, now };
    const created = await rotateId(call, value, settings, old);
    if (created === null) {
      oldIds.remove(this.id);
      return false;
    }
    if (old !== null) this.#replaced.push(old.id);
    this.id = created.id;
    this.cookies = [{ suffix: "", value: created.token, ...age }];
    return true;
  }

  /**
   * Continues the login of the same user that replaced the session of this cookie
   * a moment ago. A double click sends the form of a login twice.
   */
  async #continueLogin(update: UpdateRecord): Promise<SessionRecord | null> {
    const moved = await findMoved(this.#shared.call, this.#move!.next);
    if (moved === null || moved.record.userId !== update(null).userId) {
      return null;
    }
    this.id = moved.id;
    return this.#accept(moved.stored);
  }

  async #limitSessions(
    userId: string | number | undefined,
    before: string | number | undefined,
  ): Promise<void> {
    const { call, config } = this.#shared;
    try {
      await limitSessions(call, config, userId, before);
    } catch (error) {
      if (error instanceof SessionLimitError) await this.discard();
      throw error;
    }
  }

  /** Remembers a stored value, and returns it if it is a session that lives. */
  #accept(found: StoredValue | null): SessionRecord | null {
    const { now, timeouts } = this.#shared.config;
    const record = found === null ? null : parseRecord(found.value);
    const isLive = record !== null && timeouts.expiryOf(record) > now();
    this.#stored = isLive ? found : null;
    this.#isStale = false;
    if (isLive) {
      this.#move = undefined;
      return record;
    }
    const tombstone = found === null ? null : parseTombstone(found.value);
    this.#hasEnded ||= tombstone !== null;
    // A second cookie without a session does not change this.
    if (tombstone?.next !== undefined) this.#move = tombstone;
    return null;
  }
}
