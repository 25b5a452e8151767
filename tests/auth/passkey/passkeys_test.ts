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
  type TestPasskeyChanges,
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

Deno.test("finishAuthentication() accepts a passkey without PIN only as a second factor", async () => {
  const { app, authenticator } = await withPasskey({
    userVerification: "preferred",
  }, { userVerified: false });
  const strict = createPasskeyApp({ store: app.store });
  for (
    const [purpose, reason] of [
      ["login", "user_not_verified"],
      ["second-factor", undefined],
      ["confirm", "user_not_verified"],
    ] as const
  ) {
    const result = await strict.logIn(authenticator, {}, undefined, purpose);
    assertEquals(result.ok ? undefined : result.reason, reason);
    const preferred = await app.logIn(authenticator, {}, undefined, purpose);
    assert(preferred.ok);
    assertEquals(preferred.userVerified, false);
  }
});

Deno.test("finishAuthentication() stores counter, backup state and time of the use", async () => {
  const { app, authenticator, id } = await withPasskey({}, {
    counts: true,
    backedUp: true,
  });
  assertEquals((await app.store.get(id))?.usedAt, null);
  app.wait(5_000);
  const result = await app.logIn(authenticator);
  const stored = await app.store.get(id);
  assertEquals([stored?.counter, stored?.backedUp], [1, true]);
  assertEquals(stored!.usedAt! - stored!.createdAt, 5_000);
  assertEquals(result.ok && result.passkey, stored);
});

Deno.test("finishRegistration() stores name, transports and model", async () => {
  const { app, id } = await withPasskey();
  const { createdAt, publicKey, userHandle, ...passkey } = (await app.store
    .get(id))!;
  assertEquals([userHandle.length, createdAt > 0, publicKey.length > 50], [
    43,
    true,
    true,
  ]);
  assertEquals(passkey, {
    id,
    userId: 7,
    counter: 0,
    transports: ["internal"],
    backupEligible: false,
    backedUp: false,
    aaguid: "00000000-0000-0000-0000-000000000000",
    name: "Passkey",
    usedAt: null,
  });
});

Deno.test("finishRegistration() needs no user after upgradeOptions() only (WebAuthn 7.1, steps 15 and 16)", async () => {
  const app = createPasskeyApp();
  await app.post("/password");
  const absent = (data: Uint8Array<ArrayBuffer>) => {
    data[32]! &= ~5;
    return data;
  };
  for (
    const [path, reason] of [
      ["/upgrade/options", undefined],
      ["/register/options", "user_not_present"],
    ] as const
  ) {
    const options = await app.post(path);
    const response = await createTestAuthenticator().register({
      ...options,
      excludeCredentials: [],
    }, { authenticatorData: absent });
    const result = await app.post("/register", response);
    assertEquals(result.reason, reason);
  }
});

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

Deno.test("finishAuthentication() returns the methods for completeAuth()", async () => {
  const synced = await withPasskey({}, { backedUp: true });
  const result = await synced.app.logIn(synced.authenticator);
  assertEquals(result.ok && result.methods, ["swk", "user", "mfa"]);
  const { app, authenticator } = await withPasskey({
    userVerification: "preferred",
  }, { userVerified: false });
  for (
    const [purpose, methods] of [
      ["login", ["hwk", "user"]],
      ["second-factor", ["hwk", "user", "mfa"]],
      ["confirm", ["hwk", "user"]],
    ] as const
  ) {
    const result = await app.logIn(authenticator, {}, undefined, purpose);
    assertEquals<unknown>(result.ok && result.methods, methods);
  }
});

Deno.test("finishAuthentication() reports a counter that does not increase as a failed login", async () => {
  const reports: string[] = [];
  const events = securityEvents(({ event: { action, outcome, reason } }) => {
    reports.push(`${action} ${outcome} ${reason}`);
  });
  const options = { middleware: [events] };
  const { app, authenticator } = await withPasskey(options, { counts: true });
  const copied: TestPasskeyChanges = {
    authenticatorData(data) {
      new DataView(data.buffer).setUint32(33, 1);
      return data;
    },
  };
  await app.logIn(authenticator, copied);
  await app.logIn(authenticator, copied);
  await events.flush();
  assertEquals(reports, [
    "factor-add success undefined",
    "login failure counter_not_increased",
  ]);
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
