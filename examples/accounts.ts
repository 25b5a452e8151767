/**
 * Registration with a proved address, login, reset of the password and an account
 * area in one file. It prints the emails.
 *
 * Run it with `deno task example:accounts`.
 */
import { DatabaseSync } from "node:sqlite";
import { createAccounts } from "@gatehouse/web/accounts";
import { Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";

// A file keeps the accounts when the program ends.
const db = new DatabaseSync(":memory:");
export const accounts = createAccounts({
  name: "Invoices",
  origin: "http://localhost:8000", // other origins need sendMail and secrets
  database: (sql, params) => db.prepare(sql).all(...params),
});

export const router = createRouter({ middleware: accounts.middleware });
router.map(accounts.routes, accounts.controller);
router.get("/", accounts.requireUser, (context) => {
  return new Response(`Hello ${context.get(Auth).name}`);
});

// Browsers request an icon, and log an error if it is missing.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#1f5fbf" d="M3 1h10v14l-5-3-5 3z"/></svg>';
router.get("/favicon.ico", () => {
  return new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } });
});

if (import.meta.main) {
  Deno.serve({ hostname: "127.0.0.1", port: 8000 }, router.fetch);
}
