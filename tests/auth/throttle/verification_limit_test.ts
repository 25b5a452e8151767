/** Floods of logins from one network. */
import {
  createCredentialsAuthProvider,
  verifyCredentials,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { until } from "../../_wait.ts";

/** Creates an application whose logins wait, and counts them. */
function createApp() {
  const state = { running: 0 };
  const gate = Promise.withResolvers<void>();
  const password = createCredentialsAuthProvider({
    name: "password",
    parse: ({ request }) => request.headers.get("X-User"),
    async verify(user) {
      state.running++;
      await gate.promise;
      return { id: user };
    },
  });
  const router = createRouter({
    onError: () => new Response(null, { status: 500 }),
  });
  router.post("/login", async (context) => {
    const user = await verifyCredentials(password, context);
    return Response.json(user);
  });
  const logIn = (
    user: string,
    remoteAddress: string | undefined,
    headers: Record<string, string> = {},
  ) =>
    createTestClient(router, { remoteAddress }).fetch("/login", {
      method: "POST",
      headers: { "X-User": user, ...headers },
    });
  return { gate, logIn, state };
}

for (
  const [name, addressOf] of [
    ["IPv4 address", () => "203.0.113.7"],
    ["IPv6 /48", (n: number) => `2001:db8:1:${n.toString(16)}::1`],
  ] as const
) {
  Deno.test(`verifyCredentials() refuses further logins of one ${name}, and lets others in`, async () => {
    const { gate, logIn, state } = createApp();
    const flood = Array.from(
      { length: 150 },
      (_, n) => logIn(`user${n}`, addressOf(n)),
    );
    const refused = await Promise.any(flood);
    assertEquals(refused.status, 503);
    assertEquals(refused.headers.get("Retry-After"), "2");
    await until(() => state.running === 16);
    const others = Array.from(
      { length: 14 },
      (_, n) => logIn(`other${n}`, `198.51.100.${n}`),
    );
    await until(() => state.running === 30);
    gate.resolve();
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    assertEquals(statuses, Array(14).fill(200));
    const floods = (await Promise.all(flood)).map(({ status }) => status);
    assertEquals(floods.filter((status) => status === 200).length, 16);
    assertEquals(floods.filter((status) => status === 503).length, 134);
    // The places are free again.
    assertEquals((await logIn("user149", addressOf(149))).status, 200);
  });
}

for (
  const [name, address, headers] of [
    ["without an address", undefined, {}],
    ["behind an undeclared proxy", "10.0.0.1", {
      "X-Forwarded-For": "192.0.2.1",
    }],
  ] as const
) {
  Deno.test(`verifyCredentials() has no limit for clients ${name}`, async () => {
    const { gate, logIn, state } = createApp();
    const logins = Array.from(
      { length: 40 },
      (_, n) => logIn(`user${n}`, address, headers),
    );
    await until(() => state.running === 40);
    gate.resolve();
    for (const { status } of await Promise.all(logins)) {
      assertEquals(status, 200);
    }
  });
}
