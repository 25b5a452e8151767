import {
  type AuthenticatedUser,
  type AuthScheme,
  redirectToLogin,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { fetchGuarded, tokens } from "../_fetch_guarded.ts";

/** Creates a scheme whose user logged in at a time. */
function loggedInAt(
  authenticatedAt: number | undefined,
): AuthScheme<AuthenticatedUser> {
  return {
    name: "fixed",
    authenticate: () => ({
      status: "authenticated",
      user: { id: 1 },
      authenticatedAt,
    }),
    challenge: (reason, details) => `Fixed ${reason}="${details?.maxAge}"`,
  };
}

const now = 1_000_000_000;
const logins: [string, number | undefined, number][] = [
  ["of this moment", now, 200],
  ["of five minutes ago", now - 300_000, 200],
  ["of longer ago", now - 300_001, 401],
  ["with a clock slightly ahead", now + 59_000, 200],
  ["from the future", now + 61_000, 401],
  ["at an unknown time", undefined, 401],
  ["at no time", NaN, 401],
];

for (const [when, authenticatedAt, status] of logins) {
  Deno.test(`requireFreshAuth() responds with ${status} to a login ${when} (ASVS 7.5.1, 7.5.3)`, async () => {
    const guard = requireFreshAuth(300_000, { now: () => now });
    const response = await fetchGuarded(guard, {}, [
      loggedInAt(authenticatedAt),
    ]);
    assertEquals(response.status, status);
    if (status === 401) {
      const challenge = response.headers.get("WWW-Authenticate");
      assertEquals(challenge, 'Fixed stale="300"');
    }
  });
}

Deno.test("requireFreshAuth() rejects an old token with the challenge of RFC 9470", async () => {
  const response = await fetchGuarded(requireFreshAuth(60_000), {
    Authorization: "Bearer t0ken",
  }, [tokens]);
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer realm="tokens", error="insufficient_user_authentication", error_description="The request needs a newer or stronger login", max_age="60"',
  );
});

Deno.test("requireFreshAuth() responds to an anonymous request with 401, and to a stale login with onStale", async () => {
  const guard = requireFreshAuth(1000, {
    onStale: redirectToLogin("/confirm"),
  });
  assertEquals((await fetchGuarded(guard, {}, [tokens])).status, 401);
  const stale = await fetchGuarded(guard, {}, [loggedInAt(0)]);
  assertEquals(stale.headers.get("Location"), "/confirm?returnTo=%2F");
});

for (const maxAge of [0, -1, NaN]) {
  Deno.test(`requireFreshAuth() throws for ${maxAge}`, () => {
    assertThrows(() => requireFreshAuth(maxAge), RangeError, "positive number");
  });
}

Deno.test("requireFreshAuth() with Infinity checks only the methods or the class, and throws without them", async () => {
  const guard = requireFreshAuth(Infinity, { acrValues: ["phr"] });
  for (const [acr, status] of [["phr", 200], ["pwd", 401]] as const) {
    const scheme: AuthScheme<AuthenticatedUser> = {
      name: "fixed",
      authenticate: () => ({ status: "authenticated", user: { id: 1 }, acr }),
      challenge: (_, details) => `Fixed ${JSON.stringify(details)}`,
    };
    const response = await fetchGuarded(guard, {}, [scheme]);
    assertEquals(response.status, status);
    const challenge = status === 200
      ? null
      : 'Fixed {"acrValues":["phr"],"description":"The request needs a newer or stronger login"}';
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
  }
  assertThrows(() => requireFreshAuth(Infinity), RangeError, "must be finite");
});
