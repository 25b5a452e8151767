import { expiryOf } from "../_lifetime.ts";
import { indexNamesOf, parseRecord, type SessionRecord } from "../_record.ts";
import {
  createTombstone,
  parseTombstone,
  putTombstone,
  TOMBSTONE_TTL,
} from "../_tombstone.ts";
import { readCookies } from "../cookies/header.ts";
import { SessionStoreError } from "../errors.ts";
import { encodeBase64Url, randomToken, sha256 } from "../secrets.ts";
import type { SessionStore, StoredValue } from "../store.ts";
import { callStore } from "../stores/call_store.ts";
import type {
  CookieChange,
  IdChange,
  SessionConfig,
  SessionDriver,
  UpdateRecord,
} from "./driver.ts";

/** How many times a save is tried against other writers. */
const MAX_ATTEMPTS = 100;

/** How many times an end is tried against other writers. */
const MAX_ENDING_ATTEMPTS = 10;

/** How many cookies of the right name are tried. */
const MAX_CANDIDATES = 4;

/** Tokens are 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** What is stored, as far as known. */
interface Stored {
  readonly text: string;
  readonly version: string;
}

/**
 * A session in a store, saved by compare-and-swap: load, change, put if nobody
 * was faster, else again. What is gone from the store stays gone.
 */
export class StoreDriver implements SessionDriver {
  readonly isInCookies = false;
  id = "";
  cookies: readonly CookieChange[] = [];
  readonly #name: string;
  readonly #store: SessionStore;
  readonly #config: SessionConfig;
  readonly #admitAnonymous: () => void;
  #stored: Stored | null = null;
  /** The ids that this request has ended in favour of new ones. */
  readonly #replaced: string[] = [];
  /** Whether what is stored has changed since it was loaded. */
  #stale = false;
  /** Whether the session is known to have ended a moment ago. */
  #hasEnded = false;
  /** The id that the session was found to have moved to. */
  #next: string | undefined;

  /**
   * @param admitAnonymous Counts an anonymous session that begins, and throws if
   * there are too many.
   */
  constructor(
    name: string,
    store: SessionStore,
    config: SessionConfig,
    admitAnonymous: () => void,
  ) {
    this.#admitAnonymous = admitAnonymous;
    this.#name = name;
    this.#store = store;
    this.#config = config;
  }

  async open(header: string | null): Promise<SessionRecord | null> {
    let tried = 0;
    for (const token of readCookies(header, this.#name)) {
      if (!TOKEN.test(token)) continue;
      if (++tried > MAX_CANDIDATES) break;
      this.id = encodeBase64Url(await sha256(token));
      const found = this.#find();
      // A store in memory has it at once: nothing to wait for.
      const record = this.#accept(
        found instanceof Promise ? await found : found,
      );
      if (record !== null) return record;
    }
    this.id = "";
    return null;
  }

  async write(
    update: UpdateRecord,
    idChange: IdChange,
    begins: boolean,
  ): Promise<SessionRecord | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (this.#stale) await this.#load();
      const stored = this.#stored && parseRecord(this.#stored.text);
      const isGone = stored === null && (this.id !== "" || this.#hasEnded);
      if (isGone && !begins) {
        // No new session in its place: this answer is late, and its cookie
        // could replace that of a login which ended the session.
        this.cookies = [];
        return null;
      }
      const record = update(stored);
      if (stored === null && record.isEmpty) return record;
      const moves = stored === null || idChange !== "keep";
      const isNew = stored === null;
      if (isNew && record.userId === undefined) this.#admitAnonymous();
      const written = moves
        ? await this.#rotateId(record)
        : await this.#put(this.id, record, this.#stored!.version);
      // Either way, only the next load can tell what is stored now.
      this.#stale = true;
      if (written) return record;
    }
    throw new SessionStoreError("save", {
      cause: new Error("Cannot save session: too many writers at once"),
    });
  }

