import { HTTPError, reportDenied } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { isActing } from "./acting.ts";
import { currentSession } from "./current_session.ts";

/**
 * Returns the session of a request that proves, adds or removes a way into the
 * account of its user. Its `version` is the one to compare with.
 *
 * While a user acts as another one, the session belongs to the former and the
 * account page to the latter. Neither would be right, so the request is
 * refused.
 *
 * @param purpose The action, for the error message.
 * @throws {TypeError} If no session middleware ran before.
 * @throws {HTTPError} If the user acts as another one: the response is a 403.
 */
export async function ownSession(
  context: RequestContext,
  purpose: string,
): Promise<Session> {
  const session = await currentSession(context, purpose).load();
  if (isActing(context, session)) refuseActing(context, session.userId);
  return session;
}

/**
 * Refuses a request because its user acts as another one.
 *
 * @throws {HTTPError} Always: the response is a 403.
 */
export function refuseActing(
  context: RequestContext,
  actorId: string | number | bigint | undefined,
): never {
  reportDenied(context, "acting", actorId);
  throw new HTTPError(403, "Not while you act as another user");
}
