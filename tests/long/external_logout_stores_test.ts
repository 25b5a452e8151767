// Back-channel logout by session and by subject, on every kind of store.
import { assertEquals } from "@std/assert";
import { endBySessionThenBySubject, ENDED } from "../auth/_provider_logout.ts";
import { TestProvider } from "../auth/_test_provider.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";

const redis = findProgram("redis-server", "back-channel logout on Redis");
const postgres = findProgram("postgres", "back-channel logout on PostgreSQL");

Deno.test("backChannelLogout() ends sessions by sid and by sub on node:sqlite", async () => {
  await check("sqlite", ":memory:");
});

Deno.test({
  name: "backChannelLogout() ends sessions by sid and by sub on PostgreSQL",
  ignore: postgres === null,
  fn: async () => {
    const server = await startPostgres(postgres!);
    await check("postgres", server.port);
    await server.stop();
  },
});

Deno.test({
  name: "backChannelLogout() ends sessions by sid and by sub on Redis",
  ignore: redis === null,
  fn: async () => {
    const server = await startRedis(redis!);
    await check("redis", server.port);
    await server.stop();
  },
});

async function check(kind: string, address: string | number): Promise<void> {
  const { close, store } = await openStore(kind, address);
  const provider = await TestProvider.create();
  assertEquals(await endBySessionThenBySubject(provider, store), [...ENDED]);
  await close();
}
