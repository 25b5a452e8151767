/** The noticeboard: its own pages, and those of its accounts in its frame. */
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { Outbox } from "../../examples/app/features/outbox.ts";
import { captureConsole } from "../_console.ts";
import { until } from "../_wait.ts";
import { PAGES_FOR_ADMINS, PASSWORD, startExampleApp } from "./_example_app.ts";

const guarded = [
  ["/account", "%2Faccount"],
  ["/account/keys?a=b", "%2Faccount%2Fkeys%3Fa%3Db"],
  ["/editor", "%2Feditor"],
] as const;

for (const [path, returnTo] of guarded) {
  Deno.test(`GET ${path} sends visitors to the login page (spec 5.3.3)`, async () => {
    await using app = await startExampleApp();
    const { status, location } = await app.visitor().get(path);
    assertEquals([status, location], [302, `/login?returnTo=${returnTo}`]);
  });
}

const rights = [
  { role: "user", editor: 403, admin: 403 },
  { role: "editor", editor: 200, admin: 403 },
  { role: "admin", editor: 200, admin: 200 },
] as const;

for (const { role, editor, admin } of rights) {
  Deno.test(`the areas answer a user of role ${role} ${editor} and ${admin} (spec 5.3.6)`, async () => {
    await using app = await startExampleApp();
    const visitor = await app.loggedIn(role);
    assertEquals((await visitor.get("/editor")).status, editor);
    const notice = { title: "Tea", body: "All welcome" };
    const written = await visitor.post("/editor/new", notice);
    assertEquals(written.status, editor === 200 ? 302 : 403);
    const answer = await visitor.get("/admin");
    assertEquals(answer.status, admin);
    if (admin === 403) assertEquals(answer.body, "Forbidden");
  });
}

Deno.test("a guard rejects a browser with a page (spec 7)", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const { status, body } = await visitor.get("/admin", { Accept: "text/html" });
  assertEquals(status, 403);
  assertStringIncludes(body, "<h1>Forbidden</h1>");
  assertStringIncludes(body, "does not have permission");
  assertStringIncludes(body, "Log out");
});

const bad = [
  { path: "/nowhere", status: 404, body: "Not Found" },
  { path: "/login/with/nobody", status: 404, body: "Not Found" },
  { path: "/login/out", status: 405, body: "Method Not Allowed" },
] as const;

for (const { path, status, body } of bad) {
  Deno.test(`GET ${path} is answered ${status} (spec 7)`, async () => {
    await using app = await startExampleApp();
    const { status: found, body: text } = await app.visitor().get(path);
    assertEquals(found, status);
    if (path !== "/login/with/nobody") assertEquals(text, body);
  });
}

Deno.test("a malformed form of an editor gets a 400, and an oversized one a 413", async () => {
  await using app = await startExampleApp();
  const editor = await app.loggedIn("editor");
  const post = async (body: BodyInit, type: string) => {
    const response = await fetch(`${app.baseURL}/editor/new`, {
      method: "POST",
      headers: {
        "Content-Type": type,
        "Cookie": `session=${editor.cookie()}`,
        "Accept": "text/html",
      },
      body,
    });
    const [, title] = /<h1>([^<]+)</.exec(await response.text()) ?? [];
    return [response.status, title];
  };
  const long = `title=${"x".repeat(70_000)}`;
  assertEquals(
    await post("nonsense", "multipart/form-data; boundary=x"),
    [400, "Bad Request"],
  );
  assertEquals(
    await post(long, "application/x-www-form-urlencoded"),
    [413, "Content Too Large"],
  );
  assertEquals(await post("{}", "application/json"), [
    415,
    "Unsupported Media Type",
  ]);
});

const brokenCookies = [
  "session=",
  "session=nonsense",
  `session=${"A".repeat(43)}`,
  "session=%00%ff; =; ;;",
  `session=${"x".repeat(4000)}`,
];

