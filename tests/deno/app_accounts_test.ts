import {
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { AccessTokens } from "../../examples/app/data/access_tokens.ts";
import type { NewSecret } from "../../examples/app/data/api_keys.ts";
import {
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

Deno.test("the account page changes the name", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const form = { _method: "PUT", name: "Grace" };
  assertEquals((await visitor.post("/account", form)).status, 302);
  assertStringIncludes((await visitor.get("/account")).body, 'value="Grace"');

  const { status, body } = await visitor.post("/account", {
    _method: "PUT",
    name: " ",
  });
  assertEquals(status, 422);
  assertStringIncludes(body, "Name is required");
});

Deno.test("changing the password ends all other sessions and invalidates the old password", async () => {
  await using app = await startExampleApp();
  const { visitor, logIn } = await registered(app);
  const other = await logIn(PASSWORD);
  const form = {
    _method: "PUT",
    currentPassword: PASSWORD,
    password: "another long one",
    confirmPassword: "another long one",
  };

  assertEquals((await visitor.post("/account/password", form)).status, 302);

  assertEquals((await visitor.get("/account")).status, 200);
  assertEquals((await other.get("/account")).status, 302);
  assertEquals((await (await logIn(PASSWORD)).get("/account")).status, 302);
  assertEquals(
    (await (await logIn("another long one")).get("/account")).status,
    200,
  );
});

const passwordRefusals = [
  { currentPassword: "wrong", message: "This is not your password" },
  {
    password: "short",
    confirmPassword: "short",
    message: "Password must be at least 8 characters",
  },
  { confirmPassword: "different", message: "Passwords do not match" },
];

for (const { message, ...change } of passwordRefusals) {
  Deno.test(`a change of password says "${message}" to ${JSON.stringify(change)}`, async () => {
    await using app = await startExampleApp();
    const { visitor, logIn } = await registered(app);

    const { status, body } = await visitor.post("/account/password", {
      _method: "PUT",
      currentPassword: PASSWORD,
      password: "another long one",
      confirmPassword: "another long one",
      ...change,
    });

    assertEquals(status, 422);
    assertStringIncludes(body, `>${message}</p>`);
    assertFalse(body.includes(PASSWORD));
    const other = await logIn(PASSWORD);
    assertEquals((await other.get("/account")).status, 200);
  });
}

Deno.test("the sessions page shows the sessions and ends one, or all others", async () => {
  await using app = await startExampleApp();
  const { visitor, logIn } = await registered(app);
  const others = [];
  for (let count = 0; count < 3; count++) others.push(await logIn(PASSWORD));
  const ids = async () => {
    const { body } = await visitor.get("/account/sessions");
    return [...body.matchAll(/action="\/account\/sessions\/([^"]+)"/g)]
      .map(([, id]) => id);
  };
  assertEquals((await ids()).length, 3);
  const { body } = await visitor.get("/account/sessions");
  const [first, ...rest] = body.split("<li>")
    .filter((row) => row.includes("last active"));
  assertMatch(first, /this browser[^]*last active now/);
  for (const row of rest) assertFalse(/this browser|active now/.test(row));

  const [id] = await ids();
  await visitor.post(`/account/sessions/${id}`, { _method: "DELETE" });
  assertEquals((await ids()).length, 2);

  await visitor.post("/account/sessions", { _method: "DELETE" });
  assertEquals((await ids()).length, 0);
  assertEquals((await visitor.get("/account")).status, 200);
  for (const other of others) {
    assertEquals((await other.get("/account")).status, 302);
  }
});

Deno.test("an admin sees all users, 50 on a page", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  for (let number = 1; number <= 600; number++) {
    const name = `User ${String(number).padStart(3, "0")}`;
    await app.users.create({ name, email: null, passwordHash: "" });
  }
  const seen = new Set<string>();
  let path: string | undefined = "/admin";
  let count = 0;
  for (; path !== undefined && count < 20; count++) {
    const { body } = await admin.get(path);
    for (const [, name] of body.matchAll(/<strong>(User \d+)<\/strong>/g)) {
      assertFalse(seen.has(name));
      seen.add(name);
    }
    path = body.match(/<a href="([^"]+)" rel="next">/)?.[1];
  }
  assertEquals([seen.size, count], [600, 13]);

  const { body } = await admin.get("/admin?page=3");
  assertStringIncludes(body, '<a href="/admin?page=2" rel="prev">');
  assertStringIncludes(body, "Page 3 of 13");
  // A change redirects to the same page.
  const [, action] = body.match(/action="(\/admin\/\d+\?page=3)"/)!;
  const form = { _method: "PUT", role: "editor" };
  assertEquals((await admin.post(action, form)).location, "/admin?page=3");
});

