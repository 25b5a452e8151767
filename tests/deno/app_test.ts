import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { PAGES_FOR_ADMINS, PASSWORD, startExampleApp } from "./_example_app.ts";
import { until } from "../_wait.ts";

const valid = {
  name: "Ada",
  email: "ada@example.com",
  password: PASSWORD,
  confirmPassword: PASSWORD,
};

const refusals = [
  { name: "", message: "Name is required" },
  { name: "   ", message: "Name is required" },
  { email: "ada", message: "Invalid email address" },
  { email: "", message: "Invalid email address" },
  {
    password: "1234567",
    confirmPassword: "1234567",
    message: "Password must be at least 8 characters",
  },
  { confirmPassword: "something else", message: "Passwords do not match" },
];

for (const { message, ...change } of refusals) {
  Deno.test(`POST /register says "${message}" to ${JSON.stringify(change)} (spec 7)`, async () => {
    await using app = await startExampleApp();
    const sent = { ...valid, ...change };

    const answer = await app.visitor().post("/register", sent);

    assertEquals(answer.status, 422);
    assertStringIncludes(answer.body, `>${message}</p>`);
    assertStringIncludes(answer.body, 'aria-invalid="true"');
    for (const name of ["name", "email"] as const) {
      assertStringIncludes(answer.body, `value="${sent[name]}"`);
    }
    assertFalse(answer.body.includes(sent.password));
    assertFalse(answer.body.includes(sent.confirmPassword));
    assertEquals(await app.users.count(), 0);
  });
}

Deno.test("POST /register names all missing fields (spec 7)", async () => {
  await using app = await startExampleApp();
  const { status, body } = await app.visitor().post("/register");
  assertEquals(status, 422);
  assertStringIncludes(body, ">Name is required</p>");
  assertStringIncludes(body, ">Invalid email address</p>");
  assertStringIncludes(body, ">Password must be at least 8 characters</p>");
});

Deno.test("POST /register rejects an existing address in any case (spec 5.1.5)", async () => {
  await using app = await startExampleApp();
  await app.visitor().post("/register", valid);
  const again = { ...valid, email: "ADA@Example.com" };

  const { status, body } = await app.visitor().post("/register", again);

  assertEquals(status, 422);
  assertStringIncludes(body, ">An account with this email already exists.</p>");
  assertEquals(await app.users.count(), 1);
});

Deno.test("POST /register creates one account for two concurrent requests (spec 5.1.5)", async () => {
  await using app = await startExampleApp();
  const answers = await Promise.all([
    app.visitor().post("/register", valid),
    app.visitor().post("/register", valid),
  ]);
  assertEquals(answers.map(({ status }) => status).sort(), [302, 422]);
  assertEquals(await app.users.count(), 1);
});

Deno.test("POST /register creates a user with the role user and logs in (spec 4.4, 5.1.5)", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();

  const { status, location } = await visitor.post("/register", valid);

  assertEquals([status, location], [302, "/"]);
  const found = await app.users.findLogin(valid.email);
  assertEquals(found?.user.role, "user");
  assertMatch(found?.passwordHash ?? "", /^\$argon2id\$/);
  const { body } = await visitor.get("/");
  assertStringIncludes(body, "Welcome, Ada");
  assertFalse((await visitor.get("/")).body.includes("Welcome, Ada"));
  assertEquals((await visitor.get("/account")).status, 200);
});

const wrong: Record<string, string>[] = [
  { email: "ada@example.com", password: "wrong password" },
  { email: "nobody@example.com", password: PASSWORD },
  { email: "ada@example.com", password: "" },
  { email: "", password: "" },
  {},
];

for (const credentials of wrong) {
  Deno.test(`POST /login answers ${JSON.stringify(credentials)} with the generic message (spec 7)`, async () => {
    await using app = await startExampleApp();
    await app.visitor().post("/register", valid);
    const visitor = app.visitor();

    const { status, body } = await visitor.post("/login", credentials);

    assertEquals(status, 422);
    assertStringIncludes(body, "<p>Invalid email or password</p>");
    assertStringIncludes(body, `value="${credentials.email ?? ""}"`);
    assertEquals(visitor.cookie(), undefined);
  });
}

Deno.test("POST /login does not look up an address that is too long", async () => {
  const asked: unknown[] = [];
  await using app = await startExampleApp({
    wrap: (query) => (sql, params) => {
      if (sql.includes("WHERE email")) asked.push(...params);
      return query(sql, params);
    },
  });
  // Normalizing this string would block all requests for a second.
  const email = "a" + "\u0315".repeat(5000) + "\u0316".repeat(5000);

  const { status, body } = await app.visitor().post("/login", {
    email,
    password: PASSWORD,
  });

  assertEquals(status, 422);
  assertStringIncludes(body, "Invalid email or password");
  assertEquals(asked, []);
});

