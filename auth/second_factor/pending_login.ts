import type { RequestContext } from "../../router/mod.ts";
import { allowNewSession, checkLogin } from "../../session/internal.ts";
import type {
  JSONValue,
  LoginTimeouts,
  SessionStore,
} from "../../session/mod.ts";
import {
  createOneTimeToken,
  type OneTimeTokenGrant,
  readOneTimeToken,
  revokeOldest,
  revokeOneTimeTokens,
  takeOneTimeToken,
} from "../issued_tokens/one_time_token.ts";
import type { AuthMethod } from "../login/auth_method.ts";
import { currentSession } from "../login/current_session.ts";
import type { LoginOrigin } from "../login/login_names.ts";

/** A login that waits for its second factor. */
export interface PendingLogin {
  /** The id of the user who proved the first factor. They are not logged in. */
  readonly userId: string | number;
  /** The methods of the first factor. */
  readonly methods: readonly AuthMethod[];
  /** The application's data. */
  readonly data?: string;
}

/** A pending login, as stored. */
export interface StoredLogin extends PendingLogin {
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

/** The session key of the pending login. `completeAuth` removes this prefix. */
const KEY = "__auth.second-factor";

const purpose = "second-factor";

/**
 * The most logins of a user that wait. Another one ends the oldest: if it were
 * refused, or ended all of them, an attacker with the password could keep the user
 * from logging in.
 */
const MAX_PENDING = 20;

/** Options for the functions of this module. */
export interface PendingOptions {
  readonly store: SessionStore;
  readonly now: () => number;
  readonly ttl: number;
  readonly storeTimeout: number;
}

/**
 * Saves a login that waits for its second factor.
 *
 * The session holds only a token, and the store the login. So a copy of an old
 * session cookie, as of a session in cookies, brings no login back.
 */
export async function savePendingLogin(
  context: RequestContext,
  { userId, ...login }: StoredLogin,
  options: PendingOptions,
): Promise<void> {
  const session = await sessionOf(context);
  checkLogin(session, login);
  const { storeTimeout } = options;
  const pending = { purpose, account: userId, storeTimeout };
  await revokeOldest(options.store, pending, MAX_PENDING);
  const data = JSON.stringify(login);
  const token = await createOneTimeToken(options.store, {
    ...options,
    purpose,
    account: userId,
    data,
  });
  session.set(KEY, { token });
  // An id that an attacker planted must not learn of the first factor.
  session.regenerateId();
  allowNewSession(session, "proved-user");
}

/** Returns the pending login of this browser, or `null`. */
export async function readPendingLogin(
  context: RequestContext,
  { store, ...options }: PendingOptions,
): Promise<StoredLogin | null> {
  const token = tokenIn((await sessionOf(context)).get(KEY));
  if (token === null) return null;
  const use = { ...options, purpose, token };
  return toLogin(await readOneTimeToken(store, use));
}

/**
 * Removes the pending login of this browser and returns it. Of several concurrent
 * requests, one gets it. The session keeps its token until `completeAuth`: a
 * change would be a conflict in the other requests.
 */
export async function takePendingLogin(
  context: RequestContext,
  { store, ...options }: PendingOptions,
): Promise<StoredLogin | null> {
  const session = await sessionOf(context);
  const token = tokenIn(session.get(KEY));
  if (token === null) return null;
  const use = { ...options, purpose, token };
  return toLogin(await takeOneTimeToken(store, use));
}

/** Ends the pending logins of a user. */
export async function revokePendingLogins(
  userId: string | number,
  { store, storeTimeout }: PendingOptions,
): Promise<void> {
  const options = { purpose, account: userId, storeTimeout };
  await revokeOneTimeTokens(store, options);
}

function sessionOf(context: RequestContext) {
  return currentSession(context, "use the second factor").load();
}

function tokenIn(value: JSONValue | undefined): JSONValue {
  return typeof value === "object" && value !== null && "token" in value
    ? value.token ?? null
    : null;
}

function toLogin(grant: OneTimeTokenGrant | null): StoredLogin | null {
  return grant?.data === undefined
    ? null
    : { ...JSON.parse(grant.data), userId: grant.account };
}
