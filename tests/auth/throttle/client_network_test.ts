import { assert, assertEquals } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { createClocked } from "../_clocked_throttle.ts";

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

/** Runs a function with the recorded arguments of `console.warn`. */
async function withWarnings(
  run: (warnings: readonly unknown[]) => Promise<void>,
): Promise<void> {
  using calls = captureConsole("warn");
  await run(calls.printed);
}

const forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP"];

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

for (const peer of ["127.0.0.1", "10.0.0.5", "::1", "fd00::1", "172.20.0.3"]) {
  Deno.test(`createThrottle() warns once of an undeclared proxy at ${peer}`, async () => {
    await withWarnings(async (warnings) => {
      const { attempt } = createClocked();
      for (let index = 0; index < 150; index++) {
        const headers = { "X-Forwarded-For": `203.0.113.${index}` };
        const answer = await attempt(`user${index}`, peer, headers);
        assertEquals(answer, true, "all clients share the proxy's address");
      }
      assertEquals(warnings.length, 1);
      assert(String(warnings[0]).includes("trustedProxies is not set"));
    });
  });

  for (const header of forwarding) {
    Deno.test(`createThrottle() limits guesses with a changing ${header} from ${peer}`, async () => {
      await withWarnings(async () => {
        const { attempt } = createClocked();
        let allowed = 0;
        for (let index = 0; index < 1000; index++) {
          const hops = `10.9.${index >> 8}.${index & 255}`;
          const answer = await attempt("ada", peer, { [header]: hops });
          if (answer === true) allowed++;
        }
        assertEquals(allowed, 5);
        assertEquals(await attempt("bob", peer, { [header]: "x" }), true);
      });
    });
  }
}

Deno.test("createThrottle() ignores a forwarding header of the client", async () => {
  await withWarnings(async (warnings) => {
    const { attempt } = createClocked();
    const answers = [];
    for (let index = 0; index < 6; index++) {
      const headers = { "X-Forwarded-For": `203.0.113.${index}` };
      answers.push(await attempt("ada", "198.51.100.1", headers));
    }
    assertEquals(answers, [true, true, true, true, true, 1]);
    assertEquals(warnings, []);
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

Deno.test("createThrottle() limits the address of an undeclared proxy to ten times the attempts", async () => {
  await withWarnings(async () => {
    const { attempt } = createClocked();
    let allowed = 0;
    for (let index = 0; index < 5_000; index++) {
      const headers = { "X-Forwarded-For": `203.0.113.${index & 255}` };
      const answer = await attempt(`user${index}`, "10.0.0.5", headers);
      if (answer === true) allowed++;
    }
    assertEquals(allowed, 1_000);
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
