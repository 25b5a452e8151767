import { SecretBox } from "../secret_box.ts";
import {
  type CookieChange,
  MAX_COOKIE_BYTES,
  readCookies,
  readCookiesBelow,
} from "../cookies/prefixed_cookie.ts";
import { createRecord, parseRecord, type SessionRecord } from "../record.ts";
import { randomToken } from "../secrets.ts";
import { LoginCookies, type PendingLogin } from "./_login_cookies.ts";
import {
  cookieAge,
  type CreateDriver,
  type IdChange,
  isRevoked,
  MAX_CANDIDATES,
  MAX_COOKIE_AGE,
  outlastRevocation,
  type SessionConfig,
  type SessionDriver,
  type UpdateRecord,
} from "./driver.ts";

/** The end of the name of the cookie that has the time of the last logout. */
const ENDED = "-ended";

/** The length of an id: 16 random bytes as base64url. */
const ID_LENGTH = 22;

/**
 * A session in encrypted cookies. A separate cookie has the time of the last
 * logout, because a later response of another request can set the session's cookie
 * again. Each login at a provider that has begun has a
 * separate cookie, so that logins in two tabs do not overwrite each other.
 */
export class CookieDriver implements SessionDriver {
  readonly isInCookies = true;
  readonly hasMoved = false;
  id = "";
  readonly #changes = new Map<string, CookieChange>();
  /** The name of the cookie, which the cipher authenticates. */
  readonly #name: string;
  readonly #cipher: SecretBox;
  readonly #config: SessionConfig;
  readonly #logins: LoginCookies;
  /** The record in the session's cookie, or `null` without a cookie. */
  #text: string | null = null;
  /** The time of this browser's last logout. Sessions before it have ended. */
  #endedAt = -Infinity;

  constructor(
    name: string,
    cipher: SecretBox,
    config: SessionConfig,
  ) {
    this.#name = name;
    this.#cipher = cipher;
    this.#config = config;
    this.#logins = new LoginCookies(cipher, config.now);
  }

