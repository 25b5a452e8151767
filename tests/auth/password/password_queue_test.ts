import {
  createPasswordQueue,
  hashPassword,
  PasswordQueueFullError,
  type PasswordQueueOptions,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { turns } from "../../_wait.ts";

Deno.test("createPasswordQueue() runs work in order up to the limit", async () => {
  const queue = createPasswordQueue({ running: 2, waiting: 10 });
  const started: number[] = [];
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      queue.run(async () => {
        started.push(index);
        most = Math.max(most, ++running);
        await turns(5);
        running--;
      })),
  );
  assertEquals([most, started], [2, [0, 1, 2, 3, 4, 5, 6, 7]]);
});

Deno.test("createPasswordQueue() rejects at once if the queue is full", async () => {
  const queue = createPasswordQueue({ running: 1, waiting: 2 });
  const gate = Promise.withResolvers<void>();
  const others = [1, 2, 3].map((value) =>
    queue.run(() => gate.promise.then(() => value))
  );
  const error = await assertRejects(
    () => queue.run(() => Promise.resolve("late")),
    PasswordQueueFullError,
    "Cannot hash the password: 2 are waiting already",
  );
  assertEquals([error.code, error.name, error.waiting], [
    "password_queue_full",
    "PasswordQueueFullError",
    2,
  ]);

  gate.resolve();
  assertEquals(await Promise.all(others), [1, 2, 3]);
  assertEquals(await queue.run(() => Promise.resolve("later")), "later");
});

Deno.test("createPasswordQueue() continues after work that fails", async () => {
  const queue = createPasswordQueue({ running: 1, waiting: 1 });
  const boom = () => Promise.reject(new Error("boom"));
  const synchronous = () => {
    throw new Error("boom");
  };
  for (const work of [boom, synchronous, boom]) {
    await assertRejects(() => queue.run(work), Error, "boom");
  }
  assertEquals(await queue.run(() => Promise.resolve(1)), 1);
});

Deno.test("createPasswordQueue() rejects after the maximum wait", async () => {
  let time = 0;
  const queue = createPasswordQueue({
    running: 1,
    waiting: 2,
    longestWait: 5,
    now: () => time,
  });
  const gate = Promise.withResolvers<void>();
  const first = queue.run(() => gate.promise);
  let ran = false;
  const late = queue.run(() => Promise.resolve(ran = true));
  time += 5;
  await assertRejects(() => late, PasswordQueueFullError);
  gate.resolve();
  await first;
  assertEquals(ran, false);
  assertEquals(await queue.run(() => Promise.resolve(1)), 1);
});

Deno.test("createPasswordQueue() frees the places of requests that Workers dropped", async () => {
  let time = 0;
  const queue = createPasswordQueue({
    running: 2,
    waiting: 0,
    longestRun: 200,
    now: () => time,
  });
  const never = () => new Promise<void>(() => {});
  queue.run(never);
  queue.run(never);
  await assertRejects(() => queue.run(never), PasswordQueueFullError);

  time += 199;
  await assertRejects(() => queue.run(never), PasswordQueueFullError);
  time += 1;
  assertEquals(await queue.run(() => Promise.resolve(1)), 1);
  assertEquals(await queue.run(() => Promise.resolve(2)), 2);
});

Deno.test("createPasswordQueue() keeps its limit when dropped work ends late", async () => {
  let time = 0;
  const queue = createPasswordQueue({
    running: 1,
    waiting: 5,
    longestRun: 200,
    now: () => time,
  });
  const late = Promise.withResolvers<void>();
  const dropped = queue.run(() => late.promise);
  time += 200;
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await turns();
    running--;
  };
  const others = [1, 2, 3].map(() => queue.run(work));
  late.resolve();
  await Promise.all([dropped, ...others]);
  assertEquals(most, 1);
});

Deno.test("hashPassword() and verifyPassword() share a queue and reject if it is full", async () => {
  const queue = createPasswordQueue({ running: 1, waiting: 0 });
  const options = { memory: 8, passes: 1, queue };
  const first = hashPassword("password", options);
  await assertRejects(
    () => verifyPassword(null, "password", options),
    PasswordQueueFullError,
  );
  await assertRejects(
    () => hashPassword("password", options),
    PasswordQueueFullError,
  );
  const { ok } = await verifyPassword(await first, "password", options);
  assert(ok);
});

Deno.test("verifyPassword() limits a flood of logins to 68 by default", async () => {
  let running = 0;
  let most = 0;
  const engine = {
    name: "slow",
    async derive({ tagLength }: { tagLength: number }) {
      most = Math.max(most, ++running);
      await turns(2);
      running--;
      return new Uint8Array(tagLength);
    },
  };
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => verifyPassword(null, "x", { engine })),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  assertEquals([most, refused.length], [4, 200 - 68]);
});

const misuse: PasswordQueueOptions[] = [
  { running: 0 },
  { running: 1.5 },
  { running: NaN },
  { running: Infinity },
  { waiting: -1 },
  { waiting: NaN },
  { longestWait: 0 },
  { longestRun: 0 },
];

for (const options of misuse) {
  const [[name, value] = []] = Object.entries(options);
  Deno.test(`createPasswordQueue() throws a RangeError for ${name} ${value}`, () => {
    assertThrows(() => createPasswordQueue(options), RangeError, name);
  });
}
