import {
  createRouter,
  Platform,
  platformKey,
} from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const origin = "https://example.com";

Deno.test("platformKey() types the arguments of a Worker in handlers and middleware", async () => {
  interface Env {
    readonly NAME: string;
  }
  interface Execution {
    waitUntil(promise: Promise<unknown>): void;
  }
  const Worker = platformKey<readonly [env: Env, execution: Execution]>();
  const waited: Promise<unknown>[] = [];
  const router = createRouter({
    middleware: [(context, next) => {
      const [, execution] = context.get(Worker);
      execution.waitUntil(Promise.resolve("done"));
      return next();
    }],
  });
  router.get("/", (context) => {
    const [env] = context.get(Worker);
    const { NAME }: Env = env;
    return new Response(NAME);
  });
  const response = await router.fetch(
    new Request(origin),
    { NAME: "worker" },
    { waitUntil: (promise: Promise<unknown>) => waited.push(promise) },
  );
  assertEquals(await response.text(), "worker");
  assertEquals(await Promise.all(waited), ["done"]);
  assertEquals(Worker as unknown, Platform);
});
