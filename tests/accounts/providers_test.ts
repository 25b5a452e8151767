import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { createTestProvider } from "@gatehouse/web/testing";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { startAccounts } from "./_accounts.ts";
import { ADA, EVE, idOf, PATH, redirectUri, start } from "./_providers.ts";

Deno.test("policy 4: a provider that cannot ask again does not make a login fresh", async () => {
  const provider = { canReauthenticate: false } as const;
  const app = start({ provider });
  const ada = app.browser();
  await app.logIn(ada, ADA);
  assertEquals(await ada.isLoggedIn(), true);
  const page = await ada.get("/account/password");
  assertStringIncludes(page.headers.get("Location")!, "/account/confirm");
  const confirm = await (await ada.get("/account/confirm")).text();
  assertEquals(confirm.includes("Confirm with Example"), false);
  const values = { provider: "example" };
  const forced = await ada.post("/account/confirm/provider", values);
  assertEquals(forced.status, 422);
});

Deno.test("a confirmation or a link does not outlive an end of access during its callback", async () => {
  for (const path of ["/account/confirm/provider", "/account/logins"]) {
    let during = () => Promise.resolve(true);
    const app = start({
      provider: {
        canReauthenticate: true,
        fetch: async (url, init) => {
          if (init?.method === "POST") await during();
          return await app.google.client.fetch!(url, init);
        },
      },
    });
    const ada = app.browser();
    await app.logIn(ada, ADA);
    const id = (await idOf(app))!;
    const begun = await ada.send(path, { provider: "example" });
    const { location } = await begun.json();
    const user = path === "/account/logins" ? EVE : ADA;
    const callback = app.google.authorize(location, { user: user as never });
    during = () => app.accounts.users.endAccess(id);
    await (await ada.client.fetch(callback)).body?.cancel();
    assertEquals(await ada.isLoggedIn(), false, path);
    assertEquals((await app.database.waysIn(id)).length, 1, path);
  }
});

Deno.test("a login at a provider asks for the second factor, and a block stops it", async () => {
  const app = start();
  const ada = await app.registered();
  await app.link(ada, EVE);
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const code = await generateTOTP(key.replaceAll(" ", ""), { time: app.now() });
  await ada.post("/account/two-step", { setup, code });
  const phone = app.browser();
  const login = await app.logIn(phone, EVE);
  assertEquals(login.headers.get("Location"), "/login/code");
  assertEquals(await phone.isLoggedIn(), false);
  await app.accounts.users.disable((await idOf(app))!, { reason: "spam" });
  assertEquals((await app.logIn(phone, EVE)).status, 403);
});

Deno.test("an unavailable provider gets a 502, and users stay logged in", async () => {
  const fetch = () => Promise.reject(new TypeError("offline"));
  const app = start({ provider: { fetch } });
  const ada = await app.registered();
  const values = { provider: "example" };
  assertEquals((await ada.post("/account/logins", values)).status, 502);
  assertEquals((await app.browser().get(PATH)).status, 502);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("createAccounts() refuses providers with another callback, name or label", () => {
  const { client } = createTestProvider();
  const provider = createOIDCAuthProvider({
    ...client,
    name: "example",
    redirectUri,
  });
  const label = "Example";
  for (
    const [providers, reason] of [
      [{ google: { label, provider } }, "needs the redirectUri"],
      [{ "../x": { label, provider } }, "other characters"],
      [{ example: { label: "", provider } }, "no label"],
      [{ example: { label, provider: {} } }, "needs the redirectUri"],
    ] as const
  ) {
    assertThrows(
      () => startAccounts({ providers: providers as never }),
      TypeError,
      reason,
    );
  }
});

Deno.test("without providers, their routes do not exist", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const page = await (await browser().get("/login")).text();
  assertEquals(page.includes("/login/with"), false);
  for (const path of [PATH, `${PATH}/callback`, "/account/logins"]) {
    assertEquals((await ada.get(path)).status, 404, path);
  }
});