for (const cookie of brokenCookies) {
  Deno.test(`the cookie ${cookie.slice(0, 60)} does not identify a session`, async () => {
    await using app = await startExampleApp();
    const visitor = app.visitor();
    const headers = { Cookie: cookie };
    assertEquals((await visitor.get("/", headers)).status, 200);
    assertEquals((await visitor.get("/account", headers)).status, 302);
  });
}

Deno.test("a handler that throws is a 500 with a short message and one log line", async () => {
  await using app = await startExampleApp({
    wrap: (query) => (sql, params) => {
      if (sql.includes("FROM notices")) throw new Error("disk of s3cret");
      return query(sql, params);
    },
  });

  using output = captureConsole();
  const { status, body } = await app.visitor().get("/");
  const page = await app.visitor().get("/", { Accept: "text/html" });

  assertEquals([status, body], [500, "Internal Server Error"]);
  assertStringIncludes(page.body, "<h1>Internal Server Error</h1>");
  assertFalse(page.body.includes("s3cret"));
  // It passes no middleware but has the same security headers.
  const policy = page.headers.get("Content-Security-Policy") ?? "";
  assertStringIncludes(policy, "default-src 'none'");
  assertEquals(app.log.length, 2);
  assertStringIncludes(app.log[0], "GET /");
  assertEquals(
    output.printed.map(String),
    Array(2).fill("Error: disk of s3cret"),
  );
});

Deno.test("POST /login takes as long for an unknown user as for a wrong password (spec 5.1)", async () => {
  await using app = await startExampleApp();
  const known = "ada@example.com";
  await app.createUser({ email: known });
  const times = { known: Infinity, unknown: Infinity };
  await until(async () => {
    // Otherwise the attempts would be throttled.
    app.accounts.wait(3_600_000);
    for (const who of ["known", "unknown"] as const) {
      const email = who === "known" ? known : "nobody@example.com";
      const start = performance.now();
      await app.visitor().post("/login", { email, password: "wrong password" });
      times[who] = Math.min(times[who], performance.now() - start);
    }
    // An unknown user would take a part of the time without a hash.
    return times.unknown > times.known / 2;
  });
});

Deno.test("an unavailable database is a 503, not a logout", async () => {
  let isAway = false;
  await using app = await startExampleApp({
    wrap: (query) => (sql, params) => {
      if (isAway) throw new Error("away");
      return query(sql, params);
    },
  });
  const user = await app.loggedIn();
  using output = captureConsole();

  isAway = true;
  const { status, headers, body } = await user.get("/account", {
    Accept: "text/html",
  });
  isAway = false;

  assertEquals([status, headers.get("Retry-After")], [503, "5"]);
  assertStringIncludes(body, "<h1>Service Unavailable</h1>");
  assertEquals(output.printed.length, 1);
  assertEquals((await user.get("/account")).status, 200);
});

Deno.test("every request is logged, without codes, states and tokens (spec B)", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  await visitor.get("/login/with/demo/callback?code=s3cret&state=s3cret");
  await visitor.get("/login/reset/link?token=s3cret");
  await visitor.get("/account/not-me?token=s3cret");
  const lines = app.log.filter((line) => line.startsWith("GET "));
  assertMatch(lines[0], /^GET \/login\/with\/demo\/callback\?/);
  assertEquals(lines.length, 3);
  for (const line of app.log) assertFalse(line.includes("s3cret"), line);
});

Deno.test("the log has logins, failures, keys and roles as events, and no secret", async () => {
  await using app = await startExampleApp();
  const secret = "hunter2 hunter2";
  await app.visitor().post("/login", { email: secret, password: secret });
  const user = await app.loggedIn();
  const values = { "name": secret, "scope-notes:read": "on", days: "90" };
  await user.post("/account/keys", { ...values, "scope-notices:read": "on" });
  assertEquals((await user.get("/admin")).status, 403);
  const events = app.log.filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  assertEquals(
    events.map(({ client, event }) => [event.action, event.outcome, client.ip]),
    [
      ["login", "failure", "127.0.0.1"],
      ["login", "success", "127.0.0.1"],
      ["key-create", "success", "127.0.0.1"],
      ["access-denied", "failure", "127.0.0.1"],
    ],
  );
  for (const line of app.log) assertFalse(line.includes("hunter2"), line);
});

