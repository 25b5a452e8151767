import type { ResolvedTimeouts } from "../_lifetime.ts";
import type { SessionLabel, SessionRecord } from "../_record.ts";

/** What all sessions of one middleware share. */
export interface SessionConfig {
  readonly timeouts: ResolvedTimeouts;
  readonly now: () => number;
  /** Milliseconds that a call to the store may take. */
  readonly storeTimeout: number;
}

/**
 * How the next save changes the id. `rotate` replaces it; `login` does so too,
 * and begins a new session if this one has ended in the meantime.
 */
export type IdChange = "keep" | "rotate" | "login";

/** A cookie for the response to set, or to expire where the value is `null`. */
export interface CookieChange {
  /** What the name has behind that of the session's cookie. */
  readonly suffix: string;
  /** The value. */
  readonly value: string | null;
  /** Seconds, where they differ from the session cookie's. */
  readonly maxAge?: number;
}

/** Makes the record to store out of the one that is stored. */
export type UpdateRecord = (stored: SessionRecord | null) => SessionRecord;

/** Where one request's session comes from and goes to. */
export interface SessionDriver {
  /** The id that the session is stored under; empty while it is not. */
  readonly id: string;
  /** What the response has to tell the browser. */
  readonly cookies: readonly CookieChange[];

  /** Whether nothing is kept but what the browser keeps. */
  readonly isInCookies: boolean;

  /** Opens the session that the cookies lead to; `null` where there is none. */
  open(header: string | null): Promise<SessionRecord | null>;

  /**
   * Stores what `make` returns.
   *
   * @param begins Whether a session begins where this one has ended.
   * @returns What was stored, or `null` where the session ended elsewhere.
   */
  write(
    update: UpdateRecord,
    idChange: IdChange,
    begins: boolean,
  ): Promise<SessionRecord | null>;

  /** Ends the session. */
  end(): Promise<void>;

  /** Forgets what was saved under an id that no response can hand out. */
  discard(): Promise<void>;
}

/** Makes the label of a session that begins now. */
export type CreateLabel = () => SessionLabel;
