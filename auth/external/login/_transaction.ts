import type { RequestContext } from "../../../router/mod.ts";
import { allowNewSession } from "../../../session/internal.ts";
import { type JSONValue, SessionConflictError } from "../../../session/mod.ts";
import {
  encodeBase64Url,
  randomToken,
  sha256,
} from "../../../session/secrets.ts";
import { currentSession } from "../../current_session.ts";
import { ExternalAuthError } from "../../issuer/mod.ts";
import type { ExternalAuthData } from "../provider.ts";

/** A pending login: it waits for the provider's response. */
export interface Transaction {
  /** The provider's issuer, from which the response must come. */
  readonly issuer: string;
  /** The id of the client. */
  readonly clientId: string;
  /** The URL of the callback. */
  readonly redirectUri: string;
  /** Binds the ID token to this login. */
  readonly nonce: string;
  /** Binds the code to this login (RFC 7636). */
  readonly verifier: string;
  /** The start of the login, in epoch milliseconds. */
  readonly startedAt: number;
  /** The path to return to. */
  readonly returnTo?: string;
  /** The maximum age of the user's authentication, in seconds. */
  readonly maxAge?: number;
  /** The application's data. */
  readonly data?: ExternalAuthData;
  /** `true` if a page of another origin started the login. */
  readonly isForeign?: true;
}

/** A new transaction and its `state`. */
export interface StartedTransaction {
  readonly state: string;
  readonly transaction: Transaction;
}

/** The session key of pending logins. `completeAuth` removes this prefix. */
const KEY = "__auth.external";

/** Milliseconds until a pending login expires. */
const LIFETIME = 600_000;

/** Milliseconds by which the clocks of the application's servers may differ. */
const CLOCK_TOLERANCE = 30_000;

/** The maximum number and size of the pending logins of a session. */
interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

/** For logins that the user started here. A session may have 32 kB. */
const OWN: Bounds = { count: 8, bytes: 12_288 };

/**
 * For logins that a page of another origin started, with a link or a popup.
 * They must not evict those that the user started here.
 */
const FOREIGN: Bounds = { count: 2, bytes: 3_072 };

/**
 * The maximum size of a pending login as JSON within JSON. Sealed and with its
 * attributes, such a cookie has less than 4,096 bytes.
 */
const MAX_NESTED_BYTES = 2800;

/** Matches a state: 32 random bytes. */
const STATE = /^[\w-]{43}$/;

type Pending = Readonly<Record<string, Transaction>>;

/**
 * Creates a pending login. The browser only learns its `state`. If it is too
 * large for a cookie, `returnTo` is dropped.
 */
export function createTransaction(
  now: number,
  login: Omit<Transaction, "nonce" | "verifier" | "startedAt">,
): StartedTransaction {
  const transaction: Transaction = {
    ...login,
    nonce: randomToken(),
    verifier: randomToken(),
    startedAt: now,
  };
  // As in a session cookie, where a quote takes four bytes.
  const size = byteLength(JSON.stringify(JSON.stringify(transaction)));
  const { returnTo: _, ...shorter } = transaction;
  return {
    state: randomToken(),
    transaction: size > MAX_NESTED_BYTES ? shorter : transaction,
  };
}

/** Returns the length of a string in UTF-8, in bytes. */
export function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

/** Saves a pending login in the session, and evicts the oldest ones. */
export async function saveTransaction(
  context: RequestContext,
  now: number,
  { state, transaction }: StartedTransaction,
): Promise<void> {
  const session = await currentSession(context, "start the external login")
    .load();
  const hash = await hashOf(state);
  const started: Transaction = isFromOtherOrigin(context.request)
    ? { ...transaction, isForeign: true }
    : transaction;
  session.update(KEY, (value) => {
    const logins = Object.entries(toPending(value))
      .filter(([, other]) => !isExpired(other, now))
      .sort(([, a], [, b]) => a.startedAt - b.startedAt);
    logins.push([hash, started]);
    const own = logins.filter(([, { isForeign }]) => !isForeign);
    const foreign = logins.filter(([, { isForeign }]) => isForeign);
    // Cookie sessions, which have less room, keep the last ones.
    return toJSON(Object.fromEntries([
      ...withinBounds(foreign, FOREIGN),
      ...withinBounds(own, OWN),
    ]));
  });
  allowNewSession(session);
}

/** Returns `false` for old browsers, which do not send the header. */
function isFromOtherOrigin({ headers }: Request): boolean {
  const site = headers.get("Sec-Fetch-Site");
  return site === "cross-site" || site === "same-site";
}

/** Returns the newest logins. The argument has the oldest first. */
function withinBounds(
  logins: [string, Transaction][],
  { bytes, count }: Bounds,
): [string, Transaction][] {
  const kept = logins.slice(-count);
  while (kept.length > 1 && byteLength(JSON.stringify(kept)) > bytes) {
    kept.shift();
  }
  return kept;
}

/**
 * Removes a pending login from the session and returns it. The store has saved
 * this before the function returns, so only one of several callbacks with the
 * same state succeeds.
 *
 * @throws {ExternalAuthError} If no such login is pending.
 */
export async function consumeTransaction(
  context: RequestContext,
  state: string,
): Promise<Transaction> {
  const session = await currentSession(context, "finish the external login")
    .load();
  // Found by its hash, so the time that it takes reveals no other states.
  const hash = STATE.test(state) ? await hashOf(state) : "";
  if (!Object.hasOwn(toPending(session.get(KEY)), hash)) throw unknownState();
  let removed: Transaction | undefined;
  session.update(KEY, (value) => {
    // Runs again after a conflict with another request. The last run counts.
    const { [hash]: found, ...others } = toPending(value);
    removed = found;
    return toJSON(others);
  });
  try {
    await session.commit();
  } catch (error) {
    if (error instanceof SessionConflictError) throw unknownState();
    throw error;
  }
  if (removed === undefined) throw unknownState();
  return removed;
}

async function hashOf(state: string): Promise<string> {
  return encodeBase64Url(await sha256(state));
}

/** Returns `true` if the user took too long. */
export function isExpired({ startedAt }: Transaction, now: number): boolean {
  const age = now - startedAt;
  return age < -CLOCK_TOLERANCE || age >= LIFETIME;
}

function toPending(value: JSONValue | undefined): Pending {
  return typeof value === "object" && value !== null
    ? value as unknown as Pending
    : {};
}

function toJSON(pending: Pending): JSONValue {
  return pending as unknown as JSONValue;
}

function unknownState(): ExternalAuthError {
  return new ExternalAuthError(
    "state_unknown",
    "Cannot finish the external login: no login with this state is pending in this session",
  );
}
