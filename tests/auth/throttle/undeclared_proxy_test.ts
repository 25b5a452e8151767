import { assert, assertEquals } from "@std/assert";
import { createClocked } from "../_clocked_throttle.ts";
import { withWarnings } from "./_networks.ts";

const forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP"];

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
