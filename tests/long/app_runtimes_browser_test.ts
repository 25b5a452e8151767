/** The example application in Chromium, served by each runtime. */
import { assert, assertMatch } from "@std/assert";
import { runtimes, startApp } from "../deno/_app_servers.ts";
import { APP_WALKS } from "../deno/_app_walks.ts";
import { launch, testInChromium, walkThrough } from "../deno/_chromium.ts";
import { walkWithPasskeys } from "../deno/_passkey_walk.ts";
import { freePort } from "../deno/_programs.ts";
import { findProgram, type Server, startRedis } from "../deno/_servers.ts";

const redisServer = findProgram("redis-server", "sessions in Redis on Bun");

for (const runtime of runtimes()) {
  testInChromium(`Chromium: the application on ${runtime}`, async (test) => {
    const folder = await Deno.makeTempDir();
    const redis = runtime === "Bun" && redisServer !== null
      ? await startRedis(redisServer)
      : null;
    try {
      await using app = await startApp(runtime, {
        DATABASE: `${folder}/data.sqlite`,
        REDIS_URL: `redis://127.0.0.1:${redis?.port ?? freePort()}`,
      });
      await using browser = await launch();
      for (const { name, run } of APP_WALKS) {
        const isThrough = await test.step(
          `${runtime}: ${name}`,
          () => walkThrough(browser, app, run),
        );
        if (!isThrough) console.log(app.output().slice(-2_000));
      }
      await test.step(
        `${runtime}: passkeys`,
        () => walkWithPasskeys(browser, app),
      );
      if (redis !== null) {
        await test.step("Bun: the sessions are in Redis", () => holds(redis));
        assert(!app.output().includes("No Redis"), app.output());
      }
    } finally {
      await redis?.stop();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Throws if Redis is empty. */
async function holds({ port }: Server): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode("DBSIZE\r\n"));
  const reply = new Uint8Array(32);
  const length = await connection.read(reply) ?? 0;
  assertMatch(new TextDecoder().decode(reply.subarray(0, length)), /^:[1-9]/);
}
