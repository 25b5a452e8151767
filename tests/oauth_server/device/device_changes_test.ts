/** Changes of the server and of the store while a user decides about a device. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  API,
  authorizePath,
  browserOf,
  changedStore,
  ORIGIN,
  post,
  readConsent,
  type TestServer,
} from "../_server.ts";
import { CLIENTS, open, poll, send, start, startDevices } from "./_devices.ts";

Deno.test("a page about a device expires after ten minutes, also after the decision", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  assertEquals((await send(browser, form)).status, 200);
  await poll(server, codes);
  server.clock.now += 599_999;
  assertEquals((await send(browser, form)).status, 200);
  server.clock.now += 1;
  const response = await send(browser, form);
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "expired");
});

Deno.test("a device that expires before its page cannot be approved", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  server.clock.now += 300_000;
  const form = await readConsent(await open(browser, codes.user_code));
  server.clock.now += 300_000;
  const response = await send(browser, form);
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "expired");
});

Deno.test("a decision that loses a race with another one is refused", async () => {
  let isBusy = false;
  const store = changedStore((inner) => ({
    put: (...values) => isBusy ? Promise.resolve(false) : inner.put(...values),
  }));
  const server = startDevices({ store });
  const codes = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  isBusy = true;
  const response = await send(browser, form);
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "expired");
  assertEquals(server.events, []);
});

Deno.test("a device for a resource that the server has lost is not found", async () => {
  let isLost = false;
  const store = changedStore((inner) => ({
    async get(key) {
      const found = await inner.get(key);
      return found && isLost
        ? { ...found, value: found.value.replaceAll(API, `${API}/gone`) }
        : found;
    },
  }));
  const server = startDevices({ store });
  const { user_code } = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, user_code));
  isLost = true;
  const response = await open(browser, user_code);
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "No device shows this code");
  assertEquals((await send(browser, form)).status, 400);
});

Deno.test("a code whose device has expired, or is another one, is not found", async () => {
  const names: string[] = [];
  // This store does not remove values at their time, and its index has one name.
  const store = changedStore((inner) => ({
    put(key, value, options) {
      names.push(...options.index ?? []);
      return inner.put(key, value, options);
    },
    byIndex: (name) =>
      inner.byIndex!(name.startsWith("oauth-device:") ? names[0]! : name),
  }));
  const server = startDevices({ store });
  const browser = await browserOf(server);
  const [first, second] = [await start(server), await start(server)];
  assertEquals((await open(browser, second.user_code)).status, 400);
  assertEquals((await open(browser, first.user_code)).status, 200);
  server.clock.now += 600_000;
  const late = await browserOf(server);
  assertEquals((await open(late, first.user_code)).status, 400);
});

Deno.test("the grant of a device has no time of a login that the session does not know", async () => {
  const rows: Record<string, unknown>[] = [];
  const store = changedStore((inner) => ({
    put(key, value, options) {
      if (key.endsWith("~grant")) rows.push(JSON.parse(value));
      return inner.put(key, value, options);
    },
  }));
  const server: TestServer = startDevices({
    store,
    loggedIn: () => server.users.get("1")!,
  });
  const codes = await start(server);
  const browser = createTestClient(server.router, { origin: ORIGIN });
  const form = await readConsent(await open(browser, codes.user_code));
  assertEquals((await send(browser, form)).status, 200);
  assertEquals(rows.map(({ authenticatedAt }) => authenticatedAt), [
    ...[null, null],
  ]);
});

Deno.test("an error of the store is an error of the server, not of the device", async () => {
  const store = changedStore(() => ({
    put: () => Promise.reject(new TypeError("the disk is full")),
  }));
  const server = startDevices({ store });
  using _console = captureConsole();
  const response = await post(server, "/device/code", { client_id: "tv" });
  assertEquals(response.status, 503);
});

Deno.test("a client with a document cannot start devices, even if its document is cached", async () => {
  const client_id = "https://client.example/client.json";
  const server = startDevices({
    clients: CLIENTS,
    cimd: {
      fetch: () =>
        Promise.resolve(Response.json({
          client_id,
          redirect_uris: ["https://client.example/callback"],
          grant_types: [
            "authorization_code",
            "urn:ietf:params:oauth:grant-type:device_code",
          ],
        })),
    },
  });
  const browser = await browserOf(server);
  await readConsent(await browser.fetch(authorizePath({ client_id })));
  const response = await post(server, "/device/code", { client_id });
  assertEquals(response.status, 400);
  assertEquals((await response.json()).error, "unauthorized_client");
});
