import { LOGIN_SOURCES } from "./_login_sources.ts";
import type { Template } from "./template.ts";

/** Registration, login and logout with email address and password. */
export const LOGIN: Template = {
  summary: "Registration, login and logout with a password",
  sources: LOGIN_SOURCES,
  tables: `CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  hash TEXT NOT NULL
);
`,
  options: { pepper: "PEPPER", origin: "ORIGIN" },
  secrets: [{
    name: "PEPPER",
    comment: `The secret key of all password hashes. Keep a copy.
# openssl rand -base64 32 creates another one.`,
    create() {
      const bytes = crypto.getRandomValues(new Uint8Array(32));
      return btoa(String.fromCharCode(...bytes));
    },
  }],
  testImports: "",
  testSecrets: `
const secrets = { pepper: btoa("only for tests".padEnd(32)) };
`,
  tests: `
type Client = ReturnType<typeof createTestClient>;

/** Sends a form, and returns the status, the redirect and the page. */
async function send(
  { fetch }: Client,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  const response = await fetch(path, { method: "POST", body, headers });
  const location = response.headers.get("Location");
  return { status: response.status, location, page: await response.text() };
}

function newAccount() {
  const email = \`\${crypto.randomUUID()}@example.com\`;
  return { email, password: "correct horse" };
}

test("a user registers, logs out and logs in", async () => {
  const client = openClient();
  const account = newAccount();
  assert.equal((await send(client, "/register", account)).location, "/");
  const home = await (await client.fetch("/")).text();
  assert.match(home, new RegExp(\`Hello \${account.email}\`));

  assert.equal((await send(client, "/logout")).location, "/login");
  const { headers } = await client.fetch("/");
  assert.equal(headers.get("Location"), "/login?returnTo=%2F");

  const login = await send(client, "/login?returnTo=%2F%3Fa", account);
  assert.equal(login.location, "/?a");
});

test("a wrong password, a short one and a taken address are rejected", async () => {
  const client = openClient();
  const account = newAccount();
  const short = { ...account, password: "short" };
  assert.equal((await send(client, "/register", short)).status, 422);
  assert.equal((await send(client, "/register", account)).status, 302);
  assert.equal((await send(client, "/register", account)).status, 422);
  const wrong = { ...account, password: "wrong password" };
  assert.equal((await send(client, "/login", wrong)).status, 422);
});

test("after five wrong passwords, the next ones have to wait", async () => {
  const client = openClient();
  const account = { ...newAccount(), password: "wrong password" };
  // The guesses run concurrently, because the first wait is only one second.
  const guesses = await Promise.all(
    Array.from({ length: 8 }, () => send(client, "/login", account)),
  );
  const statuses = guesses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429, 429, 429]);
});

test("a form of another site is rejected", async () => {
  const client = openClient();
  const headers = { Origin: "https://evil.example" };
  const answer = await send(client, "/register", newAccount(), headers);
  assert.equal(answer.status, 403);
});

test("pages are not cached, and load no foreign scripts", async () => {
  const { fetch } = openClient();
  const { headers } = await fetch("/login");
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.match(headers.get("Content-Security-Policy") ?? "", /default-src/);
});
`,
  note: "Addresses are not verified yet: send links before you go live.",
};
