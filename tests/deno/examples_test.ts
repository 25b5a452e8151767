/** The small examples, by requests to their routers, and run by their tasks. */
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  createOIDCAuthProvider,
  type OIDCAuthProviderOptions,
} from "@gatehouse/web/auth";
import { createTestClient } from "@gatehouse/web/testing";
import config from "../../deno.json" with { type: "json" };
import { accounts, router as accountPages } from "../../examples/accounts.ts";
import { createAccessToken, router as api } from "../../examples/api_tokens.ts";
import { createApp as createLoginApp } from "../../examples/external_login.ts";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { router as passwords } from "../../examples/password_login.ts";
import { createApp as createLoggedApp } from "../../examples/request_log.ts";
import { addUser, type Role, router as roles } from "../../examples/roles.ts";
import { captureConsole } from "../_console.ts";
import { choose } from "./_example_app.ts";
import { freePort, overHTTP, serveCommand } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

const EXAMPLES = new URL("../../examples/", import.meta.url);

const NAMES = [
  "accounts",
  "api_tokens",
  "external_login",
  "password_login",
  "request_log",
  "roles",
] as const;

Deno.test("every example has a test in this file", async () => {
  const files: string[] = [];
  for await (const { name, isFile } of Deno.readDir(EXAMPLES)) {
    if (isFile) files.push(name);
  }
  assertEquals(files.sort(), NAMES.map((name) => `${name}.ts`));
});

