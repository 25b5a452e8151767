import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import {
  browserOf,
  callAPI,
  changedStore,
  ORIGIN,
  post,
  readConsent,
  refresh,
  startServer,
} from "../_server.ts";
import {
  CLIENTS,
  decide,
  type DeviceCodes,
  open,
  poll,
  send,
  start,
  startDevices,
} from "./_devices.ts";

Deno.test("a device gets tokens after its user has approved it (RFC 8628)", async () => {
  const server = startDevices();
  const codes = await start(server);
  assertMatch(
    codes.user_code,
    /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/,
  );
  assertMatch(codes.device_code, /^oad_[\w-]+$/);
  assertEquals(codes.verification_uri, `${ORIGIN}/device`);
  assertEquals(
    codes.verification_uri_complete,
    `${ORIGIN}/device?user_code=${codes.user_code}`,
  );
  assertEquals([codes.expires_in, codes.interval], [600, 5]);
  assertEquals((await poll(server, codes)).error, "authorization_pending");

  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  assertStringIncludes(form.html, "Connect TV to Notes?");
  assertStringIncludes(form.html, codes.user_code);
  assert(!form.html.includes("Asked from"));
  assertEquals(form.scopes, ["notes:read", "notes:write"]);
  const done = await send(browser, { ...form, scopes: ["notes:read"] });
  assertStringIncludes(await done.text(), "TV is connected");

  server.clock.now += 5_000;
  const tokens = await poll(server, codes);
  assertEquals(tokens.scope, "notes:read");
  assertEquals(await callAPI(server, tokens.access_token), 200);
  assertEquals(await callAPI(server, tokens.access_token, "/api/write"), 403);
  const next = await refresh(server, tokens.refresh_token, { client_id: "tv" });
  assertEquals(next.status, 200);

  const [grant] = await server.server.grants("1");
  assertEquals(grant?.client.name, "TV");
  assertEquals(await server.server.revoke("1"), 1);
  assertEquals(await callAPI(server, tokens.access_token), 401);
});

Deno.test("without the option no device gets a code or a token", async () => {
  const server = startServer({ clients: CLIENTS });
  const response = await post(server, "/device/code", { client_id: "tv" });
  assertEquals(response.status, 404);
  const { device_code } = await start(startDevices());
  assertEquals(
    (await poll(server, { device_code })).error,
    "unsupported_grant_type",
  );
});

Deno.test("a device whose user refuses gets access_denied", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  const done = await send(browser, form, "deny");
  assertStringIncludes(await done.text(), "TV is not connected");
  assertEquals((await poll(server, codes)).error, "access_denied");
  assertEquals(server.events.map(({ name }) => name), ["denied"]);
  // The first decision counts.
  const again = await send(browser, form);
  assertStringIncludes(await again.text(), "TV is not connected");
  server.clock.now += 5_000;
  assertEquals((await poll(server, codes)).error, "access_denied");
});

Deno.test("a decision counts once, and a second click gets the same page", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  const both = await Promise.all([send(browser, form), send(browser, form)]);
  assertEquals(both.map(({ status }) => status).includes(200), true);
  const later = await send(browser, form, "deny");
  assertStringIncludes(await later.text(), "TV is connected");
  assertEquals(server.events.map(({ name }) => name), ["granted"]);
  assertEquals(typeof (await poll(server, codes)).access_token, "string");
});

Deno.test("a code expires after ten minutes, and so does its page", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  server.clock.now += 600_000;
  assertEquals((await poll(server, codes)).error, "expired_token");
  assertEquals((await open(browser, codes.user_code)).status, 400);
  assertEquals((await send(browser, form)).status, 400);
});

Deno.test("an approved code expires as well", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  server.clock.now += 600_000;
  assertEquals((await poll(server, codes)).error, "expired_token");
});

Deno.test("a link with a code fills it in, and uses up no tries", async () => {
  const server = startDevices();
  const codes = await start(server);
  const browser = await browserOf(server);
  for (let visits = 0; visits < 50; visits++) {
    const path = `/device?user_code=${codes.user_code.toLowerCase()}`;
    const response = await browser.fetch(path);
    assertEquals(response.status, 200);
    const text = await response.text();
    assertStringIncludes(text, `value="${codes.user_code}"`);
    assert(!text.includes('value="approve"'));
  }
  await decide(browser, codes);
  assertEquals(typeof (await poll(server, codes)).access_token, "string");
});

