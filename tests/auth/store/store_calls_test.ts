import { createMemorySessionStore } from "@gatehouse/web/session";
import { assertEquals } from "@std/assert";
import { LOGIN_CALLS, measureLogins } from "../_store_calls.ts";

Deno.test("the steps of a login make as many calls to a store as docs/capacity.md says", async () => {
  assertEquals(await measureLogins(createMemorySessionStore()), LOGIN_CALLS);
});
