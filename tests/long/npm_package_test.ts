/**
 * The package as users of npm get it, on Node and on the oldest versions of the
 * other runtimes.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { NODE_VERSIONS, nodePath, programOf } from "../runtimes/node.ts";
import { installPackage, typeErrorsOf } from "../deno/_npm_package.ts";

/** Programs, and the arguments before the name of a script. */
const RUNTIMES: Record<string, () => Promise<readonly string[]>> = {
  ...Object.fromEntries(
    NODE_VERSIONS.map((version) => [
      `Node ${version}`,
      async () => [await nodePath(version)],
    ]),
  ),
  "Bun 1.4.1": async () => [
    await programOf("npm:@oven/bun-linux-x64@1.4.1/package.json", "bin/bun"),
  ],
  "Deno 2.7.1": async () => [
    await programOf("npm:@deno/linux-x64-glibc@2.7.1/package.json", "deno"),
    "run",
    "-A",
  ],
};

/** It imports all entries, and logs in with a password. */
const LOGIN = `${
  Object.keys(config.exports)
    .map((entry) => `import "${config.name}${entry.slice(1)}";`).join("\n")
}
import {
  Auth,
  auth,
  completeAuth,
  createRouter,
  createSessionAuthScheme,
  hashPassword,
  requireAuth,
  session,
  verifyPassword,
} from "@gatehouse/web";
import { createTestClient } from "@gatehouse/web/testing";

const hash: string = await hashPassword("correct horse");
const verify = (id: string | number) => id === 1 ? { id, name: "Ada" } : null;
const schemes = [createSessionAuthScheme({ name: "browser", verify })];
const router = createRouter({ middleware: [session(), auth({ schemes })] });
router.post("/login", async (context) => {
  const { ok } = await verifyPassword(hash, await context.request.text());
  if (ok) await completeAuth(context, 1);
  return new Response(null, { status: ok ? 204 : 401 });
});
router.get("/", { middleware: [requireAuth()] }, (context) => {
  return new Response(\`Hello \${(context.get(Auth) as { name: string }).name}\`);
});
const { fetch } = createTestClient(router);
const before = (await fetch("/")).status;
await fetch("/login", { method: "POST", body: "correct horse" });
console.log(before, await (await fetch("/")).text());
`;

Deno.test({
  name: "the npm package type-checks, and logs in on the oldest runtimes",
  ignore: NODE_VERSIONS.length === 0,
  fn: async (test) => {
    const folder = await Deno.makeTempDir();
    try {
      await installPackage(folder);
      const main = `${folder}/main.mts`;
      await Deno.writeTextFile(main, LOGIN);
      await Deno.writeTextFile(`${folder}/package.json`, "{}");
      assertEquals(typeErrorsOf(main), []);

      for (const [name, program] of Object.entries(RUNTIMES)) {
        await test.step(name, async () => {
          const { stdout, stderr } = await run(await program(), folder);
          assertEquals(stdout, "401 Hello Ada\n", stderr);
        });
      }
      for (const missing of ["globalThis.URLPattern", "ReadableStream.from"]) {
        await test.step(`the import throws without ${missing}`, async () => {
          const flag = `--import=data:text/javascript,delete ${missing}`;
          const { stderr } = await run([await nodePath(), flag], folder);
          assertStringIncludes(stderr, "this runtime is too old, update to");
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Runs the script of a folder, and returns its output. */
async function run(
  [program, ...args]: readonly string[],
  cwd: string,
): Promise<{ stdout: string; stderr: string }> {
  const { stdout, stderr } = await new Deno.Command(program!, {
    args: [...args, "main.mts"],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