Deno.test("POST /login takes as long for an unknown user as for a wrong password (spec 5.1)", async () => {
  await using app = await startExampleApp();
  await app.visitor().post("/register", valid);
  const times = { known: Infinity, unknown: Infinity };
  await until(async () => {
    for (const who of ["known", "unknown"] as const) {
      const email = who === "known" ? valid.email : "nobody@example.com";
      const start = performance.now();
      await app.visitor().post("/login", { email, password: "wrong password" });
      times[who] = Math.min(times[who], performance.now() - start);
    }
    // An unknown user would take a twentieth of the time without a hash.
    return times.unknown > times.known / 2;
  });
});

const destinations = [
  ["", "/"],
  ["?returnTo=%2Faccount%2Fkeys%3Fa%3D1", "/account/keys?a=1"],
  ["?returnTo=https%3A%2F%2Fevil.example", "/"],
  ["?returnTo=%2F%2Fevil.example", "/"],
  ["?returnTo=%2F%5Cevil.example", "/"],
  ["?returnTo=%2F.%2F%2Fevil.example", "/"],
] as const;

for (const [search, destination] of destinations) {
  Deno.test(`POST /login${search} leads to ${destination} (spec 4.4)`, async () => {
    await using app = await startExampleApp();
    await app.visitor().post("/register", valid);

    const { status, location } = await app.visitor().post(
      `/login${search}`,
      { email: valid.email, password: PASSWORD },
    );

    assertEquals([status, location], [302, destination]);
  });
}

Deno.test("GET /login redirects a logged-in user", async () => {
  await using app = await startExampleApp();
  const { location } = await (await app.loggedIn()).get("/login");
  assertEquals(location, "/");
});

Deno.test("POST /login changes the session id, so that a planted one is useless (spec 5.1)", async () => {
  await using app = await startExampleApp();
  await app.visitor().post("/register", valid);
  const visitor = app.visitor();
  await visitor.get("/auth/demo");
  const planted = visitor.cookie();
  assert(planted !== undefined);

  await visitor.post("/login", { email: valid.email, password: PASSWORD });

  assertNotEquals(visitor.cookie(), planted);
  const headers = { Cookie: `session=${planted}` };
  const { status } = await app.visitor().get("/account", headers);
  assertEquals(status, 302);
});

Deno.test("POST /logout ends the session and redirects to the home page (spec 4.4)", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const headers = { Cookie: `session=${visitor.cookie()}` };
  assertEquals((await app.visitor().get("/account", headers)).status, 200);

  const { status, location } = await visitor.post("/logout");

  assertEquals([status, location], [302, "/"]);
  assertEquals((await app.visitor().get("/account", headers)).status, 302);
});

Deno.test("the page after a logout confirms it once", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const { headers } = await visitor.post("/logout");

  const first = await visitor.get("/");
  const second = await visitor.get("/");

  assertStringIncludes(first.body, ">You are logged out</p>");
  assertFalse(second.body.includes("You are logged out"));
  const cookie = headers.getSetCookie().find((line) =>
    line.startsWith("loggedOut=")
  );
  assertStringIncludes(cookie ?? "", "HttpOnly; SameSite=Strict");
});

const guarded = [
  ["/account", "%2Faccount"],
  ["/account/keys?a=b", "%2Faccount%2Fkeys%3Fa%3Db"],
  ["/editor", "%2Feditor"],
  ["/admin", "%2Fadmin"],
] as const;