Deno.test("a form posted from another site gets a 403", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const headers = { Origin: "https://evil.example", Accept: "text/html" };
  const { status, body } = await visitor.post("/login/out", {}, headers);
  assertEquals(status, 403);
  assertStringIncludes(body, "This form was sent from another site");
  assertEquals((await visitor.get("/account")).status, 200);
});

/** The only script of pages that offer passkeys. */
const SCRIPT = '<script type="module" src="/account/passkeys.js"></script>';

Deno.test("all input of users is escaped", async () => {
  await using app = await startExampleApp();
  const text = `<script>"'&</script>`;
  const escaped = "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;";
  const editor = await app.loggedIn("editor");
  await editor.post("/account", { name: text });
  await editor.post("/editor/new", { title: text, body: text });
  const failed = await editor.post("/editor/new", { title: text, body: "" });
  await editor.post("/account/keys", {
    "name": text,
    "scope-notices:read": "on",
    "days": "90",
  });

  const pages = [failed];
  for (const path of ["/account", "/editor", "/", "/account/keys"]) {
    pages.push(await editor.get(path));
  }
  for (const { body } of pages) {
    assertStringIncludes(body, escaped);
    assertFalse(body.replace(SCRIPT, "").includes("<script"));
  }
});

Deno.test("every page forbids inline scripts, frames and foreign styles", async () => {
  await using app = await startExampleApp({ outbox: new Outbox() });
  const admin = await app.loggedIn("admin");
  for (const path of [...PAGES_FOR_ADMINS, "/login", "/style.css"]) {
    const visitor = path === "/login" ? app.visitor() : admin;
    const { headers, body } = await visitor.get(path, { Accept: "text/html" });
    const policy = headers.get("Content-Security-Policy") ?? "";
    assertStringIncludes(policy, "default-src 'none'");
    assertStringIncludes(policy, "frame-ancestors 'none'");
    assertFalse(policy.includes("unsafe"));
    const others = body.replace(SCRIPT, "");
    assertFalse(/<script| style=| on\w+=/.test(others), path);
    assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
    if (path === "/style.css") continue;
    assertEquals(headers.get("Cache-Control"), "no-store", path);
    assertStringIncludes(body, '<a class="brand" href="/">');
  }
});

const accounts = [
  { email: "admin@example.com", password: "s3cret", role: "admin" },
];
const demo = { list: () => Promise.resolve(accounts) };

Deno.test("the login page shows demo accounts to browsers on this computer only", async () => {
  await using app = await startExampleApp({ demo });
  const shown = async (headers: HeadersInit = {}, path = "/login") =>
    (await app.visitor().get(path, headers)).body.includes("s3cret");

  assertEquals(await shown(), true);
  assertEquals(await shown({ "X-Forwarded-For": "127.0.0.1" }), false);
  assertEquals(await shown({ Forwarded: "for=127.0.0.1" }), false);
  assertEquals(await shown({}, "/register"), false);
});

Deno.test("the login page shows no demo accounts to another computer", async () => {
  await using app = await startExampleApp({ demo, trustedProxies: 1 });
  const headers = { "X-Forwarded-For": "203.0.113.7" };
  const { body } = await app.visitor().get("/login", headers);
  assertFalse(body.includes("s3cret"));
});

Deno.test("the outbox shows the latest 50 emails to browsers on this computer only", async () => {
  const outbox = new Outbox();
  await using app = await startExampleApp({ outbox });
  const mail = { to: "ada@example.com", subject: "<Hi>", html: "" };
  using output = captureConsole("log");
  for (let n = 1; n <= 51; n++) outbox.send({ ...mail, text: `code ${n}.` });
  assertEquals(output.printed.length, 51);
  const { body, headers } = await app.visitor().get("/outbox");
  assertStringIncludes(body, "&lt;Hi&gt;");
  assertStringIncludes(body, "code 51.");
  assertFalse(body.includes("code 1."));
  assertEquals(headers.get("Cache-Control"), "no-store");
  const proxied = { Forwarded: "for=127.0.0.1" };
  assertEquals((await app.visitor().get("/outbox", proxied)).status, 404);
});

