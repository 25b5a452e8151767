import { callStore, STORE_TIMEOUT } from "../session/internal.ts";
import { encodeBase64Url, sha256 } from "../session/secrets.ts";
import type { SessionStore, StoredValue } from "../session/mod.ts";

/** What a one-time token is made for. */
export interface OneTimeTokenOptions {
  /** What the token opens, such as `"password-reset"`. It opens nothing else. */
  readonly purpose: string;

  /** Whose token it is: the account, as {@linkcode takeOneTimeToken} tells it. */
  readonly account: string | number;

  /**
   * A text that comes back with the token, such as the new e-mail address that
   * it verifies.
   *
   * @default {undefined}
   */
  readonly data?: string;

  /**
   * How long the token can be used, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttl?: number;

  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;

  /**
   * Milliseconds that each call to the store may take. Beyond it, the store
   * counts as failed.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
}

/** What a one-time token that is presented must be for. */
export interface OneTimeTokenUse {
  /** What it is to open. */
  readonly purpose: string;
  /** The token, as the client sent it. */
  readonly token: unknown;

  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;

  /**
   * Milliseconds that each call to the store may take. Beyond it, the store
   * counts as failed.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
}

/** A one-time token that is right. */
export interface OneTimeTokenGrant {
  /** Whose it is. */
  readonly account: string | number;
  /** The text that it was made with. */
  readonly data: string | undefined;
}

/** What is stored of a token that was taken, or of a lock, until it is deleted. */
const taken = "taken";

/** The longest lifetime: a link that lives longer is a password. */
const longestLifetime = 7 * 24 * 3_600_000;

/**
 * Creates a token that works once, for a link in an e-mail: to verify the
 * address, to reset a password, to log in.
 *
 * Send it to the account's owner, and to nobody else. The store keeps only its
 * hash. In a link, put it where it leaks least: logs of this toolkit redact a
 * query parameter called `token`.
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
 * @param store Where it is kept: a session store, which sessions may share.
 * @param options What it is for.
 * @returns The token, 22 characters of base64url.
 * @throws {TypeError} If the purpose or the account is empty or missing, or the
 * store is only eventually consistent.
 * @throws {RangeError} If `ttl` is not from 1 ms to 7 days.
 * @throws {Error} If the store has no room for it.
 * @throws {SessionStoreError} If the store fails.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 6.5}
 */
export async function createOneTimeToken(
  store: SessionStore,
  options: OneTimeTokenOptions,
): Promise<string> {
  const { purpose, account, data, ttl = 600_000, now = Date.now } = options;
  // A missing account would be one for all who are missing theirs.
  const isAccount = typeof account === "string"
    ? account !== ""
    : Number.isFinite(account);
  if (!purpose || !isAccount) {
    throw new TypeError(
      "Cannot create one-time token: it needs a purpose and an account",
    );
  }
  if (store.consistency === "eventual") {
    throw new TypeError(
      "Cannot create one-time token: the store can't tell who takes it first",
    );
  }
  if (!(ttl >= 1 && ttl <= longestLifetime)) {
    throw new RangeError(
      `Cannot create one-time token: ttl "${ttl}" is not from 1 ms to 7 days`,
    );
  }
  // 128 random bits (ASVS 5.0, 6.5.x and 11.5.1).
  const token = encodeBase64Url(crypto.getRandomValues(new Uint8Array(16)));
  const stored = await bounded(store, options).put(
    await keyOf(purpose, token),
    JSON.stringify({ account, data, expiresAt: now() + ttl }),
    { ttl, ifVersion: null, index: [await indexOf(purpose, account)] },
  );
  if (!stored) {
    throw new Error("Cannot create one-time token: it was not stored");
  }
  return token;
}

/**
 * Takes a one-time token: tells whose it is, and makes it worthless, together
 * with others of the same purpose and account. Of several requests at once, with
 * one token or with several of them, one gets it.
 *
 * Take it when the user does something, not when a link is opened: scanners of
 * mail open links too. Look at it with {@linkcode readOneTimeToken} for that.
 *
 * @example A token of another purpose
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
 * @param store Where it was put.
 * @param use The token, and what it is to open.
 * @returns Whose it is, or `null` for a token that is not right, or no more.
 * @throws {SessionStoreError} If the store fails.
 */
export async function takeOneTimeToken(
  store: SessionStore,
  use: OneTimeTokenUse,
): Promise<OneTimeTokenGrant | null> {
  const found = await find(store, use);
  if (found === null) return null;
  const { purpose, storeTimeout } = use;
  const { account } = found.grant;
  const calls = bounded(store, use);
  // Each of two tokens at once would be taken before the other one revokes it.
  const lock = `${await indexOf(purpose, account)}:lock`;
  if (!await swap(calls, lock, null)) return null;
  try {
    if (!await swap(calls, found.key, found.stored.version)) return null;
    await calls.delete(found.key);
    await revokeOneTimeTokens(store, {
      purpose,
      account,
      ...storeTimeout !== undefined && { storeTimeout },
    });
    return found.grant;
  } finally {
    await calls.delete(lock);
  }
}

/** What only one of several requests can do. To delete is no test. */
async function swap(
  calls: BoundedCalls,
  key: string,
  ifVersion: string | null,
): Promise<boolean> {
  return await calls.put(key, taken, { ttl: 60_000, ifVersion });
}

/** The calls to a store, each within its time. */
type BoundedCalls = Required<
  Pick<SessionStore, "get" | "put" | "delete" | "byIndex">
>;

/**
 * Bounds the calls to a store in time.
 *
 * @throws {RangeError} If the timeout is not a positive number.
 */
function bounded(
  store: SessionStore,
  { storeTimeout = STORE_TIMEOUT }: Pick<OneTimeTokenUse, "storeTimeout">,
): BoundedCalls {
  if (!(Number.isFinite(storeTimeout) && storeTimeout > 0)) {
    throw new RangeError(
      `Cannot use one-time token: storeTimeout "${storeTimeout}" is not a positive number`,
    );
  }
  return {
    get: (key) => callStore("read", () => store.get(key), storeTimeout),
    put: (key, value, options) =>
      callStore("save", () => store.put(key, value, options), storeTimeout),
    delete: (key) => callStore("end", () => store.delete(key), storeTimeout),
    byIndex: (name) =>
      callStore("list", () => store.byIndex?.(name) ?? [], storeTimeout),
  };
}

/**
 * Looks at a one-time token without using it up, to show the form that will.
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
 * @param store Where it was put.
 * @param use The token, and what it is to open.
 * @returns Whose it is, or `null` for a token that is not right, or no more.
 * @throws {SessionStoreError} If the store fails.
 */
export async function readOneTimeToken(
  store: SessionStore,
  use: OneTimeTokenUse,
): Promise<OneTimeTokenGrant | null> {
  return (await find(store, use))?.grant ?? null;
}

/**
 * Makes all tokens of one purpose and account worthless, as is due when the
 * password changes. Needs a store with an index; without it, they live out
 * their ten minutes.
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
 * @param store Where they were put.
 * @param options What they are for.
 * @throws {SessionStoreError} If the store fails.
 */
export async function revokeOneTimeTokens(
  store: SessionStore,
  options: Pick<OneTimeTokenOptions, "purpose" | "account" | "storeTimeout">,
): Promise<void> {
  const { purpose, account } = options;
  const calls = bounded(store, options);
  const keys = await calls.byIndex(await indexOf(purpose, account));
  for (const key of keys) await calls.delete(key);
}

interface Found {
  readonly key: string;
  readonly stored: StoredValue;
  readonly grant: OneTimeTokenGrant;
}

async function find(
  store: SessionStore,
  use: OneTimeTokenUse,
): Promise<Found | null> {
  const { purpose, token, now = Date.now } = use;
  if (typeof token !== "string" || !/^[\w-]{22}$/.test(token)) return null;
  const key = await keyOf(purpose, token);
  const stored = await bounded(store, use).get(key);
  const grant = stored === null ? null : parse(stored.value, now());
  return stored === null || grant === null ? null : { key, stored, grant };
}

function parse(text: string, now: number): OneTimeTokenGrant | null {
  // What was taken, and waits to be deleted.
  if (text === taken) return null;
  const { account, data, expiresAt } = JSON.parse(text);
  // Some stores forget late.
  return now < expiresAt ? { account, data } : null;
}

/** Of the hash, so that who reads the store can't use what is there. */
async function keyOf(purpose: string, token: string): Promise<string> {
  const hash = await sha256(JSON.stringify([purpose, token]));
  return `one-time:${encodeBase64Url(hash)}`;
}

async function indexOf(
  purpose: string,
  account: string | number,
): Promise<string> {
  const hash = await sha256(JSON.stringify([purpose, String(account)]));
  return `one-time:${encodeBase64Url(hash)}`;
}
