import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import {
  choose,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

Deno.test("GET /auth/demo redirects to the provider with state, nonce and challenge (spec 5.2.1)", async () => {
  await using app = await startExampleApp();

  const { status, location } = await app.visitor().get("/auth/demo");

  assertEquals(status, 302);
  const url = new URL(location!);
  assertEquals(url.origin + url.pathname, `${app.issuer}/authorize`);
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(
    url.searchParams,
  );
  assert(state && nonce && code_challenge);
  assertEquals(rest, {
    response_type: "code",
    client_id: "noticeboard",
    redirect_uri: `${app.baseURL}/auth/demo/callback`,
    scope: "openid email profile",
    code_challenge_method: "S256",
  });
});

Deno.test("an external login creates a user once and finds them again (spec 5.2.4)", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();

  const first = await visitor.logInExternally("demo-ada");
  const { body } = await visitor.get("/account");
  const second = await app.visitor().logInExternally("demo-ada");

  assertEquals([first.status, first.location], [302, "/"]);
  assertEquals([second.status, second.location], [302, "/"]);
  assertStringIncludes(body, 'value="Ada Demo"');
  assertStringIncludes(body, "ada@people.example");
  assertEquals(await app.users.count(), 1);
  const login = await app.users.findLogin("ada@people.example");
  assertEquals(login?.passwordHash, "");
  assertEquals(login?.user.role, "user");
});

Deno.test("a user without a password cannot log in with one (spec 2.4)", async () => {
  await using app = await startExampleApp();
  await app.visitor().logInExternally("demo-ada");
  for (const password of ["", " ", "undefined", "null", PASSWORD]) {
    const form = { email: "ada@people.example", password };
    const { status } = await app.visitor().post("/login", form);
    assertEquals(status, 422);
  }
});

Deno.test("an external login returns to returnTo, on this site only (spec 4.4)", async () => {
  await using app = await startExampleApp();
  const rows = [
    ["%2Faccount%2Fkeys", "/account/keys"],
    ["https%3A%2F%2Fevil.example", "/"],
    ["%2F%2Fevil.example", "/"],
  ];
  for (const [returnTo, destination] of rows) {
    const visitor = app.visitor();
    const start = await visitor.get(`/auth/demo?returnTo=${returnTo}`);
    const { location } = await visitor.logInExternally("demo-ada", start);
    assertEquals(location, destination);
  }
});

Deno.test("an external login changes the session id", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  const start = await visitor.get("/auth/demo");
  const before = visitor.cookie();
  await visitor.logInExternally("demo-ada", start);
  assertNotEquals(visitor.cookie(), before);
});

for (const person of ["demo-editor", "demo-grace"]) {
  Deno.test(`an external login of ${person} with the address of an account is rejected (spec 5.1.5)`, async () => {
    await using app = await startExampleApp();
    await register(app, "editor@example.com");
    await register(app, "grace@people.example");
    const visitor = app.visitor();

    const { status, body } = await visitor.logInExternally(person);

    assertEquals(status, 409);
    assertStringIncludes(body, "An account with this email already exists");
    assertEquals((await visitor.get("/account")).status, 302);
    assertEquals(await app.users.count(), 2);
  });
}

Deno.test("an address that the provider did not verify is not adopted", async () => {
  await using app = await startExampleApp();
  const grace = app.visitor();
  await grace.logInExternally("demo-grace");

  assertEquals(await app.users.findByEmail("grace@people.example"), null);
  assertStringIncludes((await grace.get("/account")).body, "Grace Demo");
  await register(app, "grace@people.example");
  assert(await app.users.findByEmail("grace@people.example") !== null);
});

const failures = {
  "has a wrong state": (app) => tampered(app, "state", "x"),
  "has no state": (app) => tampered(app, "state", null),
  "has a wrong code": (app) => tampered(app, "code", "x"),
  "has no code": (app) => tampered(app, "code", null),
  "names another issuer": (app) => tampered(app, "iss", "https://evil.example"),
  "names no issuer": (app) => tampered(app, "iss", null),
  "arrives in another browser": async (app) => {
    const start = await app.visitor().get("/auth/demo");
    return await app.visitor().logInExternally("demo-ada", start);
  },
  "was never started": (app) => app.visitor().get("/auth/demo/callback"),
} satisfies Record<
  string,
  (app: ExampleApp) => ReturnType<Visitor["get"]>
>;

for (const [what, run] of Object.entries(failures)) {
  Deno.test(`an external login that ${what} gets a 401 Authentication failed (spec 7)`, async () => {
    await using app = await startExampleApp();
    const { status, body, headers } = await run(app);
    assertEquals([status, body], [401, "Authentication failed"]);
    assertFalse(headers.has("Location"));
    assertEquals(await app.users.count(), 0);
    assertEquals(app.errors, []);
  });
}

Deno.test("a user who cancels at the provider returns to the login page", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  const start = await visitor.get("/auth/demo?returnTo=%2Faccount");

  const back = await visitor.logInExternally("", start);
  const plain = await app.visitor().logInExternally("");

  const login = "/login?returnTo=%2Faccount";
  assertEquals([back.status, back.location], [302, login]);
  assertEquals([plain.status, plain.location], [302, "/login"]);
  const { body } = await visitor.get(login);
  // The page has a hidden alert for passkeys.
  assertFalse(body.replace(/<p[^>]* hidden>/, "").includes('role="alert"'));
  assertEquals(app.errors, []);
});

