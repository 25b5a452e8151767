import type { RequestContext } from "../../router/mod.ts";
import { type JSONValue, SessionConflictError } from "../../session/mod.ts";
import { allowNewSession } from "../../session/internal.ts";
import { encodeBase64Url, randomToken, sha256 } from "../../session/secrets.ts";
import { currentSession } from "../current_session.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ExternalAuthData } from "./provider.ts";

/** A login that waits for the provider's answer. */
export interface Transaction {
  /** The provider's issuer: the answer must come from there. */
  readonly issuer: string;
  /** The client that asked. */
  readonly clientId: string;
  /** Where the answer goes. */
  readonly redirectUri: string;
  /** Binds the ID token to this login. */
  readonly nonce: string;
  /** Binds the code to this login (RFC 7636). */
  readonly verifier: string;
  /** When it began, in epoch milliseconds. */
  readonly startedAt: number;
  /** Where the user wanted to go. */
  readonly returnTo?: string;
  /** How long ago the user may have authenticated, in seconds. */
  readonly maxAge?: number;
  /** What the application wants back. */
  readonly data?: ExternalAuthData;
  /** `true` if a page of another origin began it. */
  readonly isForeign?: true;
}

/** What a new transaction is known by. */
export interface StartedTransaction {
  readonly state: string;
  readonly transaction: Transaction;
}

/** Where the session keeps pending logins. A login drops the whole prefix. */
const KEY = "__auth.external";

/** Milliseconds that a user has at the provider. */
const LIFETIME = 600_000;

/** Milliseconds that the clocks of an application's servers may be apart. */
const CLOCK_TOLERANCE = 30_000;

/** The logins that a session can have in flight: their number, and bytes. */
interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

/** For logins that the user began here. The session has 32 kB for all. */
const OWN: Bounds = { count: 8, bytes: 12_288 };

/**
 * For logins that a page of another origin began, with a link or a popup. They
 * must not push out those that the user began here.
 */
const FOREIGN: Bounds = { count: 2, bytes: 3_072 };

/**
 * The most bytes that one takes as JSON within JSON: sealed, and with what
 * belongs to a cookie, that is less than 4,096.
 */
const MAX_NESTED_BYTES = 2800;

/** A state as we make it: 32 random bytes. */
const STATE = /^[\w-]{43}$/;

type Pending = Readonly<Record<string, Transaction>>;

/**
 * Makes a login: known to the browser by `state` alone. Where it would not fit
 * into a cookie, it forgets where the user wanted to go.
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
  // As the session keeps it in a cookie, where a quote takes four bytes.
  const size = byteLength(JSON.stringify(JSON.stringify(transaction)));
  const { returnTo: _, ...shorter } = transaction;
  return {
    state: randomToken(),
    transaction: size > MAX_NESTED_BYTES ? shorter : transaction,
  };
}

/** Counts the bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Remembers a login in the session, and forgets those that are too many. */
export async function keepTransaction(
  context: RequestContext,
  now: number,
  { state, transaction }: StartedTransaction,
): Promise<void> {
  const session = await currentSession(context, "start the external login")
    .load();
  const name = await nameOf(state);
  const started: Transaction = isFromElsewhere(context.request)
    ? { ...transaction, isForeign: true }
    : transaction;
  session.update(KEY, (value) => {
    const logins = Object.entries(toPending(value))
      .filter(([, other]) => isAlive(other, now))
      .sort(([, a], [, b]) => a.startedAt - b.startedAt);
    logins.push([name, started]);
    const own = logins.filter(([, { isForeign }]) => !isForeign);
    const foreign = logins.filter(([, { isForeign }]) => isForeign);
    // In cookies, where room is short, the last ones are kept.
    return toJSON(Object.fromEntries([
      ...withinBounds(foreign, FOREIGN),
      ...withinBounds(own, OWN),
    ]));
  });
  allowNewSession(session);
}

/** Old browsers do not say where a request comes from: it is taken for one here. */
function isFromElsewhere({ headers }: Request): boolean {
  const site = headers.get("Sec-Fetch-Site");
  return site === "cross-site" || site === "same-site";
}

/** The newest of the logins, which are in the order of their start. */
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
 * Takes the login that a callback belongs to. It is out of the store when this
 * returns, so that of several callbacks with one state a single one goes on.
 *
 * @throws {ExternalAuthError} If there is none, or not any more.
 */
export async function takeTransaction(
  context: RequestContext,
  state: string,
): Promise<Transaction> {
  const session = await currentSession(context, "finish the external login")
    .load();
  // Looked up by its hash: how long that takes tells nothing of other states.
  const name = STATE.test(state) ? await nameOf(state) : "";
  if (!Object.hasOwn(toPending(session.get(KEY)), name)) throw unknown();
  let taken: Transaction | undefined;
  session.update(KEY, (value) => {
    // Runs again where another request was faster: the last run counts.
    const { [name]: found, ...others } = toPending(value);
    taken = found;
    return toJSON(others);
  });
  try {
    await session.commit();
  } catch (error) {
    if (error instanceof SessionConflictError) throw unknown();
    throw error;
  }
  if (taken === undefined) throw unknown();
  return taken;
}

async function nameOf(state: string): Promise<string> {
  return encodeBase64Url(await sha256(state));
}

/** Whether the time that a user has is not over. */
export function isAlive({ startedAt }: Transaction, now: number): boolean {
  const age = now - startedAt;
  return age >= -CLOCK_TOLERANCE && age < LIFETIME;
}

function toPending(value: JSONValue | undefined): Pending {
  return typeof value === "object" && value !== null
    ? value as unknown as Pending
    : {};
}

function toJSON(pending: Pending): JSONValue {
  return pending as unknown as JSONValue;
}

function unknown(): ExternalAuthError {
  return new ExternalAuthError(
    "state_unknown",
    "Cannot finish the external login: none with this state is pending in this session",
  );
}
