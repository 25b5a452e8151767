/**
 * The pages of `docs/`. `deno test --doc` runs the blocks marked `ts`. Blocks
 * marked `ts ignore NAME` start a server or need another runtime: this file and
 * the other guide tests run them by name.
 */
import { assert, assertEquals, assertExists } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { DOCS, pages, programsOf } from "./_guide.ts";
import { fileLinks } from "./_markdown.ts";

/** The programs that other tests run, by page. */
const PROGRAMS: Record<string, readonly string[]> = {
  // tests/long/guide_stores_test.ts
  "choose_a_session_store.md": [
    "sqlite.ts",
    "bun_sqlite.ts",
    "sweep.ts",
    "sweep_worker.ts",
    "postgres.ts",
    "pg.ts",
    "redis.ts",
    "bun_redis.ts",
    "redis_cluster.ts",
    "deno_kv.ts",
    "d1.ts",
    "durable_objects.ts",
    "cookies.ts",
  ],
  // tests/long/guide_programs_test.ts
  "add_a_provider.md": ["oidc.ts"],
  // tests/deno/oauth_native_test.ts
  "connect_programs.md": ["cli.ts", "proofs.ts"],
  // tests/long/create_test.ts
  "create_a_project.md": ["mail.ts"],
  // tests/long/guide_programs_test.ts
  "deploy.md": [
    "shutdown.ts",
    "deno_deploy.ts",
    "bun.ts",
    "node.ts",
    "worker.ts",
    "worker_login.ts",
  ],
  "getting_started.md": ["hello.ts", "main.ts", "main_test.ts"],
  // tests/long/guide_stop_test.ts
  "operate.md": ["stop_bun.ts", "stop_node.ts"],
  // tests/long/frameworks_test.ts
  "other_frameworks.md": [
    "accounts.ts",
    "hooks.server.ts",
    "app.d.ts",
    "+page.server.ts",
    "middleware.ts",
    "env.d.ts",
    "app.astro",
    "astro.config.ts",
    "server.ts",
    "user.ts",
    "utils.ts",
    "main.ts",
    "app.tsx",
  ],
  // tests/long/session_state_browser_test.ts
  "show_who_is_logged_in.md": [
    "session.ts",
    "LoginStatus.tsx",
    "LoginStatus.vue",
    "LoginStatus.svelte",
    "login_status.ts",
  ],
  // tests/long/guide_programs_test.ts
  "static_files.md": ["bun_files.ts", "node_files.ts"],
  // tests/long/guide_programs_test.ts
  "uploads.md": ["r2.ts"],
  // tests/long/orm_test.ts
  "use_an_orm.md": [
    "kysely.ts",
    "kysely_postgres.ts",
    "kysely_sqlite.ts",
    "drizzle.ts",
    "drizzle_sqlite.ts",
    "prisma.ts",
    "prisma_postgres.ts",
    "prisma_sqlite.ts",
    "prisma.config.ts",
  ],
  // tests/long/websockets_test.ts
  "websockets.md": ["app.ts", "deno.ts", "bun.ts", "node.ts", "worker.ts"],
};

/** The languages of components, which other tests bundle. */
const COMPONENTS = ["astro", "svelte", "tsx", "vue"];

Deno.test("every program of the guide is run by a test", async () => {
  for (const page of await pages()) {
    const names = Object.keys(programsOf(page));
    assertEquals(names, PROGRAMS[page.name] ?? [], page.name);
  }
});

Deno.test("every block of TypeScript in the guide is run, and asserts something", async () => {
  for (const { name, text, blocks } of await pages()) {
    // The parser would miss one with indentation or another fence.
    const fences = text.match(/^[ \t>*-]*(?:`{3,}|~{3,})/gm) ?? [];
    assertEquals(fences.length, 2 * blocks.length, name);
    for (const { language, words, text, line } of blocks) {
      const place = `${name}:${line}`;
      const languages = ["json", "sh", "sql", "text", "ts", ...COMPONENTS];
      assert(languages.includes(language), `${place}: ${language}`);
      if (COMPONENTS.includes(language)) assertEquals(words.length, 2, place);
      else if (language !== "ts") continue;
      // No test would run a program without a name.
      assert(words.length === 0 || words.length === 2, place);
      if (words.length > 0) assertEquals(words[0], "ignore", place);
      else assert(/\bassert|testSessionStore/.test(text), place);
    }
  }
});

Deno.test("every link of the guide to a file or a heading leads there", async () => {
  for (const { name, text } of await pages()) {
    for (const path of fileLinks(text)) {
      const { isFile } = await Deno.stat(new URL(path, DOCS));
      assert(isFile, `${name}: ${path}`);
    }
    const links = text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g);
    for (const [, path, anchor] of links) {
      const page = new URL(path || name, DOCS);
      const headings = anchors(await Deno.readTextFile(page));
      assert(headings.includes(anchor), `${name}: ${path}#${anchor}`);
    }
  }
});

Deno.test("every page of the guide is in its index", async () => {
  const all = await pages();
  const index = all.find(({ name }) => name === "README.md");
  assertExists(index);
  const linked = fileLinks(index.text);
  const missing = all.map(({ name }) => name)
    .filter((name) => name !== "README.md" && !linked.includes(name));
  assertEquals(missing, []);
});

Deno.test("every task that the guide names exists", async () => {
  for (const { name, text } of await pages()) {
    for (const [, task] of text.matchAll(/\bdeno task ([\w:-]+)/g)) {
      assert(task in config.tasks, `${name}: deno task ${task}`);
    }
  }
});

/** Returns the anchors of the headings. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}