Deno.test("a row keeps neither the address nor the name of its code after the decision", async () => {
  const values: string[] = [];
  const store = changedStore((inner) => ({
    put: (key, value, options) => {
      if (key.endsWith("~grant")) values.push(value);
      return inner.put(key, value, options);
    },
  }));
  const server = startDevices({ store });
  const tv = createTestClient(server.router, {
    origin: ORIGIN,
    remoteAddress: "192.0.2.7",
  });
  const body = new URLSearchParams({ client_id: "tv" });
  const codes: DeviceCodes =
    await (await tv.fetch("/device/code", { method: "POST", body })).json();
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  assertStringIncludes(form.html, "192.0.2.7");
  await send(browser, form);
  await poll(server, codes);
  const devices = values.map((value) => JSON.parse(value).device);
  assertEquals(devices.map((device) => device?.status), [
    "waiting",
    "approved",
    undefined,
  ]);
  assertEquals(devices[0].address, "192.0.2.7");
  assertEquals(devices.slice(1), [{ status: "approved" }, undefined]);
});

Deno.test("an anonymous request for a device goes to the login, and returns", async () => {
  const server = startDevices();
  const { user_code } = await start(server);
  const response = await server.router.fetch(
    new Request(`${ORIGIN}/device?user_code=${user_code.toLowerCase()}&x=1`),
  );
  assertEquals(response.status, 303);
  const target = new URL(response.headers.get("Location")!, ORIGIN);
  assertEquals(target.pathname, "/login");
  const returnTo = new URL(target.searchParams.get("returnTo")!, ORIGIN);
  assertEquals(returnTo.pathname, "/device");
  assertEquals(returnTo.searchParams.get("user_code"), user_code);
  assertEquals(returnTo.searchParams.get("x"), null);
});

Deno.test("a token approves no device, and neither does an administrator who acts", async () => {
  const server = startDevices();
  const first = await start(server);
  const browser = await browserOf(server);
  await decide(browser, first);
  const { access_token } = await poll(server, first);
  const second = await start(server);
  const { searchParams } = new URL(second.verification_uri_complete);
  const response = await server.router.fetch(
    new Request(`${ORIGIN}/device?${searchParams}`, {
      headers: { Authorization: `Bearer ${access_token}` },
    }),
  );
  assertEquals(response.status, 403);

  const form = await readConsent(await open(browser, second.user_code));
  assertEquals(
    (await browser.fetch("/act-as/2", { method: "POST" })).status,
    200,
  );
  assertEquals((await open(browser, second.user_code)).status, 403);
  assertEquals((await send(browser, form)).status, 403);
  server.clock.now += 5_000;
  assertEquals((await poll(server, second)).error, "authorization_pending");
});

Deno.test("the form of another session, user or site approves no device", async () => {
  const server = startDevices();
  const codes = await start(server);
  const ada = await browserOf(server);
  const form = await readConsent(await open(ada, codes.user_code));
  const eve = await browserOf(server, "2");
  assertEquals((await send(eve, form)).status, 400);
  const forged = await ada.fetch("/device", {
    method: "POST",
    headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    body: new URLSearchParams({ request: form.handle, decision: "approve" }),
  });
  assertEquals(forged.status, 403);
  const twice = new URLSearchParams([
    ["request", form.handle],
    ["request", form.handle],
    ["decision", "approve"],
    ["scope", "notes:read"],
  ]);
  const response = await ada.fetch("/device", { method: "POST", body: twice });
  assertEquals(response.status, 400);
  assertEquals((await poll(server, codes)).error, "authorization_pending");
});

Deno.test("a device gets no scopes that it has not asked for", async () => {
  const server = startDevices();
  const codes = await start(server, { scope: "notes:read" });
  const browser = await browserOf(server);
  const form = await readConsent(await open(browser, codes.user_code));
  const scopes = ["notes:read", "notes:write", "files:read"];
  await send(browser, { ...form, scopes });
  assertEquals((await poll(server, codes)).scope, "notes:read");
});

Deno.test("a scope that needs a fresh login sends the user to the login", async () => {
  const server = startDevices();
  const browser = await browserOf(server);
  server.clock.now += 599_000;
  const codes = await start(server, { scope: "notes:delete" });
  const form = await readConsent(await open(browser, codes.user_code));
  server.clock.now += 1_001;
  const responses = [
    await send(browser, form),
    await open(browser, codes.user_code),
  ];
  for (const response of responses) {
    assertEquals(response.status, 303);
    const { pathname, searchParams } = new URL(
      response.headers.get("Location")!,
      ORIGIN,
    );
    assertEquals(pathname, "/confirm");
    const returnTo = `/device?user_code=${codes.user_code}&login_after=`;
    assert(searchParams.get("returnTo")!.startsWith(returnTo));
  }
  assertEquals((await poll(server, codes)).error, "authorization_pending");
});
