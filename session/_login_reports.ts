import { reportSecurityEvent } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** The user and the id of a session in its store. */
export interface StoredLogin {
  readonly userId: string | number | undefined;
  readonly id: string;
}

/** Reports a login or a logout, after the session was saved or has ended. */
export function reportLogin(
  context: RequestContext,
  before: StoredLogin,
  { id: sessionId, userId }: StoredLogin,
  isLogin: boolean,
): void {
  const { id, userId: previous } = before;
  if (userId === undefined && previous !== undefined) {
    reportSecurityEvent(context, {
      action: "logout",
      userId: previous,
      sessionId: id,
    });
  }
  if (!isLogin) return;
  const ids = { sessionId, previousSessionId: id };
  reportSecurityEvent(context, { action: "login", userId, ...ids });
}
