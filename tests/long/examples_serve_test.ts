/** The entry files of `examples/serve`, each on its runtime. */
import { assertEquals, assertMatch } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { deno, freePort, serveCommand } from "../deno/_programs.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("examples/serve/deno.ts serves on Deno", async () => {
  const port = freePort();
  const file = "examples/serve/deno.ts";
  await using server = await serveCommand(["run", "-N", file], port, {
    cwd: ROOT,
    env: { DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` },
  });
  assertEquals(await get(`${server.origin}/`), "Hello 127.0.0.1");
  assertEquals(await get(`${server.origin}/hello/Ada`), "Hello Ada");
});

Deno.test("examples/serve/bun.ts serves on Bun", async () => {
  const port = freePort();
  const script = await bundle("examples/serve/bun.ts");
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(path, script.replace("8e3", String(port)));
    await using server = await serveCommand([path], port, {
      program: bunPath(),
    });
    // Bun listens on IPv6 too, and the request comes from an IPv6 address.
    assertMatch(await get(`${server.origin}/`), /^Hello [\d.:a-f]+$/);
    assertEquals(await get(`${server.origin}/hello/Ada`), "Hello Ada");
  } finally {
    await Deno.remove(path);
  }
});

Deno.test({
  name: "examples/serve/node.ts serves on Node",
  ignore: NODE_VERSIONS.length === 0,
  fn: async () => {
    const port = freePort();
    const script = await bundle("examples/serve/node.ts");
    const path = await Deno.makeTempFile({ suffix: ".mjs" });
    try {
      await Deno.writeTextFile(path, script.replace("8e3", String(port)));
      await using server = await serveCommand([path], port, {
        program: await nodePath(),
      });
      assertMatch(
        await get(`${server.origin}/`),
        /^Hello (?:127\.0\.0\.1|::1)$/,
      );
      assertEquals(await get(`${server.origin}/hello/Ada`), "Hello Ada");
    } finally {
      await Deno.remove(path);
    }
  },
});

Deno.test("examples/serve/worker.ts serves on workerd", async () => {
  const script = await bundle("examples/serve/worker.ts");
  await using worker = await startWorker({ script });
  assertMatch(await get(`${worker.url}`), /^Hello /);
  assertEquals(await get(`${worker.url}hello/Ada`), "Hello Ada");
});

async function get(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

async function bundle(entry: string): Promise<string> {
  const output = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const args = ["bundle", "--platform=browser", "-c", "deno.json"];
    await deno([...args, "-o", output, entry], { cwd: ROOT });
    return await Deno.readTextFile(output);
  } finally {
    await Deno.remove(output);
  }
}
