import { describeMiddleware, reportDenied } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { Actor, Auth } from "../login/user_keys.ts";
import { type AuthState, State } from "./_auth_state.ts";
import {
  forbidden,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";
import type { Guard } from "./guard.ts";

/**
 * Creates a middleware that rejects users who act as another user, and tokens and
 * API keys of clients, with a 403. Use it for actions that only the users
 * themselves may take or approve, such as a new passkey. Requests without a user
 * get a 401.
 *
 * @example Only users themselves delete their account
 * ```ts
 * import { Actor, Auth, requireOwnLogin } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 * import { assertEquals } from "@std/assert";
 *
 * const requireOwner = requireOwnLogin();
 * const context = new RequestContext(new Request("https://example.com/delete"));
 * context.set(Auth, { id: 2 });
 * context.set(Actor, { id: 1, role: "admin" });
 *
 * const response = await requireOwner(context, () => Promise.reject());
 * assertEquals(response?.status, 403);
 * ```
 *
 * @returns The middleware.
 */
export function requireOwnLogin(): Guard {
  const middleware: Guard = (context, next) => {
    const user = context.get(Auth);
    if (user === null) {
      reportUnauthenticated(context);
      return unauthorized(context);
    }
    const denial = denialOf(context);
    if (denial === null) return next();
    reportDenied(context, denial, (context.get(Actor) ?? user).id);
    return forbidden(context);
  };
  return describeMiddleware(middleware, {
    requires: [[]],
    responses: { 401: "", 403: "" },
  });
}

/**
 * Returns the reason why the user of a request did not log in themselves: another
 * user acts as them, or a client has their token. `null` if they did.
 */
export function denialOf(
  context: RequestContext,
): "acting" | "forbidden" | null {
  if (context.get(Actor) !== null) return "acting";
  return isOfClient(context.get(State)) ? "forbidden" : null;
}

/**
 * Returns `true` for credentials that a client may have for its user: tokens, and
 * API keys in headers.
 */
function isOfClient({ scheme, scopes }: AuthState): boolean {
  const { security } = scheme ?? {};
  return scopes !== undefined || security !== undefined &&
      !(security.type === "apiKey" && security.in === "cookie");
}
