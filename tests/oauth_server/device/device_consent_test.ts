/** Scopes and grants after the approval of a device. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { html } from "@gatehouse/web/content";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  deviceGrant,
  type RegisteredClient,
} from "@gatehouse/web/oauth-server";
import type { TestClient } from "@gatehouse/web/testing";
import { turns } from "../../_wait.ts";
import {
  browserOf,
  callAPI,
  changedStore,
  ORIGIN,
  post,
  readConsent,
  type ServerSettings,
  startServer,
  type TestServer,
  type TokenBody,
} from "../_server.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const TV: RegisteredClient = { id: "tv", name: "TV", grants: ["device"] };
const ALL = ["notes:read", "notes:write", "notes:delete", "files:read"];

function startDevices(settings: ServerSettings = {}): TestServer {
  return startServer({ device: deviceGrant(), clients: [TV], ...settings });
}

interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
}

async function start(app: TestServer): Promise<DeviceCodes> {
  return await (await post(app, "/device/code", { client_id: "tv" })).json();
}

async function poll(
  app: TestServer,
  { device_code }: DeviceCodes,
): Promise<TokenBody> {
  const form = { grant_type: DEVICE_CODE, client_id: "tv", device_code };
  return await (await post(app, "/token", form)).json();
}

/** Opens the page of a device. Returns a function that approves scopes. */
async function open(browser: TestClient, { user_code }: DeviceCodes) {
  const send = (body: URLSearchParams) =>
    browser.fetch("/device", { method: "POST", body });
  const page = await send(new URLSearchParams({ user_code }));
  const form = await readConsent(page);
  const approve = async (scopes: readonly string[]) => {
    const { handle: request } = form;
    const body = new URLSearchParams({ request, decision: "approve" });
    for (const scope of scopes) body.append("scope", scope);
    return await (await send(body)).text();
  };
  return { approve, scopes: form.scopes };
}

for (const scopes of [[], ["files:read"], ["unknown"]]) {
  Deno.test(`an approval of ${scopes.join() || "no scope"} is a refusal`, async () => {
    const app = startDevices();
    const codes = await start(app);
    const { approve } = await open(await browserOf(app), codes);
    assertStringIncludes(await approve(scopes), "TV is not connected");
    assertEquals((await poll(app, codes)).error, "access_denied");
    assertEquals(await app.server.grants("1"), []);
  });
}

Deno.test("a device gets no scope that its client may no longer use", async () => {
  let client = TV;
  const app = startDevices({ clients: (id) => id === "tv" ? client : null });
  const browser = await browserOf(app);
  const [before, after] = [await start(app), await start(app)];
  const early = await open(browser, before);
  assertEquals(early.scopes, ["notes:read", "notes:write"]);
  client = { ...TV, scopes: ["notes:read"] };
  const late = await open(browser, after);
  assertEquals(late.scopes, ["notes:read"]);
  await early.approve(ALL);
  await late.approve(ALL);
  assertEquals((await poll(app, before)).scope, "notes:read");
  assertEquals((await poll(app, after)).scope, "notes:read");
});

Deno.test("a device whose client may use none of its scopes is not found", async () => {
  let client = TV;
  const app = startDevices({ clients: (id) => id === "tv" ? client : null });
  const codes = await start(app);
  client = { ...TV, scopes: ["files:read"] };
  const browser = await browserOf(app);
  const { user_code } = codes;
  const body = new URLSearchParams({ user_code });
  const response = await browser.fetch("/device", { method: "POST", body });
  assertEquals(response.status, 400);
});

Deno.test("the 21st device of a user ends the longest unused one", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const tokens: string[] = [];
  for (let count = 0; count < 21; count++) {
    // A user can try only a few codes at once.
    app.clock.now += 60_000;
    const codes = await start(app);
    const { approve, scopes } = await open(browser, codes);
    await approve(scopes);
    tokens.push((await poll(app, codes)).access_token);
  }
  assertEquals((await app.server.grants("1")).length, 20);
  assertEquals(await callAPI(app, tokens[0]!), 401);
  assertEquals(await callAPI(app, tokens[20]!), 200);
});

Deno.test("the response to a decision about a device comes after its calls of the store", async () => {
  let running = 0;
  const store = changedStore((inner) => {
    const slow = async <Result>(call: () => Promise<Result> | Result) => {
      running++;
      await turns(2);
      const result = await call();
      running--;
      return result;
    };
    return {
      get: (key) => slow(() => inner.get(key)),
      put: (...values) => slow(() => inner.put(...values)),
      delete: (key) => slow(() => inner.delete(key)),
      byIndex: (name) => slow(() => inner.byIndex!(name)),
    };
  });
  const app = startDevices({ store });
  const browser = await browserOf(app);
  for (let count = 0; count < 21; count++) {
    app.clock.now += 60_000;
    const codes = await start(app);
    const { approve, scopes } = await open(browser, codes);
    await approve(count === 10 ? [] : scopes);
    assertEquals(running, 0);
    await poll(app, codes);
  }
  const codes = await start(app);
  const { approve, scopes } = await open(browser, codes);
  const page = await approve(scopes);
  assertStringIncludes(page, "TV is connected");
  assertEquals(running, 0);
});

