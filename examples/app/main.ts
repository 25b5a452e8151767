/**
 * Serves the example application on Deno, with data in SQLite. Nothing has to
 * be configured; these environment variables change what is served:
 *
 * - `PORT`: where to listen, 8000 by default; `HOST`, 127.0.0.1 by default
 * - `BASE_URL`: the address that browsers see, where a proxy stands in front
 * - `TRUSTED_PROXIES`: how many proxies are in front, 0 by default; they tell the
 *   addresses of clients, which guesses of passwords are counted by
 * - `DATABASE`: the SQLite file, `data.sqlite` beside this one by default
 * - `PORTAL_CLIENT_ID`, `PORTAL_CLIENT_SECRET`: login with Google; the redirect
 *   URI to register there is `BASE_URL/auth/portal/callback`. Likewise
 *   `CODE_HOST_…` (GitHub), `OFFICE_SUITE_…` (Microsoft), `SOCIAL_…`
 *   (Facebook), `MICROBLOG_…` (X), `IDENTITY_CLOUD_…` (Auth0, which needs
 *   `IDENTITY_CLOUD_DOMAIN`) and `WORKFORCE_ID_…` (Okta, which needs
 *   `WORKFORCE_ID_ISSUER`)
 * - `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET`, `OIDC_LABEL`: login
 *   with any other OpenID provider
 * - `DEMO_PORT`: where the demo identity provider listens, 8001 by default;
 *   there is none where `BASE_URL` is not on this computer
 */
import { createApp } from "./app.ts";
import { createTables } from "./data/database.ts";
import { type DemoAccount, seed } from "./data/seed.ts";
import { openSQLite } from "./data/sqlite.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { loginsOf } from "./named_logins.ts";
import { serveDemoProvider } from "./demo_provider.ts";

const port = Number(Deno.env.get("PORT") ?? 8000);
const hostname = Deno.env.get("HOST") ?? "127.0.0.1";
const baseURL = new URL(Deno.env.get("BASE_URL") ?? `http://localhost:${port}`)
  .origin;
const trustedProxies = proxiesOf(Deno.env.get("TRUSTED_PROXIES") ?? "0");
const file = Deno.env.get("DATABASE") ??
  `${import.meta.dirname}/data.sqlite`;

const reportError = (line: string) => console.error(line);
const database = openSQLite(file);
await createTables(database);
const accounts = await seed(database);
const logins = [
  ...loginsOf((name) => Deno.env.get(name), { baseURL, reportError }),
  ...await demoLogins(),
];
const app = createApp({ database, baseURL, logins, trustedProxies });

Deno.serve({ port, hostname, onListen: announce }, app.fetch);

/** The demo identity provider, for who tries this out on their computer. */
async function demoLogins(): Promise<ExternalLogin[]> {
  const { hostname } = new URL(baseURL);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return [];
  const demoPort = Number(Deno.env.get("DEMO_PORT") ?? 8001);
  try {
    const demo = await serveDemoProvider({
      baseURL,
      port: demoPort,
      reportError,
    });
    return [demo.login];
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    console.error(
      `Port ${demoPort} is taken: no demo identity provider (set DEMO_PORT)`,
    );
    return [];
  }
}

/** Stops a server that would believe the wrong addresses. */
function proxiesOf(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new RangeError(
    `Cannot start: TRUSTED_PROXIES "${text}" is not a small whole number`,
  );
}

function announce(): void {
  console.log(`\n  Noticeboard is open: ${baseURL}\n`);
  if (accounts.length > 0) {
    console.log("  Demo accounts of the new database, printed only this once:");
    for (const account of accounts) console.log(`    ${describe(account)}`);
    console.log("");
  }
}

function describe({ role, email, password }: DemoAccount): string {
  return `${role.padEnd(7)} ${email.padEnd(20)} ${password}`;
}
