import { completeAuth, type CompleteAuthOptions } from "@gatehouse/web/auth";
import { createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { type Session, SessionConflictError } from "@gatehouse/web/session";
import type { User, Users } from "./data/users.ts";
import { routes } from "./routes.ts";
import type { Services } from "./services.ts";

/** Logs a user in, with a session that ends with the user's access. */
export async function logIn(
  context: RequestContext,
  { accessVersion: version, id }: User,
  options?: CompleteAuthOptions,
): Promise<Session> {
  return await completeAuth(context, id, { version, ...options });
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
  { accessVersion: version, id, name }: User,
  { returnTo, ...options }: BeginLogInOptions,
): Promise<string> {
  const session = await factors.completeFirstFactor(context, id, {
    version,
    ...options,
    data: returnTo,
  });
  if (session === null) return routes.loginCode.index.href();
  session.flash("message", `You are logged in, ${name}`);
  return returnTo;
}

/**
 * Waits for a login.
 *
 * @returns Its result; `null` if access was ended meanwhile.
 */
export async function unlessEnded<Result>(
  login: Promise<Result>,
): Promise<Result | null> {
  try {
    return await login;
  } catch (error) {
    if (error instanceof SessionConflictError) return null;
    throw error;
  }
}

/**
 * Creates the scheme that finds the user of a session. A session with an older
 * access version than its user is logged out, even if another request is just
 * creating the session, or the session store failed to end it.
 */
export function sessionScheme(users: Users) {
  return createSessionAuthScheme({
    name: "noticeboard",
    verify: (id: string | number) => users.find(Number(id)),
    version: ({ accessVersion }) => accessVersion,
  });
}
