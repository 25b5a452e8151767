import { SecretBox, ValueStore } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { checkedCaller } from "../store/checked_caller.ts";

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

/** A record, and the version that its next change replaces. */
export interface FoundEmail {
  readonly value: EmailRecord;
  readonly version: string;
}

/** The limit of codes that are compared for one email. */
const MAX_GUESSES = 5;

const CODES = {
  name: "email codes",
  info: "gatehouse email code",
  // There is room for the data and an address whose characters all take six
  // bytes in JSON.
  maxLength: 20_000,
};

/** The emails that were asked for. Their codes are encrypted. */
export class EmailStore {
  readonly #emails: ValueStore<EmailRecord>;
  readonly #purpose: string;

  constructor(
    store: SessionStore,
    { secrets, purpose, storeTimeout, now }: {
      readonly secrets: readonly string[];
      readonly purpose: string;
      readonly storeTimeout: number;
      readonly now: () => number;
    },
  ) {
    const owner = "email login";
    const race = "who uses a link first";
    const call = checkedCaller(store, { owner, race, storeTimeout });
    const cipher = new SecretBox(secrets, undefined, CODES);
    this.#purpose = purpose;
    this.#emails = new ValueStore<EmailRecord>(call, {
      prefix: "email",
      ttl: ({ expiresAt }) => expiresAt - now(),
      // Unknown accounts have an index name too. Without it, response time
      // would reveal them.
      index: async (
        { account, email },
      ) => [await this.#index(account ?? email)],
      print: (record, key) => cipher.encrypt(key, JSON.stringify(record)),
      parse: async (sealed, key) => {
        const text = await cipher.decrypt(key, sealed);
        if (text === null) return null;
        const record: EmailRecord = JSON.parse(text);
        // Some stores return expired values for a while.
        return now() < record.expiresAt ? record : null;
      },
    });
  }

  /** Returns the key of a token, or `null` for a malformed one. */
  async keyOf(token: unknown): Promise<string | null> {
    return typeof token === "string" && /^[\w-]{22}$/.test(token)
      ? await this.#emails.key(JSON.stringify([this.#purpose, token]))
      : null;
  }

  /** Stores a new record. Returns `false` if the store has no room. */
  async add(key: string, record: EmailRecord): Promise<boolean> {
    return await this.#emails.add(key, record);
  }

  /** Returns a record that was not used and has not expired. */
  async find(key: string | null): Promise<FoundEmail | null> {
    const found = key === null ? null : await this.#emails.read(key);
    if (!found?.value) return null;
    return { value: found.value, version: found.version };
  }

  /**
   * Compares a code, and in the same step uses the record up or counts a wrong guess,
   * so that all concurrent guesses count.
   *
   * @param isRight Compares the code with that of the record.
   * @param found The record that was read before.
   * @returns The verdict; `null` if the record is gone, or if there were too many
   * guesses.
   */
  async guess(
    key: string,
    isRight: (record: EmailRecord) => boolean,
    found: FoundEmail,
  ): Promise<"right" | "wrong" | null> {
    const mayGuess = ({ guesses }: EmailRecord) => guesses < MAX_GUESSES;
    const accept = (record: EmailRecord) => mayGuess(record) && isRight(record);
    if (isRight(found.value)) {
      return await this.#take(key, accept, found) ? "right" : null;
    }
    const counted = await this.#emails.update(key, (record) => {
      if (record === null || !mayGuess(record)) return null;
      const value = { ...record, guesses: record.guesses + 1 };
      return { value, result: value };
    }, found);
    return counted ? "wrong" : null;
  }

  /**
   * Uses a record up, and removes the others of its account. If requests are
   * concurrent, one of them gets `true`.
   */
  async use(key: string, found: FoundEmail): Promise<boolean> {
    return await this.#take(key, () => true, found);
  }

  async #take(
    key: string,
    accept: (record: EmailRecord) => boolean,
    found: FoundEmail,
  ): Promise<boolean> {
    const used = await this.#emails.take(key, accept, found);
    if (!used) return false;
    await this.#emails.remove(key);
    await this.revoke(used.account ?? used.email);
    return true;
  }

  /** Removes all emails of an account. */
  async revoke(account: string | number): Promise<void> {
    const keys = await this.#emails.keysOf(await this.#index(account));
    for (const key of keys) await this.#emails.remove(key);
  }

  /** Returns the index name of the emails of one purpose and account. */
  #index(account: string | number): Promise<string> {
    const name = [this.#purpose, "account", String(account)];
    return this.#emails.key(JSON.stringify(name));
  }
}
