import {
  type CallStore,
  createMarks,
  type FoundValue,
  parseJSON,
  ValueStore,
} from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { checkedCaller } from "../store/checked_caller.ts";

/** Options for {@linkcode createOneTimeToken}. */
export interface OneTimeTokenOptions {
  /** The action that the token allows, such as `"password-reset"`. */
  readonly purpose: string;

  /** The account that the token belongs to. */
  readonly account: string | number;

  /**
   * A string that comes back with the token, such as the new email address that
   * it verifies.
   *
   * @default {undefined}
   */
  readonly data?: string;

  /**
   * The version of the account's credentials, which comes back with the token.
   * Compare it in the statement that the token allows: a link that was sent
   * before all access was ended must no longer work.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;

  /**
   * The lifetime of the token, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttl?: number;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
}

/** A one-time token from a client, and the purpose that it must have. */
export interface OneTimeTokenUse {
  /** The action that the token must allow. */
  readonly purpose: string;
  /** The token, as the client sent it. */
  readonly token: unknown;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
}

/** The contents of a valid one-time token. */
export interface OneTimeTokenGrant {
  /** The account that the token belongs to. */
  readonly account: string | number;
  /** The string that it was created with. */
  readonly data: string | undefined;
  /** The version that it was created with. */
  readonly version: number | undefined;
}

/** The longest lifetime: a link that lives longer is a password. */
const MAX_TTL = 7 * 24 * 3_600_000;

/** The lifetime of a lock whose request never ended, in milliseconds. */
const LOCK_TTL = 60_000;

/**
 * Creates a token that works once, for a link in an email: to verify the
 * address, to reset a password, to log in.
 *
 * Send it to the account's owner only. The store keeps only its hash. In a link,
 * put it into the query parameter `token`, which the request log redacts.
 *
 * @example A link that resets a password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOneTimeToken, takeOneTimeToken } from "@gatehouse/web/auth";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * const purpose = "password-reset";
 * const token = await createOneTimeToken(store, { purpose, account: 7 });
 * const link = `https://example.com/reset?token=${token}`;
 * // Send the link to the address of account 7.
 *
 * const grant = await takeOneTimeToken(store, { purpose, token });
 * assertEquals(grant?.account, 7);
 * assertEquals(await takeOneTimeToken(store, { purpose, token }), null);
 * ```
 *
 * @param store A session store, which sessions may share.
 * @param options The purpose, the account and the lifetime.
 * @returns The token, 22 characters of base64url.
 * @throws {TypeError} If the purpose or the account is empty or missing, or the
 * store is only eventually consistent.
 * @throws {RangeError} If `ttl` is not from 1 ms to 7 days.
 * @throws {Error} If the store has no room for the token.
 * @throws {SessionStoreError} If the store fails.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 6.5}
 */
export async function createOneTimeToken(
  store: SessionStore,
  options: OneTimeTokenOptions,
): Promise<string> {
  const { purpose, account, data, version, ttl = 600_000, now = Date.now } =
    options;
  // If a missing id were accepted, all users without one would share one
  // account.
  if (!purpose || !isAccount(account)) {
    throw new TypeError(
      "Cannot create one-time token: it needs a purpose and an account",
    );
  }
  const call = callerOf(store, options.storeTimeout, "who takes it first");
  if (!(ttl >= 1 && ttl <= MAX_TTL)) {
    throw new RangeError(
      `Cannot create one-time token: ttl "${ttl}" is not from 1 ms to 7 days`,
    );
  }
  // The token has 128 random bits (ASVS 5.0, 6.5.x and 11.5.1).
  const token = randomToken(16);
  const tokens = tokensIn(call, purpose, ttl);
  const stored = await tokens.add(
    await tokens.key(JSON.stringify([purpose, token])),
    { account, data, version, expiresAt: now() + ttl },
  );
  if (!stored) {
    throw new Error("Cannot create one-time token: it was not stored");
  }
  return token;
}

/**
 * Uses a one-time token up. Returns its account, and revokes all tokens of the
 * same purpose and account. If requests are concurrent, with the same token or
 * with different ones, only one of them succeeds.
 *
 * Take the token on a form submission, not when the link is opened: email
 * scanners open links too. For the page with the form, use
 * {@linkcode readOneTimeToken}.
 *
 * @example A token with another purpose
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOneTimeToken, takeOneTimeToken } from "@gatehouse/web/auth";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * const token = await createOneTimeToken(store, {
 *   purpose: "verify-email",
 *   account: 7,
 * });
 * const purpose = "password-reset";
 * assertEquals(await takeOneTimeToken(store, { purpose, token }), null);
 * ```
 *
 * @param store The store that the token was created in.
 * @param use The token and its purpose.
 * @returns The account, or `null` for an invalid, used or expired token.
 * @throws {SessionStoreError} If the store fails.
 */
export async function takeOneTimeToken(
  store: SessionStore,
  use: OneTimeTokenUse,
): Promise<OneTimeTokenGrant | null> {
  const call = callerOf(store, use.storeTimeout);
  const tokens = tokensIn(call, use.purpose);
  const found = await find(tokens, use);
  if (found === null) return null;
  const { grant, key, stored } = found;
  const index = await indexOf(tokens, use.purpose, grant.account);
  // Concurrent requests with two tokens would both succeed without a lock.
  const locks = createMarks(call, index, LOCK_TTL);
  const lock = `${index}:lock`;
  if (!await locks.add(lock, true)) return null;
  try {
    if (!await tokens.take(key, undefined, stored)) return null;
    await tokens.remove(key);
    await removeAll(tokens, index);
    return grant;
  } finally {
    await locks.remove(lock);
  }
}

/**
 * Reads a one-time token without using it up, to show the form that will.
 *
 * @example Before the form is shown
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOneTimeToken, readOneTimeToken } from "@gatehouse/web/auth";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * const purpose = "password-reset";
 * const token = await createOneTimeToken(store, { purpose, account: 7 });
 *
 * const grant = await readOneTimeToken(store, { purpose, token });
 * assertEquals(grant?.account, 7);
 * assertEquals(await readOneTimeToken(store, { purpose, token: "x" }), null);
 * ```
 *
 * @param store The store that the token was created in.
 * @param use The token and its purpose.
 * @returns The account, or `null` for an invalid, used or expired token.
 * @throws {SessionStoreError} If the store fails.
 */
export async function readOneTimeToken(
  store: SessionStore,
  use: OneTimeTokenUse,
): Promise<OneTimeTokenGrant | null> {
  const tokens = tokensIn(callerOf(store, use.storeTimeout), use.purpose);
  return (await find(tokens, use))?.grant ?? null;
}

/**
 * Revokes all tokens of one purpose and account, for example because the
 * password changed. In a store without an index, they work until they expire.
 *
 * @example After a change of the password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createOneTimeToken,
 *   readOneTimeToken,
 *   revokeOneTimeTokens,
 * } from "@gatehouse/web/auth";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * const reset = { purpose: "password-reset", account: 7 };
 * const token = await createOneTimeToken(store, reset);
 * await revokeOneTimeTokens(store, reset);
 *
 * const { purpose } = reset;
 * assertEquals(await readOneTimeToken(store, { purpose, token }), null);
 * ```
 *
 * @param store The store that the tokens were created in.
 * @param options The purpose and the account.
 * @throws {SessionStoreError} If the store fails.
 */
export async function revokeOneTimeTokens(
  store: SessionStore,
  options: Pick<OneTimeTokenOptions, "purpose" | "account" | "storeTimeout">,
): Promise<void> {
  const { purpose, account, storeTimeout } = options;
  const tokens = tokensIn(callerOf(store, storeTimeout), purpose);
  await removeAll(tokens, await indexOf(tokens, purpose, account));
}

/** A one-time token, as stored. */
interface StoredToken extends OneTimeTokenGrant {
  readonly expiresAt: number;
}

function callerOf(
  store: SessionStore,
  storeTimeout: number | undefined,
  race?: string,
): CallStore {
  const owner = "one-time token";
  return checkedCaller(store, { owner, storeTimeout, ...race && { race } });
}

/** Returns the tokens of a purpose. The keys are hashes: a leak reveals no token. */
function tokensIn(
  call: CallStore,
  purpose: string,
  ttl = 0,
): ValueStore<StoredToken> {
  const tokens: ValueStore<StoredToken> = new ValueStore(call, {
    prefix: "one-time",
    ttl,
    parse: parseToken,
    index: async ({ account }) => [await indexOf(tokens, purpose, account)],
  });
  return tokens;
}

/** Parses a stored token. Returns `null` for a malformed one. */
function parseToken(text: string): StoredToken | null {
  const { account, data, expiresAt, version } = Object(parseJSON(text));
  const isValid = isAccount(account) && Number.isFinite(expiresAt) &&
    (data === undefined || typeof data === "string") &&
    (version === undefined || Number.isFinite(version));
  return isValid ? { account, data, expiresAt, version } : null;
}

function isAccount(value: unknown): value is string | number {
  return typeof value === "string" ? value !== "" : Number.isFinite(value);
}

/** Returns the index name of all tokens of one purpose and account. */
function indexOf(
  tokens: ValueStore<StoredToken>,
  purpose: string,
  account: string | number,
): Promise<string> {
  return tokens.key(JSON.stringify([purpose, String(account)]));
}

async function removeAll(
  tokens: ValueStore<StoredToken>,
  index: string,
): Promise<void> {
  for (const key of await tokens.keysOf(index)) await tokens.remove(key);
}

interface Found {
  readonly key: string;
  readonly stored: FoundValue<StoredToken>;
  readonly grant: OneTimeTokenGrant;
}

async function find(
  tokens: ValueStore<StoredToken>,
  { purpose, token, now = Date.now }: OneTimeTokenUse,
): Promise<Found | null> {
  if (typeof token !== "string" || !/^[\w-]{22}$/.test(token)) return null;
  const key = await tokens.key(JSON.stringify([purpose, token]));
  const stored = await tokens.read(key);
  if (!stored?.value) return null;
  const { expiresAt, account, data, version } = stored.value;
  // Some stores return expired values for a while.
  if (now() >= expiresAt) return null;
  return { key, stored, grant: { account, data, version } };
}
