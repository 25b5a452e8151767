import { assertEquals } from "@std/assert";
import { deviceGrant } from "@gatehouse/web/oauth-server";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import {
  authorizePath,
  browserOf,
  callAPI,
  exchange,
  getCode,
  ORIGIN,
  post,
  readConsent,
  refresh,
  sendConsent,
  type ServerSettings,
  startServer,
  tamper,
  targetOf,
  type TokenBody,
  WITH_JWT,
} from "./_server.ts";
import {
  callWith,
  codeForm,
  exchangeWith,
  KEY,
  OTHER,
  proofOf,
  refreshWith,
  sendForm,
  startDPoPServer,
} from "./dpop/_dpop_client.ts";

/** Creates a store that notes its calls. */
function countedStore() {
  const inner = createMemorySessionStore();
  const calls: string[] = [];
  let meeting: (() => Promise<void>) | undefined;
  const store: SessionStore = {
    async get(key) {
      calls.push("get");
      const found = await inner.get(key);
      await meeting?.();
      return found;
    },
    put(...args) {
      calls.push("put");
      return inner.put(...args);
    },
    delete(key) {
      calls.push("delete");
      return inner.delete(key);
    },
    byIndex(name) {
      calls.push("byIndex");
      return inner.byIndex!(name);
    },
    getMany(keys) {
      calls.push("getMany");
      return Promise.all(keys.map(async (key) => await inner.get(key)));
    },
  };
  return {
    store,
    take: () => calls.splice(0).join(" "),
    /** Makes two requests read the same version. */
    meet() {
      const { promise, resolve } = Promise.withResolvers<void>();
      let count = 0;
      meeting = () => {
        if (++count === 2) {
          meeting = undefined;
          resolve();
        }
        return promise;
      };
    },
  };
}

for (const format of ["opaque tokens", "JWTs"]) {
  Deno.test(`each step makes its number of store calls, and no more, with ${format}`, async () => {
    await walkSteps(format === "JWTs" ? WITH_JWT : {});
  });
}

async function walkSteps(settings: ServerSettings): Promise<void> {
  const { meet, store, take } = countedStore();
  const app = startServer({ ...settings, store });
  const anonymous = createTestClient(app.router, { origin: ORIGIN });
  await anonymous.fetch(authorizePath());
  assertEquals(take(), "", "an anonymous request");

  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  assertEquals(take(), "byIndex", "the consent page");
  const response = await sendConsent(browser, form);
  assertEquals(take(), "put", "an approval");
  const code = targetOf(response).searchParams.get("code")!;

  await exchange(app, tamper(code));
  assertEquals(take(), "", "a code with a wrong MAC");
  const first: TokenBody = await (await exchange(app, code)).json();
  assertEquals(take(), "get put", "a code exchange");
  await exchange(app, code);
  assertEquals(take(), "get", "a code that was used");

  assertEquals(await callAPI(app, first.access_token), 200);
  assertEquals(take(), "get", "a check of an access token");
  await callAPI(app, tamper(first.access_token));
  assertEquals(take(), "", "a changed access token");

  const second: TokenBody = await (await refresh(app, first.refresh_token))
    .json();
  assertEquals(take(), "get put", "a refresh");
  await refresh(app, first.refresh_token);
  assertEquals(take(), "get", "a refresh that is repeated");
  meet();
  await Promise.all([1, 2].map(() => refresh(app, second.refresh_token)));
  assertEquals(take(), "get get put put get", "two refreshes at once");

  await post(app, "/revoke", { token: "unknown", client_id: "web" });
  assertEquals(take(), "", "a revocation of an unknown token");
  const token = second.refresh_token;
  await post(app, "/revoke", { token, client_id: "web" });
  assertEquals(take(), "get delete", "a revocation");
}

Deno.test("a device makes its number of store calls, and no more", async () => {
  const { store, take } = countedStore();
  const clients = [{ id: "tv", name: "TV", grants: ["device"] }] as const;
  const app = startServer({ store, device: deviceGrant(), clients });
  const form = { client_id: "tv" };
  const codes = await (await post(app, "/device/code", form)).json();
  assertEquals(take(), "put", "a start");
  const poll = () =>
    post(app, "/token", {
      ...form,
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: codes.device_code,
    });
  await poll();
  assertEquals(take(), "get", "a device that waits");
  const browser = await browserOf(app);
  const { handle } = await readConsent(
    await browser.fetch("/device", {
      method: "POST",
      body: new URLSearchParams({ user_code: codes.user_code }),
    }),
  );
  // A limit counts the codes that users try.
  assertEquals(take(), "get put byIndex get byIndex", "the page of a code");
  const body = new URLSearchParams({ request: handle, decision: "approve" });
  body.append("scope", "notes:read");
  await browser.fetch("/device", { method: "POST", body });
  assertEquals(take(), "get put", "an approval");
  app.clock.now += 5_000;
  assertEquals((await poll()).status, 200);
  assertEquals(take(), "get put", "an exchange");
});

Deno.test("a bound token makes one store call more for each proof, after all other checks", async () => {
  const { store, take } = countedStore();
  const app = startDPoPServer({ store });
  const browser = await browserOf(app);
  const params = { dpop_jkt: KEY.thumbprint };
  const code = await getCode(browser, params);
  assertEquals(take(), "byIndex put", "a consent");

  await exchangeWith(app, tamper(code));
  assertEquals(take(), "", "a code with a wrong MAC");
  const form = { ...codeForm(code), code_verifier: "v".repeat(43) };
  await sendForm(app, form, await proofOf(app));
  assertEquals(take(), "get", "a wrong verifier");
  await exchangeWith(app, code, null);
  assertEquals(take(), "get", "no proof");
  const late = await proofOf(app, KEY, { iat: 0 });
  await sendForm(app, codeForm(code), late);
  assertEquals(take(), "get", "an old proof");
  const tokens: TokenBody = await (await exchangeWith(app, code)).json();
  assertEquals(take(), "get put put", "a code exchange");

  const { access_token, refresh_token } = tokens;
  assertEquals((await callWith(app, access_token)).status, 200);
  assertEquals(take(), "get put", "a check of an access token");
  assertEquals((await callWith(app, access_token, OTHER)).status, 401);
  assertEquals(take(), "get get", "another key, at the APIs of both schemes");
  await refreshWith(app, refresh_token);
  assertEquals(take(), "get put put", "a refresh");
  await refreshWith(app, refresh_token);
  assertEquals(take(), "get put", "a refresh that is repeated");
});

Deno.test("listing the grants of a user makes two store calls", async () => {
  const { store, take } = countedStore();
  const app = startServer({ store });
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  const target = targetOf(await sendConsent(browser, form));
  await exchange(app, target.searchParams.get("code")!);
  take();
  assertEquals((await app.server.grants("1")).length, 1);
  assertEquals(take(), "byIndex getMany");
  assertEquals(await app.server.revoke("1"), 1);
  assertEquals(take(), "byIndex getMany delete");
});
