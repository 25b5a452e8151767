import { expiryOf, isRefreshDue } from "../_lifetime.ts";
import { createRecord, parseRecord, type SessionRecord } from "../_record.ts";
import { CookieCipher } from "../cookies/encryption.ts";
import { readCookies } from "../cookies/header.ts";
import { encodeBase64Url } from "../secrets.ts";
import { callStore } from "../stores/call_store.ts";
import { LoginCookies, type PendingLogin } from "./_login_cookies.ts";
import type {
  CookieChange,
  IdChange,
  SessionConfig,
  SessionDriver,
  UpdateRecord,
} from "./driver.ts";

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
export class CookieDriver implements SessionDriver {
  readonly isInCookies = true;
  id = "";
  readonly #changes = new Map<string, CookieChange>();
  readonly #name: string;
  readonly #cipher: CookieCipher;
  readonly #config: SessionConfig;
  readonly #revokedBefore: CookieSessionStorageOptions["revokedBefore"];
  readonly #logins: LoginCookies;
  /** What the session's own cookie says; `null` where there is none. */
  #text: string | null = null;

  constructor(
    name: string,
    cipher: CookieCipher,
    config: SessionConfig,
    revokedBefore: CookieSessionStorageOptions["revokedBefore"],
  ) {
    this.#name = name;
    this.#cipher = cipher;
    this.#config = config;
    this.#revokedBefore = revokedBefore;
    this.#logins = new LoginCookies(cipher, config.now);
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
    await this.#logins.open(header, name);
    return this.#logins.isEmpty ? record : this.#current();
  }

  async write(
    update: UpdateRecord,
    idChange: IdChange,
  ): Promise<SessionRecord | null> {
    const stored = this.#current();
    const record = update(stored);
    // Nobody can look for a session that the browser alone has.
    record.content.names = [];
    if (idChange === "login") await this.#outlastRevocation(record);
    const { logins, main } = LoginCookies.split(record);
    await this.#writeLogins(logins);
    if (this.#isWorthWriting(main, idChange)) {
      await this.#writeMain(main, idChange);
    }
    return record;
  }

  end(): Promise<void> {
    for (const suffix of this.#logins.suffixes) this.#expire(suffix);
    if (this.#text !== null) this.#expire("");
    this.#text = null;
    this.#logins.clear();
    return Promise.resolve();
  }

  discard(): Promise<void> {
    // The browser keeps the cookie that it has, and with it the session.
    return Promise.resolve();
  }

  async #openOne(name: string, value: string): Promise<SessionRecord | null> {
    const opened = await this.#cipher.decrypt(name, value);
    if (opened === null) return null;
    const text = opened.slice(ID_LENGTH);
    const record = parseRecord(text);
    const { now, timeouts } = this.#config;
    if (record === null || expiryOf(record, timeouts) <= now()) return null;
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
    if (this.#text === null && this.#logins.isEmpty) return null;
    const record = this.#text === null
      ? createRecord(now(), timeouts, {})
      : parseRecord(this.#text)!;
    this.#logins.mergeInto(record);
    return record;
  }

  /** Whether the session's own cookie has to change. */
  #isWorthWriting(record: SessionRecord, idChange: IdChange): boolean {
    const before = this.#text && parseRecord(this.#text);
    if (!before) return !record.isEmpty;
    if (idChange !== "keep") return true;
    const { timeouts } = this.#config;
    if (isRefreshDue(record, timeouts, record.seenAt, before.seenAt)) {
      return true;
    }
    before.seenAt = record.seenAt;
    return record.serialize() !== before.serialize();
  }

  async #writeMain(record: SessionRecord, idChange: IdChange): Promise<void> {
    const text = record.serialize();
    const renewed = this.id === "" || idChange !== "keep";
    const id = renewed ? newId() : this.id;
    const value = await this.#seal(this.#name, id + text);
    this.id = id;
    this.#text = text;
    this.#changes.set("", { suffix: "", value });
  }

  async #writeLogins(logins: readonly PendingLogin[]): Promise<void> {
    const name = this.#name;
    const { kept, gone } = await this.#logins.replace(name, logins);
    for (const suffix of gone) this.#expire(suffix);
    for (const { maxAge, suffix, value } of kept) {
      this.#changes.set(suffix, { suffix, value, maxAge });
    }
  }

  async #seal(name: string, text: string): Promise<string> {
    const value = await this.#cipher.encrypt(name, text);
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

/** Options for {@linkcode createCookieSessionStorage}. */
export interface CookieSessionStorageOptions {
  /**
   * Secrets that encrypt the cookies, 32 characters or more each, from a random
   * source: `openssl rand -base64 32`. The first one encrypts, all of them decrypt: to replace one,
   * put the new one in front and drop the old one a session's lifetime later.
   */
  readonly secrets: readonly string[];
  /**
   * Returns the time of a user's last revocation in epoch milliseconds. Sessions
   * of logins up to that millisecond are over; a login that comes after the
   * revocation, even in the same request, counts as later. It is asked on every request of a logged-in
   * user, and is what makes a logout everywhere possible.
   *
   * @default {undefined}
   */
  readonly revokedBefore?: (
    userId: string | number,
  ) => number | null | undefined | Promise<number | null | undefined>;
}

/** Sessions in cookies, for the option `store` of the session middleware. */
export interface CookieSessionStorage {
  /** Tells it from a store. */
  readonly kind: "cookie";
}

/** What `createCookieSessionStorage` returns. */
export class CookieStorage implements CookieSessionStorage {
  readonly kind = "cookie";
  readonly #cipher: CookieCipher;
  readonly #options: CookieSessionStorageOptions;

  /**
   * @throws {TypeError} If the secrets are not a list of strings.
   * @throws {RangeError} If there is no secret, or one is too short or too easy to
   * guess.
   */
  constructor(options: CookieSessionStorageOptions) {
    this.#cipher = new CookieCipher(options.secrets);
    this.#options = options;
  }

  /** Makes the backing of a request. */
  createDriver(name: string, config: SessionConfig): SessionDriver {
    const { revokedBefore } = this.#options;
    return new CookieDriver(name, this.#cipher, config, revokedBefore);
  }
}
