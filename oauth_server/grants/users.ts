import { denialOf } from "../../auth/internal.ts";
import { Auth, type AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import type { GrantRow } from "./grant_store.ts";
import type { Settings } from "../settings.ts";

/** Returns the version of a user's credentials, or `null` without versions. */
export function versionOf(
  { users }: Pick<Settings, "users">,
  user: AuthenticatedUser,
): number | null {
  return users.version?.(user) ?? null;
}

/**
 * Returns the user of a grant, or `null` if the user is disabled, or the credentials
 * have changed since the consent.
 */
export async function userOfGrant(
  settings: Settings,
  row: GrantRow,
): Promise<AuthenticatedUser | null> {
  const user = await findUser(settings, row.userId);
  return user !== null && isCurrent(settings, user, row) ? user : null;
}

/** Returns a user, or `null` if the user is unknown or disabled. */
export async function findUser(
  { users }: Settings,
  userId: string,
): Promise<AuthenticatedUser | null> {
  const user = await users.find(userId);
  return user && String(user.id) === userId ? user : null;
}

/** Returns `true` if a user's credentials are those of the consent. */
export function isCurrent(
  settings: Settings,
  user: AuthenticatedUser,
  { version }: Pick<GrantRow, "version">,
): boolean {
  if (settings.users.version === undefined) return true;
  const current = versionOf(settings, user);
  // If `version` returns nothing by mistake, no grant may have a user.
  return version !== null && current !== null && version >= current;
}

/**
 * Returns the user who may connect applications in this request. The session must be
 * loaded.
 */
export function loggedInUser(
  { users }: Settings,
  context: RequestContext,
): AuthenticatedUser | null {
  if (users.loggedIn !== undefined) return users.loggedIn(context);
  const user = context.get(Auth);
  // A token must not give itself more scopes, and an administrator who acts as a
  // user must not stay connected to their account.
  if (user === null || denialOf(context) !== null) return null;
  const { userId } = context.get(Session);
  return userId !== undefined && String(userId) === String(user.id)
    ? user
    : null;
}
