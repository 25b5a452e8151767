import type { RequestContext } from "../../router/mod.ts";
import type { CookieChange } from "../cookies/prefixed_cookie.ts";
import type { SessionRecord } from "../record.ts";
import type { Timeouts } from "../timeouts.ts";
import type { RevokedBefore } from "./_revocation.ts";

export type { RevokedBefore };

/** The configuration of one session middleware. */
export interface SessionConfig {
  readonly timeouts: Timeouts;
  readonly now: () => number;
  /** The maximum number of sessions of a user. */
  readonly maxSessions: number;
  /** The timeout of a call to the store, in milliseconds. */
  readonly storeTimeout: number;
  /** Returns the time before which a user's logins are invalid. */
  readonly revokedBefore: RevokedBefore | undefined;
  /** Calls the store with this timeout. */
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

/** Creates the driver of a request, for the session cookie with this name. */
export type CreateDriver = (
  cookieName: string,
  context: RequestContext,
) => SessionDriver;

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
   * @param canBegin `true` to begin a new session if this one has ended.
   * @returns The saved record, or `null` if the session has ended.
   */
  save(
    update: UpdateRecord,
    idChange: IdChange,
    canBegin: boolean,
  ): Promise<SessionRecord | null>;

  /** Ends the session. */
  end(): Promise<void>;

  /** Deletes what was saved under a new id that the browser will not get. */
  discard(): Promise<void>;
}
