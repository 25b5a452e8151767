import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { base64url } from "jose";
import { Tokens, type TokenUse } from "../../../oauth_server/grants/tokens.ts";
import {
  browserOf,
  callAPI,
  connect,
  exchange,
  getCode,
  ORIGIN,
  refresh,
  SECRET,
  startServer,
  type TokenBody,
} from "../_server.ts";

Deno.test("tokens of a secret that is no longer the first one work until it is removed", async () => {
  const store = createMemorySessionStore();
  const old = "M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n";
  const first = "z8Yb1eVxqT7oZ2cKp4wRh6sLd8fGj0nQ";
  const before = startServer({ store, secrets: [old] });
  const tokens = await connect(before);
  const between = startServer({ store, secrets: [first, old] });
  assertEquals(await callAPI(between, tokens.access_token), 200);
  const next: TokenBody = await (await refresh(between, tokens.refresh_token))
    .json();
  const after = startServer({ store, secrets: [first] });
  assertEquals(await callAPI(after, tokens.access_token), 401);
  assertEquals(await callAPI(after, next.access_token), 200);
  assertEquals((await refresh(after, next.refresh_token)).status, 200);
});

Deno.test("read() returns the contents of tokens with this version of the form only", async () => {
  const tokens = new Tokens([SECRET], ORIGIN);
  const key = "A".repeat(22);
  const token = await tokens.derive("access", key, 1, 2 ** 32 - 1, 3);
  assertEquals(await tokens.read("access", token), {
    key,
    numbers: [1, 2 ** 32 - 1, 3],
  });
  for (const version of [1, 2]) {
    const bytes = base64url.decode(token.slice(4)).slice(0, 29);
    bytes[0] = version;
    // A later version may have the same keys.
    const [mac] = await tokens.macs("access" as TokenUse, bytes);
    const other = base64url.encode(new Uint8Array([...bytes, ...mac!]));
    const contents = await tokens.read("access", `oat_${other}`);
    assertEquals(contents?.key, version === 1 ? key : undefined);
  }
});

Deno.test("a token that is newer than the store heals it, with an event", async () => {
  const inner = createMemorySessionStore();
  let backup: [string, string] | undefined;
  const store = {
    get: (key: string) => inner.get(key),
    put: (...args: Parameters<typeof inner.put>) => {
      backup ??= [args[0], args[1]];
      return inner.put(...args);
    },
    delete: (key: string) => inner.delete(key),
    byIndex: (name: string) => inner.byIndex!(name),
  };
  const app = startServer({ store });
  const code = await getCode(await browserOf(app));
  const first: TokenBody = await (await exchange(app, code)).json();
  const second: TokenBody = await (await refresh(app, first.refresh_token))
    .json();
  // The store loses everything after the consent, as after a failover.
  const [key, value] = backup!;
  await inner.delete(key);
  await inner.put(key, value, { ttl: 60_000, ifVersion: null });
  const response = await refresh(app, second.refresh_token);
  assertEquals(response.status, 200);
  const third: TokenBody = await response.json();
  assertEquals(await callAPI(app, third.access_token), 200);
  assertEquals(app.events.at(-1)?.name, "store-rollback");
  // The code was used before, which the store forgot.
  assertEquals((await exchange(app, code)).status, 400);
});
