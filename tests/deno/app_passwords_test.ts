import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { verifyPassword } from "@gatehouse/web/auth/password";
import {
  CHEAP,
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const MINUTE = 60_000;
const email = "ada@example.com";
const next = "another long one";
const change = {
  _method: "PUT",
  currentPassword: PASSWORD,
  password: next,
  confirmPassword: next,
};

Deno.test("POST /login responds to the sixth guess with 429 and the time to wait (issue 6)", async () => {
  await using app = await startExampleApp();
  await register(app);
  const guess = () =>
    app.visitor().post("/login", { email, password: "wrong password" });
  for (let count = 0; count < 5; count++) {
    assertEquals((await guess()).status, 422);
  }

  const { status, headers, body } = await guess();

  assertEquals(status, 429);
  assertMatch(headers.get("Retry-After") ?? "", /^\d+$/);
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertStringIncludes(body, 'role="alert"');
  assertStringIncludes(body, "Too many attempts. Please wait a second");
  assertStringIncludes(body, `value="${email}"`);
  // Even the correct password fails, also with another spelling of the address.
  const right = { email: " ADA@example.com", password: PASSWORD };
  assertEquals((await app.visitor().post("/login", right)).status, 429);

  app.wait(2000);
  assertEquals(await statusOfLogin(app, PASSWORD), 302);
});

Deno.test("POST /login does not lock out an owner because of guesses from other addresses (issue 6)", async () => {
  await using app = await startExampleApp({ trustedProxies: 1 });
  await register(app);
  const from = (address: string, password: string) =>
    app.visitor().post("/login", { email, password }, {
      "X-Forwarded-For": address,
    });
  let last = 0;
  for (let count = 0; count < 6; count++) {
    last = (await from("203.0.113.7", "wrong password")).status;
  }
  assertEquals(last, 429);
  assertEquals((await from("198.51.100.9", PASSWORD)).status, 302);
});

Deno.test("guesses on the account pages count like those at the login (issue 6)", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  // A stolen session, without the cookie of the known device.
  const headers = { Cookie: `session=${visitor.cookie()}` };
  const steal = async (path: string, form: Record<string, string>) =>
    await app.visitor().post(path, form, headers);
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    const form = { ...change, currentPassword: "wrong password" };
    statuses.push((await steal("/account/password", form)).status);
    const guess = { password: "wrong password" };
    statuses.push((await steal("/account/confirm", guess)).status);
  }
  assertEquals(statuses, [422, 422, 422, 422, 422, 429]);
  const throttled = await steal("/account/password", change);
  assertEquals(throttled.status, 429);
  assertStringIncludes(throttled.body, "Too many attempts");
  assertEquals(await statusOfLogin(app, PASSWORD), 429);
});

Deno.test("a stolen device has at most 15 guesses on the account pages", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const guess = { password: "wrong password" };
  let guesses = 0;
  for (; guesses < 20; guesses++) {
    const { status } = await visitor.post("/account/confirm", guess);
    if (status === 429) break;
  }
  assertEquals(guesses, 15);
});

Deno.test("concurrent logins over the limit of the queue get a 503 (issue 6)", async () => {
  await using app = await startExampleApp();
  // The process has one queue: four logins run and sixty-four wait.
  let answered = false;
  const others = Array.from({ length: 68 }, async () => {
    while (!answered) await verifyPassword(null, "x", CHEAP);
  });
  const busy = await app.visitor().post(
    "/login",
    { email: "ada@example.com", password: PASSWORD },
    { Accept: "text/html" },
  );
  answered = true;
  // On a busy machine some of them time out.
  await Promise.allSettled(others);
  assertEquals(busy.status, 503);
  assertEquals(busy.headers.get("Retry-After"), "10");
  assertStringIncludes(busy.body, "The server is busy");
  assertEquals(app.errors, []);
});

Deno.test("an owner who has reset the password logs in at once, despite earlier guesses", async () => {
  await using app = await startExampleApp();
  await register(app);
  for (let count = 0; count < 7; count++) await statusOfLogin(app, "wrong one");
  const token = await resetToken(app);
  const owner = app.visitor();
  const form = { token, password: next, confirmPassword: next };
  await owner.post("/reset-password", form);

  const login = await owner.post("/login", { email, password: next });

  assertEquals(login.status, 302);
});

