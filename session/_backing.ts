import type {
  ResolvedTimeouts,
  SessionLabel,
  SessionRecord,
} from "./_record.ts";

/** What all sessions of one middleware share. */
export interface SessionConfig {
  readonly timeouts: ResolvedTimeouts;
  readonly now: () => number;
  /** Milliseconds that a call to the store may take. */
  readonly storeTimeout: number;
}

/**
 * How the id changes with the next save: not at all, to a second one, to a new
 * one in place of the old, or to a new one even where the old is gone.
 */
export type Renewal = "none" | "copy" | "move" | "login";

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
export type MakeRecord = (stored: SessionRecord | null) => SessionRecord;

/** Where one request's session comes from and goes to. */
export interface Backing {
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
    make: MakeRecord,
    renewal: Renewal,
    begins: boolean,
  ): Promise<SessionRecord | null>;

  /** Ends the session. */
  end(): Promise<void>;

  /** Forgets what was saved under an id that no response can hand out. */
  abandon(): Promise<void>;
}

/** Makes the label of a session that begins now. */
export type MakeLabel = () => SessionLabel;
