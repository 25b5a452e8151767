import { assert, assertEquals, assertFalse } from "@std/assert";
import { RetryPause } from "../../auth/issuer/retry_pause.ts";

Deno.test("RetryPause is over before the first failure and after its length", () => {
  let time = 1_000;
  const pause = new RetryPause(() => time);
  assertFalse(pause.isSet || pause.isRunning);
  pause.start(500);
  assert(pause.isSet && pause.isRunning);
  time += 499;
  assert(pause.isRunning);
  time += 1;
  assertFalse(pause.isRunning);
  assert(pause.isSet);
});

Deno.test("RetryPause lasts five seconds by default", () => {
  let time = 0;
  const pause = new RetryPause(() => time);
  pause.start();
  const running = [0, 4_999, 5_000].map((at) => {
    time = at;
    return pause.isRunning;
  });
  assertEquals(running, [true, true, false]);
});

Deno.test("RetryPause starts again with each failure", () => {
  let time = 0;
  const pause = new RetryPause(() => time);
  pause.start(10_000);
  time = 9_000;
  pause.start(2_000);
  time = 10_999;
  assert(pause.isRunning);
  time = 11_000;
  assertFalse(pause.isRunning);
});

Deno.test("RetryPause ends at once when the server answers", () => {
  const pause = new RetryPause(() => 0);
  pause.start();
  pause.clear();
  assertFalse(pause.isSet || pause.isRunning);
});

Deno.test("RetryPause does not run while the clock is behind its start", () => {
  let time = 100_000;
  const pause = new RetryPause(() => time);
  pause.start();
  time = 0;
  assertFalse(pause.isRunning);
  assert(pause.isSet);
});