for (
  const page of ["0", "-1", "x", "1.5", "1e9", "999999999999999999999", ""]
) {
  Deno.test(`an admin who asks for page "${page}" sees users`, async () => {
    await using app = await startExampleApp();
    const admin = await app.loggedIn("admin");
    const { status, body } = await admin.get(`/admin?page=${page}`);
    assertEquals(status, 200);
    assertStringIncludes(body, "<strong>Some admin</strong>");
    assertFalse(body.includes("Page 1 of 1"));
  });
}

Deno.test("a user cannot end another user's session", async () => {
  await using app = await startExampleApp();
  const { logIn, visitor } = await registered(app);
  await logIn(PASSWORD);
  const { body } = await visitor.get("/account/sessions");
  const [, id] = body.match(/action="\/account\/sessions\/([^"]+)"/)!;
  const stranger = await app.loggedIn();

  await stranger.post(`/account/sessions/${id}`, { _method: "DELETE" });

  const after = await visitor.get("/account/sessions");
  assertStringIncludes(after.body, id);
});

Deno.test("an API key is shown once, stored as a hash, and accepted by the API (spec 5.3)", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();

  const key = await createSecret(visitor, "/account/keys", "Backup");

  const made = await visitor.get("/account/keys/new");
  assertEquals(made.headers.get("Cache-Control"), "no-store");
  const { body } = await visitor.get("/account/keys");
  assertStringIncludes(body, "Backup");
  assertFalse(body.includes(key));
  const rows = await app.database("SELECT * FROM api_keys", []);
  assertFalse(JSON.stringify(rows).includes(key));

  const headers = { "X-API-Key": key };
  const answer = await app.visitor().get("/api/me", headers);
  assertEquals(answer.status, 200);
  // Exactly the fields of spec 2.1.
  assertEquals(JSON.parse(answer.body), {
    id: rows[0].user_id,
    name: "Backup",
    role: "api",
  });
});

Deno.test("the command with a new key has the public address", async () => {
  await using app = await startExampleApp();
  const user = await app.loggedIn();
  // As from a proxy that terminates TLS: another scheme and host.
  const behind = app.baseURL.replace("localhost", "127.0.0.1");
  const key = await createSecret(user, "/account/keys");
  const response = await fetch(`${behind}/account/keys/new`, {
    headers: { Cookie: `session=${user.cookie()}; newKey=${key}` },
  });
  assertStringIncludes(await response.text(), ` ${app.baseURL}/api/me<`);
});

Deno.test("the API accepts an access token as its user until it is revoked (spec 5.3)", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn("editor");
  const token = await createSecret(visitor, "/account/tokens");
  const headers = { Authorization: `Bearer ${token}` };

  const me = await app.visitor().get("/api/me", headers);
  assertEquals(JSON.parse(me.body).role, "editor");

  const { body } = await visitor.get("/account/tokens");
  const [, path] = body.match(/action="(\/account\/tokens\/\d+)"/)!;
  await visitor.post(path, { _method: "DELETE" });
  assertEquals((await app.visitor().get("/api/me", headers)).status, 401);
});

Deno.test("the API rejects an expired access token, or one of a deleted user (spec 5.3)", async () => {
  await using app = await startExampleApp();
  const user = await app.users.create({
    name: "Ada",
    email: "ada@example.com",
    passwordHash: "",
  });
  const tokens = new AccessTokens(app.database);
  const expired = await tokens.create(user!, "old", Date.now() - 1);
  const status = async (token: NewSecret | null) => {
    const headers = { Authorization: `Bearer ${token?.secret}` };
    return (await app.visitor().get("/api/me", headers)).status;
  };

  assertEquals(await status(expired), 401);
  const works = await tokens.create(user!, "new", Date.now() + 60_000);
  assertEquals(await status(works), 200);
  await app.users.remove(user!.id);
  assertEquals(await status(works), 401);
});

