import { assert, assertEquals } from "@std/assert";
import { createWorld, METADATA } from "./_registrations.ts";

const DAY = 86_400_000;

Deno.test("register() limits the clients that no user has approved", async () => {
  const { register, world } = createWorld({ maxUnused: 5, perAddress: 1 });
  const addresses = Array.from(
    { length: 20 },
    (_, index) => `192.0.2.${index}`,
  );
  const responses = await Promise.all(
    addresses.map((address) => register(METADATA, address)),
  );
  const limited = responses.filter(({ status }) => status === 429);
  assertEquals(limited.length, 15);
  // Invalid requests do not use up the limit.
  world.now += DAY;
  for (const address of addresses) await register({}, address);
  assertEquals((await register(METADATA, "198.51.100.1")).status, 201);
});

Deno.test("a registered client is removed after a day, unless a user approves it", async () => {
  const { register, world } = createWorld();
  const [unused, used] = await Promise.all([1, 2].map(async () => {
    const { client_id: id } = await (await register(METADATA)).json();
    return id as string;
  }));
  await world.clients.approved((await world.clients.find(used!))!);
  world.now += DAY - 1;
  assert(await world.clients.find(unused!) !== null);
  world.now += 1;
  assertEquals(await world.clients.find(unused!), null);
  assertEquals((await world.clients.find(used!))?.id, used);
  world.now += 364 * DAY - 1;
  assertEquals((await world.clients.find(used!))?.id, used);
  world.now += 1;
  assertEquals(await world.clients.find(used!), null);
});

Deno.test("find() asks the store only for ids of registrations", async () => {
  const { world } = createWorld();
  let calls = 0;
  world.store.get = () => {
    calls++;
    return null;
  };
  for (const id of ["", "dcr_", "dcr_x", `dcr_${"a".repeat(23)}`, "x"]) {
    assertEquals(await world.clients.find(id), null);
  }
  assertEquals(calls, 0);
  assertEquals(await world.clients.find(`dcr_${"a".repeat(22)}`), null);
  assertEquals(calls, 1);
});
