import type { RequestContext } from "../../router/mod.ts";
import type { CookieChange } from "../cookies/prefixed_cookie.ts";
import type { SessionRecord } from "../record.ts";
import type { Timeouts } from "../timeouts.ts";

/** The maximum number of cookies with the right name that are tried. */
export const MAX_CANDIDATES = 4;

/**
 * Returns the time of a user's last revocation in epoch milliseconds, or no value
 * if there was none.
 */
export type RevokedBefore = (
  userId: string | number,
) => number | null | undefined | Promise<number | null | undefined>;

/** The configuration of one session middleware. */
export interface SessionConfig {
  readonly timeouts: Timeouts;
  readonly now: () => number;
  /** The maximum number of sessions of a user. */
  readonly maxSessions: number;
  /** The effect of a login beyond `maxSessions`. */
  readonly maxSessionsAction: "end-oldest" | "refuse";
  /** The timeout of a call to the store, in milliseconds. */
  readonly storeTimeout: number;
  /** Returns the time of a user's last revocation, if the option is set. */
  readonly revokedBefore: RevokedBefore | undefined;
  /** Calls a function of the application with the timeout of the store. */
  callStore<Value>(
    verb: string,
    call: () => Value | Promise<Value>,
  ): Value | Promise<Value>;
}

/**
 * The way in which a save changes the id. `rotate` replaces it. `login` does so
 * too, and begins a new session if this one has ended in the meantime.
 */
export type IdChange = "keep" | "rotate" | "login";

/** Changes a stored record, or creates the first one. */
export type UpdateRecord = (stored: SessionRecord | null) => SessionRecord;

/**
 * Creates the driver of a request, for the session cookie with these names. The
 * first one takes precedence.
 */
export type CreateDriver = (
  cookieName: string,
  context: RequestContext,
) => SessionDriver;

/**
 * The reason why a session may begin after another one has ended: a login or its
 * first step. `"proved-user"` is one whose user has proved a factor. A visit
 * without such a reason, `false`, must not replace the cookie of a later login.
 */
export type SessionBegin = false | "login-step" | "proved-user";

/** Opens, saves and ends the session of one request. */
export interface SessionDriver {
  /** The id in the store, or an empty string if the session is not stored. */
  readonly id: string;
  /** The cookies that the response has to set. */
  readonly cookies: readonly CookieChange[];
  /** `true` if another request gave the session a new id after this one loaded it. */
  readonly hasMoved: boolean;
  /** `true` if the session is stored in cookies only. */
  readonly isInCookies: boolean;

  /** Opens the session of a `Cookie` header. Returns `null` if it has none. */
  open(header: string | null): Promise<SessionRecord | null>;

  /**
   * Saves the record that `update` returns. It may call `update` several times.
   *
   * @param canBegin The reason to begin a new session if this one has ended.
   * @returns The saved record, or `null` if the session has ended.
   */
  save(
    update: UpdateRecord,
    idChange: IdChange,
    canBegin: SessionBegin,
  ): Promise<SessionRecord | null>;

  /** Ends the session. */
  end(): Promise<void>;

  /** Deletes what was saved under a new id that the browser will not get. */
  discard(): Promise<void>;

  /** Stops accepting the old id, because the response has the new one. */
  close(): void;

  /**
   * Leaves the stored session unchanged. Only a login begins another one.
   * Sessions in cookies lack the method.
   */
  leave?(): void;
}

/** The maximum lifetime of a cookie in seconds: 400 days (RFC 6265bis). */
export const MAX_COOKIE_AGE = 34_560_000;

/**
 * Returns the lifetime of a session's cookie in seconds, if the login has its
 * own timeouts. Without them, the option of the middleware applies.
 */
export function cookieAge(
  { expiresAt, idle }: SessionRecord,
  { now }: SessionConfig,
): { maxAge?: number } {
  if (idle === undefined) return {};
  const seconds = Math.ceil((expiresAt - now()) / 1000);
  return { maxAge: Math.min(Math.max(1, seconds), MAX_COOKIE_AGE) };
}

/** Returns `true` for logins up to the millisecond of the revocation. */
export async function isRevoked(
  { createdAt, userId }: SessionRecord,
  config: SessionConfig,
): Promise<boolean> {
  const time = await revocationOf(userId, config);
  // The time of the login decides. The authentication at a provider may be much
  // older.
  return time !== null && createdAt <= time;
}

/**
 * Moves a login to the next millisecond if a revocation precedes it in the same
 * one, as in a request that resets a password and then logs the user in.
 */
export async function outlastRevocation(
  record: SessionRecord,
  config: SessionConfig,
): Promise<void> {
  const time = await revocationOf(record.userId, config);
  if (time === record.createdAt) record.createdAt++;
}

async function revocationOf(
  userId: string | number | undefined,
  { callStore, revokedBefore }: SessionConfig,
): Promise<number | null> {
  if (revokedBefore === undefined || userId === undefined) return null;
  return await callStore("check", () => revokedBefore(userId)) ?? null;
}
