import { verifyCredentials } from "@gatehouse/web/auth";
import {
  createPasskeyAuthProvider,
  createPasskeys,
  type PasskeyAlgorithm,
} from "@gatehouse/web/auth/passkey";
import { createRouter } from "@gatehouse/web/fetch-router";
import { securityEvents } from "@gatehouse/web/middleware";
import { session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  createTestClient,
} from "@gatehouse/web/testing";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createPasskeyApp, USER, withPasskey } from "../_passkey_app.ts";

const algorithms: PasskeyAlgorithm[] = [
  "EdDSA",
  "ES256",
  "ES384",
  "ES512",
  "RS256",
];

for (const algorithm of algorithms) {
  Deno.test(`createPasskeys() registers and verifies ${algorithm}`, async () => {
    const { app, authenticator, id } = await withPasskey({ algorithms }, {
      algorithm,
    });
    for (let count = 0; count < 3; count++) {
      const result = await app.logIn(authenticator);
      assert(result.ok);
      assertEquals([result.userId, result.passkey.id], [7, id]);
      assertEquals(result.userVerified, true);
    }
  });
}

Deno.test("signal() returns all passkeys of the user, also none", async () => {
  const { app, authenticator, id } = await withPasskey();
  const { userId, ...signal } = await app.passkeys.signal(USER);
  const options = await app.post("/register/options");
  assertEquals(userId, options.user.id);
  assertEquals(signal, {
    rpId: "test.example",
    allAcceptedCredentialIds: [id],
    name: "ada@example.com",
    displayName: "Ada",
  });
  await app.store.remove(id, 7);
  const after = await app.passkeys.signal(USER);
  assertEquals([after.userId, after.allAcceptedCredentialIds], [userId, []]);

  const result = await app.logIn(authenticator);
  assertEquals(result, {
    ok: false,
    reason: "passkey_unknown",
    credentialId: id,
  });
});

Deno.test("passkeys report each new one and each failed login once", async () => {
  const lines: string[] = [];
  const events = securityEvents(({ event, user }) => {
    lines.push(`${event.action} ${event.outcome} ${event.reason ?? user?.id}`);
  });
  const { passkeys } = createPasskeyApp();
  const provider = createPasskeyAuthProvider({
    passkeys,
    findUser: () => null,
  });
  const router = createRouter({ middleware: [events, session()] });
  router.post(
    "/register/options",
    async (context) =>
      Response.json(await passkeys.registrationOptions(context, USER)),
  );
  router.post("/register", async (context) => {
    await passkeys.finishRegistration(context);
    return new Response();
  });
  router.post("/login", async (context) => {
    await passkeys.finishAuthentication(context);
    return new Response();
  });
  router.post("/provider", async (context) => {
    await verifyCredentials(provider, context);
    await passkeys.finishAuthentication(context);
    return new Response();
  });
  const browser = createTestClient(router);
  const post = (path: string, body?: string) =>
    browser.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      ...body !== undefined && { body },
    });
  const options = await (await post("/register/options")).json();
  const response = await createTestAuthenticator().register(options);
  await post("/register", JSON.stringify(response));
  await post("/register", JSON.stringify(response));
  await post("/login", "{}");
  await post("/provider", "{}");
  await events.flush();
  assertEquals(lines, [
    "factor-add success 7",
    "factor-add failure challenge_unknown",
    "login failure response_malformed",
    "login failure wrong",
  ]);
});

Deno.test("onFailure receives each failure once", async () => {
  const reasons: string[] = [];
  const app = createPasskeyApp({
    onFailure: ({ reason }) => reasons.push(reason),
  });
  await app.post("/register", {});
  await app.post("/login", "{");
  assertEquals(reasons, ["response_malformed", "response_malformed"]);
});

Deno.test("a challenge of the registration works for ten minutes, eight are pending at most", async () => {
  const app = createPasskeyApp();
  const first = await app.post("/register/options");
  const second = await app.post("/register/options");
  const device = () => createTestAuthenticator();
  for (let count = 0; count < 7; count++) await app.post("/login/options");
  const evicted = await device().register(first);
  assertEquals(
    (await app.post("/register", evicted)).reason,
    "challenge_unknown",
  );
  const kept = await device().register(second);
  assertEquals((await app.post("/register", kept)).ok, true);

  for (
    const [time, reason] of [[599_999, undefined], [
      600_000,
      "challenge_unknown",
    ]] as const
  ) {
    await app.post("/password");
    const options = await app.post("/register/options");
    const late = await device().register({
      ...options,
      excludeCredentials: [],
    });
    app.wait(time);
    assertEquals((await app.post("/register", late)).reason, reason);
  }
});

const invalidOptions = [
  [{ rpId: "https://a.example" }, 'rpId "https://a.example" is not a domain'],
  [{ rpId: "A.example" }, 'rpId "A.example" is not a domain'],
  [{ rpId: "127.0.0.1" }, 'rpId "127.0.0.1" is not a domain'],
  [{ rpId: "a.example." }, 'rpId "a.example." is not a domain'],
  [{ rpId: "a..example" }, "is not a domain"],
  [{ rpId: "localhost:8000" }, "is not a domain"],
  [{ rpId: "" }, "is not a domain"],
  [{ rpName: "" }, "rpName is empty"],
  [{ origins: [] }, "no origin is within"],
  [{ origins: ["https://nota.example"] }, "no origin is within"],
  [{ origins: ["https://a.example/"] }, "is not an https origin"],
  [{ origins: ["https://a.example:443"] }, "is not an https origin"],
  [{ origins: ["a.example"] }, "is not an https origin"],
  [{ origins: ["http://a.example"] }, "is not an https origin"],
  [{ topOrigins: ["http://b.example"] }, "is not an https origin"],
  [{ origins: ["ftp://a.example"] }, "is not an https origin"],
  [{ algorithms: [] }, "algorithms is empty"],
  [{ algorithms: ["HS256" as "ES256"] }, '"HS256" is not an algorithm'],
  [{ algorithms: ["toString" as "ES256"] }, "is not an algorithm"],
] as const;

for (const [options, message] of invalidOptions) {
  Deno.test(`createPasskeys() rejects ${JSON.stringify(options)}`, () => {
    const valid = {
      rpId: "a.example",
      rpName: "A",
      store: createMemoryPasskeyStore(),
    };
    assertThrows(
      () => createPasskeys({ ...valid, ...options }),
      TypeError,
      message,
    );
  });
}

Deno.test("createPasskeys() accepts localhost and subdomains", () => {
  const store = createMemoryPasskeyStore();
  for (
    const [rpId, origins] of [
      ["localhost", ["http://localhost:8000"]],
      ["app.localhost", ["http://app.localhost"]],
      ["example.co.uk", ["https://login.example.co.uk:8443"]],
      ["xn--bcher-kva.example", undefined],
    ] as const
  ) {
    const options = { rpId, rpName: "A", store, ...origins && { origins } };
    assertEquals(
      createPasskeys(options).origins,
      origins ?? [`https://${rpId}`],
    );
  }
});