Deno.test("guesses from other addresses do not delay a login on the device that registered", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await visitor.post("/logout");
  for (let count = 0; count < 7; count++) await statusOfLogin(app, "wrong one");
  assertEquals(await statusOfLogin(app, PASSWORD), 429);

  const login = await visitor.post("/login", { email, password: PASSWORD });

  assertEquals(login.status, 302);
});

Deno.test("a flood of registrations lets an honest user log in", async () => {
  // Not so cheap that the queue of registrations never becomes full.
  const options = { trustedProxies: 1, passwords: { memory: 8192 } };
  await using app = await startExampleApp(options);
  await register(app);
  const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
  const full = Promise.withResolvers<void>();
  let isOver = false;
  const flood = Array.from({ length: 150 }, async (_, number) => {
    const visitor = app.visitor();
    const address = { "X-Forwarded-For": `203.0.113.${number}` };
    for (let count = 0; count < 10 && !isOver; count++) {
      const email = `m${number}-${count}@example.com`;
      const form = { name: "Mallory", email, ...passwords };
      const { status } = await visitor.post("/register", form, address);
      if (status === 503) full.resolve();
    }
  });
  await full.promise;

  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    statuses.push(await statusOfLogin(app, PASSWORD));
  }

  isOver = true;
  await Promise.all(flood);
  assertEquals(statuses, [302, 302, 302]);
  assertEquals(app.errors, []);
});

Deno.test("one client address can register or probe 20 addresses per hour before it is slowed down", async () => {
  await using app = await startExampleApp({ trustedProxies: 1 });
  await register(app);
  const attempt = (email: string, from = "203.0.113.7") => {
    const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
    return app.visitor().post("/register", {
      name: "Mallory",
      email,
      ...passwords,
    }, { "X-Forwarded-For": from });
  };
  for (let count = 0; count < 10; count++) {
    assertEquals((await attempt(`m${count}@example.com`)).status, 302);
    // Probing an existing address counts too.
    app.database("UPDATE users SET email = ? WHERE id = 1", [`t${count}@x.y`]);
    assertEquals((await attempt(`t${count}@x.y`)).status, 422);
  }

  const { status, headers, body } = await attempt("t9@x.y");

  assertEquals([status, headers.get("Retry-After")], [429, "60"]);
  assertStringIncludes(body, "Too many attempts. Please wait 60 seconds");
  assertStringIncludes(body, 'value="t9@x.y"');
  assertFalse(body.includes("already exists"));
  assertEquals((await attempt("ada@example.org", "203.0.113.8")).status, 302);
  app.wait(61_000);
  assertEquals((await attempt("t9@x.y")).status, 422);
});

Deno.test("every form for a new password rejects a common one (issue 6)", async () => {
  await using app = await startExampleApp();
  const common = { password: "Password123", confirmPassword: "Password123" };
  const message = "This password is too common. Please choose another one.";
  const refused = await app.visitor()
    .post("/register", { name: "Ada", email, ...common });
  assertEquals(await app.users.count(), 0);
  const visitor = await register(app);
  const token = await resetToken(app);

  const answers = [
    refused,
    await visitor.post("/account/password", { ...change, ...common }),
    await visitor.post("/reset-password", { token, ...common }),
  ];

  for (const { status, body } of answers) {
    assertEquals(status, 422);
    assertStringIncludes(body, `id="password-error">${message}</p>`);
    assertFalse(body.includes(common.password));
  }
  // It did not use up the link.
  assertEquals(await statusOfReset(app, token), 302);
});

Deno.test("POST /forgot-password responds the same with and without an account (issue 6)", async () => {
  await using app = await startExampleApp();
  await register(app);
  const ask = (email: string) =>
    app.visitor().post("/forgot-password", { email });

  const known = await ask(" ADA@example.com".trim());
  const unknown = await ask("nobody@example.com");

  assertEquals(known.status, 200);
  assertEquals([unknown.status, unknown.body], [known.status, known.body]);
  assertEquals(app.mails.map(({ to }) => to), [email]);
});

Deno.test("POST /forgot-password sends no email to an account without a password", async () => {
  await using app = await startExampleApp();
  await app.users.create({ name: "Ada", email, passwordHash: "" });
  const { status } = await app.visitor().post("/forgot-password", { email });
  assertEquals([status, app.mails], [200, []]);
});

