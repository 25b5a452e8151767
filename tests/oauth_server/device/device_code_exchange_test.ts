import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { browserOf, callAPI, post, type TokenBody } from "../_server.ts";
import { decide, DEVICE_CODE, poll, start, startDevices } from "./_devices.ts";

Deno.test("of two devices with the same code, one gets tokens", async () => {
  const store = createMemorySessionStore();
  const servers = [startDevices({ store }), startDevices({ store })];
  const codes = await start(servers[0]!);
  await decide(await browserOf(servers[0]!), codes);
  const bodies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => poll(servers[index % 2]!, codes)),
  );
  const winners = bodies.filter(({ access_token }) => access_token);
  assertEquals(winners.length, 1);
  // A second use does not end the grant, since a response can be lost.
  servers[0]!.clock.now += 60_000;
  assertEquals((await poll(servers[0]!, codes)).error, "invalid_grant");
  const [{ access_token }] = winners as [TokenBody];
  assertEquals(await callAPI(servers[1]!, access_token), 200);
});

Deno.test("a client cannot use the code of another one", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  assertEquals((await poll(server, codes, "radio")).error, "invalid_grant");
  server.clock.now += 5_000;
  assertEquals(typeof (await poll(server, codes)).access_token, "string");
});

Deno.test("a changed password ends an approved code", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  server.users.get("1")!.version++;
  assertEquals((await poll(server, codes)).error, "invalid_grant");
});

for (
  const code of [
    "",
    "x",
    "oad_",
    `oad_${"A".repeat(66)}`,
    "oar_x",
    "B".repeat(20_000),
  ]
) {
  Deno.test(`the device code ${code.slice(0, 9)}, ${code.length} characters, gets no token`, async () => {
    const server = startDevices();
    const response = await post(server, "/token", {
      grant_type: DEVICE_CODE,
      client_id: "tv",
      device_code: code,
    });
    assertEquals(response.status, code.length > 16_000 ? 413 : 400);
  });
}