  async end(): Promise<void> {
    this.cookies = [];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (this.#stale) await this.#load();
      if (this.#stored === null) {
        if (this.#next === undefined) return;
        // Another request gave the session a new id: end it there.
        this.id = this.#next;
        this.#next = undefined;
      } else if (await this.#endStored(attempt)) {
        this.#stored = null;
        this.cookies = [{ suffix: "", value: null }];
        return;
      }
      this.#stale = true;
    }
    throw new SessionStoreError("end");
  }

  /** Ends what is stored, in the end without regard to other writers. */
  async #endStored(attempt: number): Promise<boolean> {
    const { id } = this;
    const { version } = this.#stored!;
    return await this.#call("end", async () => {
      if (attempt < MAX_ENDING_ATTEMPTS) {
        return await putTombstone(this.#store, id, version);
      }
      await this.#store.delete(id);
      return true;
    });
  }

  async discard(): Promise<void> {
    if (!this.cookies.some(({ value }) => value !== null)) return;
    this.cookies = [];
    // Nor does the browser know of a new session that the mark of the old one
    // would protect: the next request begins afresh.
    for (const id of [this.id, ...this.#replaced]) {
      await this.#call("end", () => this.#store.delete(id));
    }
  }

  /** Stores a record under a new id and ends the old one. */
  async #rotateId(record: SessionRecord): Promise<boolean> {
    const token = randomToken();
    const id = encodeBase64Url(await sha256(token));
    // The new one is stored before the old one ends: a crash in between leaves
    // a session that nobody holds, and loses none.
    if (!await this.#put(id, record, null)) {
      // Nobody else has that id: to try another one is of no use.
      throw new SessionStoreError("save", {
        cause: new Error("Cannot save session: the store has no room"),
      });
    }
    const replaces = this.#stored !== null;
    if (replaces && !await this.#claim(id)) {
      await this.#call("save", () => this.#store.delete(id));
      return false;
    }
    if (replaces) this.#replaced.push(this.id);
    this.id = id;
    this.cookies = [{ suffix: "", value: token }];
    return true;
  }

  /**
   * Ends what is stored under the id, if it is what we know: of several that
   * try, one succeeds.
   *
   * @param next The id under which the session goes on.
   */
  async #claim(next: string): Promise<boolean> {
    const options = { ttl: TOMBSTONE_TTL, ifVersion: this.#stored!.version };
    return await this.#call(
      "end",
      () => this.#store.put(this.id, createTombstone(next), options),
    );
  }

  async #put(
    id: string,
    record: SessionRecord,
    ifVersion: string | null,
  ): Promise<boolean> {
    const { now, timeouts } = this.#config;
    const text = record.serialize();
    const ttl = Math.max(1, expiryOf(record, timeouts) - now());
    const index = indexNamesOf(record);
    return await this.#call(
      "save",
      () => this.#store.put(id, text, { ttl, ifVersion, index }),
    );
  }

  async #load(): Promise<SessionRecord | null> {
    return this.#accept(await this.#find());
  }

  #find(): StoredValue | null | Promise<StoredValue | null> {
    return this.#call("read", () => this.#store.get(this.id));
  }

  /** Takes over what was found, if it is a session that lives. */
  #accept(found: StoredValue | null): SessionRecord | null {
    const { now, timeouts } = this.#config;
    const record = found === null ? null : parseRecord(found.value);
    const isLive = record !== null && expiryOf(record, timeouts) > now();
    this.#stored = isLive
      ? { text: found!.value, version: found!.version }
      : null;
    this.#stale = false;
    const mark = found === null ? null : parseTombstone(found.value);
    this.#hasEnded ||= mark !== null;
    // A further cookie that leads nowhere takes nothing back.
    if (isLive || mark?.next !== undefined) this.#next = mark?.next;
    return isLive ? record : null;
  }

  #call<Value>(
    verb: string,
    call: () => Value | Promise<Value>,
  ): Value | Promise<Value> {
    return callStore(verb, call, this.#config.storeTimeout);
  }
}

/** Waits a random moment, so that writers do not meet again and again. */
function backOff(attempt: number): Promise<void> {
  const longest = Math.min(2 ** attempt, 32);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
