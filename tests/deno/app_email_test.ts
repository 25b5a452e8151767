// Logins by email and verified addresses in the example application.
import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import {
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";

/** Returns the link, the token and the code of the last email. */
function lastMail(app: ExampleApp) {
  const { subject, to, text } = app.mails.at(-1)!;
  // A locked phone shows the subject.
  assertEquals(/\d{6}/.test(subject), false, subject);
  const [url] = text.match(/http\S+/)!;
  const { pathname, search, searchParams } = new URL(url);
  return {
    to,
    path: pathname + search,
    token: searchParams.get("token")!,
    code: text.match(/\b\d{6}\b/)![0],
  };
}

async function register(app: ExampleApp): Promise<Visitor> {
  const visitor = app.visitor();
  await visitor.post("/register", {
    name: "Ada",
    email,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  return visitor;
}

async function isVerified({ users }: ExampleApp): Promise<boolean> {
  return (await users.find(1))!.emailVerified;
}

Deno.test("a registration sends a link and a code that verify the address", async () => {
  for (const kind of ["code", "link"]) {
    await using app = await startExampleApp();
    const visitor = await register(app);
    const home = (await visitor.get("/")).body;
    assertStringIncludes(home, `the link that we have sent to ${email}`);
    const { code, path, to, token } = lastMail(app);
    assertEquals(to, email);
    assertEquals(await isVerified(app), false);
    const other = app.visitor();
    assertStringIncludes((await other.get(path)).body, code);
    await other.post("/account/email/link", { token });
    assertEquals(await isVerified(app), false);
    const done = kind === "code"
      ? await visitor.post("/account/email", { code })
      : await visitor.post("/account/email/link", { token });
    assertEquals(done.location, "/account/email");
    assertEquals(await isVerified(app), true);
    const { body } = await visitor.get("/account/email");
    assertStringIncludes(body, "verified");
  }
});

Deno.test("a wrong code does not verify the address, and a new email replaces the first", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const first = lastMail(app);
  const wrong = await visitor.post("/account/email", { code: "x" });
  assertEquals(wrong.status, 422);
  await visitor.post("/account/email/send");
  const second = lastMail(app);
  const old = await visitor.post("/account/email/link", { token: first.token });
  assertStringIncludes(old.body, first.code);
  assertEquals(await isVerified(app), false);
  await visitor.post("/account/email", { code: second.code });
  assertEquals(await isVerified(app), true);
});

Deno.test("a login by email works with the link or the code, once", async () => {
  await using app = await startExampleApp();
  await register(app);
  for (const kind of ["link", "code"] as const) {
    const browser = app.visitor();
    const asked = await browser.post("/login/email?returnTo=%2Faccount", {
      email,
    });
    assertEquals(asked.location, "/login/email/code");
    const { code, path, token } = lastMail(app);
    assertStringIncludes((await browser.get(path)).body, "<form");
    const form: Record<string, string> = kind === "link" ? { token } : { code };
    const done = await browser.post(`/login/email/${kind}`, form);
    assertEquals(done.location, "/account");
    assertEquals((await browser.get("/account")).status, 200);
    const again = await browser.post(`/login/email/${kind}`, form);
    assertEquals(again.status, 410);
  }
});

Deno.test("a login by email responds the same with and without an account", async () => {
  await using app = await startExampleApp();
  await register(app);
  app.mails.length = 0;
  const answers = [];
  for (const address of [email, "bob@example.com"]) {
    const browser = app.visitor();
    const { location, status } = await browser.post("/login/email", {
      email: address,
    });
    const { body } = await browser.get(location!);
    answers.push({ location, status, body });
  }
  assertEquals(answers[0], answers[1]);
  assertEquals(app.mails.length, 1);
});

Deno.test("a login by email removes what an attacker made with the owner's address (pre-hijacking)", async () => {
  await using app = await startExampleApp();
  const attacker = await register(app);
  const key = await createSecret(attacker, "/account/keys");
  const start = await attacker.post("/account/logins/demo");
  await attacker.logInExternally("demo-grace", start);

  const owner = app.visitor();
  await owner.post("/login/email", { email });
  const { code } = lastMail(app);
  await owner.post("/login/email/code", { code });

  assertEquals((await owner.get("/account")).status, 200);
  assertEquals(await isVerified(app), true);
  assertEquals((await attacker.get("/account")).status, 302);
  const login = await app.visitor().post("/login", {
    email,
    password: PASSWORD,
  });
  assertEquals(login.status, 422);
  const me = await app.visitor().get("/api/me", { "X-API-Key": key });
  assertEquals(me.status, 401);
  const external = app.visitor();
  await external.logInExternally("demo-grace");
  assertFalse((await external.get("/account")).body.includes(email));
});

Deno.test("a login by email keeps the password and the logins of a verified account", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await visitor.post("/account/email", { code: lastMail(app).code });
  const browser = app.visitor();
  await browser.post("/login/email", { email });
  await browser.post("/login/email/code", { code: lastMail(app).code });
  assertEquals((await visitor.get("/account")).status, 200);
  const login = await app.visitor().post("/login", {
    email,
    password: PASSWORD,
  });
  assertEquals(login.status, 302);
});

Deno.test("an attacker who registered with the owner's address does not get the owner's external login", async () => {
  await using app = await startExampleApp();
  const attacker = app.visitor();
  await attacker.post("/register", {
    name: "Mallory",
    email: "ada@people.example",
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  const owner = app.visitor();
  const login = await owner.logInExternally("demo-ada");
  // It is not linked, and the owner can claim the account by email.
  assertEquals(login.status, 409);
  assertEquals(await app.database("SELECT * FROM identities", []), []);
  assertEquals((await owner.get("/account")).status, 302);
});

Deno.test("a change of address needs a proof of the new one, and tells the old one", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const next = "new@example.com";
  await visitor.post("/account/email/change", { email: next });
  const { code, to } = lastMail(app);
  assertEquals(to, next);
  const wrong = await visitor.post("/account/email/change", { code: "x" });
  assertEquals(wrong.status, 422);
  assertEquals((await app.users.find(1))!.email, email);
  await visitor.post("/account/email/change", { code });
  const user = (await app.users.find(1))!;
  assertEquals([user.email, user.emailVerified], [next, true]);
  const notice = app.mails.at(-1)!;
  assertEquals([notice.to, notice.subject], [
    email,
    "Your account has a new email address",
  ]);
  assertStringIncludes(notice.text, next);
});

Deno.test("a change of address needs a recent login, and no other account's address", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const taken = "someone@example.com";
  await app.users.create({ name: "Bob", email: taken, passwordHash: "" });
  await visitor.post("/account/email/change", { email: taken });
  const { token } = lastMail(app);
  const refused = await visitor.post("/account/email/change/link", { token });
  assertEquals(refused.status, 422);
  assertEquals((await app.users.find(1))!.email, email);
  app.wait(6 * 60_000);
  const stale = await visitor.get("/account/email/change");
  assertStringIncludes(stale.location!, "/account/confirm");
});
