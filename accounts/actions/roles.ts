import { canonicalName } from "../../auth/internal.ts";
import type { Settings } from "./services.ts";

/** The roles of an application that defines no roles. */
export const DEFAULT_ROLES: readonly string[] = ["user", "admin"];

/**
 * Returns the role of a new account, which is `admin` for the addresses of
 * `admins`.
 */
export function roleOfNew(
  { admins, names }: Pick<Settings, "admins" | "names">,
  email: string,
): string {
  const [first] = names.roles ?? DEFAULT_ROLES;
  const isAdmin = admins.some((admin) => canonicalName(admin) === email);
  return isAdmin ? "admin" : first!;
}
