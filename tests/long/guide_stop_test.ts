/** Stops the server programs of `docs/operate.md` during a request. */
import { assert, assertEquals } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { programs } from "../deno/_guide.ts";
import { bundleProgram, freePort, programFile } from "../deno/_programs.ts";
import { until, withinMinute } from "../_wait.ts";

const RUNTIMES = {
  "stop_bun.ts": () => Promise.resolve(bunPath()),
  "stop_node.ts": () => nodePath(),
} as const;

/** A slow route, and an endless stream that the lifecycle ends. */
const ROUTES = `
let reached = 0;
router.get("/reached", () => new Response(String(reached)));
router.get("/slow", async () => {
  reached++;
  await new Promise((resolve) => setTimeout(resolve, 600));
  return new Response("Hello");
});
router.get("/events", (context) =>
  eventStream(context, async function* () {
    reached++;
    yield { data: "Hello" };
    await new Promise(() => {});
  }, { signal: lifecycle.signal }));
`;

for (const [name, programOf] of Object.entries(RUNTIMES)) {
  Deno.test({
    name: `operate.md: ${name} finishes requests and streams before it stops`,
    ignore: name === "stop_node.ts" && NODE_VERSIONS.length === 0,
    async fn() {
      const port = freePort();
      const { [name]: program } = await programs("operate.md");
      const script = program!.replace("8000", String(port))
        .replace("createLifecycle()", "createLifecycle({ delay: 300 })")
        .replace("createRouter }", "createRouter, eventStream }")
        .replace("const server", `${ROUTES}\nconst server`)
        .replace('"srvx"', '"npm:srvx@1.0.8/node"');
      await using file = await programFile(script);
      await bundleProgram(file, file.path);
      await Deno.rename(`${file.folder}/bundle.js`, `${file.folder}/out.mjs`);
      const child = new Deno.Command(await programOf(), {
        args: [`${file.folder}/out.mjs`],
        stdout: "null",
        stderr: "inherit",
      }).spawn();
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
      const isReady = async () => (await bodyOf(get("/ready"))) === "OK";
      await withinMinute(
        until(() => isReady().catch(() => false)),
        () => `${name} does not serve`,
      );

      const slow = bodyOf(get("/slow"));
      const events = bodyOf(get("/events"));
      await until(async () => (await bodyOf(get("/reached"))) === "2");
      child.kill("SIGTERM");
      await until(async () =>
        (await bodyOf(get("/ready"))) === "Service Unavailable"
      );
      assertEquals(await slow, "Hello");
      assertEquals(await events, ":\n\ndata: Hello\n\n");
      const { code } = await child.status;
      assertEquals(code, 0);
      await get("/ready").then(() => assert(false, "still open"), () => {});
    },
  });
}

async function bodyOf(response: Promise<Response>): Promise<string> {
  return await (await response).text();
}
