import { CookieCipher } from "../../session/internal.ts";
import { SessionConflictError, type SessionStore } from "../../session/mod.ts";
import {
  decodeBase64Url,
  encodeBase64Url,
  sha256Base64Url,
} from "../../session/secrets.ts";
import { type TimedStore, withTimeout } from "../store/timed_store.ts";

/** The authenticator app of a user. */
export interface StoredTOTP {
  /** The encrypted secret. */
  readonly secret: string;
  /** The last step whose code was used. */
  readonly step: number;
  /** The time at which it was set up, in epoch milliseconds. */
  readonly since: number;
}

/** The second factors of a user, as stored. */
export interface FactorRecord {
  /** Changes with each set-up, so that remembered devices end with it. */
  readonly id: string;
  readonly totp?: StoredTOTP | undefined;
  /** The hashes of the recovery codes that were not used yet. */
  readonly recovery: readonly string[];
}

/** The record of a user without second factors. */
export const NO_FACTORS: FactorRecord = { id: "", recovery: [] };

/** The change of a record, and the result of the change. */
export interface FactorChange<Result> {
  readonly record: FactorRecord;
  readonly result: Result;
}

/** The lifetime of a record: ten years from the last change, in milliseconds. */
const TTL = 10 * 365 * 86_400_000;

/** The number of tries to change a record that other requests change too. */
const MAX_TRIES = 20;

const SECRETS = { name: "second factors", info: "gatehouse second factor" };

/** The second factors of all users. */
export class FactorStore {
  readonly #store: TimedStore;
  readonly #cipher: CookieCipher;
  readonly #oldestSecret: string;

  constructor(
    store: SessionStore,
    secrets: readonly string[],
    storeTimeout: number | undefined,
  ) {
    if (store.consistency === "eventual") {
      throw new TypeError(
        "Cannot create second factors: the store can't tell who uses a code first",
      );
    }
    this.#store = withTimeout(store, storeTimeout, "second factors");
    this.#cipher = new CookieCipher(secrets, undefined, SECRETS);
    this.#oldestSecret = secrets.at(-1)!;
  }

  /**
   * Returns the account of a user for a throttle. It is a hash with a secret: a
   * throttle exempts browsers that logged in with the same name, and users may
   * choose any name. All machines have the oldest secret, also while a new one is
   * added.
   */
  async throttleName(userId: string | number): Promise<string> {
    return await sha256Base64Url(
      `second-factor ${this.#oldestSecret} ${userId}`,
    );
  }

  /** Returns the record of a user, or `null` for a user without one. */
  async load(userId: string | number): Promise<FactorRecord | null> {
    const found = await this.#store.get(await keyOf(userId));
    return found === null ? null : JSON.parse(found.value);
  }

  /**
   * Changes the record of a user by compare-and-swap. If another request changes
   * it first, `change` is called again with the new record.
   *
   * @param change Returns the new record, or `null` to leave it as it is.
   * @returns The result of the change; `null` if there was none.
   * @throws {SessionConflictError} If other requests changed it too often.
   */
  async update<Result>(
    userId: string | number,
    change: (
      record: FactorRecord | null,
    ) => Promise<FactorChange<Result> | null>,
  ): Promise<Result | null> {
    const key = await keyOf(userId);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.#store.get(key);
      const record = found === null ? null : JSON.parse(found.value);
      const next = await change(record);
      if (next === null) return null;
      const value = JSON.stringify(next.record);
      const options = { ttl: TTL, ifVersion: found?.version ?? null };
      if (await this.#store.put(key, value, options)) return next.result;
    }
    throw new SessionConflictError("taken");
  }

  /**
   * Changes the record of a user while a condition is true. It is checked again
   * after the change was stored: then either this request or the one that ends all
   * access sees the other. If it is not true any more, the change is undone.
   *
   * @param change Returns the new record, with a new id.
   * @returns `false` if the condition is not true.
   * @throws {SessionConflictError} If other requests changed it too often.
   */
  async updateWhile(
    userId: string | number,
    condition: () => Promise<boolean>,
    change: (record: FactorRecord | null) => FactorRecord,
  ): Promise<boolean> {
    if (!await condition()) return false;
    const changed = await this.update(userId, (before) => {
      const record = change(before);
      return Promise.resolve({ record, result: { before, id: record.id } });
    });
    let isAllowed = false;
    try {
      return isAllowed = await condition();
    } finally {
      if (!isAllowed) {
        const record = changed?.before ?? NO_FACTORS;
        const undo = { record, result: true };
        await this.update(
          userId,
          (now) => Promise.resolve(now?.id === changed?.id ? undo : null),
        );
      }
    }
  }

  /** Removes the record of a user. */
  async remove(userId: string | number): Promise<void> {
    await this.#store.delete(await keyOf(userId));
  }

  /** Encrypts a secret for one user and purpose. */
  seal(userId: string | number, purpose: string, text: string) {
    return this.#cipher.encrypt(nameOf(userId, purpose), text);
  }

  /** Decrypts a string of {@linkcode seal}; `null` if it is not one. */
  unseal(userId: string | number, purpose: string, sealed: string) {
    return this.#cipher.decrypt(nameOf(userId, purpose), sealed);
  }

  /** Encrypts the secret of an authenticator app with the first secret. */
  async reencrypt(
    userId: string | number,
    totp: StoredTOTP,
  ): Promise<StoredTOTP> {
    const bytes = await this.secretOf(userId, totp);
    const secret = await this.seal(userId, "totp", encodeBase64Url(bytes));
    return { ...totp, secret };
  }

  /** Returns the secret of an authenticator app. */
  async secretOf(
    userId: string | number,
    { secret }: StoredTOTP,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const text = await this.unseal(userId, "totp", secret);
    const bytes = text === null ? null : decodeBase64Url(text);
    if (bytes !== null) return bytes;
    throw new Error(
      "Cannot read the second factor: none of the secrets decrypts it",
    );
  }
}

/** Returns the name that binds an encrypted string to a user and a purpose. */
function nameOf(userId: string | number, purpose: string): string {
  return JSON.stringify([purpose, String(userId)]);
}

async function keyOf(userId: string | number): Promise<string> {
  return `second-factor:${await sha256Base64Url(String(userId))}`;
}