Deno.test("a user cannot revoke another user's key", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const key = await createSecret(visitor, "/account/keys");
  const { body } = await visitor.get("/account/keys");
  const [, path] = body.match(/action="(\/account\/keys\/\d+)"/)!;
  const stranger = await app.loggedIn();

  await stranger.post(path, { _method: "DELETE" });

  const headers = { "X-API-Key": key };
  assertEquals((await app.visitor().get("/api/me", headers)).status, 200);
});

Deno.test("a key without a name is rejected, and so is the 21st key", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const nameless = await visitor.post("/account/keys", { label: " " });
  assertEquals(nameless.status, 422);
  assertStringIncludes(nameless.body, "Please enter a name");
  for (let count = 0; count < 20; count++) {
    await createSecret(visitor, "/account/keys");
  }
  const last = await visitor.post("/account/keys", { label: "x" });
  assertEquals(last.status, 422);
  assertStringIncludes(last.body, "You already have 20");
});

const malformed: Record<string, string>[] = [
  {},
  { Authorization: "Bearer" },
  { Authorization: "Bearer " },
  { Authorization: "Bearer a b" },
  { Authorization: "Basic dXNlcjpwYXNz" },
  { Authorization: `Bearer ${"x".repeat(5000)}` },
  { Authorization: "Bearer board_token_x, Bearer y" },
  { "X-API-Key": "" },
  { "X-API-Key": "board_key_x" },
];

for (const headers of malformed) {
  Deno.test(`the API answers ${JSON.stringify(headers).slice(0, 50)} 401 (spec 7)`, async () => {
    await using app = await startExampleApp();
    const answer = await app.visitor().get("/api/me", headers);
    assertEquals([answer.status, answer.body], [401, "Unauthorized"]);
    const challenge = answer.headers.get("WWW-Authenticate") ?? "";
    assertStringIncludes(challenge, 'Bearer realm="noticeboard"');
    assertEquals(app.errors, []);
  });
}

Deno.test("the API ignores sessions", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  assertEquals((await admin.get("/api/me")).status, 401);
});

Deno.test("the API returns notices, and deletes them if the user may (spec 5.3.6)", async () => {
  await using app = await startExampleApp();
  const editor = await app.loggedIn("editor");
  await editor.post("/editor", { title: "One", body: "Text" });
  const token = await createSecret(editor, "/account/tokens");
  const key = await createSecret(editor, "/account/keys");
  const call = (path: string, headers: HeadersInit, method = "GET") =>
    fetch(app.baseURL + path, { method, headers });
  const asEditor = { Authorization: `Bearer ${token}` };
  const asProgram = { "X-API-Key": key };

  const list = await call("/api/notices", asProgram);
  const { notices } = await list.json();
  assertEquals(notices.length, 1);
  const path = `/api/notices/${notices[0].id}`;
  const one = await call(path, asProgram);
  assertEquals((await one.json()).title, "One");

  const forbidden = await call(path, asProgram, "DELETE");
  assertEquals(
    [forbidden.status, await forbidden.text()],
    [403, "Forbidden"],
  );
  assertEquals((await call(path, asEditor, "DELETE")).status, 204);
  const gone = await call(path, asEditor);
  assertEquals([gone.status, await gone.json()], [404, { error: "Not Found" }]);
});

Deno.test("an editor writes, changes and removes a notice", async () => {
  await using app = await startExampleApp();
  const editor = await app.loggedIn("editor");
  const failed = await editor.post("/editor", { title: "", body: "Kept" });
  assertEquals(failed.status, 422);
  assertStringIncludes(failed.body, "Title is required");
  assertStringIncludes(failed.body, "\nKept</textarea>");

  await editor.post("/editor", { title: "First", body: "Text" });
  const { body } = await editor.get("/editor");
  const [, path] = body.match(/action="(\/editor\/\d+)"/)!;
  await editor.post(path, { _method: "PUT", title: "Second", body: "Text" });
  assertStringIncludes((await app.visitor().get("/")).body, "Second");

  await editor.post(path, { _method: "DELETE" });
  assertFalse((await app.visitor().get("/")).body.includes("Second"));
  const again = await editor.post(path, { _method: "DELETE" });
  assertEquals([again.status, again.body], [404, "Not Found"]);
});

