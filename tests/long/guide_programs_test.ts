/** Runs the server programs of the guide unchanged. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { choose } from "../deno/_example_app.ts";
import { DOCS, programs } from "../deno/_guide.ts";
import { codeBlocks } from "../deno/_markdown.ts";
import {
  bundleProgram,
  deno,
  freePort,
  overHTTP,
  programFile,
  serveCommand,
  type ServedProgram,
  serveProgram,
} from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import { until } from "../_wait.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

Deno.test("getting_started.md: the first program greets", async () => {
  const { "hello.ts": program } = await programs("getting_started.md");
  await using server = await serveProgram(program);
  const { fetch } = browserOf(server);
  assertEquals(await (await fetch("/")).text(), "Hello");
  assertEquals(await (await fetch("/hello/Ada")).text(), "Hello Ada");
});

Deno.test("getting_started.md: the login registers, logs in, and survives a restart", async () => {
  const { "main.ts": program } = await programs("getting_started.md");
  const folder = await makeDataFolder();
  const env = { DATABASE: `${folder}/data.sqlite` };
  try {
    const cookies: [string, string][] = [];
    {
      await using server = await serveProgram(program, { env });
      const client = browserOf(server);
      const home = await send(client, "/");
      assertEquals(home.location, "/login?returnTo=%2F");
      assertEquals((await send(client, "/register", {})).status, 422);
      const registered = await send(client, "/register", ADA);
      assertEquals([registered.status, registered.location], [302, "/"]);
      const refusals = [
        ADA,
        { ...ADA, email: ADA.email.toUpperCase() },
        { email: "long@example.com", password: "x".repeat(5000) },
      ];
      for (const account of refusals) {
        assertEquals((await send(client, "/register", account)).status, 422);
      }

      assertEquals((await send(client, "/logout", {})).location, "/login");
      const wrong = { ...ADA, password: "correct donkey" };
      const refused = await send(client, "/login", wrong);
      assertStringIncludes(refused.body, "Invalid email or password");
      const login = await send(client, "/login?returnTo=%2F%3Fa", ADA);
      assertEquals([login.status, login.location], [302, "/?a"]);
      cookies.push(...client.cookies);
    }
    await using server = await serveProgram(program, { env });
    const response = await fetch(server.origin, {
      headers: { Cookie: cookies.map((pair) => pair.join("=")).join("; ") },
    });
    assertStringIncludes(await response.text(), `Hello ${ADA.email}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("getting_started.md: one client address is limited to 20 registrations", async () => {
  const { "main.ts": program } = await programs("getting_started.md");
  const options = { env: { DATABASE: ":memory:" }, isClockStopped: true };
  await using server = await serveProgram(program, options);
  const register = (email: string) =>
    send(browserOf(server), "/register", { ...ADA, email });
  for (let count = 0; count < 20; count++) {
    assertEquals((await register(`${count}@example.com`)).status, 302);
  }
  assertEquals((await register("0@example.com")).status, 429);
});

Deno.test("getting_started.md: with a proxy the cookie is secure, and requests of other sites are rejected", async () => {
  const { "main.ts": program } = await programs("getting_started.md");
  const env = { ORIGIN: "https://app.example.com", DATABASE: ":memory:" };
  await using server = await serveProgram(program, { env });
  const viaProxy = (headers: Record<string, string>) =>
    fetch(`${server.origin}/register`, {
      method: "POST",
      redirect: "manual",
      headers: { "X-Forwarded-For": "203.0.113.7", ...headers },
      body: new URLSearchParams(ADA),
    });

  const forged = await viaProxy({ Origin: "https://evil.example" });
  assertEquals([forged.status, await forged.text()], [403, "Forbidden"]);
  const own = await viaProxy({ Origin: "https://app.example.com" });
  await own.body?.cancel();
  assertEquals(own.status, 302);
  assertMatch(
    own.headers.getSetCookie()[0],
    /^__Host-Http-session=[^;]+;.*Secure/,
  );
});

Deno.test("getting_started.md: its test passes", async () => {
  const { "main.ts": program, "main_test.ts": test } = await programs(
    "getting_started.md",
  );
  await using file = await programFile(program);
  await Deno.writeTextFile(`${file.folder}/main_test.ts`, test);
  await deno(["test", "-A", "--no-check"], {
    cwd: file.folder,
    env: { DATABASE: ":memory:" },
  });
});

Deno.test("deploy.md: a server writes its log before it stops", async () => {
  const { "shutdown.ts": program } = await programs("deploy.md");
  const server = await serveProgram(program);
  try {
    assertEquals(await (await fetch(server.origin)).text(), "Hello");
  } finally {
    await server[Symbol.asyncDispose]();
  }
  assertStringIncludes(server.output(), "GET / 200");
});

const postgres = findProgram("postgres", "deploy.md, deno_deploy.ts");

Deno.test({
  name: "deploy.md: accounts on Deno Deploy send emails, and survive a restart",
  ignore: postgres === null,
  fn: async () => {
    const { "deno_deploy.ts": program } = await programs("deploy.md");
    const { "mail.ts": mail } = await programs("create_a_project.md");
    const mails: string[] = [];
    await using provider = serveLocally(async (request) => {
      mails.push(await request.text());
      return new Response();
    });
    const database = await startPostgres(postgres!);
    const port = freePort();
    const options = {
      port,
      env: {
        MAIL_KEY: "key",
        ORIGIN: `http://localhost:${port}`,
        PGDATABASE: "postgres",
        PGHOST: "127.0.0.1",
        PGPORT: String(database.port),
        PGUSER: "test",
        SECRETS: "q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0",
      },
    };
    const source = program
      .replace('import { sendMail } from "./mail.ts";', mail)
      .replace(
        "https://api.provider.example",
        `http://127.0.0.1:${provider.addr.port}`,
      );
    const cookies: [string, string][] = [];
    {
      await using server = await serveProgram(source, options);
      const client = browserOf(server);
      const registered = await send(client, "/register", {
        ...ADA,
        name: "Ada",
      });
      assertEquals(registered.location, "/register/code");
      const code = await until(() => /\b\d{6}\b/.exec(mails.join())?.[0]);
      const { location } = await send(client, "/register/code", { code });
      assertEquals(location, "/");
      cookies.push(...client.cookies);
    }
    {
      await using server = await serveProgram(source, options);
      const response = await fetch(`${server.origin}/account/session`, {
        headers: { Cookie: cookies.map((pair) => pair.join("=")).join("; ") },
      });
      assertEquals((await response.json()).account.email, ADA.email);
    }
    await database.stop();
  },
});

Deno.test("deploy.md: the server for Bun greets", async () => {
  const { "bun.ts": program } = await programs("deploy.md");
  const port = freePort();
  await using file = await programFile(program.replace("8000", String(port)));
  await bundleProgram(file, file.path);
  const args = [`${file.folder}/bundle.js`];
  await using server = await serveCommand(args, port, { program: bunPath() });
  const url = server.origin.replace("localhost", "127.0.0.1");
  assertEquals(await (await fetch(url)).text(), "Hello 127.0.0.1");
});

Deno.test({
  name: "deploy.md: the server for Node greets",
  ignore: NODE_VERSIONS.length === 0,
  fn: async () => {
    const { "node.ts": program } = await programs("deploy.md");
    const port = freePort();
    const script = program.replace("8000", String(port))
      .replace('"srvx"', '"npm:srvx@1.0.8/node"');
    await using file = await programFile(script);
    await bundleProgram(file, file.path);
    await Deno.rename(`${file.folder}/bundle.js`, `${file.folder}/out.mjs`);
    const args = [`${file.folder}/out.mjs`];
    await using server = await serveCommand(args, port, {
      program: await nodePath(),
    });
    const url = server.origin.replace("localhost", "127.0.0.1");
    assertEquals(await (await fetch(url)).text(), "Hello 127.0.0.1");
  },
});

Deno.test("static_files.md: the server for Bun serves one file", async () => {
  const { "bun_files.ts": program } = await programs("static_files.md");
  const port = freePort();
  await using file = await programFile(program.replace("8000", String(port)));
  await Deno.mkdir(`${file.folder}/public`);
  await Deno.writeTextFile(`${file.folder}/public/style.css`, "h1 {}");
  await bundleProgram(file, file.path);
  const args = [`${file.folder}/bundle.js`];
  const options = { program: bunPath(), cwd: file.folder };
  await using server = await serveCommand(args, port, options);
  const url = server.origin.replace("localhost", "127.0.0.1");
  const style = await fetch(`${url}/assets/style.css`);
  assertEquals(await style.text(), "h1 {}");
  assertMatch(style.headers.get("Content-Type") ?? "", /^text\/css/);
  for (const name of ["main.ts", "..%2Fmain.ts"]) {
    const other = await fetch(`${url}/assets/${name}`);
    await other.body?.cancel();
    assertEquals(other.status, 404);
  }
});

Deno.test({
  name: "static_files.md: the server for Node serves a folder",
  ignore: NODE_VERSIONS.length === 0,
  fn: async () => {
    const { "node_files.ts": program } = await programs("static_files.md");
    const port = freePort();
    const script = program.replace("8000", String(port))
      .replace('"srvx"', '"npm:srvx@1.0.8/node"')
      .replace('"srvx/static"', '"npm:srvx@1.0.8/static"');
    await using file = await programFile(script);
    await Deno.mkdir(`${file.folder}/public`);
    await Deno.writeTextFile(`${file.folder}/public/style.css`, "h1 {}");
    await Deno.writeTextFile(`${file.folder}/public/.env`, "SECRET=1");
    await bundleProgram(file, file.path);
    await Deno.rename(`${file.folder}/bundle.js`, `${file.folder}/out.mjs`);
    const args = [`${file.folder}/out.mjs`];
    await using server = await serveCommand(args, port, {
      program: await nodePath(),
      cwd: file.folder,
    });
    const url = server.origin.replace("localhost", "127.0.0.1");
    assertEquals(await (await fetch(url)).text(), "Hello");
    const style = await fetch(`${url}/style.css`);
    assertEquals(await style.text(), "h1 {}");
    assertMatch(style.headers.get("Content-Type") ?? "", /^text\/css/);
    assertEquals(style.headers.get("Cache-Control"), "max-age=300");
    for (const name of ["main.ts", "..%2Fmain.ts", "%2e%2e/main.ts", ".env"]) {
      const other = await fetch(`${url}/${name}`);
      await other.body?.cancel();
      assertEquals(other.status, 404, name);
    }
  },
});

Deno.test("static_files.md: the configuration of the Worker serves a folder, and no other file", async () => {
  const page = await Deno.readTextFile(new URL("static_files.md", DOCS));
  const { text } = codeBlocks(page).find(({ language }) =>
    language === "json"
  )!;
  const { assets, compatibility_date } = JSON.parse(text);
  await using file = await programFile(`
import { createRouter } from "@gatehouse/web";
const router = createRouter();
router.get("/", () => new Response("Hello"));
export default { fetch: router.fetch };
`);
  const directory = `${file.folder}/${assets.directory}`;
  await Deno.mkdir(directory);
  await Deno.writeTextFile(`${directory}/style.css`, "h1 {}");
  await Deno.writeTextFile(`${directory}/.env`, "SECRET=1");
  await using worker = await startWorker({
    script: await bundleProgram(file, file.path),
    compatibilityDate: compatibility_date,
    assets: { directory, routerConfig: { has_user_worker: true } },
  });
  const get = (path: string) => fetch(new URL(path, worker.url));
  assertEquals(await (await get("/")).text(), "Hello");
  const style = await get("/style.css");
  assertEquals(await style.text(), "h1 {}");
  assertMatch(style.headers.get("Content-Type") ?? "", /^text\/css/);
  for (const path of ["/main.ts", "/..%2Fmain.ts", "/%2e%2e/main.ts"]) {
    const other = await get(path);
    await other.body?.cancel();
    assertEquals(other.status, 404, path);
  }
  // As the page warns.
  assertEquals(await (await get("/.env")).text(), "SECRET=1");
});

Deno.test("deploy.md: the Worker keeps sessions, with the configuration next to it", async () => {
  const { "worker.ts": program } = await programs("deploy.md");
  const page = await Deno.readTextFile(new URL("deploy.md", DOCS));
  const { text } = codeBlocks(page).find(({ language }) =>
    language === "json"
  )!;
  const { d1_databases, compatibility_date, vars } = JSON.parse(text);
  await using file = await programFile(program);
  await using worker = await startWorker({
    script: await bundleProgram(file, file.path),
    compatibilityDate: compatibility_date,
    bindings: vars,
    d1Databases: d1_databases.map((one: { binding: string }) => one.binding),
  });
  const first = await fetch(worker.url);
  assertEquals(await first.text(), "Visit 1");
  const [cookie] = first.headers.getSetCookie()[0].split(";");
  assertMatch(cookie, /^__Host-Http-session=/);
  const second = await fetch(worker.url, { headers: { cookie } });
  assertEquals(await second.text(), "Visit 2");
});

Deno.test("uploads.md: the Worker stores files of the right type and length in R2", async () => {
  const { "r2.ts": program } = await programs("uploads.md");
  await using file = await programFile(`import router from "./r2.ts";
import { env } from "cloudflare:workers";
export default {
  async fetch(request: Request, ...platform: unknown[]) {
    if (request.method !== "GET") return router.fetch(request, ...platform);
    const { objects } = await env.FILES.list({ include: ["httpMetadata"] });
    return Response.json(objects.map(({ size, httpMetadata }) =>
      [size, httpMetadata.contentType, httpMetadata.contentDisposition]));
  },
};`);
  await Deno.writeTextFile(`${file.folder}/r2.ts`, program);
  await using worker = await startWorker({
    script: await bundleProgram(file, file.path),
    r2Buckets: ["FILES"],
  });
  const send = async (body: BodyInit, headers: Record<string, string>) => {
    const url = new URL("/files", worker.url);
    const response = await fetch(url, { method: "POST", body, headers });
    await response.body?.cancel();
    return response.status;
  };
  const type = { "Content-Type": "image/png" };
  assertEquals(await send(new Uint8Array(300_000), type), 201);
  assertEquals(await send("<p>", { "Content-Type": "text/html" }), 415);
  const chunks = new Blob(["chunk"]).stream();
  assertEquals(await send(chunks, type), 411);
  const stored = await (await fetch(worker.url)).json();
  assertEquals(stored, [[300_000, "image/png", "attachment"]]);
});

Deno.test("deploy.md: the login of the Worker registers, logs in and throttles", async () => {
  const { "worker_login.ts": program } = await programs("deploy.md");
  const page = await Deno.readTextFile(new URL("deploy.md", DOCS));
  const [, table] = /--command "([^"]+)"/.exec(page)!;
  await using file = await programFile(`import "./clock.ts";
import worker from "./worker.ts";
import { env } from "cloudflare:workers";
export default {
  async fetch(request: Request, ...platform: unknown[]) {
    if (request.method !== "PUT") return worker.fetch(request, ...platform);
    await env.SESSIONS.exec(${JSON.stringify(table)});
    return new Response();
  },
};`);
  await Deno.writeTextFile(`${file.folder}/worker.ts`, program);
  // No delay of the throttle ends while the machine is busy. A Worker has no time
  // until its first request.
  const clock = `Date.now = () => ${Date.now()};`;
  await Deno.writeTextFile(`${file.folder}/clock.ts`, clock);
  await using worker = await startWorker({
    script: await bundleProgram(file, file.path),
    bindings: { ORIGIN: "http://localhost:8787" },
    d1Databases: ["SESSIONS"],
  });
  await (await fetch(worker.url, { method: "PUT" })).body?.cancel();
  const toWorker = {
    fetch: (request: Request) => {
      const { pathname, search } = new URL(request.url);
      const url = new URL(pathname + search, worker.url);
      return fetch(new Request(url, request), { redirect: "manual" });
    },
  };
  const origin = "http://localhost:8787";
  const client = createTestClient(toWorker, { origin });
  const other = createTestClient(toWorker, { origin });
  assertEquals((await send(client, "/")).location, "/login?returnTo=%2F");
  assertEquals((await send(client, "/register", ADA)).location, "/");
  assertEquals((await send(client, "/")).body, `Hello ${ADA.email}`);
  assertEquals((await send(other, "/register", ADA)).status, 422);
  assertEquals((await send(other, "/login", ADA)).location, "/");

  const stranger = createTestClient(toWorker, { origin });
  const guess = { ...ADA, password: "guess" };
  for (let count = 0; count < 5; count++) {
    assertEquals((await send(stranger, "/login", guess)).status, 422);
  }
  assertEquals((await send(stranger, "/login", ADA)).status, 422);
});

Deno.test("add_a_provider.md: the OpenID Connect login logs in at a provider", async () => {
  const { "oidc.ts": program } = await programs("add_a_provider.md");
  const port = freePort();
  await using provider = serveProvider(
    `http://localhost:${port}/callback`,
  );
  const source = program
    .replace(
      '"https://login.example.com"',
      `"${provider.issuer}", allowInsecureLoopback: true`,
    )
    .replace("localhost:8000", `localhost:${port}`);
  await using server = await serveProgram(source, { port });
  const { fetch } = createTestClient(overHTTP, { origin: server.origin });

  const start = await fetch("/login");
  await start.body?.cancel();
  const back = await choose(start.headers.get("Location")!, "demo-ada");
  assertEquals(await (await fetch(back)).text(), "Hello Ada Demo");
  const again = await fetch(back);
  assertEquals([again.status, await again.text()], [401, "Failed"]);
});

const ADA = { email: "ada@example.com", password: "correct horse" };

type Client = ReturnType<typeof createTestClient>;

function browserOf({ origin }: ServedProgram): Client {
  return createTestClient(overHTTP, { origin });
}

/** Opens a page, or sends a form. */
async function send(
  { fetch }: Client,
  path: string,
  fields?: Record<string, string>,
) {
  const response = await fetch(
    path,
    fields && { method: "POST", body: new URLSearchParams(fields) },
  );
  const { status, headers } = response;
  const location = headers.get("Location");
  return { status, location, body: await response.text() };
}

function serveProvider(redirectUri: string) {
  const port = freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = createIdentityProvider({
    issuer,
    clients: [{
      id: "my-app",
      secret: "from the provider",
      redirectUris: [redirectUri],
    }],
  });
  const server = serveLocally(provider.fetch, { port });
  return { issuer, [Symbol.asyncDispose]: () => server.shutdown() };
}
