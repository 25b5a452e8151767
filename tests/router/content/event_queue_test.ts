import { eventQueue } from "@gatehouse/web/content";
import { assertEquals, assertThrows } from "@std/assert";

Deno.test("eventQueue() yields values in order, those before and during a wait", async () => {
  const abort = new AbortController();
  const queue = eventQueue<number>(abort.signal);
  const values = queue[Symbol.asyncIterator]();
  assertEquals(queue.push(1), true);
  assertEquals(queue.push(2), true);
  assertEquals((await values.next()).value, 1);
  assertEquals((await values.next()).value, 2);
  const waiting = values.next();
  queue.push(3);
  assertEquals((await waiting).value, 3);
});

Deno.test("eventQueue() drops values beyond the limit, and takes more after a read", async () => {
  const queue = eventQueue<number>(new AbortController().signal, { limit: 2 });
  const values = queue[Symbol.asyncIterator]();
  assertEquals([1, 2, 3].map((value) => queue.push(value)), [
    true,
    true,
    false,
  ]);
  assertEquals((await values.next()).value, 1);
  assertEquals(queue.push(4), true);
  assertEquals((await values.next()).value, 2);
  assertEquals((await values.next()).value, 4);
});

Deno.test("eventQueue() ends a wait when the signal aborts, and drops what comes later", async () => {
  const abort = new AbortController();
  const queue = eventQueue<number>(abort.signal);
  const waiting = queue[Symbol.asyncIterator]().next();
  abort.abort();
  assertEquals(await waiting, { value: undefined, done: true });
  assertEquals(queue.push(1), false);
  assertEquals(await Array.fromAsync(queue), []);
});

for (const limit of [0, -1, NaN]) {
  Deno.test(`eventQueue() throws a RangeError for the limit ${limit}`, () => {
    const { signal } = new AbortController();
    assertThrows(() => eventQueue(signal, { limit }), RangeError);
  });
}
