import type { Accounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";

/** The roles of users, the scopes of API keys, and the routes of the pages. */
export const definition = defineAccounts({
  roles: ["user", "editor", "admin"],
  scopes: ["notices:read", "notices:delete"],
});

/** The accounts of the noticeboard. */
export type BoardAccounts = Accounts<typeof definition.names>;
