import { assert, assertEquals, assertThrows } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { batchOutput, Log, logger } from "@gatehouse/web/logger-middleware";
import { captureConsole } from "../_console.ts";
import { turns, until } from "../_wait.ts";

const isWorker = "IdentityTransformStream" in globalThis;

/** The number of promises that keep a request alive: its batch, and on Workers its line. */
const promises = isWorker ? 2 : 1;

Deno.test("batchOutput() writes lines together when they reach the size limit", async () => {
  const written: string[] = [];
  const output = batchOutput({
    bytes: 10,
    flush: (text) => void written.push(text),
  });
  for (const line of ["one", "two", "three", "four"]) output(line);
  assertEquals(written, ["one\ntwo\nthree\n"]);
  await output.flush();
  assertEquals(written, ["one\ntwo\nthree\n", "four\n"]);
});

Deno.test("batchOutput() writes lines after the longest wait", async () => {
  const written: string[] = [];
  const output = batchOutput({
    ms: 10,
    flush: (text) => void written.push(text),
  });
  output("one");
  assertEquals(written, []);
  await until(() => written.length > 0);
  assertEquals(written, ["one\n"]);
  output("two");
  await until(() => written.length > 1);
  assertEquals(written, ["one\n", "two\n"]);
});

Deno.test("batchOutput() writes one batch after the other, in order", async () => {
  const written: string[] = [];
  let atWork = 0;
  const output = batchOutput({
    bytes: 4,
    async flush(text) {
      assertEquals(++atWork, 1);
      await turns(5);
      written.push(text);
      atWork--;
    },
  });
  for (let index = 0; index < 9; index++) {
    output(`${index}`);
    await turns();
  }
  await output.flush();
  assertEquals(written.join("").replaceAll("\n", ""), "012345678");
});

Deno.test("batchOutput().flush() waits for the write in progress", async () => {
  let done = false;
  const output = batchOutput({
    bytes: 1,
    async flush() {
      await turns(10);
      done = true;
    },
  });
  output("one");
  await output.flush();
  assert(done);
  await output.flush();
});

Deno.test("batchOutput() writes the remaining lines at the end of await using", async () => {
  const written: string[] = [];
  {
    await using output = batchOutput({
      flush: (text) => void written.push(text),
    });
    output("one");
  }
  assertEquals(written, ["one\n"]);
});

Deno.test("batchOutput().settled() waits without writing earlier", async () => {
  const written: string[] = [];
  const output = batchOutput({
    ms: 20,
    flush: (text) => void written.push(text),
  });
  await output.settled();
  output("one");
  const settled = output.settled();
  assertEquals(written, []);
  await settled;
  assertEquals(written, ["one\n"]);
});

/** Runs with what `console.error` is given. */
async function withErrors(
  run: (errors: string[]) => Promise<void>,
): Promise<void> {
  const errors: string[] = [];
  using _console = captureConsole("error", (problem) => {
    errors.push(String(problem));
  });
  await run(errors);
}

/** Writes like a disk that is full for the given number of times. */
function failingFlush(
  failures: number,
  asynchronous: boolean,
  written: string[],
): (text: string) => void | Promise<void> {
  let count = 0;
  return (text) => {
    if (count++ >= failures) return void written.push(text);
    const error = new Error("disk is full");
    if (asynchronous) return Promise.reject(error);
    throw error;
  };
}

const full = "Error: disk is full";

