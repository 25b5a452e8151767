import type { DeviceBinding } from "../../session/internal.ts";
import {
  encodeBase64Url,
  hmac,
  timingSafeEqual,
} from "../../session/secrets.ts";

/**
 * The state of a request.
 *
 * - `unbound`: its session was never bound.
 * - `waiting`: the browser registers a key, or has not sent the cookie yet.
 * - `bound`: it has the bound cookie.
 * - `unproven`: its session is bound, but it has no valid bound cookie.
 */
export type BindingState = "unbound" | "waiting" | "bound" | "unproven";

/**
 * The milliseconds in which requests arrive that the browser sent before it got a
 * cookie, or before the cookie expired.
 */
export const IN_FLIGHT = 15_000;

/** The milliseconds for which a challenge is valid after the cookie's lifetime. */
const CHALLENGE_MARGIN = 60_000;

/** A time and its HMAC-SHA-256. */
const TIMED_VALUE = /^([\da-z]{1,11})\.([\w-]{43})$/;

/** The state of a request, and the expiry of its bound cookie. */
export interface RequestBinding {
  readonly state: BindingState;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Returns the state of a request with this bound cookie. */
export async function checkCookie(
  binding: DeviceBinding | null,
  cookie: string | undefined,
  now: number,
): Promise<RequestBinding> {
  const expiresAt = binding?.key === undefined || cookie === undefined
    ? null
    : await readTime(binding, "cookie", cookie);
  if (expiresAt !== null && now < expiresAt + IN_FLIGHT) {
    return { state: "bound", expiresAt };
  }
  return { state: stateWithoutCookie(binding, now), expiresAt: 0 };
}

function stateWithoutCookie(
  binding: DeviceBinding | null,
  now: number,
): BindingState {
  if (binding === null) return "unbound";
  const { boundAt, usedAt } = binding;
  // The response to the registration may still be in transit
  // (w3c/webappsec-dbsc#248).
  if (boundAt !== undefined && now >= boundAt + IN_FLIGHT) return "unproven";
  // This is also the state if the response was lost, or if the browser rejected
  // its cookie.
  return now >= usedAt + IN_FLIGHT ? "unbound" : "waiting";
}

/** Creates the value of the bound cookie. */
export function createCookie(
  binding: DeviceBinding,
  expiresAt: number,
): Promise<string> {
  return signTime(binding, "cookie", expiresAt);
}

/** Creates a challenge that is newer than all used ones. */
export function createChallenge(
  binding: DeviceBinding,
  now: number,
): Promise<string> {
  // The clock of the machine that issued the last challenge may have been
  // ahead.
  return signTime(binding, "challenge", Math.max(now, binding.usedAt + 1));
}

/**
 * Returns the time at which a challenge was issued, or `null` if it is invalid,
 * too old, or not newer than the last used one.
 */
export async function readChallenge(
  binding: DeviceBinding,
  challenge: string,
  now: number,
  lifetime: number,
): Promise<number | null> {
  const time = await readTime(binding, "challenge", challenge);
  const isValid = time !== null && time > binding.usedAt &&
    now < time + lifetime + CHALLENGE_MARGIN;
  return isValid ? time : null;
}

async function signTime(
  { secret }: DeviceBinding,
  purpose: "cookie" | "challenge",
  time: number,
): Promise<string> {
  const digits = Math.floor(time).toString(36);
  return `${digits}.${await macOf(secret, `${purpose} ${digits}`)}`;
}

async function readTime(
  { secret }: DeviceBinding,
  purpose: "cookie" | "challenge",
  value: string,
): Promise<number | null> {
  const [, digits, mac] = TIMED_VALUE.exec(value) ?? [];
  if (digits === undefined || mac === undefined) return null;
  const expected = await macOf(secret, `${purpose} ${digits}`);
  return timingSafeEqual(mac, expected) ? parseInt(digits, 36) : null;
}

async function macOf(secret: string, text: string): Promise<string> {
  const mac = await hmac(secret, `gatehouse device-bound ${text}`);
  return encodeBase64Url(mac);
}
