import type {
  Backing,
  CookieChange,
  MakeRecord,
  Renewal,
  SessionConfig,
} from "./_backing.ts";
import { type Aside, AsideCookies } from "./_aside_cookies.ts";
import { encodeBase64Url } from "./_bytes.ts";
import { callStore } from "./_call_store.ts";
import { readCookies } from "./_cookie_header.ts";
import type { CookieSessionStorageOptions } from "./_cookie_storage.ts";
import {
  createRecord,
  endOf,
  idleTimeout,
  parseRecord,
  type SessionRecord,
} from "./_record.ts";
import type { Sealer } from "./_sealer.ts";

/** The most bytes that name and value of a cookie may take (RFC 6265bis). */
const MAX_COOKIE_BYTES = 4096;

/** How many cookies of the right name are tried. */
const MAX_CANDIDATES = 4;

/** The text of an id's length: 16 random bytes as base64url. */
const ID_LENGTH = 22;

/**
 * A session in the browser: one sealed cookie, and one more for each login that
 * has begun, so that two tabs do not undo each other's.
 */
export class CookieBacking implements Backing {
  readonly isInCookies = true;
  id = "";
  readonly #changes = new Map<string, CookieChange>();
  readonly #name: string;
  readonly #sealer: Sealer;
  readonly #config: SessionConfig;
  readonly #revokedBefore: CookieSessionStorageOptions["revokedBefore"];
  readonly #asides: AsideCookies;
  /** What the session's own cookie says; `null` where there is none. */
  #text: string | null = null;

  constructor(
    name: string,
    sealer: Sealer,
    config: SessionConfig,
    revokedBefore: CookieSessionStorageOptions["revokedBefore"],
  ) {
    this.#name = name;
    this.#sealer = sealer;
    this.#config = config;
    this.#revokedBefore = revokedBefore;
    this.#asides = new AsideCookies(sealer, config.now);
  }

  get cookies(): readonly CookieChange[] {
    return [...this.#changes.values()];
  }

  async open(header: string | null): Promise<SessionRecord | null> {
    const name = this.#name;
    const values = readCookies(header, name).slice(0, MAX_CANDIDATES);
    let record: SessionRecord | null = null;
    for (const value of values) {
      record = await this.#openOne(name, value);
      if (record !== null) break;
    }
    await this.#asides.open(header, name);
    return this.#asides.isEmpty ? record : this.#current();
  }

  async write(
    make: MakeRecord,
    renewal: Renewal,
  ): Promise<SessionRecord | null> {
    const stored = this.#current();
    const record = make(stored);
    // Nobody can look for a session that the browser alone has.
    record.content.names = [];
    if (renewal === "login") await this.#outlastRevocation(record);
    const { asides, main } = AsideCookies.split(record);
    await this.#writeAsides(asides);
    if (this.#isWorthWriting(main, renewal)) {
      await this.#writeMain(main, renewal);
    }
    return record;
  }

  end(): Promise<void> {
    for (const suffix of this.#asides.suffixes) this.#expire(suffix);
    if (this.#text !== null) this.#expire("");
    this.#text = null;
    this.#asides.clear();
    return Promise.resolve();
  }

  abandon(): Promise<void> {
    // The browser keeps the cookie that it has, and with it the session.
    return Promise.resolve();
  }

  async #openOne(name: string, value: string): Promise<SessionRecord | null> {
    const opened = await this.#sealer.open(name, value);
    if (opened === null) return null;
    const text = opened.slice(ID_LENGTH);
    const record = parseRecord(text);
    const { now, timeouts } = this.#config;
    if (record === null || endOf(record, timeouts) <= now()) return null;
    if (this.#revokedBefore && await this.#isRevoked(record)) return null;
    this.id = opened.slice(0, ID_LENGTH);
    this.#text = text;
    return record;
  }

  /** Logins of the millisecond of a revocation count as earlier. */
  async #isRevoked(record: SessionRecord): Promise<boolean> {
    const time = await this.#revocationOf(record);
    // By the login, not by authenticatedAt, which may be much earlier.
    return time !== null && record.createdAt <= time;
  }

  /**
   * Moves a login that follows a revocation in the same millisecond to the next
   * one, as in a request that resets a password and logs its owner in.
   */
  async #outlastRevocation(record: SessionRecord): Promise<void> {
    if (await this.#revocationOf(record) === record.createdAt) {
      record.createdAt++;
    }
  }

  async #revocationOf({ userId }: SessionRecord): Promise<number | null> {
    const revokedBefore = this.#revokedBefore;
    if (userId === undefined || revokedBefore === undefined) return null;
    const { storeTimeout } = this.#config;
    const ask = () => revokedBefore(userId);
    return await callStore("check", ask, storeTimeout) ?? null;
  }

  /** What all cookies together say. */
  #current(): SessionRecord | null {
    const { now, timeouts } = this.#config;
    if (this.#text === null && this.#asides.isEmpty) return null;
    const record = this.#text === null
      ? createRecord(now(), timeouts, {})
      : parseRecord(this.#text)!;
    this.#asides.mergeInto(record);
    return record;
  }

  /** Whether the session's own cookie has to change. */
  #isWorthWriting(record: SessionRecord, renewal: Renewal): boolean {
    const before = this.#text && parseRecord(this.#text);
    if (!before) return !record.isEmpty;
    const unseen = record.seenAt - before.seenAt;
    if (renewal !== "none") return true;
    if (unseen >= idleTimeout(record, this.#config.timeouts) / 4) return true;
    before.seenAt = record.seenAt;
    return record.serialize() !== before.serialize();
  }

  async #writeMain(record: SessionRecord, renewal: Renewal): Promise<void> {
    const text = record.serialize();
    const renewed = this.id === "" || renewal !== "none";
    const id = renewed ? newId() : this.id;
    const value = await this.#seal(this.#name, id + text);
    this.id = id;
    this.#text = text;
    this.#changes.set("", { suffix: "", value });
  }

  async #writeAsides(asides: readonly Aside[]): Promise<void> {
    const name = this.#name;
    const { kept, gone } = await this.#asides.replace(name, asides);
    for (const suffix of gone) this.#expire(suffix);
    for (const { maxAge, suffix, value } of kept) {
      this.#changes.set(suffix, { suffix, value, maxAge });
    }
  }

  async #seal(name: string, text: string): Promise<string> {
    const value = await this.#sealer.seal(name, text);
    const size = name.length + value.length;
    if (size <= MAX_COOKIE_BYTES) return value;
    throw new RangeError(
      `Cannot save session: its cookie takes ${size} bytes, and at most ${MAX_COOKIE_BYTES} are allowed`,
    );
  }

  #expire(suffix: string): void {
    this.#changes.set(suffix, { suffix, value: null });
  }
}

function newId(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}