for (const asynchronous of [false, true]) {
  const kind = asynchronous ? "rejected" : "failed";

  Deno.test(`batchOutput() writes the lines of a ${kind} write again, before later ones`, async () => {
    await withErrors(async (errors) => {
      const written: string[] = [];
      const flush = failingFlush(1, asynchronous, written);
      const output = batchOutput({ flush });
      output("one");
      const settled = output.settled();
      await output.flush();
      await settled;
      output("two");
      await output.flush();
      assertEquals(errors, [full]);
      assertEquals(written, ["one\n", "two\n"]);
    });
  });

  Deno.test(`batchOutput() writes the lines of a ${kind} write again by itself`, async () => {
    await withErrors(async (errors) => {
      const written: string[] = [];
      const flush = failingFlush(1, asynchronous, written);
      const output = batchOutput({ ms: 10, flush });
      output("one");
      await output.settled();
      assertEquals(written, ["one\n"]);
      assertEquals(errors, [full]);
    });
  });

  Deno.test(`batchOutput() drops the lines of two ${kind} writes, and counts them`, async () => {
    await withErrors(async (errors) => {
      const written: string[] = [];
      const flush = failingFlush(2, asynchronous, written);
      const output = batchOutput({ flush });
      output("one");
      output("two");
      const settled = output.settled();
      await output.flush();
      await settled;
      output("three");
      await output.flush();
      assertEquals(errors, [full, full, "Cannot write log: dropped 2 lines"]);
      assertEquals(written, ["three\n"]);
    });
  });

  Deno.test(`batchOutput() tries each line twice at most while writes are ${kind}, and counts every line`, async () => {
    await withErrors(async (errors) => {
      const tries = new Map<string, number>();
      const output = batchOutput({
        bytes: 100,
        maxWaiting: 300,
        flush(text) {
          for (const line of text.trimEnd().split("\n")) {
            tries.set(line, (tries.get(line) ?? 0) + 1);
          }
          if (asynchronous) return Promise.reject(new Error("disk is full"));
          throw new Error("disk is full");
        },
      });
      for (let index = 0; index < 500; index++) {
        output(`line ${index}`);
        if (index % 25 === 0) await turns();
      }
      await output.flush();
      await output.settled();
      assertEquals(Math.max(...tries.values()) <= 2, true);
      const dropped = errors.map((error) =>
        Number(/dropped (\d+) lines/.exec(error)?.[1] ?? 0)
      );
      assertEquals(dropped.reduce((sum, count) => sum + count, 0), 500);
    });
  });
}

Deno.test("batchOutput() counts the lines of a write that fails after its time", async () => {
  await withErrors(async (errors) => {
    let fail = () => {};
    const output = batchOutput({
      bytes: 1,
      timeout: 10,
      flush: () =>
        new Promise<void>((_, reject) => fail = () => reject("late")),
    });
    output("one");
    await output.flush();
    fail();
    await turns();
    assertEquals(errors, [
      "Cannot wait for the log: a write took over 10 ms",
      "late",
      "Cannot write log: dropped 1 lines",
    ]);
  });
});

Deno.test("logger() fails no request if console.error throws as well", async () => {
  using _console = captureConsole("error", () => {
    throw new Error("no console");
  });
  const output = batchOutput({
    bytes: 1,
    flush() {
      throw new Error("disk is full");
    },
  });
  const router = createRouter({ middleware: [logger({ output })] });
  router.get("/", () => new Response("ok"));
  const response = await router.fetch("https://example.com/");
  assertEquals(await response.text(), "ok");
  await output.flush();
});

Deno.test("batchOutput() drops and counts lines beyond its limit", async () => {
  await withErrors(async (errors) => {
    const written: string[] = [];
    let release = () => {};
    const output = batchOutput({
      bytes: 10,
      maxWaiting: 100,
      flush: (text) => {
        written.push(text);
        return new Promise<void>((resolve) => release = resolve);
      },
    });
    for (let index = 0; index < 1000; index++) output("0123456789");
    release();
    const flushed = output.flush();
    await turns();
    release();
    await flushed;
    assert(written.join("").length <= 120, `${written.join("").length}`);
    assertEquals(errors.length, 1);
    assert(/dropped 9\d\d lines/.test(errors[0]), errors[0]);
  });
});

Deno.test("batchOutput() writes one batch at a time if console.error is logged too", async () => {
  let writing = 0;
  let most = 0;
  const output = batchOutput({
    bytes: 1,
    maxWaiting: 100,
    async flush() {
      most = Math.max(most, ++writing);
      await turns();
      writing--;
    },
  });
  using calls = captureConsole("error", (problem) => {
    output("What is wrong:");
    output(String(problem));
  });
  for (let index = 0; index < 20; index++) output("0123456789");
  await output.flush();
  assertEquals(calls.printed, [
    "Cannot keep up with the log: dropped 10 lines",
  ]);
  assertEquals(most, 1);
});

Deno.test("batchOutput() reports a line that is longer than its limit", async () => {
  await withErrors((errors) => {
    const written: string[] = [];
    const output = batchOutput({
      maxWaiting: 10,
      flush: (text) => void written.push(text),
    });
    output("0123456789");
    assertEquals(written, []);
    assertEquals(errors, ["Cannot keep up with the log: dropped 1 lines"]);
    return Promise.resolve();
  });
});

