import { createTestAuthenticator } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { createPasskeyApp, withPasskey } from "../_passkey_app.ts";

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
