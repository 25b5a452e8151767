import { CookieCipher } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { type TimedStore, withTimeout } from "../store/timed_store.ts";

/** An email that was asked for, as stored. */
export interface EmailRecord {
  readonly email: string;
  /** `null` if the account does not exist, so that no code is correct. */
  readonly account: string | number | null;
  readonly data?: string | undefined;
  /** The version of the account's credentials. */
  readonly version?: number | undefined;
  readonly code: string;
  /** The number of codes that were typed. */
  readonly guesses: number;
  readonly expiresAt: number;
}

/** A record and its version. */
export interface FoundEmail {
  readonly record: EmailRecord;
  readonly version: string;
}

/** The limit of codes that are compared for one email. */
const MAX_GUESSES = 5;

/** The number of tries to change a record that other requests change too. */
const MAX_TRIES = 20;

/** The stored value of a used record, until it is deleted. */
const USED = "used";

const CODES = {
  name: "email codes",
  info: "gatehouse email code",
  // Data and an address whose characters all take six bytes in JSON.
  maxLength: 20_000,
};

/** The emails that were asked for. Their codes are encrypted. */
export class EmailStore {
  readonly #store: TimedStore;
  readonly #cipher: CookieCipher;
  readonly #purpose: string;
  readonly #now: () => number;

  constructor(
    store: SessionStore,
    { secrets, purpose, storeTimeout, now }: {
      readonly secrets: readonly string[];
      readonly purpose: string;
      readonly storeTimeout: number;
      readonly now: () => number;
    },
  ) {
    this.#store = withTimeout(store, storeTimeout, "email login");
    this.#cipher = new CookieCipher(secrets, undefined, CODES);
    this.#purpose = purpose;
    this.#now = now;
  }

  /** Returns the key of a token, or `null` for a malformed one. */
  async keyOf(token: unknown): Promise<string | null> {
    if (typeof token !== "string" || !/^[\w-]{22}$/.test(token)) return null;
    const text = JSON.stringify([this.#purpose, token]);
    return `email:${await sha256Base64Url(text)}`;
  }

  /** Stores a new record. Returns `false` if the store has no room. */
  async add(key: string, record: EmailRecord): Promise<boolean> {
    return await this.#put(key, record, null);
  }

  /** Returns a record that was not used and has not expired. */
  async find(key: string): Promise<FoundEmail | null> {
    const found = await this.#store.get(key);
    if (found === null || found.value === USED) return null;
    const text = await this.#cipher.decrypt(key, found.value);
    if (text === null) return null;
    const record: EmailRecord = JSON.parse(text);
    // Some stores return expired values for a while.
    const isValid = this.#now() < record.expiresAt;
    return isValid ? { record, version: found.version } : null;
  }

  /**
   * Counts a code before it is compared, so that concurrent guesses all count.
   *
   * @returns The record; `null` if it is gone, or if there were too many.
   */
  async countGuess(key: string): Promise<EmailRecord | null> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.find(key);
      if (found === null || found.record.guesses >= MAX_GUESSES) return null;
      const { record, version } = found;
      const next = { ...record, guesses: record.guesses + 1 };
      if (await this.#put(key, next, version)) return next;
    }
    return null;
  }

  /**
   * Uses a record up, and removes the others of its account. Of several concurrent
   * requests, one gets `true`.
   */
  async use(key: string): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.find(key);
      if (found === null) return false;
      const options = { ttl: 60_000, ifVersion: found.version };
      if (!await this.#store.put(key, USED, options)) continue;
      await this.#store.delete(key);
      await this.revoke(found.record.account ?? found.record.email);
      return true;
    }
    return false;
  }

  /** Removes all emails of an account. */
  async revoke(account: string | number): Promise<void> {
    for (const key of await this.#store.byIndex(await this.#index(account))) {
      await this.#store.delete(key);
    }
  }

  /** Returns the index name of the emails of one purpose and account. */
  async #index(account: string | number): Promise<string> {
    const text = JSON.stringify([this.#purpose, "account", String(account)]);
    return `email:${await sha256Base64Url(text)}`;
  }

  async #put(
    key: string,
    record: EmailRecord,
    ifVersion: string | null,
  ): Promise<boolean> {
    const value = await this.#cipher.encrypt(key, JSON.stringify(record));
    const ttl = Math.max(1, record.expiresAt - this.#now());
    // Unknown accounts have one too, or the time would reveal them.
    const index = [await this.#index(record.account ?? record.email)];
    return await this.#store.put(key, value, { ttl, ifVersion, index });
  }
}
