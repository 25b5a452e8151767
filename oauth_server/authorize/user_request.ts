import { currentSession } from "../../auth/internal.ts";
import type { AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { isStrict } from "../../session/internal.ts";
import type { Session } from "../../session/mod.ts";
import { requireNoPrefix } from "../endpoints.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";

/** A request of a user who is logged in. */
export interface UserRequest {
  readonly context: RequestContext;
  readonly request: AuthorizationRequest;
  readonly session: Session;
  readonly user: AuthenticatedUser;
}

/**
 * Returns the session of a request.
 *
 * @throws {TypeError} If there is no session, its cookie is `Strict`, or the router
 * is mounted.
 */
export async function sessionOf(context: RequestContext): Promise<Session> {
  requireNoPrefix(context);
  const session = currentSession(context, "authorize applications");
  if (isStrict(session)) {
    throw new TypeError(
      'Cannot authorize applications: the session cookie has sameSite "Strict", which browsers do not send with the link of an application, use "Lax"',
    );
  }
  return await session.load();
}
