import { describeMiddleware, reportDenied } from "../../router/internal.ts";
import { Auth, type AuthenticatedUser } from "../login/user_keys.ts";
import { type AuthState, State } from "./_auth_state.ts";
import {
  forbidden,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";
import type { Guard } from "./guard.ts";

/**
 * Creates a guard that responds with 401 to requests without a user, and with
 * 403 to users who are not allowed.
 *
 * @param scopes The required scopes, for the challenges.
 */
export function requireAllowed(
  isAllowed: (user: AuthenticatedUser, state: AuthState) => boolean,
  requires: readonly (readonly string[])[],
  scopes?: readonly string[],
): Guard {
  const middleware: Guard = (context, next) => {
    const user = context.get(Auth);
    if (user === null) {
      reportUnauthenticated(context);
      return unauthorized(context, scopes);
    }
    if (isAllowed(user, context.get(State))) return next();
    reportDenied(context, "forbidden", user.id);
    return forbidden(context, scopes);
  };
  return describeMiddleware(middleware, {
    requires,
    responses: { 401: "", 403: "" },
  });
}

/**
 * Checks the arguments of a guard.
 *
 * @throws {TypeError} If none is given, or one is not a string.
 */
export function checkNames(kind: string, names: readonly unknown[]): void {
  if (names.length === 0) {
    throw new TypeError(`Cannot require a ${kind}: none is given`);
  }
  if (names.some((name) => typeof name !== "string")) {
    throw new TypeError(
      `Cannot require a ${kind}: each must be a separate string argument`,
    );
  }
}
