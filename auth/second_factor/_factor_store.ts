import {
  type CallStore,
  type ChangeValue,
  type FoundValue,
  parseJSON,
  SecretBox,
  ValueStore,
} from "../../session/internal.ts";
import { type LoginTimeouts, SessionConflictError } from "../../session/mod.ts";
import {
  decodeBase64Url,
  encodeBase64Url,
  randomToken,
  sha256Base64Url,
  timingSafeEqual,
} from "../../session/secrets.ts";
import type { LoginOrigin } from "../login/login_names.ts";
import { USER_COUNTS_TTL, type UserCounts } from "../throttle/user_throttle.ts";
import {
  canonicalImportedCode,
  canonicalRecoveryCode,
  hashRecoveryCode,
} from "./_recovery_codes.ts";
import type { PendingLogin, SecondFactorStatus } from "./options.ts";

/** The authenticator app of a user. */
export interface StoredTOTP {
  /** The encrypted secret. */
  readonly secret: string;
  /** The last step whose code was used. */
  readonly step: number;
  /** The time at which it was set up, in epoch milliseconds. */
  readonly since: number;
}

/** A pending login, as stored in the record of its user. */
export interface StoredLogin extends Omit<PendingLogin, "userId"> {
  /** The time of the first factor, if it is not the time of the call. */
  readonly authenticatedAt?: number | undefined;
  /** The accounts that this browser becomes a known device of. */
  readonly devices?: readonly string[];
  /** The version of the credentials that the first factor verified. */
  readonly version?: number | undefined;
  /** The timeouts of the login. */
  readonly timeouts?: LoginTimeouts | undefined;
  /** The external login that was the first factor. */
  readonly origin?: LoginOrigin | undefined;
}

/** A login that waits, by the hash of the token in its session. */
export type WaitingLogin = [
  hash: string,
  login: StoredLogin & { readonly expiresAt: number },
];

/**
 * The second factors of a user, the logins that wait for one, and the failures.
 * They are one record, so that one change uses a code up, takes the login, and
 * ends the others.
 */
export interface FactorRecord {
  /** Changes with each setup, so that remembered devices end with it. */
  readonly id: string;
  readonly totp?: StoredTOTP | undefined;
  /**
   * The hashes of the recovery codes that were not used yet. Codes of other systems
   * have fewer random bits, so they are encrypted instead.
   */
  readonly recovery: readonly string[];
  readonly waiting?: readonly WaitingLogin[];
  readonly counts?: UserCounts | undefined;
}

/** The record of a user without second factors. */
export const NO_FACTORS: FactorRecord = { id: "", recovery: [] };

/** The lifetime of factors: ten years from the last change, in milliseconds. */
const TTL = 10 * 365 * 86_400_000;

/** The beginning of an encrypted recovery code. Hashes have no colon. */
const SEALED = "sealed:";

const SECRETS = { name: "second factors", info: "gatehouse second factor" };

/** The second factors of all users. */
export class FactorStore {
  readonly #records: ValueStore<FactorRecord>;
  readonly #cipher: SecretBox;
  readonly #oldestSecret: string;

