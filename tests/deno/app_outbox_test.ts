// Emails start after the response: its time must not reveal accounts.
import { hashPassword } from "@gatehouse/web/auth/password";
import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createApp } from "../../examples/app/app.ts";
import { createTables } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { Users } from "../../examples/app/data/users.ts";
import { CHEAP, deliverEvents, PASSWORD } from "./_example_app.ts";

const baseURL = "https://board.example";
const known = "ada@example.com";
const unknown = "nobody@example.com";

/** Starts the application with one account, and counts its statements. */
async function start(send: (to: string) => void | Promise<void>) {
  const database = overSQLite(new DatabaseSync(":memory:"));
  await createTables(database);
  const passwordHash = await hashPassword(PASSWORD, CHEAP);
  await new Users(database).create({ name: "Ada", email: known, passwordHash });
  const statements: string[] = [];
  const errors: unknown[] = [];
  const { fetch } = createApp({
    database: (sql, params) => {
      statements.push(sql);
      return database(sql, params);
    },
    baseURL,
    log: () => {},
    reportError: (error) => errors.push(error),
    sendMail: ({ to }) => send(to),
    now: () => 1_700_000_000_000,
  });
  return {
    errors,
    statements,
    /** Asks for an email, as a browser behind the server of a runtime. */
    ask: (path: string, email: string, ...platform: unknown[]) =>
      fetch(
        new Request(baseURL + path, {
          method: "POST",
          headers: { Origin: baseURL },
          body: new URLSearchParams({ email }),
        }),
        ...platform as [],
      ),
    async [Symbol.asyncDispose]() {
      await deliverEvents();
      database[Symbol.dispose]();
    },
  };
}

for (const path of ["/forgot-password", "/login/email"]) {
  Deno.test(`POST ${path} responds before it begins to send an email, after the same statements as for an unknown address`, async () => {
    const sent: string[] = [];
    await using app = await start((to) => void sent.push(to));
    // The first request creates the tables of the store.
    await app.ask(path, "first@example.com");
    const seen: [number, string[]][] = [];
    for (const email of [known, unknown]) {
      app.statements.length = 0;
      const { status } = await app.ask(path, email);
      seen.push([status, [...app.statements]]);
      // The email would be in the array if it had begun before the response.
      assertEquals(sent, email === known ? [] : [known]);
      await deliverEvents();
    }
    assertEquals(sent, [known]);
    assertEquals(seen[0], seen[1]);
  });
}

Deno.test("a Worker lives until an email is sent, and its failure is reported", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  await using app = await start(() => promise);
  const kept: Promise<unknown>[] = [];
  const ctx = { waitUntil: (one: Promise<unknown>) => void kept.push(one) };
  await app.ask("/forgot-password", known, {}, ctx);
  let isDone = false;
  const done = Promise.all(kept).then(() => isDone = true);
  await deliverEvents();
  assertEquals([kept.length > 0, isDone], [true, false]);
  reject(new Error("no mail server"));
  await done;
  assertEquals(app.errors.map(String), ["Error: no mail server"]);
});
