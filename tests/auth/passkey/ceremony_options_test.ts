import { RequestContext } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createPasskeyApp, withPasskey } from "../_passkey_app.ts";

Deno.test("registrationOptions() asks for a discoverable credential with the user's passkeys excluded", async () => {
  const { app, id } = await withPasskey({ hints: ["client-device"] });
  const options = await app.post("/register/options");
  const { challenge, excludeCredentials, user, ...others } = options;
  assertEquals(others, {
    rp: { id: "test.example", name: "Test" },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({
      type: "public-key",
      alg,
    })),
    timeout: 300_000,
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    hints: ["client-device"],
    attestation: "none",
  });
  assertEquals(challenge.length, 43);
  assertEquals(excludeCredentials, [
    { type: "public-key", id, transports: ["internal"] },
  ]);
  assertEquals([user.name, user.displayName], ["ada@example.com", "Ada"]);
});

Deno.test("registrationOptions() gives a user one opaque handle, and each application another", async () => {
  const app = createPasskeyApp();
  const handle = async (path: string, from = app) =>
    (await from.post(path)).user.id;
  const first = await handle("/register/options");
  assertEquals(await handle("/register/options"), first);
  assertNotEquals(await handle("/register/options?user=8"), first);
  assertEquals(first.length, 43);
  const other = createPasskeyApp({ rpId: "example" });
  assertNotEquals(await handle("/register/options", other), first);
});

Deno.test("registrationOptions() keeps the handle of imported passkeys", async () => {
  const { app, authenticator, id } = await withPasskey();
  const passkey = (await app.store.get(id))!;
  await app.store.remove(id, 7);
  await app.store.create({ ...passkey, userHandle: "aW1wb3J0ZWQ" }, undefined);
  const { user } = await app.post("/register/options");
  assertEquals(user.id, "aW1wb3J0ZWQ");
  const result = await app.logIn(authenticator, {}, (response) => {
    response.response.userHandle = "aW1wb3J0ZWQ";
    return response;
  });
  assert(result.ok);
});

Deno.test("authenticationOptions() names no passkeys before the user is known", async () => {
  const { app } = await withPasskey();
  const { challenge, ...options } = await app.post("/login/options");
  assertEquals(challenge.length, 43);
  assertEquals(options, {
    timeout: 300_000,
    rpId: "test.example",
    allowCredentials: [],
    userVerification: "required",
    hints: [],
  });
});

Deno.test("authenticationOptions() names the user's passkeys for a second factor and a confirmation", async () => {
  const { app, id } = await withPasskey();
  for (
    const [purpose, userVerification] of [
      ["second-factor", "discouraged"],
      ["confirm", "required"],
    ]
  ) {
    const options = await app.post(`/${purpose}/options`);
    assertEquals(options.userVerification, userVerification);
    assertEquals(options.allowCredentials, [
      { type: "public-key", id, transports: ["internal"] },
    ]);
    const unknown = await app.post(`/${purpose}/options?user=8`);
    assertEquals(unknown.allowCredentials, []);
  }
});

Deno.test("upgradeOptions() returns options only within five minutes of this user's login with a password", async () => {
  const app = createPasskeyApp();
  assertEquals(await app.post("/upgrade/options"), null);
  await app.post("/password?method=email");
  assertEquals(await app.post("/upgrade/options"), null);
  await app.post("/password?user=8");
  assertEquals(await app.post("/upgrade/options"), null);
  await app.post("/password");
  app.wait(300_000);
  assertEquals((await app.post("/upgrade/options")).rp.id, "test.example");
  app.wait(1);
  assertEquals(await app.post("/upgrade/options"), null);
});

Deno.test("upgradeOptions() returns no options to another device with the cookie of the login", async () => {
  const app = createPasskeyApp();
  const upgrade = async (browser: string) => {
    const headers = { "User-Agent": browser };
    const path = "/upgrade/options";
    const response = await app.browser.fetch(path, { method: "POST", headers });
    return await response.json();
  };
  const headers = { "User-Agent": "Firefox/150.0" };
  await app.browser.fetch("/password", { method: "POST", headers });
  assertEquals((await upgrade("Firefox/150.0")).rp.id, "test.example");
  assertEquals(await upgrade("curl/8"), null);
});

Deno.test("authenticationOptions() names the missing middleware", async () => {
  const { passkeys } = createPasskeyApp();
  const context = new RequestContext(new Request("https://test.example/"));
  await passkeys.authenticationOptions(context).then(
    () => assert(false),
    (error) => assert(error.message.includes("session middleware")),
  );
});