Deno.test("POST /forgot-password sends five links to an address before it slows down, with the same page (issue 6)", async () => {
  await using app = await startExampleApp();
  await register(app);
  const ask = () => app.visitor().post("/forgot-password", { email });
  const bodies = new Set<string>();
  for (let count = 0; count < 6; count++) {
    const { body, status } = await ask();
    assertEquals(status, 200);
    bodies.add(body);
  }
  assertEquals(bodies.size, 1);
  assertStringIncludes([...bodies][0]!, "at most 11 links an hour");
  assertEquals(app.mails.length, 5);
  // A reset clears the count.
  const [link] = app.mails.at(-1)!.text.match(/http\S+/)!;
  const token = new URL(link).searchParams.get("token")!;
  assertEquals(await statusOfReset(app, token), 302);
  const before = app.mails.length;
  await ask();
  assertEquals(app.mails.length, before + 1);
});

Deno.test("POST /forgot-password reports an invalid address", async () => {
  await using app = await startExampleApp();
  const { status, body } = await app.visitor()
    .post("/forgot-password", { email: "<ada>" });
  assertEquals(status, 422);
  assertStringIncludes(body, "Invalid email address");
  assertStringIncludes(body, 'value="&lt;ada&gt;"');
});

Deno.test("a reset ends sessions, access tokens, API keys and the old password", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const { asKey, asToken } = await makeSecrets(app, visitor);
  const token = await resetToken(app);
  const link = `/reset-password?token=${token}`;
  // Scanners of mail open links too.
  for (let count = 0; count < 2; count++) {
    const page = await app.visitor().get(link);
    assertEquals(page.status, 200);
    assertEquals(page.headers.get("Cache-Control"), "no-store");
  }

  const stranger = app.visitor();
  const form = { token, password: next, confirmPassword: next };
  const { status, location } = await stranger.post("/reset-password", form);

  assertEquals([status, location], [302, "/reset-password/done"]);
  const { body } = await stranger.get(location!);
  assertStringIncludes(body, "Its access tokens, API keys and");
  assertEquals((await visitor.get("/account")).status, 302);
  assertEquals((await stranger.get("/account")).status, 302);
  assertEquals([await asToken(), await asKey()], [401, 401]);
  assertEquals(await statusOfLogin(app, PASSWORD), 422);
  assertEquals(await statusOfLogin(app, next), 302);
});

Deno.test("a reset works in a logged-in browser and ends its session", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const token = await resetToken(app);
  const form = { token, password: next, confirmPassword: next };
  assertEquals((await visitor.post("/reset-password", form)).status, 302);
  assertEquals((await visitor.get("/account")).status, 302);
  assertEquals(app.errors, []);
});

Deno.test("a link that resets a password works once, also for concurrent requests (issue 6)", async () => {
  await using app = await startExampleApp();
  await register(app);
  const older = await resetToken(app);
  const token = await resetToken(app);
  const statuses = await Promise.all([
    statusOfReset(app, token),
    statusOfReset(app, token),
  ]);
  assertEquals(statuses.sort(), [302, 400]);
  assertEquals(await statusOfReset(app, token), 400);
  assertEquals(await statusOfReset(app, older), 400);
});

Deno.test("a link that resets a password works for ten minutes (issue 6)", async () => {
  await using app = await startExampleApp();
  await register(app);
  const token = await resetToken(app);
  app.wait(9 * MINUTE);
  const link = `/reset-password?token=${token}`;
  assertEquals((await app.visitor().get(link)).status, 200);
  app.wait(2 * MINUTE);
  assertEquals((await app.visitor().get(link)).status, 400);
  assertEquals(await statusOfReset(app, token), 400);
  assertEquals(await statusOfLogin(app, PASSWORD), 302);
});

const badTokens = [
  "",
  "x",
  "A".repeat(22),
  "A".repeat(5000),
  "__proto__",
  "%00",
];

for (const token of badTokens) {
  Deno.test(`the link with the token "${token.slice(0, 30)}" resets nothing`, async () => {
    await using app = await startExampleApp();
    const query = new URLSearchParams({ token });
    const { status, body } = await app.visitor()
      .get(`/reset-password?${query}`);
    assertEquals(status, 400);
    assertStringIncludes(body, "This link no longer works");
    assertEquals(await statusOfReset(app, token), 400);
    assertEquals((await app.visitor().get("/reset-password")).status, 400);
    assertEquals(app.errors, []);
  });
}

Deno.test("changing the password invalidates reset links (issue 6)", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const token = await resetToken(app);
  assertEquals((await visitor.post("/account/password", change)).status, 302);
  assertEquals(await statusOfReset(app, token), 400);
});