Deno.test("the grant of a device has the times of the login and of the decision", async () => {
  const values: string[] = [];
  const store = changedStore((inner) => ({
    put: (key, value, options) => {
      if (key.endsWith("~grant")) values.push(value);
      return inner.put(key, value, options);
    },
  }));
  const app = startDevices({ store });
  const { clock } = app;
  const browser = await browserOf(app);
  const loginAt = clock.now;
  const codes = await start(app);
  const { approve, scopes } = await open(browser, codes);
  clock.now += 60_000;
  await approve(scopes);
  const decidedAt = clock.now;
  clock.now += 60_000;
  await poll(app, codes);
  const grant = JSON.parse(values.at(-1)!);
  assertEquals(grant.authenticatedAt, loginAt);
  assertEquals(grant.createdAt, decidedAt);
  assertEquals(grant.exchangedAt, clock.now);
});

Deno.test("a browser has at most five pages of devices, of which the oldest ends", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const codes: DeviceCodes[] = [];
  const pages: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < 6; count++) {
    const next = await start(app);
    codes.push(next);
    pages.push(await open(browser, next));
  }
  assertStringIncludes(await pages[0]!.approve(ALL), "expired");
  assertStringIncludes(await pages[5]!.approve(ALL), "TV is connected");
  assertEquals((await poll(app, codes[0]!)).error, "authorization_pending");
});

Deno.test("a store without room gives a device no code", async () => {
  const store = changedStore(() => ({ put: () => Promise.resolve(false) }));
  const app = startDevices({ store });
  const response = await post(app, "/device/code", { client_id: "tv" });
  assertEquals(response.status, 503);
  const body = await response.json();
  assertEquals(body.error, "temporarily_unavailable");
  assertEquals(body.device_code, undefined);
});

Deno.test("the page shows at most 40 characters of a link, and reads no longer code", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const page = await browser.fetch(`/device?user_code=${"x".repeat(2_000)}`);
  assertStringIncludes(await page.text(), `value="${"x".repeat(40)}"`);
  const { user_code } = await start(app);
  const long = user_code + " ".repeat(40);
  const body = new URLSearchParams({ user_code: long });
  const response = await browser.fetch("/device", { method: "POST", body });
  assertEquals(response.status, 400);
});

Deno.test("a form with two codes finds no device", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const { user_code } = await start(app);
  const body = new URLSearchParams([
    ["user_code", user_code],
    ["user_code", user_code],
  ]);
  const response = await browser.fetch("/device", { method: "POST", body });
  assertEquals(response.status, 400);
});

Deno.test("the page of devices is at the origin of an issuer with a path", async () => {
  const app = startDevices({ issuer: `${ORIGIN}/tenant` });
  const { device_authorization_endpoint } = app.server.metadata;
  const { pathname } = new URL(String(device_authorization_endpoint));
  const response = await post(app, pathname, { client_id: "tv" });
  const { verification_uri } = await response.json();
  const page = await app.router.fetch(new Request(verification_uri));
  assertEquals(page.status, 303);
});

Deno.test("the page of devices without a session is an error that names the middleware", async () => {
  const { server } = startDevices();
  const errors: string[] = [];
  const router = createRouter({
    onError(error) {
      errors.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  router.map(server.deviceRoutes, server.deviceController);
  assertEquals((await router.fetch(`${ORIGIN}/device`)).status, 500);
  assertEquals(errors.length, 1);
  assertStringIncludes(errors[0]!, "put the session middleware in front");
});

Deno.test("an application replaces the page that asks about a device", async () => {
  const app = startDevices({
    pages: {
      device: ({ client, code, form }, { url }) =>
        html`<p>${client.name} shows ${code} at ${url.pathname}</p>${form}`,
    },
  });
  const { user_code } = await start(app);
  const browser = await browserOf(app);
  const body = new URLSearchParams({ user_code });
  const response = await browser.fetch("/device", { method: "POST", body });
  const page = await response.text();
  assertStringIncludes(page, `<p>TV shows ${user_code} at /device</p>`);
});

Deno.test("a form of a device that is too long gets a 413, with a page", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const body = new URLSearchParams({ user_code: "x".repeat(200_000) });
  const response = await browser.fetch("/device", { method: "POST", body });
  assertEquals(response.status, 413);
  assertStringIncludes(await response.text(), "<html");
});
