import { assertEquals } from "@std/assert";
import { createClocked } from "../_clocked_throttle.ts";
import { withWarnings } from "./_networks.ts";

const neighbours: [one: string, other: string, same: boolean][] = [
  ["2001:db8::1", "2001:db8::2", true],
  ["2001:db8:0:0:1::1", "2001:db8::ffff:0:0:1", true],
  ["2001:DB8::1", "2001:db8:0:0::1", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["fe80::1%eth0", "fe80::1%eth1", true],
  ["::ffff:203.0.113.7", "203.0.113.7", true],
  ["::ffff:203.0.113.7", "::ffff:203.0.113.8", false],
  ["203.0.113.7", "203.0.113.8", false],
  ["::1", "::1", true],
  ["unix", "unix", true],
  [":::broken", ":::broken", true],
];

for (const [one, other, same] of neighbours) {
  Deno.test(`createThrottle() treats ${one} and ${other} as ${same ? "one client" : "two clients"}`, async () => {
    const { attempt, fail } = createClocked();
    await fail(5, "ada", one);
    assertEquals(await attempt("ada", other), same ? 1 : true);
  });
}

Deno.test("createThrottle() limits guesses without an address", async () => {
  await withWarnings(async (warnings) => {
    // By default it uses the address of the context.
    const { attempt, fail } = createClocked({ address: () => undefined });
    assertEquals(await fail(40), Array(40).fill(true));
    assertEquals(await fail(50), Array(50).fill(1));
    assertEquals(await attempt("bob"), true, "accounts count alone");
    assertEquals(warnings, [
      'Cannot throttle "login" by address: the client\'s address is not known',
    ]);
  });
});

Deno.test("createThrottle() accepts an address that the router read from a header", async () => {
  await withWarnings(async (warnings) => {
    const { attempt } = createClocked();
    // A client in the intranet with a trusted proxy.
    for (let index = 0; index < 100; index++) {
      const headers = { "X-Forwarded-For": "10.0.0.5" };
      await attempt(`user${index}`, "10.0.0.5", headers);
    }
    assertEquals(await attempt("ada", "10.0.0.5", {}), 1);
    assertEquals(warnings, []);
  });
});

/** A peer, a header, and `true` if the header contains the peer's address. */
const lists: [peer: string, name: string, value: string, isListed: boolean][] =
  [
    ["10.0.0.5", "X-Forwarded-For", "10.0.0.5", true],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7, 10.0.0.5", true],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7,10.0.0.5:8080", true],
    ["10.0.0.5", "X-Forwarded-For", "10.0.0.50", false],
    ["10.0.0.5", "X-Forwarded-For", "110.0.0.5", false],
    ["10.0.0.5", "X-Forwarded-For", "203.0.113.7, 210.0.0.51", false],
    ["10.0.0.5", "X-Real-IP", "10.0.0.5", true],
    ["10.0.0.5", "X-Real-IP", "10.0.0.55", false],
    ["10.0.0.5", "Forwarded", 'for="10.0.0.5:80";proto=https', true],
    ["10.0.0.5", "Forwarded", "for=203.0.113.7, For=10.0.0.5", true],
    ["10.0.0.5", "Forwarded", "for=203.0.113.7;by=10.0.0.5", false],
    ["fd00::1", "X-Forwarded-For", "fd00:0:0::1", true],
    ["fd00::1", "X-Forwarded-For", "FD00::1", true],
    ["fd00::1", "X-Forwarded-For", "fd00::1a", false],
    ["fd00::1", "Forwarded", 'for="[fd00::1]:4711"', true],
    ["fd00::1", "Forwarded", 'for="[fd00::12]"', false],
    ["10.0.0.5", "X-Forwarded-For", 'a "quoted" b, 10.0.0.5', true],
    ["10.0.0.5", "X-Forwarded-For", "10.0.0.5 10.0.0.5", false],
    ["10.0.0.5", "Forwarded", 'for="10.0.0.5""', false],
    ["10.0.0.5", "X-Forwarded-For", ",".repeat(100_000), false],
    ["10.0.0.5", "Forwarded", "for=".repeat(50_000), false],
  ];

for (const [peer, name, value, isListed] of lists) {
  const label = `${name}: ${value.slice(0, 40)}`;
  Deno.test(`createThrottle() ${isListed ? "finds" : "does not find"} ${peer} in "${label}"`, async () => {
    await withWarnings(async (warnings) => {
      await createClocked().attempt("ada", peer, { [name]: value });
      assertEquals(warnings.length, isListed ? 0 : 1);
    });
  });
}
