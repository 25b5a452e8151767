import type { RequestContext } from "../context/context.ts";
import { type ContextKey, createContextKey } from "../context/context_key.ts";

/** An event that an audit log records. */
export type SecurityAction =
  /** A login, or a failed one. */
  | "login"
  /** An attempt that a throttle refused. */
  | "lockout"
  /** A logout. */
  | "logout"
  /** The end of all sessions of a user, or of all but one. */
  | "logout-everywhere"
  /** The end of another session of a user. */
  | "session-end"
  /** A request that a guard refused. */
  | "access-denied"
  /** A second use of a token or a code that works once. */
  | "token-reuse"
  /** A new password. */
  | "password-change"
  /** A new second factor or passkey. */
  | "factor-add"
  /** The removal of a second factor or a passkey. */
  | "factor-remove"
  /** A new API key or access token. */
  | "key-create"
  /** The end of an API key or an access token. */
  | "key-revoke"
  /** A new role of a user. */
  | "role-change"
  /** A download of the data of an account. */
  | "data-export"
  /** An email that could not be sent. */
  | "email-send";

/** A report of an event, for {@linkcode reportSecurityEvent}. */
export interface SecurityReport {
  /** The event. */
  readonly action: SecurityAction;
  /**
   * `"failure"` if it was refused or did not succeed.
   *
   * @default {"success"}
   */
  readonly outcome?: "success" | "failure";
  /**
   * The reason as a short word, such as `"wrong"`. At most 100 characters.
   *
   * @default {undefined}
   */
  readonly reason?: string | undefined;
  /**
   * The user who acted, if known.
   *
   * @default {undefined}
   */
  readonly userId?: string | number | bigint | undefined;
  /**
   * The user who was changed, if not the one who acted.
   *
   * @default {undefined}
   */
  readonly targetId?: string | number | bigint | undefined;
  /**
   * The id of the session in its store, which is not secret.
   *
   * @default {undefined}
   */
  readonly sessionId?: string | undefined;
  /**
   * The id that the session had before the login.
   *
   * @default {undefined}
   */
  readonly previousSessionId?: string | undefined;
}

/** Receives the reports of a request. */
export type SecurityReceiver = (
  report: SecurityReport,
  context: RequestContext,
) => void;

/** The context key of the function that receives the reports. */
export const Receiver: ContextKey<SecurityReceiver | null> =
  /* @__PURE__ */ createContextKey<SecurityReceiver | null>(null, {
    name: "securityEvents",
  });

/**
 * Reports an event to `securityEvents()` and to the span of `telemetry()`. It
 * does nothing without them, and it never throws.
 *
 * The library reports logins, logouts, refused attempts and denied requests
 * itself. Report what only the application knows: new passwords, keys and roles.
 *
 * Trust: no member may contain a secret, or a string that a client typed.
 *
 * @example A new role
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import {
 *   reportSecurityEvent,
 *   securityEvents,
 * } from "@gatehouse/web/middleware";
 *
 * const targets: (string | undefined)[] = [];
 * const events = securityEvents(({ user }) => {
 *   targets.push(user?.target?.id);
 * });
 * const router = createRouter({ middleware: [events] });
 * router.post("/users/:id/role", (context) => {
 *   const targetId = context.params.id;
 *   reportSecurityEvent(context, { action: "role-change", userId: 1, targetId });
 *   return new Response("Saved");
 * });
 * await router.fetch("https://example.com/users/7/role", { method: "POST" });
 * await events.flush();
 *
 * assertEquals(targets, ["7"]);
 * ```
 *
 * @param context The context of the request.
 * @param report The event.
 */
export function reportSecurityEvent(
  context: RequestContext,
  report: SecurityReport,
): void {
  try {
    context.get(Receiver)?.(report, context);
  } catch (error) {
    console.error(error);
  }
}

/** Reports a request that a guard refuses. */
export function reportDenied(
  context: RequestContext,
  reason: string,
  userId?: string | number | bigint,
): void {
  reportSecurityEvent(context, {
    action: "access-denied",
    outcome: "failure",
    reason,
    userId,
  });
}

/** Reports an action that failed. */
export function reportFailure(
  context: RequestContext,
  action: SecurityAction,
  reason: string,
): void {
  reportSecurityEvent(context, { action, outcome: "failure", reason });
}

/**
 * Adds a receiver to a request while a function runs, in addition to those of
 * outer middleware.
 */
export function withReceiver(
  context: RequestContext,
  receive: SecurityReceiver,
  next: () => Promise<Response>,
): Promise<Response> {
  const outer = context.get(Receiver);
  if (outer === null) {
    context.set(Receiver, receive);
    return next();
  }
  context.set(Receiver, (report, inner) => {
    receive(report, inner);
    outer(report, inner);
  });
  return next().finally(() => context.set(Receiver, outer));
}