for (const name of NAMES) {
  const task = `example:${name.replace("_", "-")}`;

  Deno.test(`examples/${name}.ts imports only the package`, async () => {
    const source = await Deno.readTextFile(new URL(`${name}.ts`, EXAMPLES));
    for (const [, specifier] of source.matchAll(/ from "([^"]+)"/g)) {
      assertMatch(specifier, /^(?:@gatehouse\/web\/[\w/-]+|node:sqlite)$/);
    }
  });

  Deno.test(`deno task ${task} serves it`, async () => {
    const { command } = (config.tasks as Record<string, { command: string }>)[
      task
    ];
    const run = command.split(" && deno ").at(-1)!;
    assert(run.endsWith(` examples/${name}.ts`));
    const port = freePorts();
    await using server = await serveCommand(run.split(" "), port, {
      cwd: new URL("../", EXAMPLES),
      env: name === "external_login"
        ? { PORT: String(port) }
        : { DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` },
    });
    const { status, body } = await overHTTP.fetch(new Request(server.origin));
    await body?.cancel();
    assert([302, 404].includes(status), server.output());
  });
}

Deno.test("accounts.ts registers, logs out, resets the password and logs in", async () => {
  const lines: string[] = [];
  using _log = captureConsole("log", (line) => lines.push(String(line)));
  const origin = "http://localhost:8000";
  const options = { origin, remoteAddress: "127.0.0.1" };
  const { fetch } = createTestClient(accountPages, options);
  const mailed = async (pattern: RegExp) => {
    await accounts.flush();
    return pattern.exec(lines.at(-1)!)![1]!;
  };
  const email = "ada@example.com";
  const password = "correct horse battery";
  const home = await fetch("/");
  assertEquals(home.headers.get("Location"), "/login?returnTo=%2F");
  const icon = await fetch("/favicon.ico");
  assertEquals(icon.headers.get("Content-Type"), "image/svg+xml");
  await icon.body?.cancel();
  await post(fetch, "/register", { email, name: "Ada", password });
  const code = await mailed(/^(\d{6})$/m);
  const registered = await post(fetch, "/register/code", { code });
  assertEquals([registered.status, registered.location], [303, "/"]);
  assertEquals(await text(fetch, "/"), "Hello Ada");
  await post(fetch, "/login/out", {});

  await post(fetch, "/login/reset", { email });
  const token = await mailed(/token=([\w-]+)$/m);
  const chosen = { token, password: "another horse battery" };
  assertEquals((await post(fetch, "/login/reset/link", chosen)).status, 303);
  assertEquals((await post(fetch, "/login", { email, password })).status, 422);
  const login = { email, password: chosen.password };
  assertEquals((await post(fetch, "/login", login)).status, 303);
  assertEquals(await text(fetch, "/"), "Hello Ada");
  await accounts.flush();
});

Deno.test("password_login.ts registers, logs out and logs in", async () => {
  const { fetch, cookies } = createTestClient(passwords);
  const account = { email: "ada@example.com", password: "correct horse" };

  const home = await fetch("/");
  assertEquals(home.headers.get("Location"), "/login?returnTo=%2F");
  const registered = await post(fetch, "/register", account);
  assertEquals([registered.status, registered.location], [302, "/"]);
  assertEquals(await cacheControl(fetch, "/"), "no-store");
  assertStringIncludes(await text(fetch, "/"), "Hello ada@example.com");
  assertEquals((await post(fetch, "/logout")).location, "/login");
  assertEquals(cookies.size, 0);

  const wrong = await post(fetch, "/login", { ...account, password: "wrong" });
  assertEquals(wrong.status, 422);
  assertStringIncludes(wrong.body, "Invalid email or password");
  const right = await post(fetch, "/login?returnTo=%2F%3Fa", account);
  assertEquals([right.status, right.location], [302, "/?a"]);
  assertStringIncludes(await text(fetch, "/"), "Hello ada@example.com");
  const shouted = { ...account, email: "ADA@Example.com" };
  assertEquals((await post(fetch, "/login", shouted)).status, 302);
  assertEquals((await post(fetch, "/register", shouted)).status, 422);
});

Deno.test("password_login.ts rejects invalid and existing accounts", async () => {
  const { fetch } = createTestClient(passwords);
  const password = "correct horse";
  const rows: [Record<string, string>, string][] = [
    [{}, "Enter an email address"],
    [{ email: "grace", password }, "Enter an email address"],
    [{ email: "grace@example.com", password: "short" }, "at least 8"],
  ];
  for (const [fields, problem] of rows) {
    const { status, body } = await post(fetch, "/register", fields);
    assertEquals(status, 422);
    assertStringIncludes(body, problem);
  }
  const account = { email: "once@example.com", password };
  const both = await Promise.all([
    post(createTestClient(passwords).fetch, "/register", account),
    post(createTestClient(passwords).fetch, "/register", account),
  ]);
  assertEquals(both.map(({ status }) => status).sort(), [302, 422]);
});

Deno.test("password_login.ts slows down guesses for an address and account", async () => {
  const statuses = async (address: string, email: string, guesses: number) => {
    const { fetch } = createTestClient(passwords, { remoteAddress: address });
    // Concurrent, because five hashes may take longer than the delay of a second.
    const answers = await Promise.all(
      Array.from({ length: guesses }, (_, guess) => {
        const fields = { email, password: `correct horse ${guess}` };
        return post(fetch, "/login", fields);
      }),
    );
    return answers.map(({ status }) => status).sort();
  };
  const email = "guessed@example.com";
  assertEquals(await statuses("203.0.113.7", email, 6), [
    ...Array(5).fill(422),
    429,
  ]);
  assertEquals(await statuses("203.0.113.8", email, 1), [422]);
});

Deno.test("password_login.ts limits one client address to 20 registrations", async () => {
  const info = { remoteAddr: { hostname: "203.0.113.20" } };
  const register = async (email: string) => {
    const body = new URLSearchParams({ email, password: "correct horse" });
    const init = { method: "POST", body };
    const request = new Request("https://app.example/register", init);
    return (await passwords.fetch(request, info)).status;
  };
  for (let count = 0; count < 10; count++) {
    assertEquals(await register(`flood-${count}@example.com`), 302);
    // Probing an existing address counts too.
    assertEquals(await register(`flood-${count}@example.com`), 422);
  }
  assertEquals(await register("flood-0@example.com"), 429);
});

Deno.test("password_login.ts rejects forms of other sites and escapes output", async () => {
  const { fetch } = createTestClient(passwords);
  const forged = await fetch("/login", {
    method: "POST",
    headers: { Origin: "https://evil.example" },
    body: new URLSearchParams({ email: "a@example.com" }),
  });
  assertEquals([forged.status, await forged.text()], [403, "Forbidden"]);
  const policy = forged.headers.get("Content-Security-Policy") ?? "";
  assertStringIncludes(policy, "frame-ancestors 'none'");

  await post(fetch, "/register", {
    email: "o'hara&co@example.com",
    password: "correct horse",
  });
  const page = await text(fetch, "/");
  assertFalse(page.includes("o'hara&co"), page);
});

Deno.test("external_login.ts prints the address of the login", async () => {
  const port = freePorts();
  const server = await serveCommand(
    ["run", "-N", "-E", "examples/external_login.ts"],
    port,
    { cwd: new URL("../", EXAMPLES), env: { PORT: String(port) } },
  );
  // A server accepts connections before it prints its address.
  await server.printed(/\n/);
  await server[Symbol.asyncDispose]();
  assertStringIncludes(server.output(), `http://localhost:${port}/`);
  assertFalse(server.output().includes("127.0.0.1"), server.output());
});

Deno.test("external_login.ts logs in at the demo provider and logs out", async () => {
  await using login = serveLogin();
  const { fetch } = createTestClient(overHTTP, { origin: login.origin });

  const start = await fetch("/?a=1");
  await start.body?.cancel();
  const toProvider = await fetch(start.headers.get("Location")!);
  await toProvider.body?.cancel();
  const back = await choose(toProvider.headers.get("Location")!, "demo-ada");
  const done = await fetch(back);
  await done.body?.cancel();
  assertEquals([done.status, done.headers.get("Location")], [302, "/?a=1"]);
  assertStringIncludes(await text(fetch, "/"), "Hello Ada Demo");
  assertEquals(await cacheControl(fetch, "/"), "no-store");

  assertStringIncludes((await post(fetch, "/logout")).body, "Bye");
  const again = await fetch("/");
  await again.body?.cancel();
  assertEquals(again.status, 302);
});

Deno.test("external_login.ts says that the user canceled the login, without an error", async () => {
  await using login = serveLogin();
  const { fetch } = createTestClient(overHTTP, { origin: login.origin });

  const toProvider = await fetch("/login");
  await toProvider.body?.cancel();
  const canceled = await choose(toProvider.headers.get("Location")!, "nobody");
  const back = await fetch(canceled);
  await back.body?.cancel();
  const location = back.headers.get("Location");
  assertEquals([back.status, location], [302, "/canceled"]);
  const page = await fetch(location!);
  assertEquals(page.status, 200);
  assertStringIncludes(await page.text(), "You have canceled the login");
});

Deno.test("external_login.ts responds with 401 to an unexpected callback", async () => {
  await using login = serveLogin();
  const { fetch } = createTestClient(overHTTP, { origin: login.origin });

  const toProvider = await fetch("/login");
  await toProvider.body?.cancel();
  const canceled = await choose(toProvider.headers.get("Location")!, "nobody");
  await (await fetch(canceled)).body?.cancel();
  for (const path of [canceled, "/callback?code=1&state=2"]) {
    const response = await fetch(path);
    assertEquals(response.status, 401);
    assertStringIncludes(await response.text(), "Authentication failed");
  }
});

Deno.test("api_tokens.ts creates keys with a token, and accepts both", async () => {
  const token = await createAccessToken(1);
  const bearer = { Authorization: `Bearer ${token}` };
  const me = await api.fetch("https://test.example/me", { headers: bearer });
  assertEquals(await me.json(), { id: 1, name: "Ada", role: "user" });

  const created = await api.fetch("https://test.example/keys", {
    method: "POST",
    headers: bearer,
    body: new URLSearchParams({ label: "reports" }),
  });
  assertEquals(created.status, 201);
  assertEquals(created.headers.get("Cache-Control"), "no-store");
  const { id, key } = await created.json();
  const withKey = { "X-API-Key": key };
  const robot = await api.fetch("https://test.example/me", {
    headers: withKey,
  });
  assertEquals(await robot.json(), { id: 1, name: "reports", role: "api" });
  assertEquals(robot.headers.get("Cache-Control"), "no-store");

  const list = await api.fetch("https://test.example/keys", {
    headers: bearer,
  });
  const listed = await list.text();
  assertStringIncludes(listed, id);
  assertFalse(listed.includes(key));
  const remove = async (headers: Record<string, string>) => {
    const init = { method: "DELETE", headers };
    return (await api.fetch(`https://test.example/keys/${id}`, init)).status;
  };
  // A key cannot change keys.
  assertEquals(await remove(withKey), 403);
  assertEquals(await remove(bearer), 204);
  assertEquals(await remove(bearer), 404);
  const gone = await api.fetch("https://test.example/me", { headers: withKey });
  assertEquals(gone.status, 401);
});

Deno.test("api_tokens.ts responds with a challenge without credentials, and requires a label", async () => {
  const nobody = await api.fetch("https://test.example/me");
  assertEquals(nobody.status, 401);
  assertEquals(
    nobody.headers.get("WWW-Authenticate"),
    'Bearer realm="demo"',
  );
  const token = await createAccessToken(1);
  const headers = { Authorization: `Bearer ${token}` };
  for (const label of ["", "x".repeat(101)]) {
    const response = await api.fetch("https://test.example/keys", {
      method: "POST",
      headers,
      body: new URLSearchParams({ label }),
    });
    assertEquals(response.status, 422);
  }
});

const allowed: Record<Role, Record<string, number>> = {
  user: {
    "GET /me": 200,
    "GET /posts": 200,
    "PUT /posts/1": 403,
    "DELETE /posts/9": 403,
    "GET /admin/users": 403,
  },
  editor: {
    "GET /me": 200,
    "GET /posts": 200,
    "PUT /posts/1": 200,
    "PUT /posts/2": 403,
    "PUT /posts/9": 404,
    "DELETE /posts/9": 403,
    "GET /admin/users": 403,
  },
  admin: {
    "GET /me": 200,
    "GET /posts": 200,
    "PUT /posts/2": 200,
    "DELETE /posts/9": 404,
    "DELETE /posts/2": 204,
    "GET /admin/users": 200,
  },
};

Deno.test("roles.ts gives each role its permissions", async () => {
  // The first user has id 1, the editor 2: the author of the first post.
  for (const role of ["user", "editor", "admin"] as const) {
    const headers = { Authorization: `Bearer ${await addUser(role)}` };
    for (const [request, status] of Object.entries(allowed[role])) {
      const [method, path] = request.split(" ");
      const url = new URL(path, "https://test.example");
      const response = await roles.fetch(url, { method, headers });
      assertEquals(response.status, status, `${role}: ${request}`);
      const nobody = await roles.fetch(url, { method });
      assertEquals(nobody.status, 401, `nobody: ${request}`);
    }
  }
});

Deno.test("request_log.ts logs without secrets and without health checks", async () => {
  const lines: string[] = [];
  const output = (line: string) => void lines.push(line);
  const { fetch } = createLoggedApp({ format: "short", output });

  await fetch("https://test.example/health");
  assertEquals(lines, []);
  const response = await fetch(
    "https://test.example/orders/7?token=s3cret&email=ada@example.com",
  );
  const id = response.headers.get("X-Request-Id")!;
  assertMatch(id, /^[\w-]{36}$/);
  const [own, request] = lines;
  assertEquals(own, `info: Order was looked at order="7" request_id="${id}"`);
  const url = "/orders/7?token=REDACTED&email=REDACTED";
  assertStringIncludes(request, `GET ${url} 200`);
});

Deno.test("request_log.ts logs in JSON", async () => {
  const lines: string[] = [];
  const output = (line: string) => void lines.push(line);
  const { fetch } = createLoggedApp({ format: "json", output });

  await fetch("https://test.example/orders/7");
  const [own, request] = lines.map((line) => JSON.parse(line));
  assertEquals(own.message, "Order was looked at");
  assertEquals(request["http.route"], "/orders/:id");
  assertEquals(own["http.request.id"], request["http.request.id"]);
});

/** Finds a free port such that the next one is free too. */
function freePorts(): number {
  for (;;) {
    const port = freePort();
    try {
      Deno.listen({ port: port + 1, hostname: "127.0.0.1" }).close();
      return port;
    } catch {
      // The port is in use.
    }
  }
}

type Fetch = ReturnType<typeof createTestClient>["fetch"];

async function text(fetch: Fetch, path: string): Promise<string> {
  return await (await fetch(path)).text();
}

async function cacheControl(
  fetch: Fetch,
  path: string,
): Promise<string | null> {
  const { body, headers } = await fetch(path);
  await body?.cancel();
  return headers.get("Cache-Control");
}

async function post(
  fetch: Fetch,
  path: string,
  fields: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  const response = await fetch(path, { method: "POST", body });
  const { status, headers } = response;
  const location = headers.get("Location");
  return { status, location, body: await response.text() };
}

/** Serves the example with a demo provider, each on a separate port. */
function serveLogin() {
  const ports = [freePort(), freePort()];
  const origin = `http://localhost:${ports[0]}`;
  const redirectUri = `${origin}/callback`;
  const registration: OIDCAuthProviderOptions = {
    name: "demo",
    issuer: `http://127.0.0.1:${ports[1]}`,
    clientId: "example",
    clientSecret: crypto.randomUUID(),
    redirectUri,
    allowInsecureLoopback: true,
  };
  const provider = createIdentityProvider({
    issuer: registration.issuer,
    clients: [{
      id: registration.clientId,
      secret: registration.clientSecret!,
      redirectUris: [redirectUri],
    }],
  });
  const app = createLoginApp(createOIDCAuthProvider(registration));
  const serve = (
    port: number,
    handler: (request: Request) => Promise<Response>,
  ) => {
    return serveLocally(handler, { port });
  };
  const servers = [
    serve(ports[0], app.fetch),
    serve(ports[1], (request) => provider.fetch(request)),
  ];
  return {
    origin,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.shutdown();
    },
  };
}