  get cookies(): readonly CookieChange[] {
    return [...this.#changes.values()];
  }

  async open(header: string | null): Promise<SessionRecord | null> {
    const name = this.#name;
    await this.#readEndedAt(header);
    const values = readCookies(header, name).slice(0, MAX_CANDIDATES);
    let record: SessionRecord | null = null;
    for (const value of values) {
      record = await this.#openOne(name, value);
      if (record !== null) break;
    }
    await this.#logins.open(this.#readLogins(header), name);
    return this.#logins.isEmpty ? record : this.#current();
  }

  async save(
    update: UpdateRecord,
    idChange: IdChange,
  ): Promise<SessionRecord | null> {
    const stored = this.#current();
    const userId = stored?.userId;
    const record = update(stored);
    if (userId !== undefined && record.userId !== userId) await this.#endUser();
    // This request came after the logout, no matter what the clock of this
    // machine says.
    record.createdAt = Math.max(record.createdAt, this.#endedAt + 1);
    // Cookie sessions have no store, and therefore no index.
    record.content.names = [];
    if (idChange === "login") await outlastRevocation(record, this.#config);
    const { logins, main } = LoginCookies.split(record);
    await this.#writeLogins(logins);
    if (this.#isWorthWriting(main, idChange)) {
      await this.#writeMain(main, idChange);
    }
    return record;
  }

  async end(): Promise<void> {
    for (const suffix of this.#logins.suffixes) this.#expire(suffix);
    if (this.#text !== null) {
      this.#expire("");
      if (parseRecord(this.#text)!.userId !== undefined) await this.#endUser();
    }
    this.#text = null;
    this.#logins.clear();
  }

  discard(): Promise<void> {
    // The browser keeps its old cookie, which is still valid.
    return Promise.resolve();
  }

  close(): void {}

  async #openOne(name: string, value: string): Promise<SessionRecord | null> {
    const opened = await this.#cipher.decrypt(name, value);
    if (opened === null) return null;
    const text = opened.slice(ID_LENGTH);
    const record = parseRecord(text);
    const { now, timeouts } = this.#config;
    if (record === null || timeouts.expiryOf(record) <= now()) return null;
    if (record.createdAt <= this.#endedAt) return null;
    if (await isRevoked(record, this.#config)) return null;
    this.id = opened.slice(0, ID_LENGTH);
    this.#text = text;
    return record;
  }

  /** Returns the cookies of logins by the names that the cipher authenticates. */
  #readLogins(header: string | null): [name: string, value: string][] {
    return readCookiesBelow(header, `${this.#name}.`);
  }

  async #readEndedAt(header: string | null): Promise<void> {
    const name = this.#name + ENDED;
    const values = readCookies(header, name).slice(0, MAX_CANDIDATES);
    for (const value of values) {
      const text = await this.#cipher.decrypt(name, value) ?? "";
      if (/^[\d.]+$/.test(text) && Number(text) > this.#endedAt) {
        this.#endedAt = Number(text);
      }
    }
  }

  /** Ends all sessions of this browser that began before, with a cookie. */
  async #endUser(): Promise<void> {
    const { now, timeouts } = this.#config;
    const { createdAt, expiresAt } = parseRecord(this.#text!)!;
    // The clock of another machine may have been ahead.
    this.#endedAt = Math.max(now(), createdAt, this.#endedAt);
    const value = await this.#seal(this.#name + ENDED, String(this.#endedAt));
    const lifetime = Math.max(timeouts.absolute, expiresAt - now());
    const seconds = Math.ceil(lifetime / 1_000);
    const maxAge = Math.min(seconds, MAX_COOKIE_AGE);
    this.#changes.set(ENDED, { suffix: ENDED, value, maxAge });
  }

  /** Returns the record of all cookies together. */
  #current(): SessionRecord | null {
    const { now, timeouts } = this.#config;
    if (this.#text === null && this.#logins.isEmpty) return null;
    const record = this.#text === null
      ? createRecord(now(), timeouts, {})
      : parseRecord(this.#text)!;
    this.#logins.mergeInto(record);
    return record;
  }

  /** Returns `true` if the session's cookie has to change. */
  #isWorthWriting(record: SessionRecord, idChange: IdChange): boolean {
    const before = this.#text && parseRecord(this.#text);
    if (!before) return !record.isEmpty;
    if (idChange !== "keep") return true;
    const { timeouts } = this.#config;
    if (timeouts.isRefreshDue(record, before.seenAt, record.seenAt)) {
      return true;
    }
    before.seenAt = record.seenAt;
    return record.serialize() !== before.serialize();
  }

  async #writeMain(record: SessionRecord, idChange: IdChange): Promise<void> {
    const text = record.serialize();
    const renewed = this.id === "" || idChange !== "keep";
    const id = renewed ? randomToken(16) : this.id;
    const value = await this.#seal(this.#name, id + text);
    this.id = id;
    this.#text = text;
    const age = cookieAge(record, this.#config);
    this.#changes.set("", { suffix: "", value, ...age });
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

/** Options for {@linkcode createCookieSessionStore}. */
export interface CookieSessionStoreOptions {
  /**
   * Secrets that encrypt the cookies, of 32 characters or more, from a random
   * source: `openssl rand -base64 32`. The first one encrypts, and all of them
   * decrypt. To replace a secret, add the new one at the beginning. Remove the
   * old one when all sessions have expired.
   */
  readonly secrets: readonly string[];
  /**
   * Returns the time of a user's last revocation in epoch milliseconds. Earlier
   * logins become invalid, also those of the same millisecond. A later login is
   * valid, even in the same millisecond. It is called on each request of a logged-in user, and
   * lets users log out everywhere.
   *
   * @default {undefined}
   */
  readonly revokedBefore?: (
    userId: string | number,
  ) => number | null | undefined | Promise<number | null | undefined>;
}

/** Sessions in cookies, for the option `store` of the session middleware. */
export interface CookieSessionStore {
  /** Distinguishes it from a store. */
  readonly kind: "cookie";
}

/** The storage that `createCookieSessionStore` returns. */
export class CookieStorage implements CookieSessionStore {
  readonly kind = "cookie";
  readonly #cipher: SecretBox;
  readonly #options: CookieSessionStoreOptions;

  /**
   * @throws {TypeError} If the secrets are not an array of strings.
   * @throws {RangeError} If there is no secret, or one is too short or easy to guess.
   */
  constructor(options: CookieSessionStoreOptions) {
    this.#cipher = new SecretBox(options.secrets);
    this.#options = options;
  }

  /** Creates a function that creates the drivers of requests. */
  drivers(config: SessionConfig): CreateDriver {
    const { revokedBefore = config.revokedBefore } = this.#options;
    const settings = { ...config, revokedBefore };
    return (name) => new CookieDriver(name, this.#cipher, settings);
  }
}
