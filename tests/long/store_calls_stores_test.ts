/** The calls of a login that docs/capacity.md lists, on each shared store. */
import { assertEquals } from "@std/assert";
import { LOGIN_CALLS, measureLogins } from "../auth/_store_calls.ts";
import { testOnSharedStores } from "../deno/_shared_stores.ts";

testOnSharedStores(
  "the calls of a login",
  (kind) => `the steps of a login make as many calls on ${kind}`,
  async (connect) => {
    assertEquals(await measureLogins(await connect()), LOGIN_CALLS);
  },
);
