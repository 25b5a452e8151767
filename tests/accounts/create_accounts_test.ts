import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createRouter } from "@gatehouse/web/fetch-router";
import { captureConsole } from "../_console.ts";
import { PASSWORD, startAccounts } from "./_accounts.ts";

const email = "ada@example.com";

Deno.test("paths of the application change routes, links and redirects", async () => {
  const { browser } = startAccounts({
    definition: defineAccounts({
      paths: { login: "/auth", register: "/join", account: "/me" },
    }),
  });
  const guard = await browser().get("/");
  assertEquals(guard.headers.get("Location"), "/auth?returnTo=%2F");
  const page = await (await browser().get("/auth")).text();
  for (const path of ["/auth/reset", "/join", "/me/style.css"]) {
    assertStringIncludes(page, `"${path}"`);
  }
  assertEquals((await browser().get("/login")).status, 404);
});

const options: [name: string, options: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: "a\nb" }],
  ["origin", { origin: "https://app.example/" }],
  ["origin", { origin: "http://app.example" }],
  ["sendMail", {
    origin: "https://app.example",
    secrets: ["q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0"],
  }],
  ["secrets", { origin: "https://app.example", sendMail: () => {} }],
  ["database", { database: {} }],
  ["admins", {
    admins: ["a@b.org"],
    definition: defineAccounts({ roles: ["x"] }),
  }],
  ["deletionDelay", { deletionDelay: NaN }],
  ["contentSecurityPolicy", {
    contentSecurityPolicy: { "font-src": ["a; b"] },
  }],
];

for (const [name, given] of options) {
  Deno.test(`createAccounts() names the option ${name} of ${Object.keys(given)}`, () => {
    const create = () =>
      createAccounts({
        name: "Invoices",
        origin: "http://localhost:8000",
        database: createMemoryAccountStore(),
        ...given,
      });
    assertThrows(create, Error, name);
  });
}

Deno.test("a development server prints its emails and refuses other hosts", async () => {
  const accounts = createAccounts({
    name: "Invoices",
    origin: "http://localhost:8000",
    database: createMemoryAccountStore(),
    passwords: { memory: 64, passes: 1 },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  using output = captureConsole("log");
  // The router knows no address of a client.
  using _warnings = captureConsole("warn");
  const body = new URLSearchParams({ email, name: "Ada", password: PASSWORD });
  const init = { method: "POST", body };
  const response = await router.fetch("http://localhost:8000/register", init);
  assertEquals(response.status, 303);
  await accounts.flush();
  assertStringIncludes(String(output.printed), "Email to ada@example.com");
  const other = await router.fetch("http://evil.example:8000/login");
  assertEquals(other.status, 421);
});
