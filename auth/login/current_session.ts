import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";

/**
 * Returns the session of a request.
 *
 * @param purpose The action that needs the session, for the error message.
 * @throws {TypeError} If no session middleware ran before.
 */
export function currentSession(
  context: RequestContext,
  purpose: string,
): Session {
  if (!context.has(Session)) {
    throw new TypeError(
      `Cannot ${purpose}: there is no session, put the session middleware in front (logger, formData, session, auth)`,
    );
  }
  return context.get(Session);
}
