// The second factors of the example application.
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import {
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";

/** A user with an authenticator app. */
interface Enrolled {
  readonly visitor: Visitor;
  readonly codes: readonly string[];
  /** Returns the code of the app, a number of steps from now. */
  code(steps?: number): Promise<string>;
}

/** Registers a user and sets up an authenticator app. */
async function enroll(app: ExampleApp): Promise<Enrolled> {
  const visitor = app.visitor();
  await visitor.post("/register", {
    name: "Ada",
    email,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  const { body } = await visitor.get("/account/security/app");
  const [, setup] = /name="setup" value="([^"]+)"/.exec(body)!;
  const [, spaced] = /id="totp-secret">([^<]+)</.exec(body)!;
  const secret = spaced!.replaceAll(" ", "");
  const code = (steps = 0) =>
    generateTOTP(secret, { time: app.now() + steps * 30_000 });
  const path = "/account/security/app";
  const wrong = await visitor.post(path, { setup: setup!, code: "000000" });
  assertEquals(wrong.status, 422);
  assertStringIncludes(wrong.body, spaced!);
  const done = await visitor.post(path, {
    setup: setup!,
    code: await code(-1),
  });
  const codes = [...done.body.matchAll(/<code>([\w-]{27})<\/code>/g)]
    .map(([, one]) => one!);
  assertEquals([done.status, codes.length], [200, 10]);
  return { visitor, codes, code };
}

/** Sends the password. */
async function sendPassword(visitor: Visitor): Promise<string | null> {
  return (await visitor.post("/login", { email, password: PASSWORD })).location;
}

Deno.test("a login needs the code of the app, and each page asks for the login until then", async () => {
  await using app = await startExampleApp();
  const { code } = await enroll(app);
  const browser = app.visitor();
  assertEquals(await sendPassword(browser), "/login/code");
  assertEquals((await browser.get("/account")).status, 302);
  assertEquals((await browser.get("/api/me")).status, 401);
  const wrong = await browser.post("/login/code", { code: "000000" });
  assertEquals(wrong.status, 422);
  const used = await code();
  const done = await browser.post("/login/code", { code: used });
  assertEquals(done.location, "/");
  assertEquals((await browser.get("/account")).status, 200);
  const again = app.visitor();
  await sendPassword(again);
  const replay = await again.post("/login/code", { code: used });
  assertEquals(replay.status, 422);
  assertEquals((await app.visitor().get("/login/code")).location, "/login");
});

Deno.test("a recovery code logs in once, and an email informs the owner", async () => {
  await using app = await startExampleApp();
  const { codes } = await enroll(app);
  app.mails.length = 0;
  const browser = app.visitor();
  await sendPassword(browser);
  const [code] = codes as [string];
  assertEquals((await browser.post("/login/code", { code })).location, "/");
  assertStringIncludes(app.mails[0]!.text, "9 are left");
  const { body } = await browser.get("/account/security");
  assertStringIncludes(body, "You have 9 recovery codes left");
  const again = app.visitor();
  await sendPassword(again);
  assertEquals((await again.post("/login/code", { code })).status, 422);
});

Deno.test("a login at a provider and a login by email need the code too (ASVS 6.3.4)", async () => {
  await using app = await startExampleApp();
  const { visitor, code } = await enroll(app);
  const start = await visitor.post("/account/logins/demo");
  await visitor.logInExternally("demo-grace", start);
  const external = app.visitor();
  const login = await external.logInExternally("demo-grace");
  assertEquals(login.location, "/login/code");
  assertEquals((await external.get("/account")).status, 302);

  const mailed = app.visitor();
  await app.users.verifyEmail((await app.users.find(1))!, email);
  await mailed.post("/login/email", { email });
  const [typed] = app.mails.at(-1)!.text.match(/\b\d{6}\b/)!;
  const proved = await mailed.post("/login/email/code", { code: typed });
  assertEquals(proved.location, "/login/code");
  const done = await mailed.post("/login/code", { code: await code() });
  assertEquals(done.location, "/");
});

Deno.test("a remembered browser needs no code, until it is forgotten", async () => {
  await using app = await startExampleApp();
  const { code } = await enroll(app);
  const browser = app.visitor();
  await sendPassword(browser);
  const form = { code: await code(), remember: "on" };
  await browser.post("/login/code", form);
  await browser.post("/logout");
  app.wait(6 * 60_000);
  assertEquals(await sendPassword(browser), "/");
  // The code was typed long ago, so the app is not replaced without a new one.
  assertStringIncludes(
    (await browser.get("/account/security/app")).location!,
    "/account/confirm",
  );
  const { body } = await browser.get("/account/security");
  const [, path] = /action="(\/account\/security\/devices\/[^"]+)"/.exec(body)!;
  await browser.post(path!, { _method: "DELETE" });
  await browser.post("/logout");
  assertEquals(await sendPassword(browser), "/login/code");
});

