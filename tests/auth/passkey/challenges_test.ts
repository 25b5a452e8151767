import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import {
  createTestAuthenticator,
  createTestClient,
  type TestPasskeyChanges,
} from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { createPasskeyApp, type Loose, withPasskey } from "../_passkey_app.ts";

/** Replaces the RP ID hash with zeros. */
const otherRpId: TestPasskeyChanges = {
  authenticatorData: (data) => data.fill(0, 0, 32),
};

Deno.test("a challenge works once, also after a failure (WebAuthn 7.1, step 8, and 7.2, step 11)", async () => {
  const { app, authenticator } = await withPasskey();
  const options = await app.post("/login/options");
  const response = await authenticator.authenticate(options);
  assertEquals((await app.post("/login", response)).ok, true);
  const replay = await app.post("/login", response);
  assertEquals(replay.reason, "challenge_unknown");

  const second = await app.post("/login/options");
  const wrong = await authenticator.authenticate(second, otherRpId);
  assertEquals((await app.post("/login", wrong)).reason, "rp_id_mismatch");
  const right = await authenticator.authenticate(second);
  assertEquals((await app.post("/login", right)).reason, "challenge_unknown");
});

Deno.test("a challenge belongs to one session (WebAuthn 7.2, step 11)", async () => {
  const { app, authenticator } = await withPasskey();
  const options = await app.post("/login/options");
  const response = await authenticator.authenticate(options);
  const other = app.newBrowser();
  await app.post("/login/options", {}, other);
  const stolen = await app.post("/login", response, other);
  assertEquals(stolen.reason, "challenge_unknown");
  assertEquals((await app.post("/login", response)).ok, true);
});

for (const used of ["login", "second-factor", "confirm", "register"]) {
  for (const made of ["login", "second-factor", "confirm"]) {
    if (used === made) continue;
    Deno.test(`a challenge for "${made}" does not work for "${used}" (WebAuthn 7.2, step 11)`, async () => {
      const { app, authenticator } = await withPasskey();
      const options = await app.post(`/${made}/options`);
      const response: Loose = used === "register"
        ? await createTestAuthenticator().register({
          ...await app.post("/register/options"),
          challenge: options.challenge,
        })
        : await authenticator.authenticate(options);
      const result = await app.post(`/${used}`, response);
      assertEquals(result.reason, "challenge_unknown");
    });
  }
}

Deno.test("a challenge belongs to one RP ID (WebAuthn 7.2, steps 11 and 15)", async () => {
  const { app, authenticator } = await withPasskey();
  const { passkeys } = createPasskeyApp({
    rpId: "example",
    origins: ["https://test.example"],
    store: app.store,
  });
  const router = createRouter({ middleware: [session()] });
  router.post("/options", async (context) => {
    const { challenge } = await passkeys.authenticationOptions(context);
    const options = await app.passkeys.authenticationOptions(context);
    return Response.json({ ...options, challenge });
  });
  router.post(
    "/login",
    async (context) =>
      Response.json(await app.passkeys.finishAuthentication(context)),
  );
  const browser = createTestClient(router);
  const options = await app.post("/options", {}, browser);
  const response = await authenticator.authenticate(options);
  const result = await app.post("/login", response, browser);
  assertEquals(result.reason, "challenge_unknown");
});

Deno.test("a logout and a login end pending challenges (WebAuthn 7.2, step 11)", async () => {
  for (const path of ["/logout", "/password?user=8"]) {
    const { app, authenticator } = await withPasskey();
    const options = await app.post("/login/options");
    const response = await authenticator.authenticate(options);
    await app.post(path);
    const result = await app.post("/login", response);
    assertEquals(result.reason, "challenge_unknown");
  }
});
