import type { TokenResult } from "@gatehouse/web/auth/provider-tokens";
import { assertEquals } from "@std/assert";

Deno.test("TokenResult has a token only if ok, and retryAfter only if unavailable", () => {
  const show = (result: TokenResult): string | number => {
    // @ts-expect-error The user may have no token.
    const unchecked: string = result.accessToken;
    if (result.ok) return result.accessToken ?? unchecked;
    // @ts-expect-error The user may have to log in.
    const seconds: number = result.retryAfter;
    return result.reason === "unavailable" ? result.retryAfter : seconds ?? 0;
  };
  assertEquals(show({ ok: true, accessToken: "a" }), "a");
  assertEquals(show({ ok: false, reason: "unavailable", retryAfter: 3 }), 3);
  assertEquals(show({ ok: false, reason: "ended" }), 0);
});