  constructor(callStore: CallStore, secrets: readonly string[]) {
    this.#records = new ValueStore(callStore, {
      prefix: "second-factor",
      // A user without an app has no factors here.
      ttl: ({ id }) => id === "" ? USER_COUNTS_TTL : TTL,
      parse: parseRecord,
    });
    this.#cipher = new SecretBox(secrets, undefined, SECRETS);
    this.#oldestSecret = secrets.at(-1)!;
  }

  /**
   * Returns the account of a user for a throttle. It is a hash with a secret: a
   * throttle exempts browsers that logged in with the same name, and users may
   * choose any name. All machines have the oldest secret, even while a new one
   * is added.
   */
  async throttleName(userId: string | number): Promise<string> {
    return await sha256Base64Url(
      `second-factor ${this.#oldestSecret} ${userId}`,
    );
  }

  /** Returns the record of a user, or `null` for a user without one. */
  async load(userId: string | number): Promise<FactorRecord | null> {
    return (await this.read(userId))?.value ?? null;
  }

  /** Returns the factors of a user, without their secrets. */
  async status(userId: string | number): Promise<SecondFactorStatus> {
    const { recovery, totp } = await this.load(userId) ?? NO_FACTORS;
    return {
      totp: totp !== undefined,
      totpSince: totp?.since,
      recoveryCodes: recovery.length,
    };
  }

  /** Returns the record of a user and its version. */
  async read(
    userId: string | number,
  ): Promise<FoundValue<FactorRecord> | null> {
    return await this.#records.read(await this.#records.key(String(userId)));
  }

  /**
   * Changes the record of a user by compare-and-swap. If another request changes
   * it first, `change` is called again with the new record.
   *
   * @param change Returns the new record, or `null` to leave it as it is.
   * @param from The record that was read before.
   * @returns The result of the change; `null` if nothing changed.
   * @throws {SessionConflictError} If other requests changed it too often.
   */
  async update<Result>(
    userId: string | number,
    change: ChangeValue<FactorRecord, Result>,
    from?: FoundValue<FactorRecord> | null,
  ): Promise<Result | null> {
    const key = await this.#records.key(String(userId));
    const result = await this.#records.update(key, change, from);
    if (result === undefined) throw new SessionConflictError("taken");
    return result;
  }

  /**
   * Changes the factors of a user while a condition is true, and their id. The
   * condition is checked again after the change was stored: then either this
   * request or the one that ends all access sees the other. If it is no longer
   * true, the change is undone.
   *
   * @returns `false` if the condition is not true.
   * @throws {SessionConflictError} If other requests changed it too often.
   */
  async updateWhile(
    userId: string | number,
    condition: () => Promise<boolean>,
    change: (record: FactorRecord) => FactorRecord,
  ): Promise<boolean> {
    if (!await condition()) return false;
    const newId = randomToken(12);
    const before = await this.update(userId, (record) => {
      const result = record ?? NO_FACTORS;
      return { value: { ...change(result), id: newId }, result };
    });
    let isAllowed = false;
    try {
      return isAllowed = await condition();
    } finally {
      if (!isAllowed && before !== null) {
        const { id, totp, recovery } = before;
        // Only the factors are removed: failures that were counted in the
        // meantime stay.
        await this.update(
          userId,
          (now) =>
            now?.id === newId
              ? { value: { ...now, id, totp, recovery }, result: true }
              : null,
        );
      }
    }
  }

  /** Removes the record of a user. */
  async remove(userId: string | number): Promise<void> {
    await this.#records.remove(await this.#records.key(String(userId)));
  }

  /** Returns the entry of a recovery code, or `undefined` if no entry matches. */
  async findRecoveryCode(
    userId: string | number,
    { recovery }: FactorRecord,
    code: string,
  ): Promise<string | undefined> {
    if (canonicalRecoveryCode(code) !== null) {
      const hash = await hashRecoveryCode(userId, code);
      if (recovery.includes(hash)) return hash;
    }
    const typed = canonicalImportedCode(code);
    let found: string | undefined;
    for (const entry of recovery) {
      if (!entry.startsWith(SEALED)) continue;
      const stored = await this.#unsealCode(userId, entry);
      if (stored !== null && isEqual(stored, typed)) found = entry;
    }
    return found;
  }

  /** Encrypts a recovery code of another system. */
  async sealCode(userId: string | number, code: string): Promise<string> {
    return SEALED + await this.seal(userId, "recovery", code);
  }

  #unsealCode(userId: string | number, entry: string) {
    return this.unseal(userId, "recovery", entry.slice(SEALED.length));
  }

  /** Encrypts a secret for one user and purpose. */
  seal(userId: string | number, purpose: string, text: string) {
    return this.#cipher.encrypt(nameOf(userId, purpose), text);
  }

  /** Decrypts a string of {@linkcode seal}; `null` if it is not one. */
  unseal(userId: string | number, purpose: string, sealed: string) {
    return this.#cipher.decrypt(nameOf(userId, purpose), sealed);
  }

  /** Encrypts the secret of the app, and imported codes, with the first secret. */
  async reencrypt(userId: string | number): Promise<void> {
    await this.update(userId, async (record) => {
      if (record?.totp === undefined) return null;
      const bytes = await this.secretOf(userId, record.totp);
      const secret = await this.seal(userId, "totp", encodeBase64Url(bytes));
      const totp = { ...record.totp, secret };
      const recovery = await Promise.all(record.recovery.map(async (entry) => {
        if (!entry.startsWith(SEALED)) return entry;
        const code = await this.#unsealCode(userId, entry);
        return code === null ? entry : await this.sealCode(userId, code);
      }));
      return { value: { ...record, totp, recovery }, result: true };
    });
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

function isEqual(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

/** Returns the name that binds an encrypted string to a user and a purpose. */
function nameOf(userId: string | number, purpose: string): string {
  return JSON.stringify([purpose, String(userId)]);
}

/**
 * Parses a stored record. A malformed login that waits, or a malformed count, is
 * dropped. Malformed factors are an error: without them, the password would be
 * enough.
 */
function parseRecord(text: string): FactorRecord {
  const { id, totp, recovery, waiting, counts } = Object(parseJSON(text));
  if (typeof id !== "string" || !Array.isArray(recovery)) {
    throw new Error("Cannot read the second factors: the record is malformed");
  }
  const logins = Array.isArray(waiting) ? waiting.filter(isWaiting) : [];
  return { id, totp, recovery, waiting: logins, counts: Object(counts) };
}

/** Returns `true` for a well-formed login. */
function isWaiting(value: unknown): value is WaitingLogin {
  const [hash, login] = Array.isArray(value) ? value : [];
  const { data, devices = [], expiresAt, methods } = Object(login);
  return typeof hash === "string" && Number.isFinite(expiresAt) &&
    (data === undefined || typeof data === "string") &&
    isStrings(methods) && isStrings(devices);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((item) => typeof item === "string");
}
