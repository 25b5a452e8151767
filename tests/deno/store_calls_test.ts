/** The calls of a login that docs/capacity.md lists, on SQLite. */
import { assertEquals } from "@std/assert";
import { LOGIN_CALLS, measureLogins } from "../auth/_store_calls.ts";
import { openStore } from "./_session_stores.ts";

Deno.test("docs/capacity.md lists the calls of each step of a login", async () => {
  const url = new URL("../../docs/capacity.md", import.meta.url);
  const page = await Deno.readTextFile(url);
  const rows = page.matchAll(/^\| `?([^|]+?) +\| +(\d+) \| +(\d+) \|$/gm);
  const listed = [...rows].map(([, step, calls, row]) => [
    step!.replaceAll("`", ""),
    `${calls} / ${row}`,
  ]);
  assertEquals(Object.fromEntries(listed), LOGIN_CALLS);
});

Deno.test("the steps of a login make as many calls on SQLite", async () => {
  const { store, close } = await openStore("sqlite", ":memory:");
  assertEquals(await measureLogins(store), LOGIN_CALLS);
  close();
});
