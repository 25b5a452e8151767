/** Runs the code of the README as it is printed there. */
import {
  assert,
  assertEquals,
  assertLess,
  assertStringIncludes,
} from "@std/assert";
import { createTestClient } from "@gatehouse/web/fetch-router/testing";
import config from "../../deno.json" with { type: "json" };
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { choose } from "./_example_app.ts";
import { codeBlocks, fileLinks } from "./_markdown.ts";
import {
  deno,
  freePort,
  overHTTP,
  programFile,
  serveProgram,
} from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", ROOT));
const blocks = codeBlocks(readme);
const programs = blocks.filter(({ language }) => language === "ts")
  .map(({ text }) => text);

Deno.test("the README has at most 150 lines", () => {
  assertLess(readme.split("\n").length, 152);
});

Deno.test("every command of the README names a task, or adds this package", () => {
  const lines = blocks.filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"))
    .filter((line) => !line.startsWith("#"));
  const tasks = lines.map((line) =>
    /^(?:deno|npx -y deno@[\d.]+) task (\w+)$/.exec(line)?.[1]
  );
  assertEquals(tasks, ["start", "test", "start", "test"]);
  for (const task of tasks) assert(task! in config.tasks);
  for (const tool of ["deno add jsr:", "bunx jsr add ", "npx jsr add "]) {
    assertStringIncludes(readme, `\`${tool}${config.name}\``);
  }
});

Deno.test("every link of the README to a file leads to one", async () => {
  for (const path of fileLinks(readme)) {
    const { isFile } = await Deno.stat(new URL(path, ROOT));
    assert(isFile, path);
  }
});

Deno.test("every program of the README is formatted and type-checks", async () => {
  for (const program of programs) {
    await using file = await programFile(program);
    await deno(["fmt", "--check", file.path]);
    await deno(["check", "--config", file.config, file.path]);
  }
});

Deno.test("every program of the README is run below", () => {
  assertEquals(programs.length, 3);
});

Deno.test("the first program of the README greets", async () => {
  await using server = await serveProgram(programs[0]);
  const { fetch } = createTestClient(overHTTP, { origin: server.origin });
  assertEquals(await (await fetch("/")).text(), "Hello");
  assertEquals(await (await fetch("/Ada")).text(), "Hello Ada");
});

Deno.test("the login of the README logs in with the right password only", async () => {
  await using server = await serveProgram(programs[1]);
  const client = createTestClient(overHTTP, { origin: server.origin });
  const { fetch } = client;
  const send = (
    password: string,
    email = "ada@example.com",
    { fetch } = client,
  ) =>
    fetch("/login?returnTo=%2F%3Fa%3D1", {
      method: "POST",
      body: new URLSearchParams({ email, password }),
    });

  const start = await fetch("/");
  await start.body?.cancel();
  assertEquals(start.headers.get("Location"), "/login?returnTo=%2F");
  assertStringIncludes(await (await fetch("/login")).text(), "<form");
  for (
    const response of [
      await send("wrong"),
      await send("correct horse", "nobody@example.com"),
    ]
  ) {
    assertEquals(response.status, 422);
    assertStringIncludes(await response.text(), "Invalid email or password");
  }
  const answer = await send("correct horse");
  await answer.body?.cancel();
  assertEquals(answer.headers.get("Location"), "/?a=1");
  assertEquals(await (await fetch("/")).text(), "Hello Ada");

  // A known device has more guesses.
  const stranger = createTestClient(overHTTP, { origin: server.origin });
  const guesses = await Promise.all(
    Array.from({ length: 6 }, () => send("guessed", undefined, stranger)),
  );
  for (const { body } of guesses) await body?.cancel();
  const statuses = guesses.map(({ status }) => status).sort();
  assertEquals(statuses, [422, 422, 422, 422, 422, 429]);
});

Deno.test("the OpenID Connect login of the README logs in at a provider", async () => {
  const port = freePort();
  await using provider = await serveProvider(
    `http://localhost:${port}/callback`,
  );
  const source = programs[2]
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

async function serveProvider(redirectUri: string) {
  const port = freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = await createIdentityProvider({
    issuer,
    clients: [{
      id: "my-app",
      secret: "from the provider",
      redirectUris: [redirectUri],
    }],
  });
  const options = { port, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, provider.fetch);
  return { issuer, [Symbol.asyncDispose]: () => server.shutdown() };
}