Deno.test("without an outbox there is no page of emails", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  assertEquals((await admin.get("/outbox")).status, 404);
});

Deno.test("an editor writes, changes and removes a notice", async () => {
  await using app = await startExampleApp();
  const editor = await app.loggedIn("editor");
  const failed = await editor.post("/editor/new", { title: " ", body: "Kept" });
  assertEquals(failed.status, 422);
  assertStringIncludes(failed.body, "Title is required");
  assertStringIncludes(failed.body, 'aria-describedby="title-error"');
  assertStringIncludes(failed.body, "\nKept</textarea>");
  const long = { title: "x".repeat(121), body: "y".repeat(5001) };
  const { body: both } = await editor.post("/editor/new", long);
  assertStringIncludes(both, "At most 120 characters");
  assertStringIncludes(both, "At most 5000 characters");

  await editor.post("/editor/new", { title: "First", body: "Text" });
  const { body } = await editor.get("/editor");
  assertStringIncludes(body, "The notice is published");
  assertStringIncludes(body, "Some editor,");
  const [, path = ""] = /href="(\/editor\/\d+)"/.exec(body)!;
  assertStringIncludes((await editor.get(path)).body, 'value="First"');
  await editor.post(path, { title: "Second", body: "Text" });
  assertStringIncludes((await app.visitor().get("/")).body, "Second");

  const removed = await editor.post(`${path}/remove`);
  assertEquals([removed.status, removed.location], [302, "/editor"]);
  assertFalse((await app.visitor().get("/")).body.includes("Second"));
  for (const gone of [path, "/editor/x", "/editor/1e999"]) {
    assertEquals((await editor.get(gone)).status, 404, gone);
    const values = { title: "Third", body: "Text" };
    assertEquals((await editor.post(gone, values)).status, 404, gone);
    assertEquals((await editor.post(`${gone}/remove`)).status, 404, gone);
  }
});

Deno.test("an admin makes a user an editor, with immediate effect", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  const user = await app.loggedIn();
  const { users } = await app.accounts.users.list();
  const { id } = users.find(({ role }) => role === "user")!;
  assertEquals((await user.get("/editor")).status, 403);
  await admin.post(`/admin/users/${id}`, { do: "role", role: "editor" });
  assertEquals((await user.get("/editor")).status, 200);
  assertStringIncludes((await user.get("/")).body, 'href="/editor"');
});

Deno.test("an admin who acts as a user sees how to stop", async () => {
  await using app = await startExampleApp();
  await app.loggedIn();
  const { users: [user] } = await app.accounts.users.list();
  const admin = await app.loggedIn("admin");
  const act = { do: "act", reason: "Ticket 12" };
  await admin.post(`/admin/users/${user!.id}`, act);
  const { body } = await admin.get("/");
  assertStringIncludes(body, "Stop acting");
  assertFalse(body.includes("Log out"));
  await admin.post("/admin/stop-acting");
  assertStringIncludes((await admin.get("/")).body, "Log out");
});

Deno.test("a copy of the database contains no password, key, session or link", async () => {
  await using app = await startExampleApp();
  const email = "ada@example.com";
  const id = await app.createUser({ email });
  const ada = app.visitor();
  await ada.post("/login", { email, password: PASSWORD });
  const scopes = ["notices:read"] as const;
  const key = await app.accounts.keys.issue(id, { name: "Report", scopes });
  await ada.post("/login/reset", { email });
  const [, token = ""] = /token=(\S+)/.exec(app.mails.at(-1)!.text)!;
  const tables = await app.database(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
    [],
  );
  let copy = "";
  for (const { name } of tables) {
    copy += JSON.stringify(await app.database(`SELECT * FROM "${name}"`, []));
  }
  assertStringIncludes(copy, "$argon2id$");
  assertStringIncludes(copy, "Report");
  for (const secret of [PASSWORD, key!.token, ada.cookie()!, token]) {
    assert(secret.length > 20);
    assertFalse(copy.includes(secret));
  }
});

