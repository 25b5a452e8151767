/**
 * Creates projects for each runtime, runs their tests, serves them and uses them
 * over HTTP: each template on some runtimes, and every night on all.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import {
  type CreatedProject,
  createWorkplace,
  type Runtime,
  runtimes,
  type Template,
  TEMPLATES,
} from "../deno/_created_projects.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import { overHTTP, type ServedProgram } from "../deno/_programs.ts";
import { isNightly } from "./_nightly.ts";

/** The templates that run on each day. */
const DAILY: Record<Runtime, readonly Template[]> = {
  deno: ["saas", "minimal"],
  bun: ["login", "api"],
  node: ["saas", "api"],
  workers: ["login", "minimal"],
};

/** The command that installs the packages of a project. */
const INSTALL: Partial<Record<Runtime, string>> = {
  bun: "bun install",
  node: "npm install",
  workers: "npm install",
};

/** The other commands of a user, and of the project's workflow. */
const COMMANDS: Record<Runtime, readonly string[]> = {
  deno: ["deno task test", "deno task check"],
  bun: ["bun test", "bun run check"],
  node: ["npm test", "npm run check"],
  workers: ["npm test", "npm run check"],
};

/** Uses a served project, by its template. */
const USE: Record<
  Template,
  (server: ServedProgram, project: CreatedProject) => Promise<void>
> = {
  async minimal({ origin }) {
    const response = await fetch(`${origin}/hello/Ada`);
    assertEquals(await response.text(), "Hello Ada");
  },

  async login(server) {
    await useAccounts(server);
  },

  async saas(server) {
    const { fetch } = await useAccounts(server);
    for (const path of ["/teams", "/account/keys"]) {
      const response = await fetch(path);
      assertEquals(response.status, 200);
      await response.body?.cancel();
    }
  },

  async api({ origin }, { folder }) {
    const settings = await Deno.readTextFile(`${folder}/.env`);
    const [, token] = /^API_TOKENS=demo:(\w+)$/m.exec(settings)!;
    const post = (Authorization: string) =>
      fetch(`${origin}/notes`, {
        method: "POST",
        headers: { Authorization, "Content-Type": "application/json" },
        body: JSON.stringify({ text: "Tea" }),
      });
    const created = await post(`Bearer ${token}`);
    assertEquals([created.status, (await created.json()).text], [201, "Tea"]);
    const refused = await post("Bearer api_guess");
    const { status } = await refused.json();
    assertEquals([refused.status, status], [401, 401]);
  },
};

/** Registers a user, logs out and in, and returns the client. */
async function useAccounts({ origin, printed }: ServedProgram) {
  const client = createTestClient(overHTTP, { origin });
  const { fetch } = client;
  const send = async (path: string, fields: Record<string, string> = {}) => {
    const body = new URLSearchParams(fields);
    const response = await fetch(path, { method: "POST", body });
    await response.body?.cancel();
    return [response.status, response.headers.get("Location")];
  };
  const ada = { email: "ada@example.com", password: "correct horse battery" };
  const registered = await send("/register", { ...ada, name: "Ada" });
  assertEquals(registered, [303, "/register/code"]);
  // In development, the application prints its emails.
  const [code] = await printed(/^\d{6}$/m);
  assertEquals(await send("/register/code", { code }), [303, "/"]);
  await send("/login/out");
  const wrong = { ...ada, password: "correct donkey battery" };
  assertEquals((await send("/login", wrong))[0], 422);
  assertEquals(await send("/login", ada), [303, "/"]);
  const home = await (await fetch("/")).text();
  assertStringIncludes(home, "Hello Ada");
  return client;
}

const postgres = findProgram("postgres", "projects on PostgreSQL");

for (const runtime of runtimes()) {
  Deno.test(`create: projects for ${runtime} pass their tests, and serve`, {
    timeout: 30 * 60_000,
  }, async (test) => {
    await using workplace = await createWorkplace(runtime);
    for (const template of isNightly ? TEMPLATES : DAILY[runtime]) {
      await test.step(`the template "${template}"`, async () => {
        await using project = await workplace.create(template);
        const install = INSTALL[runtime];
        if (install !== undefined && !project.isInstalled) {
          await project.run(install);
        }
        for (const command of COMMANDS[runtime]) await project.run(command);
        await using server = await project.serve();
        await USE[template](server, project);
      });
    }
  });
}

for (const runtime of runtimes()) {
  if (postgres === null || runtime === "workers") continue;
  Deno.test(`create: a project for ${runtime} serves accounts on PostgreSQL`, {
    timeout: 30 * 60_000,
  }, async () => {
    const database = await startPostgres(postgres);
    try {
      await using workplace = await createWorkplace(runtime);
      await using project = await workplace.create("saas", "postgres");
      const install = INSTALL[runtime];
      if (install !== undefined) await project.run(install);
      for (const command of COMMANDS[runtime]) await project.run(command);
      await using server = await project.serve({
        DATABASE_URL: `postgres://test@127.0.0.1:${database.port}/postgres`,
      });
      await USE.saas(server, project);
    } finally {
      await database.stop();
    }
  });
}

Deno.test("create: each template runs on two runtimes every day", () => {
  for (const template of TEMPLATES) {
    const all = Object.values(DAILY).filter((list) => list.includes(template));
    assert(all.length >= 2, template);
  }
});
