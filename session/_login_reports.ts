import { reportSecurityEvent } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** The user and the id of a session in its store. */
export interface StoredLogin {
  readonly userId: string | number | undefined;
  readonly id: string;
}

/** Reports a login or a logout, after the session was saved. */
export function reportSave(
  context: RequestContext,
  before: StoredLogin,
  { id: sessionId, userId }: StoredLogin,
  isLogin: boolean,
): void {
  if (userId === undefined) reportLogout(context, before);
  if (!isLogin) return;
  const ids = { sessionId, previousSessionId: before.id };
  reportSecurityEvent(context, { action: "login", userId, ...ids });
}

/** Reports a logout, after the session has ended. */
export function reportLogout(
  context: RequestContext,
  { id: sessionId, userId }: StoredLogin,
): void {
  if (userId === undefined) return;
  reportSecurityEvent(context, { action: "logout", userId, sessionId });
}