Deno.test("a change of password forgets remembered browsers and pending logins", async () => {
  await using app = await startExampleApp();
  const { visitor, code } = await enroll(app);
  const remembered = app.visitor();
  await sendPassword(remembered);
  await remembered.post("/login/code", { code: await code(), remember: "on" });
  const pending = app.visitor();
  await sendPassword(pending);
  const next = "another long one";
  const { status } = await visitor.post("/account/password", {
    _method: "PUT",
    currentPassword: PASSWORD,
    password: next,
    confirmPassword: next,
  });
  assertEquals(status, 302);
  const late = await pending.post("/login/code", { code: await code(1) });
  assertEquals(late.location, "/login");
  const login = await remembered.post("/login", { email, password: next });
  assertEquals(login.location, "/login/code");
});

Deno.test("the second factor is only removed with a code of it", async () => {
  await using app = await startExampleApp();
  const { visitor, code } = await enroll(app);
  const path = "/account/security/app/remove";
  assertEquals((await visitor.post(path, { code: "000000" })).status, 422);
  assertEquals(await sendPassword(app.visitor()), "/login/code");
  await visitor.post("/account/security/recovery-codes");
  assertStringIncludes(app.mails.at(-1)!.text, "has new recovery codes");
  const removed = await visitor.post(path, { code: await code() });
  assertEquals(removed.location, "/account/security");
  assertStringIncludes(app.mails.at(-1)!.text, "no second factor any more");
  assertEquals((await visitor.get("/account/security")).status, 200);
  assertEquals(await sendPassword(app.visitor()), "/");
});

Deno.test("a password does not confirm a login with a second factor (ASVS 6.3.4)", async () => {
  await using app = await startExampleApp();
  const { visitor, code, codes } = await enroll(app);
  const setUp = "/account/security/app";
  assertEquals((await visitor.get(setUp)).status, 200);
  app.wait(6 * 60_000);
  const { location } = await visitor.get(setUp);
  assertStringIncludes((await visitor.get(location!)).body, "one-time-code");
  const guess = await visitor.post(location!, { password: PASSWORD });
  assertEquals(guess.status, 422);
  // Neither another app, nor new recovery codes, nor a passkey.
  assertEquals((await visitor.get(setUp)).location, location);
  for (const path of ["security/recovery-codes", "passkeys/options"]) {
    const { location } = await visitor.post(`/account/${path}`);
    assertStringIncludes(location!, "/account/confirm");
  }
  const confirmed = await visitor.post(location!, { code: await code() });
  assertEquals(confirmed.location, setUp);
  assertEquals((await visitor.get(setUp)).status, 200);
  app.wait(6 * 60_000);
  app.mails.length = 0;
  const [recovery] = codes as [string];
  assertEquals((await visitor.post(location!, { code: recovery })).status, 302);
  // The owner gets an email about a recovery code that confirms a stolen session.
  assertStringIncludes(app.mails[0]!.text, "9 are left");
});

Deno.test("a reset by email keeps the second factor of a verified account (ASVS 6.4.3)", async () => {
  await using app = await startExampleApp();
  await enroll(app);
  await app.users.verifyEmail((await app.users.find(1))!, email);
  await reset(app);
  const login = await app.visitor()
    .post("/login", { email, password: "another long one" });
  assertEquals(login.location, "/login/code");
});

Deno.test("a reset removes the second factor of an attacker who registered with the owner's address", async () => {
  await using app = await startExampleApp();
  await enroll(app);
  await reset(app);
  const login = await app.visitor()
    .post("/login", { email, password: "another long one" });
  assertEquals(login.location, "/");
});

Deno.test("the page that sets up an app shows a QR code without a script", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const { body, headers } = await visitor.get("/account/security/app");
  assertMatch(body, /<svg class="qr"[^>]+>[^]+<path d="M\d/);
  assertFalse(body.includes("<script"));
  assertFalse(headers.get("Content-Security-Policy")!.includes("unsafe"));
  app.wait(6 * 60_000);
  const stale = await visitor.get("/account/security/app");
  assertStringIncludes(stale.location!, "/account/confirm");
  assert(stale.status === 302);
});

/** Chooses a new password with an emailed link. */
async function reset(app: ExampleApp): Promise<void> {
  const owner = app.visitor();
  await owner.post("/forgot-password", { email });
  const [, token] = app.mails.at(-1)!.text.match(/token=([\w-]+)/)!;
  const next = "another long one";
  const form = { token: token!, password: next, confirmPassword: next };
  assertEquals((await owner.post("/reset-password", form)).status, 302);
}