Deno.test("batchOutput() continues after a write that does not end, and reports it", async () => {
  await withErrors(async (errors) => {
    const written: string[] = [];
    const writes: (() => void)[] = [];
    const output = batchOutput({
      bytes: 1,
      timeout: 20,
      flush(text) {
        written.push(text);
        return new Promise<void>((resolve) => writes.push(resolve));
      },
    });
    output("one");
    await output.flush();
    assertEquals(errors, ["Cannot wait for the log: a write took over 20 ms"]);

    // One that ends after all ends no other.
    output("two");
    writes[0]!();
    output("three");
    await turns();
    assertEquals(written.length, errors.length + 1);
    while (written.length < 3) {
      writes.at(-1)!();
      await turns();
    }
    writes[2]!();
    await output.flush();
    assertEquals(written, ["one\n", "two\n", "three\n"]);
  });
});

Deno.test("batchOutput() continues after a write that does not end if console.error is logged too", async () => {
  const written: string[] = [];
  const output = batchOutput({
    bytes: 1,
    timeout: 20,
    flush(text) {
      written.push(text);
      return written.length > 1 ? undefined : new Promise(() => {});
    },
  });
  using _console = captureConsole(
    "error",
    (problem) => output(String(problem)),
  );
  output("lost");
  output("next");
  await output.flush();
  assertEquals(written, [
    "lost\n",
    "next\n",
    "Cannot wait for the log: a write took over 20 ms\n",
  ]);
});

Deno.test("batchOutput() continues after a write whose timer ended with its request", async () => {
  await withErrors(async (errors) => {
    let time = 0;
    const written: string[] = [];
    const output = batchOutput({
      bytes: 1,
      timeout: 60_000,
      maxWaiting: 100,
      now: () => time,
      flush(text) {
        written.push(text);
        return written.length > 1 ? undefined : new Promise(() => {});
      },
    });
    output("lost");
    for (let index = 0; index < 20; index++) output("0123456789");
    assertEquals(written, ["lost\n"]);
    // The timer has not fired, like those of Workers whose client has left.
    time += 60_000;
    output("next");
    assertEquals(errors, [
      "Cannot keep up with the log: dropped 11 lines",
      "Cannot wait for the log: a write took over 60000 ms",
    ]);
    await output.flush();
    assertEquals(
      written.slice(1).join(""),
      "0123456789\n".repeat(9) + "next\n",
    );
  });
});

Deno.test("batchOutput() accepts a flood in one tick if writes are synchronous", () => {
  let length = 0;
  const output = batchOutput({
    bytes: 1000,
    maxWaiting: 2000,
    flush: (text) => void (length += text.length),
  });
  for (let index = 0; index < 10_000; index++) output("123456789");
  assertEquals(length, 100_000);
});

Deno.test("batchOutput() keeps a Worker alive until the line is written", async () => {
  const written: string[] = [];
  const waiting: Promise<unknown>[] = [];
  const output = batchOutput({
    ms: 10,
    flush: (text) => void written.push(text),
  });
  const router = createRouter({
    middleware: [logger({ format: ({ url }) => url, output })],
  });
  const execution = {
    waitUntil: (promise: Promise<unknown>) => waiting.push(promise),
  };
  await router.fetch(new Request("https://example.com/a"), {}, execution);
  await router.fetch(new Request("https://example.com/b"), {}, execution);
  assertEquals(written, []);
  assertEquals(waiting.length, 2 * promises);
  await Promise.all(waiting);
  assertEquals(written, ["/a\n/b\n"]);
});

Deno.test("batchOutput() keeps a Worker alive for the messages of a skipped request", async () => {
  const written: string[] = [];
  const waiting: Promise<unknown>[] = [];
  const output = batchOutput({
    ms: 10,
    flush: (text) => void written.push(text),
  });
  const router = createRouter({
    middleware: [logger({ format: "short", output, skip: () => true })],
  });
  router.get("/", (context) => {
    context.get(Log).info("plain");
    return new Response();
  });
  const execution = {
    waitUntil: (promise: Promise<unknown>) => waiting.push(promise),
  };
  await router.fetch(new Request("https://example.com/"), {}, execution);
  assertEquals(waiting.length, promises);
  await Promise.all(waiting);
  assertEquals(written.join().slice(0, 12), "info: plain ");
});

