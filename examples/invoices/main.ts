/**
 * Invoices of teams: accounts with three roles in each team, passkeys, API keys,
 * administrators, a JSON API and receipts. It prints the emails.
 *
 * Run it with `deno task example:invoices`, and open http://localhost:8000/.
 */
import { DatabaseSync } from "node:sqlite";
import { createApp } from "./app.ts";

const clientId = Deno.env.get("GOOGLE_CLIENT_ID");
const clientSecret = Deno.env.get("GOOGLE_CLIENT_SECRET");

const { router } = await createApp(
  new DatabaseSync(Deno.env.get("DATABASE") ?? ":memory:"),
  {
    origin: "http://localhost:8000",
    admins: Deno.env.get("ADMIN")?.split(","),
    google: clientId && clientSecret ? { clientId, clientSecret } : undefined,
  },
);
Deno.serve({ hostname: "localhost", port: 8000 }, router.fetch);