Deno.test("an admin changes the role of others with immediate effect, but not their own", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  const user = await app.loggedIn("user");
  const list = await app.users.list();
  const id = (role: string) => list.find((user) => user.role === role)!.id;
  const setRole = async (id: number, role: string) =>
    (await admin.post(`/admin/${id}`, { _method: "PUT", role })).status;

  assertEquals(await setRole(id("user"), "editor"), 302);
  assertEquals((await user.get("/editor")).status, 200);
  assertEquals(await setRole(id("user"), "owner"), 400);
  assertEquals(await setRole(id("admin"), "user"), 400);
  assertEquals(await setRole(9999, "user"), 404);
});

Deno.test("an admin ends all sessions and access tokens of one user", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  const user = await app.loggedIn("user");
  const { id } = (await app.users.list()).find(({ role }) => role === "user")!;
  const statusWith = async (visitor: Visitor) => {
    const token = await createSecret(visitor, "/account/tokens");
    const headers = { Authorization: `Bearer ${token}` };
    return async () => (await app.visitor().get("/api/me", headers)).status;
  };
  const [ofAdmin, ofUser] = [await statusWith(admin), await statusWith(user)];
  assertEquals([await ofAdmin(), await ofUser()], [200, 200]);

  await admin.post(`/admin/${id}/sessions`, { _method: "DELETE" });

  assertEquals([await ofAdmin(), await ofUser()], [200, 401]);
  assertEquals((await user.get("/account")).status, 302);
  assertEquals((await admin.get("/account")).status, 200);
});

Deno.test("an admin who logs a user out while the user ends the other sessions ends all of them", async () => {
  let isRaced = false;
  await using app = await startExampleApp({
    wrap: (query) => async (sql, params) => {
      if (isRaced && /SET access_version = .*id = id/.test(sql)) {
        isRaced = false;
        // Another request is faster.
        await query(
          "UPDATE users SET access_version = access_version + 1 WHERE id = ?",
          [params[0]!],
        );
      }
      return await query(sql, params);
    },
  });
  const admin = await app.loggedIn("admin");
  await app.loggedIn("user");
  const [user] = (await app.users.list()).filter(({ role }) => role === "user");
  const before = await app.users.accessVersion(user!.id);
  isRaced = true;
  await admin.post(`/admin/${user!.id}/sessions`, { _method: "DELETE" });
  assertEquals(await app.users.accessVersion(user!.id), before! + 2);
  const { body } = await admin.get("/admin");
  assertStringIncludes(body, "Some user is logged out everywhere");
});

Deno.test("an admin learns that a user whose account always changes is not logged out", async () => {
  let isRaced = false;
  await using app = await startExampleApp({
    wrap: (query) => async (sql, params) =>
      isRaced && /SET access_version = .*id = id/.test(sql)
        ? []
        : await query(sql, params),
  });
  const admin = await app.loggedIn("admin");
  await app.loggedIn("user");
  const [user] = (await app.users.list()).filter(({ role }) => role === "user");
  isRaced = true;
  await admin.post(`/admin/${user!.id}/sessions`, { _method: "DELETE" });
  isRaced = false;
  const { body } = await admin.get("/admin");
  assertStringIncludes(body, "Some user is not logged out. Try again");
});

Deno.test("a user's requests to the admin area change nothing (spec 5.3.6)", async () => {
  await using app = await startExampleApp();
  const user = await app.loggedIn("user");
  const [{ id }] = await app.users.list();
  const form = { _method: "PUT", role: "admin" };
  assertEquals((await user.post(`/admin/${id}`, form)).status, 403);
  assertEquals((await app.users.find(id))?.role, "user");
});

/** Registers a user who can log in again in other browsers. */
async function registered(app: ExampleApp): Promise<{
  visitor: Visitor;
  logIn: (password: string) => Promise<Visitor>;
}> {
  const email = "ada@example.com";
  const visitor = app.visitor();
  const form = { email, password: PASSWORD, confirmPassword: PASSWORD };
  await visitor.post("/register", { name: "Ada", ...form });
  return {
    visitor,
    async logIn(password) {
      const other = app.visitor();
      await other.post("/login", { email, password });
      return other;
    },
  };
}
