import type { SessionRecord } from "./record.ts";
import { requestSessionOf, type Session } from "./session.ts";
import type { SessionStore } from "./store.ts";

/**
 * The key of the binding of a session to a device. A login removes its value, so
 * that the browser registers a new key.
 */
export const BINDING_KEY = "__auth.bound";

/** The public key of a device. */
export type DeviceKey =
  | {
    readonly kty: "EC";
    readonly crv: "P-256";
    readonly x: string;
    readonly y: string;
  }
  | { readonly kty: "RSA"; readonly n: string; readonly e: string };

/** The binding of a session to a device, as the session stores it. */
export interface DeviceBinding {
  /** The key of the HMACs in challenges and in the bound cookie. */
  readonly secret: string;
  /** The time of the newest challenge that was used. Epoch milliseconds. */
  readonly usedAt: number;
  /**
   * The time until which a later response asks for a key, because the login came
   * from another site. Epoch milliseconds.
   */
  readonly askUntil?: number | undefined;
  /** The name of the session in the browser. */
  readonly id?: string;
  /** The device's key. Without it, the browser was only asked to register one. */
  readonly key?: DeviceKey;
  /**
   * The time of the first request with the bound cookie. From then on, the session
   * needs the cookie. Epoch milliseconds.
   */
  readonly boundAt?: number;
}

/** Returns the binding of a record, or `null`. */
export function bindingOf(record: SessionRecord): DeviceBinding | null {
  const value = record.content.values.get(BINDING_KEY);
  return Object(value) === value ? value as unknown as DeviceBinding : null;
}

/**
 * Returns the binding of a loaded session, or `null`. A session without one can
 * still be used in responses that caches share.
 */
export function readBinding(session: Session): DeviceBinding | null {
  const request = requestSessionOf(session);
  const binding = bindingOf(request.record);
  if (binding !== null) request.isAccessed = true;
  return binding;
}

/** Returns the time of a loaded session's login, or `null` without a user. */
export function loginTimeOf(session: Session): number | null {
  const { createdAt, userId } = requestSessionOf(session).record;
  return userId === undefined ? null : createdAt;
}

/** Returns `true` if the request has logged a user in. */
export function hasLoggedIn(session: Session): boolean {
  const { changes, hasLogin } = requestSessionOf(session);
  return changes !== undefined && changes.record.userId !== undefined &&
    (hasLogin || changes.idChange === "login");
}

/**
 * Makes a request anonymous. The stored session does not change, and only a login
 * begins another one.
 */
export function leaveSession(session: Session): void {
  requestSessionOf(session).leave();
}

/** Returns the store of the sessions, or `null` if they are in cookies. */
export function storeOf(session: Session): SessionStore | null {
  return requestSessionOf(session).setup.store;
}
