import { eventStream } from "@gatehouse/web/content";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import {
  createLifecycle,
  type LifecycleOptions,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";

async function statusesOf(options: LifecycleOptions) {
  const lifecycle = createLifecycle(options);
  const router = createRouter();
  router.get("/live", lifecycle.live);
  router.get("/ready", lifecycle.ready);
  const statuses: number[] = [];
  const bodies: string[] = [];
  for (const path of ["live", "ready"]) {
    const response = await router.fetch(`https://example.com/${path}`);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    statuses.push(response.status);
    bodies.push(await response.text());
  }
  return { statuses, bodies };
}

/** Runs a function and returns the messages of the errors that it prints. */
async function printedBy(run: () => Promise<void>): Promise<string[]> {
  using calls = captureConsole();
  await run();
  return calls.printed.map(String);
}

const checks: [name: string, check: () => unknown, status: number][] = [
  ["returns", () => {}, 200],
  ["returns false", () => false, 200],
  ["resolves", () => Promise.resolve(), 200],
  ["throws", () => {
    throw new Error("s3cret");
  }, 503],
  ["rejects", () => Promise.reject(new Error("s3cret")), 503],
  ["throws undefined", () => {
    throw undefined;
  }, 503],
];

for (const [name, check, status] of checks) {
  Deno.test(`createLifecycle() answers ${status} if a check ${name}`, async () => {
    await printedBy(async () => {
      const { bodies, statuses } = await statusesOf({
        checks: { ok: () => {}, check },
      });
      assertEquals(statuses, [200, status]);
      assert(!bodies.join().includes("s3cret"));
    });
  });
}

Deno.test("createLifecycle() is not ready if a check never ends", async () => {
  const printed = await printedBy(async () => {
    const lifecycle = createLifecycle({
      checks: { store: () => new Promise(() => {}) },
      checkTimeout: 20,
    });
    const ready = lifecycle.ready();
    // Concurrent requests share the checks.
    const responses = await Promise.all([ready, lifecycle.ready()]);
    assertEquals(responses.map(({ status }) => status), [503, 503]);
  });
  assertEquals(printed, [
    'Error: Cannot pass check "store": it took over 20 ms',
  ]);
});

Deno.test("createLifecycle() drains: not ready, the streams, the server, the logs", async () => {
  const order: string[] = [];
  const lifecycle = createLifecycle({
    delay: 20,
    flush: [{
      flush() {
        order.push("flush");
        return Promise.resolve();
      },
    }],
  });
  const context = new RequestContext(new Request("https://example.com/"));
  const response = eventStream(context, async function* ({ signal }) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    order.push("stream");
    yield {};
  }, { signal: lifecycle.signal });
  const text = response.text().then((text) => {
    order.push("response");
    return text;
  });

  assertEquals((await lifecycle.ready()).status, 200);
  const close = async () => {
    await text;
    order.push("close");
  };
  const draining = lifecycle.drain(close);
  assertEquals((await lifecycle.ready()).status, 503);
  assertEquals(lifecycle.live().status, 200);
  assertEquals(lifecycle.signal.aborted, false);
  assertEquals(lifecycle.drain(close), draining);
  assertEquals(await draining, true);
  assertEquals(lifecycle.signal.aborted, true);
  assertEquals(await text, ":\n\n");
  assertEquals(order, ["stream", "response", "close", "flush"]);
});

Deno.test("createLifecycle() flushes even if the server does not close", async () => {
  let flushed = 0;
  const flush = () => {
    flushed++;
    return Promise.resolve();
  };
  const printed = await printedBy(async () => {
    const options = { delay: 1, timeout: 10, flush: [{ flush }] };
    const never = createLifecycle(options);
    assertEquals(await never.drain(() => new Promise(() => {})), false);
    const failing = createLifecycle(options);
    const close = () => {
      throw new Error("no server");
    };
    assertEquals(await failing.drain(close), false);
    const stuck = createLifecycle({
      ...options,
      flush: [{ flush: () => new Promise(() => {}) }, { flush }],
    });
    assertEquals(await stuck.drain(() => {}), false);
  });
  assertEquals(flushed, 3);
  assertEquals(printed, [
    "Error: Cannot close server: it took over 10 ms",
    "Error: no server",
    "Error: Cannot flush: it took over 10 ms",
  ]);
});

Deno.test("createLifecycle() refuses invalid times", () => {
  for (const time of [0, -1, NaN, Infinity]) {
    assertThrows(() => createLifecycle({ checkTimeout: time }), RangeError);
    assertThrows(() => createLifecycle({ delay: time }), RangeError);
    assertThrows(() => createLifecycle({ timeout: time }), RangeError);
  }
});
