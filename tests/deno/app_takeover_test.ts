// Pre-hijacking: an attacker registers with the owner's address, and waits.
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";
const next = "another long one";

Deno.test("a login that an attacker linked does not work after the owner's reset", async () => {
  await using app = await startExampleApp();
  const attacker = await register(app);
  await link(attacker, "demo-grace");

  const done = await reset(app);

  const login = app.visitor();
  await login.logInExternally("demo-grace");
  const { body } = await login.get("/account");
  assertFalse(body.includes(email));
  assertEquals(await owners(app, "identities"), []);
  assertStringIncludes(done.body, "linked logins");
  assertStringIncludes(done.body, "link it again");
});

Deno.test("an attacker's API key and access token do not work after the owner's reset", async () => {
  await using app = await startExampleApp();
  const attacker = await register(app);
  const key = await createSecret(attacker, "/account/keys");
  const token = await createSecret(attacker, "/account/tokens");
  const other = await createSecret(await app.loggedIn(), "/account/keys");
  const status = async (headers: HeadersInit) =>
    (await app.visitor().get("/api/me", headers)).status;
  assertEquals(await status({ "X-API-Key": key }), 200);

  const done = await reset(app);

  assertEquals(await status({ "X-API-Key": key }), 401);
  assertEquals(await status({ Authorization: `Bearer ${token}` }), 401);
  assertEquals(await status({ "X-API-Key": other }), 200);
  assertStringIncludes(done.body, "API keys");
});

Deno.test("an email informs the owner about everything that a reset ended", async () => {
  await using app = await startExampleApp();
  const attacker = await register(app);
  await link(attacker, "demo-grace");
  await createSecret(attacker, "/account/keys");

  await reset(app);

  const { to, subject, text } = app.mails.at(-1)!;
  assertEquals([to, subject], [email, "Your password was reset"]);
  assertStringIncludes(text, "Demo provider: ID demo-grace");
  assertStringIncludes(text, "1 API key");
  assertStringIncludes(text, `${app.baseURL}/account/logins`);
});

Deno.test("linking a login sends an email with instructions to undo it", async () => {
  await using app = await startExampleApp();
  const attacker = await register(app);
  await link(attacker, "demo-grace");

  assertEquals(app.mails.length, 1);
  const { to, subject, text } = app.mails[0];
  assertEquals(
    [to, subject],
    [email, "Your account has a new way in"],
  );
  assertStringIncludes(text, "Demo provider: ID demo-grace");
  assertStringIncludes(text, `${app.baseURL}/not-me?token=`);

  // Linking it again changes nothing.
  await link(attacker, "demo-grace");
  assertEquals(app.mails.length, 1);
});

Deno.test("two identities at one provider are shown and unlinked separately", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await link(visitor, "demo-grace");
  const one = await visitor.get("/account/logins");
  await link(visitor, "demo-ada");
  const { body } = await visitor.get("/account/logins");

  assertStringIncludes(one.body, "ID demo-grace");
  assertFalse(one.body.includes("ada@people.example"));
  for (const account of ["ID demo-grace", "ada@people.example"]) {
    assertMatch(
      body,
      new RegExp(`${account}[^]{0,200}Linked <time datetime="`),
    );
    assertStringIncludes(
      body,
      `aria-label="Unlink Demo provider, ${account}"`,
    );
  }
  const [first] = body.matchAll(/action="(\/account\/logins\/\d+)"/g);
  await visitor.post(first[1], { _method: "DELETE" });

  const left = await visitor.get("/account/logins");
  assertFalse(left.body.includes("ID demo-grace"));
  assertStringIncludes(left.body, "ada@people.example");
});

Deno.test("a user cannot unlink another user's login", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await link(visitor, "demo-grace");
  const { body } = await visitor.get("/account/logins");
  const [, path] = body.match(/action="(\/account\/logins\/\d+)"/)!;
  const stranger = await app.loggedIn();

  for (const bad of [path, "/account/logins/0", "/account/logins/x"]) {
    await stranger.post(bad, { _method: "DELETE" });
  }

  assertEquals((await owners(app, "identities")).length, 1);
});

Deno.test("a name from a provider cannot forge lines of a notice", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await link(visitor, "demo-grace");
  await app.database("UPDATE identities SET email = ?", [
    `x\r\n\r\nhttps://evil.example/${"y".repeat(500)}`,
  ]);

  await reset(app);

  const { text } = app.mails.at(-1)!;
  assertFalse(/^https:\/\/evil/m.test(text));
  assert(text.split("\n").every((line) => line.length < 200));
});

async function register(app: ExampleApp): Promise<Visitor> {
  const visitor = app.visitor();
  const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
  await visitor.post("/register", { name: "Ada", email, ...passwords });
  // The email that verifies the address.
  app.mails.length = 0;
  return visitor;
}

async function link(visitor: Visitor, person: string): Promise<void> {
  const start = await visitor.post("/account/logins/demo");
  const { location } = await visitor.logInExternally(person, start);
  assertEquals(location, "/account/logins");
}

/** Resets the password by email as the owner, and returns the next page. */
async function reset(app: ExampleApp) {
  const owner = app.visitor();
  await owner.post("/forgot-password", { email });
  const [, token] = app.mails.at(-1)!.text.match(/token=([\w-]+)/)!;
  const form = { token, password: next, confirmPassword: next };
  const { status, location } = await owner.post("/reset-password", form);
  assertEquals([status, location], [302, "/reset-password/done"]);
  const login = await owner.post("/login", { email, password: next });
  assertEquals(login.status, 302);
  return await owner.get(location!);
}

/** Returns the owners of the remaining rows of the user in a table. */
async function owners(app: ExampleApp, table: string) {
  const user = await app.users.findByEmail(email);
  const sql = `SELECT user_id FROM ${table} WHERE user_id = ?`;
  return await app.database(sql, [user!.id]);
}