Deno.test("changing the password revokes access tokens, not API keys (issue 6)", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const stranger = await app.loggedIn();
  const own = await makeSecrets(app, visitor);
  const foreign = await makeSecrets(app, stranger);

  await visitor.post("/account/password", change);

  assertEquals([await own.asToken(), await own.asKey()], [401, 200]);
  assertEquals(await foreign.asToken(), 200);
  const { body } = await visitor.get("/account");
  assertStringIncludes(body, "your access tokens are revoked");
  assertEquals((await stranger.get("/account")).status, 200);
});

Deno.test("the log contains no reset links", async () => {
  await using app = await startExampleApp();
  await register(app);
  const token = await resetToken(app);
  await app.visitor().get(`/reset-password?token=${token}`);
  await statusOfReset(app, token);
  assertFalse(app.log.join("\n").includes(token));
});

Deno.test("the password page requires the password after a stale login (issue 6)", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  assertEquals((await visitor.get("/account/password")).status, 200);
  app.wait(6 * MINUTE);

  const confirm = "/account/confirm?returnTo=%2Faccount%2Fpassword";
  assertEquals((await visitor.get("/account/password")).location, confirm);
  const unseen = await visitor.post("/account/password", change);
  assertEquals([unseen.status, unseen.location], [302, "/account/confirm"]);
  const wrong = await visitor.post(confirm, { password: "wrong password" });
  assertEquals(wrong.status, 422);
  assertStringIncludes(wrong.body, "This is not your password");
  assertEquals((await visitor.get("/account/password")).location, confirm);
  assertEquals(await statusOfLogin(app, PASSWORD), 302);

  const before = visitor.cookie();
  const right = await visitor.post(confirm, { password: PASSWORD });
  assertEquals([right.status, right.location], [302, "/account/password"]);
  assertNotEquals(visitor.cookie(), before);
  assertEquals((await visitor.post("/account/password", change)).status, 302);
  assertEquals(await statusOfLogin(app, next), 302);
});

Deno.test("the confirm page redirects only to this site", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const path = "/account/confirm?returnTo=https%3A%2F%2Fevil.example";
  const { location } = await visitor.post(path, { password: PASSWORD });
  assertEquals(location, "/account/password");
  const { status } = await app.visitor().get("/account/confirm");
  assertEquals(status, 302);
});

Deno.test("the confirm page offers external logins to a user without a password", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  await visitor.logInExternally("demo-ada");
  app.wait(6 * MINUTE);
  const { location } = await visitor.get("/account/password");
  const { body } = await visitor.get(location!);
  assertStringIncludes(body, "Log in with Demo provider");
  assertFalse(body.includes('type="password"'));
  const { status } = await visitor.post("/account/confirm", { password: "" });
  assertEquals(status, 422);
});

/** Registers and logs in a user. */
async function register(app: ExampleApp): Promise<Visitor> {
  const visitor = app.visitor();
  const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
  await visitor.post("/register", { name: "Ada", email, ...passwords });
  // The email that verifies the address.
  app.mails.length = 0;
  return visitor;
}

async function statusOfLogin(
  app: ExampleApp,
  password: string,
): Promise<number> {
  return (await app.visitor().post("/login", { email, password })).status;
}

/** Reads the token of a new link. */
async function resetToken(app: ExampleApp): Promise<string> {
  await app.visitor().post("/forgot-password", { email });
  const { to, text } = app.mails.at(-1)!;
  assertEquals(to, email);
  const [link] = text.match(/http\S+/)!;
  assert(link.startsWith(`${app.baseURL}/reset-password?token=`));
  return new URL(link).searchParams.get("token")!;
}

async function statusOfReset(app: ExampleApp, token: string): Promise<number> {
  const form = { token, password: next, confirmPassword: next };
  return (await app.visitor().post("/reset-password", form)).status;
}

/**
 * Creates an API key and an access token, and returns the API's responses to
 * them.
 */
async function makeSecrets(app: ExampleApp, visitor: Visitor) {
  const key = await createSecret(visitor, "/account/keys");
  const token = await createSecret(visitor, "/account/tokens");
  const status = async (headers: HeadersInit) =>
    (await app.visitor().get("/api/me", headers)).status;
  return {
    asKey: () => status({ "X-API-Key": key }),
    asToken: () => status({ Authorization: `Bearer ${token}` }),
  };
}
