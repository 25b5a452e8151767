/** Real builds of docs/other_frameworks.md, over sockets. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type IncomingMessage, request as send } from "node:http";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import {
  ASTRO,
  type FrameworkServer,
  hasNode,
  serveFramework,
  SVELTE_KIT,
  TANSTACK_START,
} from "../deno/_frameworks.ts";
import { serveFresh } from "../deno/_fresh.ts";
import { skip } from "../deno/_installed.ts";
import { isNightly } from "./_nightly.ts";

const ORIGIN = "https://notes.example";

/** The address that the proxy adds. */
const ADDRESS = "203.0.113.7";

const ENV = {
  DATABASE: ":memory:",
  ORIGIN,
  PROXIES: "1",
  SECRETS: "q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0",
};

/** Installing and building takes up to a minute, so some do it every night. */
const FRAMEWORKS = isNightly
  ? [SVELTE_KIT, ASTRO, TANSTACK_START]
  : [SVELTE_KIT];

for (const framework of hasNode ? FRAMEWORKS : []) {
  testFramework(framework.name, () => serveFramework(framework, ENV));
}

if (isNightly) {
  if (Deno.env.get("JSR_URL")?.startsWith("http")) {
    testFramework("Fresh", () => serveFresh(ENV));
  } else {
    skip("the application of Fresh", "its packages are on JSR");
  }
}

function testFramework(
  name: string,
  serve: () => Promise<FrameworkServer>,
): void {
  Deno.test(`other_frameworks.md: ${name} shows the user of the session, and refuses posts of other sites`, async () => {
    await using server = await serve();
    await walk(server, name);
  });
}

async function walk(
  server: FrameworkServer,
  name: string,
): Promise<void> {
  const client = createTestClient(
    { fetch: (request: Request) => throughProxy(request, server.port) },
    { origin: ORIGIN },
  );
  await testVisitor(client);
  const registered = await post(client, "/register", {
    email: "ada@example.com",
    name: "Ada",
    password: "correct horse battery",
  });
  assertEquals(registered, [303, "/register/code"]);
  const [code] = await server.printed(/^\d{6}$/m);
  assertEquals(await post(client, "/register/code", { code }), [303, "/"]);
  await testUser(client);
  if (name !== TANSTACK_START.name) {
    assertStringIncludes(await read(client, "/about"), "About");
  }
  await testOtherSites(client);

  const [status] = await post(client, "/login/out", {});
  assertEquals(status, 303);
  await testVisitor(client);
  await testForgedAddress(client);
  assert(!server.output().includes("address is not known"), server.output());
}

/** Paths that frameworks or browsers may take for `/app`. */
const DISGUISED = [
  "/app/",
  "/APP",
  "/%61pp",
  "//app",
  "/app%2F",
  "/app/index.html",
  "/app/__data.json",
  "/app.json",
];

async function testVisitor(client: TestClient): Promise<void> {
  assertStringIncludes(await read(client, "/"), "Hello visitor");
  const guarded = await client.fetch("/app");
  await guarded.body?.cancel();
  const location = new URL(guarded.headers.get("Location")!, ORIGIN);
  assertEquals(location.pathname, "/login");
  assertEquals(location.searchParams.get("returnTo"), "/app");
  for (const path of DISGUISED) {
    const response = await client.fetch(ORIGIN + path);
    assert(!(await response.text()).includes("Notes of"), path);
  }
}

async function testUser(client: TestClient): Promise<void> {
  assertStringIncludes(await read(client, "/"), "Hello Ada");
  assertStringIncludes(await read(client, "/app"), "Notes of Ada");
  const body = new URLSearchParams({ text: "hello" });
  const response = await client.fetch("/", { method: "POST", body });
  assertStringIncludes(await response.text(), "Ada says hello");
}

/** Posts as another site would, and as the browser reports it. */
async function testOtherSites(client: TestClient): Promise<void> {
  for (const path of ["/", "/login/out", "/account/delete"]) {
    for (const body of [new URLSearchParams({ text: "x" }), "{}"]) {
      const response = await client.fetch(path, {
        method: "POST",
        body,
        headers: {
          "Origin": "https://evil.example",
          "Sec-Fetch-Site": "cross-site",
          ...body === "{}" && { "Content-Type": "application/json" },
        },
      });
      await response.body?.cancel();
      assertEquals(response.status, 403, path);
    }
  }
  assertStringIncludes(await read(client, "/"), "Hello Ada");
}

/**
 * Guesses a password, with a new first entry of X-Forwarded-For each time. Sends all
 * guesses at once, because a slow server would let the delay between two pass.
 */
async function testForgedAddress(client: TestClient): Promise<void> {
  const guess = async (_: unknown, attempt: number) => {
    const response = await client.fetch("/login", {
      method: "POST",
      body: new URLSearchParams({
        email: "grace@example.com",
        password: "correct donkey battery",
      }),
      headers: { "X-Forwarded-For": `198.51.100.${attempt}` },
    });
    await response.body?.cancel();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 10 }, guess));
  assertEquals(new Set(statuses), new Set([422, 429]));
}

async function read(client: TestClient, path: string): Promise<string> {
  const response = await client.fetch(path);
  assertEquals(response.status, 200, path);
  return await response.text();
}

async function post(
  client: TestClient,
  path: string,
  fields: Record<string, string>,
): Promise<[status: number, location: string | null]> {
  const body = new URLSearchParams(fields);
  const response = await client.fetch(path, { method: "POST", body });
  await response.body?.cancel();
  return [response.status, response.headers.get("Location")];
}

/** Sends a request as a proxy for TLS does. `fetch` cannot set its host. */
async function throughProxy(
  request: Request,
  port: number,
): Promise<Response> {
  const { host, pathname, search } = new URL(request.url);
  const forwarded = request.headers.get("X-Forwarded-For");
  const headers = {
    // Browsers send it with each post.
    ...request.method === "POST" && { origin: ORIGIN },
    ...Object.fromEntries(request.headers),
    "host": host,
    "x-forwarded-for": forwarded ? `${forwarded}, ${ADDRESS}` : ADDRESS,
    "x-forwarded-host": host,
    "x-forwarded-proto": "https",
  };
  const body = await request.bytes();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  send({
    host: "127.0.0.1",
    port,
    path: pathname + search,
    method: request.method,
    headers,
  }, resolve).on("error", reject).end(body);
  const response = await promise;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of response) chunks.push(new Uint8Array(chunk));
  const answer = new Response(
    response.statusCode === 304 ? null : new Blob(chunks),
    { status: response.statusCode! },
  );
  const { rawHeaders } = response;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    answer.headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return answer;
}
