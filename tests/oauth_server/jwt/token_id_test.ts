/** The claim `jti`, by which the server finds the grant of a JWT. */
import { assertEquals, assertFalse } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { decodeJWT } from "./_jwt.ts";
import {
  callAPI,
  changedStore,
  connect,
  refresh,
  SECRET,
  startServer,
  type TokenBody,
  WITH_JWT,
} from "../_server.ts";

Deno.test("a JWT tells nothing about the key of its grant, and no two have the same jti", async () => {
  const keys: string[] = [];
  const store = changedStore((inner) => ({
    put(key, ...rest) {
      keys.push(key.replace("~grant", ""));
      return inner.put(key, ...rest);
    },
  }));
  const server = startServer({ ...WITH_JWT, store });
  const first = await connect(server);
  const second: TokenBody = await (await refresh(server, first.refresh_token))
    .json();
  const narrow: TokenBody = await (await refresh(
    server,
    second.refresh_token,
    { scope: "notes:read" },
  )).json();
  const ids = [first, second, narrow, await connect(server)].map((tokens) => {
    const { claims, header } = decodeJWT(tokens.access_token);
    const text = JSON.stringify([claims, header]);
    for (const key of keys) assertFalse(text.includes(key), key);
    const bytes = bytesOf(String(claims.jti));
    for (const key of keys) assertFalse(bytes.includes(bytesOf(key)), key);
    return claims.jti;
  });
  assertEquals(new Set(keys).size, 2);
  assertEquals(new Set(ids).size, 4);
});

/** Decodes base64url: each character of the result is a byte. */
function bytesOf(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

Deno.test("tokens of a secret that is no longer the first one are accepted until it is removed", async () => {
  const store = createMemorySessionStore();
  const other = "another secret with 32 characters: x7Qp";
  const old = startServer({ ...WITH_JWT, store });
  const { access_token } = await connect(old);
  const rotated = startServer({ ...WITH_JWT, store, secrets: [other, SECRET] });
  assertEquals(await callAPI(rotated, access_token), 200);
  const removed = startServer({ ...WITH_JWT, store, secrets: [other] });
  assertEquals(await callAPI(removed, access_token), 401);
});
