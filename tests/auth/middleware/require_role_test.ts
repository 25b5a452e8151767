import { requirePermission, requireRole } from "@gatehouse/web/auth-middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { fetchGuarded } from "../_fetch_guarded.ts";

Deno.test("requireRole() and requirePermission() throw without arguments", () => {
  const none = [] as unknown as [string];
  assertThrows(() => requireRole(...none), TypeError, "none is given");
  assertThrows(
    () => requirePermission({ a: ["b"] }, ...none as ["b"]),
    TypeError,
    "none is given",
  );
});

Deno.test("requireRole() responds with 403 and insufficient_scope to a token's user (RFC 6750, 3.1)", async () => {
  const withToken = await fetchGuarded(requireRole("admin"), {
    Authorization: "Bearer t0ken",
  });
  assertEquals(withToken.status, 403);
  assertEquals(
    withToken.headers.get("WWW-Authenticate"),
    'Bearer realm="tokens", error="insufficient_scope"',
  );
  assertEquals(withToken.headers.get("Cache-Control"), "no-store");

  const withKey = await fetchGuarded(requireRole("admin"), {
    "X-API-Key": "k3y",
  });
  assertEquals(withKey.status, 403);
  assertEquals(withKey.headers.get("WWW-Authenticate"), null);
});

Deno.test("requireRole() responds with 403 as problem details (RFC 9457)", async () => {
  const response = await fetchGuarded(requireRole("admin"), {
    Authorization: "Bearer t0ken",
    Accept: "application/json",
  });
  assertEquals(await response.json(), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
  });
});