Deno.test("a user who cancels linking returns to its page and stays logged in", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app, "someone@example.com");
  const start = await visitor.post("/account/logins/demo");

  const { location } = await visitor.logInExternally("", start);

  assertEquals(location, "/account/logins");
  assertEquals((await visitor.get(location!)).status, 200);
});

Deno.test("a user who cancels a confirmation gets the prompt again", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  await visitor.logInExternally("demo-ada");
  app.wait(10 * 60 * 1000);
  const start = await visitor.get("/auth/demo?returnTo=%2Faccount%2Fpassword");

  const { location } = await visitor.logInExternally("", start);

  assertEquals(location, "/account/password");
  assertEquals(
    (await visitor.get(location!)).location,
    "/account/confirm?returnTo=%2Faccount%2Fpassword",
  );
});

Deno.test("an access_denied without a started login gets a 401", async () => {
  await using app = await startExampleApp();
  const { status } = await app.visitor().get(
    "/auth/demo/callback?error=access_denied&state=x",
  );
  assertEquals(status, 401);
});

Deno.test("a first login that fails in the database leaves no account that blocks the address", async () => {
  let fails = true;
  await using app = await startExampleApp({
    wrap: (query) => (sql, params) => {
      if (fails && sql.startsWith("INSERT INTO identities")) {
        throw new Error("connection lost");
      }
      return query(sql, params);
    },
  });

  const failed = await app.visitor().logInExternally("demo-ada");
  fails = false;
  const again = await app.visitor().logInExternally("demo-ada");

  assertEquals([failed.status, again.status], [500, 302]);
  assertEquals(await app.users.count(), 1);
});

Deno.test("a callback works once (spec 5.2.3)", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  const { location } = await visitor.get("/auth/demo");
  const callback = await choose(location!, "demo-ada");
  assertEquals((await visitor.get(callback)).status, 302);
  await visitor.post("/logout");
  assertEquals((await visitor.get(callback)).status, 401);
});

Deno.test("a login is linked to an account from its page, and works afterwards", async () => {
  await using app = await startExampleApp();
  const editor = await register(app, "editor@example.com");

  const start = await editor.post("/account/logins/demo");
  const { location } = await editor.logInExternally("demo-editor", start);
  const page = await editor.get("/account/logins");
  const other = app.visitor();
  await other.logInExternally("demo-editor");

  assertEquals(location, "/account/logins");
  assertStringIncludes(page.body, "You can now log in with Demo provider");
  assertStringIncludes(page.body, "Unlink Demo provider");
  assertStringIncludes(
    (await other.get("/account")).body,
    "editor@example.com",
  );
  assertEquals(await app.users.count(), 1);
});

Deno.test("a link to /auth/demo does not link a login to a logged-in user", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app, "someone@example.com");

  await visitor.logInExternally("demo-ada");

  const { body } = await visitor.get("/account");
  assertStringIncludes(body, "ada@people.example");
  assertEquals(await app.users.count(), 2);
});

Deno.test("canceled linking does not link the next login", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app, "someone@example.com");
  await visitor.post("/account/logins/demo");

  await visitor.logInExternally("demo-ada");

  const { body } = await visitor.get("/account");
  assertStringIncludes(body, "ada@people.example");
  assertEquals(await app.users.count(), 2);
});

Deno.test("a linked login is not moved to another account", async () => {
  await using app = await startExampleApp();
  await app.visitor().logInExternally("demo-ada");
  const visitor = await register(app, "someone@example.com");

  const start = await visitor.post("/account/logins/demo");
  const { status } = await visitor.logInExternally("demo-ada", start);

  assertEquals(status, 409);
  const { body } = await visitor.get("/account/logins");
  assertFalse(body.includes('aria-label="Unlink'));
});

Deno.test("linking a login requires a session", async () => {
  await using app = await startExampleApp();
  const { status, location } = await app.visitor().post("/account/logins/demo");
  assertEquals([status, location], [302, "/login"]);
});

Deno.test("a login is unlinked unless it is the only one", async () => {
  await using app = await startExampleApp();
  const only = app.visitor();
  await only.logInExternally("demo-ada");
  const both = await register(app, "someone@example.com");
  const start = await both.post("/account/logins/demo");
  await both.logInExternally("demo-grace", start);

  for (const visitor of [only, both]) {
    const { body } = await visitor.get("/account/logins");
    const [, path] = body.match(/action="(\/account\/logins\/\d+)"/)!;
    await visitor.post(path, { _method: "DELETE" });
  }

  const kept = await only.get("/account/logins");
  assertMatch(
    kept.body,
    /<p class="problem" role="alert">This is your only way to log in/,
  );
  assertStringIncludes(kept.body, "Unlink Demo provider");
  const gone = await both.get("/account/logins");
  assertStringIncludes(gone.body, "The login is unlinked");
  assertFalse(gone.body.includes('aria-label="Unlink'));
});

async function register(app: ExampleApp, email: string): Promise<Visitor> {
  const visitor = app.visitor();
  const form = { email, password: PASSWORD, confirmPassword: PASSWORD };
  await visitor.post("/register", { name: "Somebody", ...form });
  return visitor;
}

/** Returns from the provider with one parameter changed or removed. */
async function tampered(app: ExampleApp, name: string, value: string | null) {
  const visitor = app.visitor();
  const { location } = await visitor.get("/auth/demo");
  const callback = new URL(await choose(location!, "demo-ada"));
  if (value === null) callback.searchParams.delete(name);
  else callback.searchParams.set(name, value);
  return await visitor.get(callback.href);
}