const withoutKey: Record<string, string>[] = [
  {},
  { Authorization: "Bearer" },
  { Authorization: "Bearer a b" },
  { Authorization: "Basic dXNlcjpwYXNz" },
  { Authorization: `Bearer ${"x".repeat(5000)}` },
  { Authorization: "Bearer board_key_x, Bearer y" },
];

for (const headers of withoutKey) {
  Deno.test(`the API answers ${JSON.stringify(headers).slice(0, 50)} 401 (spec 7)`, async () => {
    await using app = await startExampleApp();
    const answer = await app.visitor().get("/api/me", headers);
    assertEquals([answer.status, answer.body], [401, "Unauthorized"]);
    const challenge = answer.headers.get("WWW-Authenticate") ?? "";
    assertStringIncludes(challenge, "Bearer");
  });
}

Deno.test("an API key reads and deletes notices if its scopes and its user may (spec 5.3.6)", async () => {
  await using app = await startExampleApp();
  const { keys, users } = app.accounts;
  const email = "edgar@example.com";
  const id = await app.createUser({ email, role: "editor" });
  const editor = app.visitor();
  await editor.post("/login", { email, password: PASSWORD });
  await editor.post("/editor/new", { title: "One", body: "Text" });
  const keyWith = async (...scopes: ("notices:read" | "notices:delete")[]) =>
    (await keys.issue(id, { name: "Report", scopes }))!.token;
  const reader = await keyWith("notices:read");
  const both = await keyWith("notices:read", "notices:delete");
  assertMatch(reader, /^board_key_\w{40,}$/);
  const call = (path: string, key: string, method = "GET") =>
    fetch(app.baseURL + path, {
      method,
      headers: { Authorization: `Bearer ${key}` },
    });

  const me = await (await call("/api/me", reader)).json();
  const scopes = ["notices:read"];
  assertEquals(me, { id, name: "Ada", email, role: "editor", scopes });
  const { notices } = await (await call("/api/notices", reader)).json();
  assertEquals(notices.length, 1);
  const path = `/api/notices/${notices[0].id}`;
  assertEquals((await (await call(path, reader)).json()).title, "One");
  const statusOf = async (...args: Parameters<typeof call>) => {
    const { status, body } = await call(...args);
    await body?.cancel();
    return status;
  };
  assertEquals(await statusOf("/api/notices/x", reader), 422);
  assertEquals(await statusOf(path, reader, "DELETE"), 403);
  await users.setRole(id, "user");
  assertEquals(await statusOf(path, both, "DELETE"), 403);
  await users.setRole(id, "editor");
  assertEquals(await statusOf(path, both, "DELETE"), 204);
  const gone = await call(path, both);
  assertEquals([gone.status, await gone.json()], [404, { error: "Not Found" }]);
  // A key opens no page.
  assertEquals(await statusOf("/editor", both), 200);
  const page = await call("/editor", both);
  assertStringIncludes(await page.text(), "Log in to Noticeboard");
});

Deno.test("browsers find the page of passkeys at its well-known address", async () => {
  await using app = await startExampleApp();
  const path = "/.well-known/passkey-endpoints";
  const { body } = await app.visitor().get(path);
  const page = `${app.baseURL}/account/passkeys`;
  assertEquals(JSON.parse(body), { enroll: page, manage: page });
});

Deno.test("a login at the demo provider creates an account, and does not take over another", async () => {
  await using app = await startExampleApp();
  const email = "ada@people.example";
  const ada = app.visitor();
  await ada.logInExternally("demo-ada");
  const account = await app.accounts.users.findByEmail(email);
  assert(account !== null);
  assertEquals(account.role, "user");
  assertEquals((await ada.get("/account")).status, 200);
  const again = await app.visitor().logInExternally("demo-ada");
  assertEquals([again.status, again.location], [303, "/"]);
  assertEquals((await app.accounts.users.list()).users.length, 1);
});
