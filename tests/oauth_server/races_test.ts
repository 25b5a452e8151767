import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { RACES, walkRaces } from "./_race_table.ts";
import { startServer, WITH_DEVICES } from "./_server.ts";

Deno.test("concurrent requests with one code or refresh token have the results of the table, in memory", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const apps = [1, 2].map(() =>
    startServer({ ...WITH_DEVICES, store, sessions })
  );
  assertEquals(await walkRaces(apps), RACES);
});
