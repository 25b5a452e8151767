import type { RequestContext } from "../../../router/mod.ts";
import { allowNewSession } from "../../../session/internal.ts";
import { randomToken } from "../../../session/secrets.ts";
import { ExternalAuthError } from "../../issuer/mod.ts";
import { currentSession } from "../../login/current_session.ts";
import {
  addPendingStep,
  byteLength,
  type PendingBounds,
  takePendingStep,
  withinBounds,
} from "../../login/pending_steps.ts";
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

/**
 * The bounds for logins that the user started here. A session may have 32 kB.
 */
const OWN: PendingBounds = { count: 8, bytes: 12_288 };

/**
 * The bounds for logins that a page of another origin started, with a link or a
 * popup. They must not evict those that the user started here.
 */
const FOREIGN: PendingBounds = { count: 2, bytes: 3_072 };

/** The maximum length of the path to return to in a cookie, in characters. */
const MAX_RETURN_TO = 1_024;

/**
 * The maximum size of a pending login as JSON within JSON. Sealed, with the user's
 * id and its attributes, such a cookie has less than 4,096 bytes.
 */
const MAX_NESTED_BYTES = 2600;

/**
 * Creates a pending login. The browser only learns its `state`. If it is too
 * large for the cookie of the session, `returnTo` is dropped.
 */
export function createTransaction(
  now: number,
  isInCookie: boolean,
  login: Omit<Transaction, "nonce" | "verifier" | "startedAt">,
): StartedTransaction {
  const transaction: Transaction = {
    ...login,
    nonce: randomToken(),
    verifier: randomToken(),
    startedAt: now,
  };
  // The size is that in a session cookie, in which a quote takes four bytes.
  const size = byteLength(JSON.stringify(JSON.stringify(transaction)));
  const { returnTo = "", ...shorter } = transaction;
  const isTooLarge = returnTo.length > MAX_RETURN_TO || size > MAX_NESTED_BYTES;
  return {
    state: randomToken(),
    transaction: isInCookie && isTooLarge ? shorter : transaction,
  };
}

/** Saves a pending login in the session, and evicts the oldest ones. */
export async function saveTransaction(
  context: RequestContext,
  now: number,
  { state, transaction }: StartedTransaction,
): Promise<void> {
  const session = await currentSession(context, "start the external login")
    .load();
  const step: Transaction = isFromOtherOrigin(context.request)
    ? { ...transaction, isForeign: true }
    : transaction;
  await addPendingStep(session, KEY, { now, secret: state, step }, (logins) => {
    const own = logins.filter(([, { isForeign }]) => !isForeign);
    const foreign = logins.filter(([, { isForeign }]) => isForeign);
    // Cookie sessions, which have less room, keep the last ones.
    return [...withinBounds(foreign, FOREIGN), ...withinBounds(own, OWN)];
  });
  allowNewSession(session);
}

/** Returns `false` for old browsers, which do not send the header. */
function isFromOtherOrigin({ headers }: Request): boolean {
  const site = headers.get("Sec-Fetch-Site");
  return site === "cross-site" || site === "same-site";
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
  const transaction = await takePendingStep<Transaction>(session, KEY, state);
  if (transaction !== null) return transaction;
  throw new ExternalAuthError(
    "state_unknown",
    "Cannot finish the external login: no login with this state is pending in this session",
  );
}