for (const [path, returnTo] of guarded) {
  Deno.test(`GET ${path} does not redirect to the login page (spec 5.3.3)`, async () => {
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
  { path: "/auth/nobody", status: 404, body: "Not Found" },
  {
    path: "/logout",
    status: 405,
    body: "Method Not Allowed",
  },
] as const;

for (const { path, status, body } of bad) {
  Deno.test(`GET ${path} is answered ${status} (spec 7)`, async () => {
    await using app = await startExampleApp();
    const answer = await app.visitor().get(path);
    assertEquals([answer.status, answer.body], [status, body]);
  });
}

Deno.test("a malformed form gets a 400 and an oversized one a 413", async () => {
  await using app = await startExampleApp();
  const post = async (body: BodyInit, type: string) => {
    const response = await fetch(`${app.baseURL}/register`, {
      method: "POST",
      headers: { "Content-Type": type },
      body,
    });
    return [response.status, await response.text()];
  };
  assertEquals(
    await post("nonsense", "multipart/form-data; boundary=x"),
    [400, "Bad Request"],
  );
  assertEquals(
    await post(
      `name=${"x".repeat(70_000)}`,
      "application/x-www-form-urlencoded",
    ),
    [413, "Content Too Large"],
  );
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
  assertEquals(app.errors.map(String), Array(2).fill("Error: disk of s3cret"));
});

Deno.test("an unavailable session store is a 503, not a logout", async () => {
  let isAway = false;
  await using app = await startExampleApp({
    wrap: (query) => (sql, params) => {
      if (isAway && sql.includes("sessions")) throw new Error("away");
      return query(sql, params);
    },
  });
  const user = await app.loggedIn();

  isAway = true;
  const { status, headers, body } = await user.get("/account", {
    Accept: "text/html",
  });
  isAway = false;

  assertEquals([status, headers.get("Retry-After")], [503, "5"]);
  assertStringIncludes(body, "<h1>Service Unavailable</h1>");
  assertEquals(app.errors.length, 1);
  assertEquals((await user.get("/account")).status, 200);
});

Deno.test("every request is logged, without codes and states (spec B)", async () => {
  await using app = await startExampleApp();
  await app.visitor().get("/auth/demo/callback?code=s3cret&state=s3cret");
  const [line] = app.log;
  assertMatch(line, /^GET \/auth\/demo\/callback\?.* .*401/);
  assertFalse(line.includes("s3cret"));
});

Deno.test("a form posted from another site gets a 403", async () => {
  await using app = await startExampleApp();
  const visitor = await app.loggedIn();
  const headers = { Origin: "https://evil.example", Accept: "text/html" };
  const { status, body } = await visitor.post("/logout", {}, headers);
  assertEquals(status, 403);
  assertStringIncludes(body, "This form was sent from another site");
  assertEquals((await visitor.get("/account")).status, 200);
});

/** The only script of pages that offer passkeys. */
const PASSKEY_SCRIPT = '<script type="module" src="/passkeys.js"></script>';

Deno.test("all input of users is escaped", async () => {
  await using app = await startExampleApp();
  const text = `<script>"'&</script>`;
  const escaped = "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;";
  const failed = await app.visitor().post("/register", {
    ...valid,
    name: text,
    email: text,
  });
  const editor = await app.loggedIn("editor");
  await editor.post("/account", { _method: "PUT", name: text });
  await editor.post("/editor", { title: text, body: text });
  await editor.post("/account/keys", { label: text });

  const pages = [failed];
  for (const path of ["/account", "/editor", "/", "/account/keys"]) {
    pages.push(await editor.get(path));
  }
  for (const { body } of pages) {
    assertStringIncludes(body, escaped);
    assertFalse(body.replace(PASSKEY_SCRIPT, "").includes("<script"));
  }
});

Deno.test("every page forbids inline scripts, frames and foreign styles", async () => {
  await using app = await startExampleApp();
  for (const path of ["/", "/login", "/nowhere", "/style.css"]) {
    const { headers, body } = await app.visitor().get(path, {
      Accept: "text/html",
    });
    const policy = headers.get("Content-Security-Policy") ?? "";
    assertStringIncludes(policy, "default-src 'none'");
    assertStringIncludes(policy, "frame-ancestors 'none'");
    assertFalse(policy.includes("unsafe"));
    const others = body.replace(PASSKEY_SCRIPT, "");
    assertFalse(/<script| style=| on\w+=/.test(others));
    assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
  }
});

const accounts = [
  { email: "admin@example.com", password: "s3cret", role: "admin" as const },
];

Deno.test("the login page shows demo accounts to browsers on this computer only", async () => {
  await using app = await startExampleApp({
    demoAccounts: () => Promise.resolve(accounts),
  });
  const shown = async (headers: HeadersInit = {}) =>
    (await app.visitor().get("/login", headers)).body.includes("s3cret");

  assertEquals(await shown(), true);
  assertEquals(await shown({ "X-Forwarded-For": "127.0.0.1" }), false);
  assertEquals(await shown({ Forwarded: "for=127.0.0.1" }), false);
});

Deno.test("the login page shows no demo accounts to another computer", async () => {
  await using app = await startExampleApp({
    demoAccounts: () => Promise.resolve(accounts),
    trustedProxies: 1,
  });
  const headers = { "X-Forwarded-For": "203.0.113.7" };
  const { body } = await app.visitor().get("/login", headers);
  assertFalse(body.includes("s3cret"));
});

for (const path of [...PAGES_FOR_ADMINS, "/login", "/register"]) {
  Deno.test(`${path} links to its source code, and not to the Markdown of the guide`, async () => {
    await using app = await startExampleApp();
    const user = path === "/login" || path === "/register"
      ? app.visitor()
      : await app.loggedIn("admin");
    const { body } = await user.get(path, { Accept: "text/html" });
    const links = [...body.matchAll(/href="(\/source\?file=[^"]+)"/g)];
    assertEquals(links.length, 1);
    for (const [, href] of links) {
      const { status, body } = await app.visitor().get(href);
      assertEquals(status, 200, href);
      assertStringIncludes(body, "<pre><code>");
    }
  });
}

const secretFiles = [
  "",
  "deno.json",
  "examples/app/data.sqlite",
  "examples/app/../../deno.json",
  "docs/../README.md",
  "docs/decisions/../README.md",
  "/etc/passwd",
  "docs/README.md%00.ts",
  "docs/README.md\n",
  "examples/app/.env",
  "examples/app/missing.ts",
  `examples/app/${"x".repeat(5000)}.ts`,
  "file:///etc/passwd",
  "https://example.com/docs/a.md",
];

for (const file of secretFiles) {
  Deno.test(`the source page does not show ${JSON.stringify(file).slice(0, 60)}`, async () => {
    await using app = await startExampleApp();
    const search = new URLSearchParams({ file });
    const { status } = await app.visitor().get(`/source?${search}`);
    assertEquals(status, 404);
  });
}
