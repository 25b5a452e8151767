import { completeAuth, type CompleteAuthOptions } from "@gatehouse/web/auth";
import { createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { Session } from "@gatehouse/web/session";
import type { User, Users } from "./data/users.ts";

/** The session key of the user's access version. */
const ACCESS_VERSION = "accessVersion";

/** Logs a user in, with a session that ends with the user's access. */
export async function logIn(
  context: RequestContext,
  user: User,
  options?: CompleteAuthOptions,
): Promise<Session> {
  const session = await completeAuth(context, user.id, options);
  keepAccess(session, user.accessVersion);
  return session;
}

/** Lets a session go on after the access of all others was ended. */
export function keepAccess(session: Session, accessVersion: number): void {
  session.set(ACCESS_VERSION, accessVersion);
}

/**
 * Creates the scheme that finds the user of a session. A session with an older
 * access version than its user is logged out: also one that another request is
 * just creating, and also if the session store failed to end it.
 */
export function sessionScheme(users: Users) {
  return createSessionAuthScheme({
    name: "noticeboard",
    read: (session) =>
      session.userId === undefined
        ? null
        : { id: session.userId, version: session.get(ACCESS_VERSION) },
    async verify({ id, version }): Promise<User | null> {
      const user = await users.find(Number(id));
      return user?.accessVersion === version ? user : null;
    },
  });
}
