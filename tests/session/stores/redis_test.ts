import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { assert, assertEquals } from "@std/assert";

Deno.test("createRedisSessionStore() accepts any string as an index name", async () => {
  const sent: string[][] = [];
  const store = createRedisSessionStore((_command, args) => {
    sent.push(args);
    const [script = ""] = args;
    if (script === "return KEYS") return args.slice(2, 4);
    return script.includes("'HSET'") ? [1, []] : [];
  });
  // A provider chooses the subject; a lone surrogate must not throw.
  const index = ["sub:https://issuer.example|\ud800 x"];
  assert(await store.put("key", "value", { ttl: 1, ifVersion: null, index }));
  await store.byIndex!(index[0]);
  const [stored, found] = [sent[1].at(-1)!, sent[2].at(-1)!];
  assertEquals(stored.includes(" "), false);
  assert(found.endsWith(stored));
});
