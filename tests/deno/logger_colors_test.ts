import { assert, assertEquals } from "@std/assert";
import { findProgram } from "./_servers.ts";

const script = findProgram("script", "the colours of a terminal");

const program = `
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
const router = createRouter({ middleware: [logger()] });
await router.fetch("https://example.com/");
`;

const cases: [
  env: Record<string, string>,
  terminal: boolean,
  colored: boolean,
][] = [
  [{}, false, false],
  [{}, true, true],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  [{ TERM: "dumb" }, true, false],
];

for (const [env, terminal, colored] of cases) {
  const where = terminal ? "a terminal" : "a pipe";
  Deno.test({
    name: `logger() ${
      colored ? "colours" : "leaves plain"
    } what goes to ${where} with ${JSON.stringify(env)}`,
    ignore: terminal && script === null,
    async fn() {
      const output = await run(env, terminal, ["-A"]);
      assert(output.includes("404"), output);
      assertEquals(output.includes("\x1b[33m404\x1b[0m"), colored, output);
    },
  });
}

Deno.test({
  name: "logger() asks Deno for no permission to find out about colours",
  ignore: script === null,
  async fn() {
    // In a terminal Deno would ask, and wait for an answer for ever.
    const env = { FORCE_COLOR: "0", TERM: "dumb" };
    const output = await run(env, true, []);
    assertEquals(output.includes("permission"), false, output);
    assert(output.includes("\x1b[33m404\x1b[0m"), output);
  },
});

/** What the program prints, to a pipe or to a terminal. */
async function run(
  env: Record<string, string>,
  terminal: boolean,
  permissions: readonly string[],
): Promise<string> {
  const root = new URL("../../", import.meta.url);
  const folder = await Deno.makeTempDir();
  const file = `${folder}/main.ts`;
  await Deno.writeTextFile(file, program);
  const args = ["run", "--no-check", "-c", `${root.pathname}deno.json`]
    .concat(permissions, file);
  const command = [Deno.execPath(), ...args].join(" ");
  const kept = Object.fromEntries(
    ["PATH", "HOME", "DENO_DIR", "JSR_URL"]
      .map((name) => [name, Deno.env.get(name) ?? ""])
      .filter(([, value]) => value !== ""),
  );
  try {
    const { stdout } = await new Deno.Command(
      terminal ? script! : Deno.execPath(),
      {
        args: terminal ? ["-qec", command, "/dev/null"] : args,
        env: { ...kept, TERM: "xterm", ...env },
        clearEnv: true,
        cwd: root,
        stdin: "null",
      },
    ).output();
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