Deno.test("logger() on Workers keeps a request alive until its line is written", async () => {
  const lines: string[] = [];
  const waiting: Promise<unknown>[] = [];
  const router = createRouter({
    middleware: [
      logger({ format: "short", output: (line) => lines.push(line) }),
    ],
    onError: () => new Response(null, { status: 500 }),
  });
  const { promise, reject } = Promise.withResolvers<Response>();
  router.get("/", () => promise);
  const execution = {
    waitUntil: (promise: Promise<unknown>) => waiting.push(promise),
  };
  const answer = router.fetch(
    new Request("https://example.com/"),
    {},
    execution,
  );
  assertEquals(waiting.length, isWorker ? 1 : 0);
  reject(new RangeError());
  await (isWorker ? waiting[0] : answer);
  assertEquals(lines.length, 1);
  await answer;
});

const bad = [0, -1, NaN];

for (
  const [name, values] of [
    ["bytes", bad],
    ["ms", [...bad, 2 ** 31, Infinity]],
    ["timeout", [...bad, 2 ** 31, Infinity]],
    ["maxWaiting", bad],
  ] as const
) {
  Deno.test(`batchOutput() throws for an invalid ${name}`, () => {
    for (const value of values) {
      assertThrows(
        () => batchOutput({ [name]: value }),
        RangeError,
        `${name} "${value}" is not a positive number`,
      );
    }
  });
}

Deno.test("batchOutput() drops nothing while no write is in progress", async () => {
  const written: string[] = [];
  const output = batchOutput({
    bytes: 1_000,
    maxWaiting: 50,
    flush: (text) => void written.push(text),
  });
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  for (const line of lines) output(line);
  await output.flush();
  assertEquals(written.join(""), lines.join("\n") + "\n");
});

const failing = () => Promise.reject(new Error("the log is unavailable"));

Deno.test("logger() reports an output that rejects", async () => {
  const rejections: unknown[] = [];
  const note = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    rejections.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", note);
  using calls = captureConsole();
  try {
    const router = createRouter({ middleware: [logger({ output: failing })] });
    router.get("/", (context) => {
      context.get(Log).info("one more");
      return new Response("ok");
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(response.status, 200);
    await turns(2);
  } finally {
    globalThis.removeEventListener("unhandledrejection", note);
  }
  assertEquals(rejections, []);
  assertEquals(calls.printed.length, 2);
});

Deno.test("logger() writes its line if the user has no string form", async () => {
  await withErrors(async (errors) => {
    const lines: string[] = [];
    const router = createRouter({
      middleware: [logger({
        format: "combined",
        output: (line) => lines.push(line),
        user: (() => Object.create(null)) as () => string,
      })],
      onError: (error) => new Response(String(error), { status: 500 }),
    });
    router.get("/", () => new Response("ok"));
    router.get("/broken", () => {
      throw new Error("own");
    });
    assertEquals((await router.fetch("http://localhost/")).status, 200);
    const response = await router.fetch("http://localhost/broken");
    assertEquals(await response.text(), "Error: own");
    assertEquals([lines.length, errors.length], [2, 2]);
  });
});

Deno.test("logger() writes its line for users and errors that contradict their types", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      format: "combined",
      output: (line) => lines.push(line),
      user: (() => null) as unknown as () => string,
    })],
    onError: () => new Response("sorry", { status: 500 }),
  });
  router.get("/", () => new Response("ok"));
  router.get("/broken", () => {
    const error = new Error("own");
    Object.defineProperty(error, "name", {
      get() {
        throw new Error("hidden");
      },
    });
    throw error;
  });
  using _console = captureConsole();
  const response = await router.fetch("https://example.com/");
  assertEquals(response.status, 200);
  const broken = await router.fetch("https://example.com/broken");
  assertEquals(await broken.text(), "sorry");
  assert(lines[0]!.includes(" - - ["));
});

Deno.test("batchOutput() rejects an unknown target", () => {
  assertThrows(
    // @ts-expect-error -- a target of another program
    () => batchOutput({ target: "stderr" }),
    TypeError,
    'Cannot create batch output: unknown target "stderr"',
  );
});
