import { canonicalName } from "../../auth/internal.ts";
import type { Settings } from "./services.ts";

/** The roles of an application that defines no roles. */
export const DEFAULT_ROLES: readonly string[] = ["user", "admin"];

/**
 * Returns the role of a new account: that of its invitation, or `admin` for the
 * addresses of `admins`.
 */
export function roleOfNew(
  { admins, names }: Pick<Settings, "admins" | "names">,
  email: string,
  invited: string | null = null,
): string {
  const { roles = DEFAULT_ROLES } = names;
  // A new version of the application may not have the role any more.
  if (invited !== null && roles.includes(invited)) return invited;
  const isAdmin = admins.some((admin) => canonicalName(admin) === email);
  return isAdmin ? "admin" : roles[0]!;
}
