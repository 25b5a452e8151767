import { completeAuth, type CompleteAuthOptions } from "@gatehouse/web/auth";
import { createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { Session } from "@gatehouse/web/session";
import type { User, Users } from "./data/users.ts";
import { routes } from "./routes.ts";
import type { Services } from "./services.ts";

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

/** A login that waits for a code, as `completeFirstFactor` keeps it. */
interface Pending {
  readonly accessVersion: number;
  readonly returnTo: string;
}

/** Options for {@linkcode beginLogIn}. */
export interface BeginLogInOptions extends CompleteAuthOptions {
  /** The path to go on with after the login. */
  readonly returnTo: string;
}

/**
 * Logs a user in who has proved one factor, unless their account has a second
 * one.
 *
 * @returns The path to go on with: the page that asks for a code, if the login
 * waits for one.
 */
export async function beginLogIn(
  context: RequestContext,
  { factors }: Services,
  user: User,
  { returnTo, ...options }: BeginLogInOptions,
): Promise<string> {
  const { accessVersion } = user;
  const pending: Pending = { accessVersion, returnTo };
  const data = JSON.stringify(pending);
  const session = await factors.completeFirstFactor(context, user.id, {
    ...options,
    data,
  });
  if (session === null) return routes.loginCode.index.href();
  keepAccess(session, accessVersion);
  session.flash("message", `Welcome back, ${user.name}`);
  return returnTo;
}

/**
 * Goes on with a login after its second factor.
 *
 * @param data The data of the pending login.
 * @returns The path to go on with; `null` if access was ended meanwhile.
 */
export async function finishLogIn(
  { users }: Services,
  session: Session,
  data: string | undefined,
): Promise<string | null> {
  const { accessVersion, returnTo }: Pending = JSON.parse(data ?? "{}");
  const user = await users.find(Number(session.userId));
  if (user === null || user.accessVersion !== accessVersion) {
    session.destroy();
    return null;
  }
  keepAccess(session, accessVersion);
  session.flash("message", `Welcome back, ${user.name}`);
  return returnTo;
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
