// The page of a new API key or access token, and of a first password.
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { createSecret, PASSWORD, startExampleApp } from "./_example_app.ts";

for (const path of ["/account/keys", "/account/tokens"] as const) {
  Deno.test(`a secret of ${path} is shown again after a reload until its owner closes the page`, async () => {
    await using app = await startExampleApp();
    const visitor = await app.loggedIn();
    const secret = await createSecret(visitor, path);

    const reloaded = await visitor.get(`${path}/new`);
    await visitor.post(`${path}/new`);
    const after = await visitor.get(`${path}/new`);

    assertStringIncludes(reloaded.body, `id="secret">${secret}<`);
    assertEquals(reloaded.headers.get("Cache-Control"), "no-store");
    assertEquals([after.status, after.location], [302, path]);
    const { body } = await visitor.get(path);
    assertEquals(body.match(/aria-label="Revoke/g)?.length, 1);
  });
}

Deno.test("a new secret is in a cookie for its page only, which scripts and other sites cannot read", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const { headers } = await visitor.post("/account/keys", { label: "x" });
  const cookie = headers.getSetCookie().find((line) =>
    line.startsWith("newKey=")
  );
  assertMatch(
    cookie ?? "",
    /^newKey=board_key_\w+; Path=\/account\/keys\/new; Max-Age=300; HttpOnly; SameSite=Strict$/,
  );
});

Deno.test("the page of a new secret shows no secret of another user, and no revoked or invalid one", async () => {
  await using app = await startExampleApp();
  const owner = await app.loggedIn();
  const key = await createSecret(owner, "/account/keys");
  const revoked = await createSecret(owner, "/account/keys");
  const { body } = await owner.get("/account/keys");
  const [, last] = body.match(/action="(\/account\/keys\/\d+)"/)!;
  await owner.post(last, { _method: "DELETE" });
  const other = await app.loggedIn();

  for (
    const [visitor, value] of [
      [other, key],
      [owner, revoked],
      [owner, "<script>"],
      [owner, "x".repeat(5000)],
      [owner, ""],
    ] as const
  ) {
    const headers = { Cookie: `session=${visitor.cookie()}; newKey=${value}` };
    const { status, location } = await app.visitor().get(
      "/account/keys/new",
      headers,
    );
    assertEquals([status, location], [302, "/account/keys"], value);
  }
});

Deno.test("only the page of a new secret allows scripts, and only those of this site", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  await createSecret(visitor, "/account/keys");
  const policy = async (path: string) =>
    (await visitor.get(path)).headers.get("Content-Security-Policy") ?? "";
  assertFalse((await policy("/account/keys")).includes("script-src"));
  const own = await policy("/account/keys/new");
  assertStringIncludes(own, "default-src 'none'; script-src 'self'; ");
  assertFalse(own.includes("unsafe"));
  const script = await visitor.get("/copy.js");
  assertEquals(
    script.headers.get("Content-Type"),
    "text/javascript; charset=utf-8",
  );
});

const first = {
  _method: "PUT",
  password: PASSWORD,
  confirmPassword: PASSWORD,
};

Deno.test("a user of an identity provider can set a password and log in with it", async () => {
  await using app = await startExampleApp();
  const ada = app.visitor();
  await ada.logInExternally("demo-ada");
  const other = app.visitor();
  await other.logInExternally("demo-ada");
  assertStringIncludes((await ada.get("/account")).body, "Set a password</a>");
  assertStringIncludes(
    (await ada.get("/account/password")).body,
    "<button>Set password</button>",
  );

  const { location } = await ada.post("/account/password", first);

  assertEquals(location, "/account");
  const { body } = await ada.get("/account");
  assertStringIncludes(body, "You can now log in with your email and password");
  assertFalse(body.includes("Set a password</a>"));
  assertEquals((await other.get("/account")).status, 302);
  const [mail] = app.mails;
  assertEquals(mail.to, "ada@people.example");
  assertStringIncludes(mail.text, `${app.baseURL}/forgot-password`);
  const form = { email: "ada@people.example", password: PASSWORD };
  const login = await app.visitor().post("/login", form);
  assertEquals([login.status, login.location], [302, "/"]);
  // From now on, a change needs the current password.
  const again = await ada.post("/account/password", first);
  assertEquals(again.status, 422);
});

const refused = [
  {
    change: { password: "short", confirmPassword: "short" },
    message: "at least 8 characters",
  },
  {
    change: { confirmPassword: "different" },
    message: "Passwords do not match",
  },
  {
    change: { password: "password123", confirmPassword: "password123" },
    message: "too common",
  },
];

for (const { change, message } of refused) {
  Deno.test(`a first password says "${message}" to ${JSON.stringify(change)}`, async () => {
    await using app = await startExampleApp();
    const ada = app.visitor();
    await ada.logInExternally("demo-ada");

    const { status, body } = await ada.post("/account/password", {
      ...first,
      ...change,
    });

    assertEquals(status, 422);
    assertStringIncludes(body, message);
    const login = await app.users.findLogin("ada@people.example");
    assertEquals(login?.passwordHash, "");
  });
}

Deno.test("an account without a verified address gets no password", async () => {
  await using app = await startExampleApp();
  const grace = app.visitor();
  await grace.logInExternally("demo-grace");
  const page = await grace.get("/account/password");
  assertFalse(
    page.body.includes('<form method="post" action="/account/password"'),
  );
  assertEquals((await grace.post("/account/password", first)).status, 422);
  assertFalse((await grace.get("/account")).body.includes("Set a password"));
});

Deno.test("a first password requires a recent login", async () => {
  await using app = await startExampleApp();
  const ada = app.visitor();
  await ada.logInExternally("demo-ada");
  app.wait(10 * 60 * 1000);
  const { location } = await ada.post("/account/password", first);
  assert(location?.startsWith("/account/confirm"));
});

Deno.test("a session that an admin ends cannot set a first password in a pending request", async () => {
  let meanwhile = () => Promise.resolve();
  let hasEnded = false;
  await using app = await startExampleApp({
    wrap: (query) => async (sql, params) => {
      const isChange = sql.includes("password_hash = ?");
      if (isChange && !hasEnded) {
        hasEnded = true;
        await meanwhile();
      }
      return await query(sql, params);
    },
  });
  const thief = app.visitor();
  await thief.logInExternally("demo-ada");
  const user = await app.users.findByEmail("ada@people.example");
  meanwhile = async () => void await app.users.endAccess(user!);

  const { location } = await thief.post("/account/password", first);

  assertEquals(location, "/login");
  const login = await app.users.findLogin("ada@people.example");
  assertEquals(login?.passwordHash, "");
});
