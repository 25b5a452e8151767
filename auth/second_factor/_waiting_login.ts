import type { LoginTimeouts } from "../../session/mod.ts";
import type { LoginOrigin } from "../login/login_names.ts";
import { withinBounds } from "../login/pending_steps.ts";
import type { PendingLogin } from "./options.ts";

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
 * The maximum number of waiting logins per user, and their size. Another one
 * ends the oldest: if it were refused, or ended all of them, an attacker with
 * the password could keep the user from logging in.
 */
const BOUNDS = { count: 20, bytes: 32_000 };

/** Adds a login to those that wait. */
export function addWaiting(
  waiting: readonly WaitingLogin[] = [],
  login: WaitingLogin,
  now: number,
): WaitingLogin[] {
  const others = waiting.filter(([, { expiresAt }]) => now < expiresAt);
  return withinBounds([...others, login], BOUNDS);
}

/** Finds a login that has not expired. */
export function findWaiting(
  waiting: readonly WaitingLogin[] = [],
  hash: string,
  now: number,
): StoredLogin | null {
  const found = waiting.find(([one]) => one === hash);
  // Another store may return values that have expired.
  return found !== undefined && now < found[1].expiresAt ? found[1] : null;
}

/** Returns `true` for a well-formed login. */
export function isWaiting(value: unknown): value is WaitingLogin {
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
