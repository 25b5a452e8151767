import type { RequestContext } from "../../router/mod.ts";
import type { SessionStore } from "../../session/mod.ts";
import type { Throttle } from "../throttle/throttle.ts";

/** Options for {@linkcode createEmailLogin}. */
export interface EmailLoginOptions {
  /** The store of the emails that were asked for. Sessions may share it. */
  readonly store: SessionStore;

  /**
   * The secrets that encrypt the codes in the store: at least 32 random
   * characters each. The first one encrypts, all of them decrypt.
   */
  readonly secrets: readonly string[];

  /**
   * The action that the email allows, such as `"change-email"`. A link or a code
   * of one purpose is invalid for all others.
   *
   * @default {"login"}
   */
  readonly purpose?: string;

  /**
   * The lifetime of the link and the code, in milliseconds, at most an hour.
   *
   * @default {600_000}
   */
  readonly ttl?: number;

  /**
   * Limits the emails to one address, and by one client. A proof of the address
   * clears its count.
   *
   * @default {a throttle in the store: at most 11 emails an hour}
   */
  readonly mailThrottle?: Pick<Throttle, "attempt" | "trustDevice">;

  /**
   * Slows down guessing of codes, in addition to the limit of 5 for each email. A
   * proof of the address clears its count.
   *
   * @default {a throttle in the store}
   */
  readonly codeThrottle?: Pick<Throttle, "attempt" | "trustDevice">;

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The request for an email. */
export interface EmailRequest {
  /** The address that must be proved. */
  readonly email: string;

  /**
   * The account of the address; `null` if it does not exist. The response must be
   * the same for both.
   *
   * Trust: if your database compares different letters as equal, send the email
   * of a login to the stored address, not to the typed one.
   */
  readonly account: string | number | null;

  /**
   * A string that comes back with the proof, such as the path to return to. It
   * does not come back if the browser used the link of an email that another
   * one asked for, because its own email was delayed.
   *
   * @default {undefined}
   */
  readonly data?: string;

  /**
   * The version of the account's credentials, which comes back with the proof. Read
   * it together with the account.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;
}

/** The contents of an email to send. */
export interface EmailToSend {
  /** The address to send it to. */
  readonly email: string;
  /** The token, for the query parameter `token` of the link. */
  readonly token: string;
  /** The code of six digits. */
  readonly code: string;
}

/** The page to show for an opened link. */
export type EmailLink =
  | {
    /**
     * This browser asked for the email, or its own email was delayed: show a
     * form with a button.
     */
    readonly status: "ready";
    /** The address. */
    readonly email: string;
  }
  | {
    /**
     * Another browser asked for the email: show the code, to type there. Email
     * scanners get this page too.
     */
    readonly status: "other-browser";
    /** The code of six digits. */
    readonly code: string;
  }
  | {
    /** The link was used, is too old, or is malformed. */
    readonly status: "expired";
  };

/** The result of a link or a code. */
export type EmailLoginResult =
  | {
    readonly ok: true;
    /** The account that `start` got. */
    readonly account: string | number;
    /** The address, which is now verified. */
    readonly email: string;
    /** The string that `start` got, if this browser asked for the email. */
    readonly data: string | undefined;
    /**
     * The version that `start` got, for `completeAuth`. Before another change,
     * compare it: all access may have been ended since the email was sent.
     */
    readonly version: number | undefined;
  }
  | {
    readonly ok: false;
    /** The code is wrong. */
    readonly reason: "wrong";
  }
  | {
    readonly ok: false;
    /**
     * The link or the code was used, is too old or malformed, or there were five
     * wrong codes: a new email is needed.
     */
    readonly reason: "expired";
  }
  | {
    readonly ok: false;
    /** Another browser asked for the email: show the code, to type there. */
    readonly reason: "other-browser";
    /** The code of six digits. */
    readonly code: string;
  }
  | {
    readonly ok: false;
    /** Too many codes were wrong before, so this one was not verified. */
    readonly reason: "throttled";
    /** The seconds to wait before the next attempt. */
    readonly retryAfter: number;
  };

/** Logins, and proofs of addresses, by a link or a code in an email. */
export interface EmailLogin {
  /**
   * Remembers in this browser that an email was asked for, and returns its
   * contents.
   *
   * Send the email in the background, and give the same response if the result
   * is `null`. A different response or response time would reveal the accounts.
   * Say on the page how many emails an hour an address gets.
   *
   * @param context The context of the request, with a session.
   * @param request The address and its account.
   * @returns The email to send; `null` if the account does not exist, or if there
   * were too many emails.
   * @throws {RangeError} If `data` has more than 2,000 characters.
   * @throws {Error} If the store has no room for the email.
   * @throws {SessionStoreError} If the store failed.
   */
  start(
    context: RequestContext,
    request: EmailRequest,
  ): Promise<EmailToSend | null>;

  /**
   * Returns the page to show for an opened link. It uses nothing up, because email
   * scanners open links too.
   *
   * @param context The context of the request, with a session.
   * @param token The query parameter `token`.
   * @returns The kind of page.
   * @throws {SessionStoreError} If the store failed.
   */
  open(context: RequestContext, token: unknown): Promise<EmailLink>;

  /**
   * Uses up a link, for the form of the opened page. It works only in the browser
   * that asked for the email, and once. The other links and codes of the account
   * end.
   *
   * If there were too many emails to the address, the link of another email to
   * the same account works in this browser too, for an hour. Without this rule,
   * attackers who ask for emails would lock the owner out.
   *
   * A proof of the address clears the counts of its emails and codes. It makes the
   * browser a known device of all throttles in the store.
   *
   * @param context The context of the request, with a session.
   * @param token The token of the link, as the client sent it.
   * @returns The account and the verified address, or the reason of the failure.
   * @throws {SessionStoreError} If the store failed.
   */
  verifyLink(
    context: RequestContext,
    token: unknown,
  ): Promise<EmailLoginResult>;

  /**
   * Uses up a code, in the browser that asked for the email. It works once. The
   * other links and codes of the account end.
   *
   * @param context The context of the request, with a session.
   * @param code The code, as the client sent it.
   * @returns The account and the verified address, or the reason of the failure.
   * @throws {SessionStoreError} If the store failed.
   */
  verifyCode(
    context: RequestContext,
    code: unknown,
  ): Promise<EmailLoginResult>;

  /**
   * Returns the address of the email that this browser asked for, for the page
   * that asks for the code.
   *
   * @param context The context of the request, with a session.
   * @returns The address; `null` if there was no email, or if it has expired.
   * @throws {SessionStoreError} If the store failed.
   */
  pendingEmail(context: RequestContext): Promise<string | null>;

  /**
   * Revokes all links and codes of an account, for example because its password
   * changed. A login revokes the others by itself. In a store without an index,
   * they work until they expire.
   *
   * @param account The account that `start` got.
   * @throws {SessionStoreError} If the store failed.
   */
  revoke(account: string | number): Promise<void>;
}
