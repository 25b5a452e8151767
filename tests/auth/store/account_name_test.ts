import { assertEquals } from "@std/assert";
import { createClocked } from "../_clocked_throttle.ts";

const spellings = ["ADA", " ada ", "\uff41da", "Ada"];

for (const spelling of spellings) {
  Deno.test(`createThrottle() treats "${spelling}" as the account "ada"`, async () => {
    const { attempt, fail } = createClocked();
    await fail(5, "ada");
    assertEquals(await attempt(spelling), 1);
  });
}

Deno.test("createThrottle() ignores leading spaces of an account", async () => {
  const { attempt } = createClocked();
  let allowed = 0;
  for (let spaces = 0; spaces < 2000; spaces += 20) {
    const spelling = `${" ".repeat(spaces)}ada@example.com`;
    if (await attempt(spelling) === true) allowed++;
  }
  assertEquals(allowed, 5);
});

Deno.test("createThrottle() does not normalize long accounts", async () => {
  const { attempt } = createClocked();
  // To sort so many marks would take minutes.
  const marks = "\u0315".repeat(500_000) + "\u0316".repeat(500_000);
  assertEquals(await attempt(`a${marks}`), true);
});
