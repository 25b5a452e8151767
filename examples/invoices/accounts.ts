/** The accounts of the product. */
import type { DatabaseSync } from "node:sqlite";
import { type AccountsOptions, createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createGoogleAuthProvider } from "@gatehouse/web/auth";

/** The settings of the product. Outside localhost, `secrets` and `sendMail` are required. */
export interface Settings
  extends Pick<AccountsOptions, "admins" | "origin" | "secrets" | "sendMail"> {
  /** The client at Google. Without it, there is no login with Google. */
  readonly google?: {
    readonly clientId: string;
    readonly clientSecret: string;
  };
}

const definition = defineAccounts({
  roles: ["user", "admin"],
  teamRoles: ["owner", "accountant", "reader"],
  scopes: ["invoices:read", "invoices:write"],
});

/** Creates the accounts: users, teams, passkeys, API keys, administrators. */
export function createInvoiceAccounts(db: DatabaseSync, settings: Settings) {
  const { google, ...options } = settings;
  return createAccounts({
    ...options,
    definition,
    name: "Invoices",
    database: (sql, params) => db.prepare(sql).all(...params),
    apiKeys: { prefix: "inv" },
    providers: google === undefined ? {} : {
      google: {
        label: "Google",
        provider: createGoogleAuthProvider({
          ...google,
          redirectUri: `${options.origin}/login/with/google/callback`,
        }),
      },
    },
    exportData: ({ id }) => ({
      invoices: db.prepare(
        "SELECT id, customer, cents, due FROM invoices WHERE created_by = ?",
      ).all(id),
    }),
  });
}
