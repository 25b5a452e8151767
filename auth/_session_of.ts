import type { RequestContext } from "../router/mod.ts";
import { Session } from "../session/mod.ts";

/**
 * The session of a request.
 *
 * @throws {TypeError} If no session middleware ran before.
 */
export function sessionOf(context: RequestContext, purpose: string): Session {
  if (!context.has(Session)) {
    throw new TypeError(
      `Cannot ${purpose}: there is no session, put the session middleware in front (logger, formData, session, auth)`,
    );
  }
  return context.get(Session);
}
