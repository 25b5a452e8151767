/** Runs the code of the README as it is printed there. */
import {
  assert,
  assertEquals,
  assertLess,
  assertStringIncludes,
} from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import config from "../../deno.json" with { type: "json" };
import { REPOSITORY } from "../../site/pages.ts";
import { BADGES, badges } from "../deno/_badges.ts";
import { codeBlocks, fileLinks } from "../deno/_markdown.ts";
import {
  deno,
  overHTTP,
  programFile,
  serveProgram,
} from "../deno/_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", ROOT));
const blocks = codeBlocks(readme);
const [hello, login, ...others] = blocks
  .filter(({ language }) => language === "ts").map(({ text }) => text);
const programs = [hello, login];

Deno.test("the README has at most 150 lines", () => {
  assertLess(readme.split("\n").length, 152);
});

Deno.test("every command of the README names a task, or adds or starts this package", () => {
  const lines = blocks.filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"))
    .filter((line) => !line.startsWith("#"));
  assertEquals(
    lines.shift(),
    `git clone ${REPOSITORY} gatehouse && cd gatehouse`,
  );
  const tasks = lines.splice(0, 4).map((line) =>
    /^(?:deno|npx -y deno@[\d.]+) task (\w+)$/.exec(line)?.[1]
  );
  assertEquals(tasks, ["start", "test", "start", "test"]);
  const create = `deno run -A jsr:${config.name}/create my-app`;
  assertEquals(lines.shift(), create);
  const tools = ["deno add jsr:", "bunx jsr add ", "npx jsr add "];
  assertEquals(lines, tools.map((tool) => tool + config.name));
  for (const task of tasks) assert(task! in config.tasks);
});

Deno.test("every link of the README to a file leads to one", async () => {
  for (const path of fileLinks(readme)) {
    const { isFile } = await Deno.stat(new URL(path, ROOT));
    assert(isFile, path);
  }
});

Deno.test("the README names the version and the runtimes of its badges", async () => {
  const list = await badges();
  assertEquals(list.length, 6);
  const texts = (await Deno.readTextFile(BADGES))
    .matchAll(/<text[^>]*>([^<]*)</g);
  assertEquals([...texts].map(([, text]) => text), list.flat());
  const [status] = readme.replaceAll(/\s+/g, " ").split("```");
  assertStringIncludes(status, config.version);
  for (const [name, value] of list.slice(2, 5)) {
    assertStringIncludes(status, `${name} ${value.slice(0, -1)}`);
  }
});

Deno.test("the README logs in with at most 20 lines in one program", () => {
  assertLess(login.trim().split("\n").length, 21);
});

Deno.test("every program of the README is formatted", async () => {
  await using file = await programFile(programs[0]);
  const other = `${file.folder}/login.ts`;
  await Deno.writeTextFile(other, programs[1]);
  await deno(["fmt", "--check", file.path, other]);
});

Deno.test("every program of the README is run below", () => {
  assertEquals(programs.length, 2);
  assertEquals(others, []);
});

Deno.test("the first program of the README greets", async () => {
  await using server = await serveProgram(programs[0]);
  const { fetch } = createTestClient(overHTTP, { origin: server.origin });
  assertEquals(await (await fetch("/")).text(), "Hello");
  assertEquals(await (await fetch("/Ada")).text(), "Hello Ada");
});

Deno.test("the login of the README registers, and logs in with the right password only", async () => {
  const options = { isClockStopped: true };
  await using server = await serveProgram(programs[1], options);
  const client = createTestClient(overHTTP, { origin: server.origin });
  const { fetch } = client;
  const post = async (
    path: string,
    values: Record<string, string>,
    { fetch } = client,
  ) => {
    const body = new URLSearchParams(values);
    const response = await fetch(path, { method: "POST", body });
    await response.body?.cancel();
    return response.headers.get("Location") ?? response.status;
  };

  const start = await fetch("/");
  await start.body?.cancel();
  assertEquals(start.headers.get("Location"), "/login?returnTo=%2F");
  const email = "ada@example.com";
  const password = "correct horse battery";
  const registration = { name: "Ada", email, password };
  assertEquals(await post("/register", registration), "/register/code");
  const [code] = await server.printed(/^\d{6}$/m);
  assertEquals(await post("/register/code", { code }), "/");
  assertEquals(await (await fetch("/")).text(), "Hello Ada");

  await post("/login/out", {});
  assertEquals(await post("/login", { email, password: "wrong one" }), 422);
  assertEquals(await post("/login", { email, password }), "/");

  // A known device has more guesses.
  const stranger = createTestClient(overHTTP, { origin: server.origin });
  for (let guess = 0; guess < 5; guess++) {
    await post("/login", { email, password: "guessed it" }, stranger);
  }
  const refused = await post("/login", { email, password }, stranger);
  assertEquals(refused, 429, "the right password is not called wrong");
  await post("/login/out", {});
  assertEquals(await post("/login", { email, password }), "/");
});
