/** Devices without a browser (RFC 8628). */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { deviceGrant } from "@gatehouse/web/oauth-server";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import {
  browserOf,
  callAPI,
  changedStore,
  type ConsentForm,
  ORIGIN,
  post,
  readConsent,
  refresh,
  type ServerSettings,
  startServer,
  tamper,
  type TestServer,
  type TokenBody,
} from "../_server.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

const CLIENTS = [
  { id: "tv", name: "TV", grants: ["device"] },
  { id: "radio", name: "Radio", grants: ["device"] },
  { id: "web", name: "Web", redirectUris: ["https://client.example/cb"] },
] as const;

function startDevices(settings: ServerSettings = {}): TestServer {
  return startServer({ device: deviceGrant(), clients: CLIENTS, ...settings });
}

interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Starts a device. */
async function start(
  server: TestServer,
  form: Readonly<Record<string, string>> = {},
): Promise<DeviceCodes> {
  const all = { client_id: "tv", ...form };
  const response = await post(server, "/device/code", all);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  return await response.json();
}

/** Asks for the tokens of a device, and returns them or the error. */
async function poll(
  server: TestServer,
  { device_code }: Pick<DeviceCodes, "device_code">,
  client = "tv",
): Promise<TokenBody & { readonly error?: string }> {
  const form = { grant_type: DEVICE_CODE, client_id: client, device_code };
  return await (await post(server, "/token", form)).json();
}

/** Sends the code that a user types. */
function open(browser: TestClient, code: string): Promise<Response> {
  return browser.fetch("/device", {
    method: "POST",
    headers: { Origin: ORIGIN },
    body: new URLSearchParams({ user_code: code }),
  });
}

/** Sends the form of the page. */
function send(
  browser: TestClient,
  { handle, scopes }: Pick<ConsentForm, "handle" | "scopes">,
  decision = "approve",
): Promise<Response> {
  const body = new URLSearchParams({ request: handle, decision });
  for (const scope of scopes) body.append("scope", scope);
  return browser.fetch("/device", { method: "POST", body });
}

/** Approves or refuses a device. */
async function decide(
  browser: TestClient,
  { user_code }: Pick<DeviceCodes, "user_code">,
  decision = "approve",
): Promise<void> {
  const form = await readConsent(await open(browser, user_code));
  assertEquals((await send(browser, form, decision)).status, 200);
}

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

Deno.test("the metadata names the endpoint for devices only with the option", () => {
  const { metadata } = startDevices().server;
  assertEquals(metadata.device_authorization_endpoint, `${ORIGIN}/device/code`);
  assert((metadata.grant_types_supported as string[]).includes(DEVICE_CODE));
  const other = startServer().server.metadata;
  assertEquals(other.device_authorization_endpoint, undefined);
  assert(!(other.grant_types_supported as string[]).includes(DEVICE_CODE));
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

Deno.test("an approved code is no longer found by its user code", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  const eve = await browserOf(server, "2");
  assertEquals((await open(eve, codes.user_code)).status, 400);
});

Deno.test("of two devices with the same code, one gets tokens", async () => {
  const store = createMemorySessionStore();
  const servers = [startDevices({ store }), startDevices({ store })];
  const codes = await start(servers[0]!);
  await decide(await browserOf(servers[0]!), codes);
  const bodies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => poll(servers[index % 2]!, codes)),
  );
  const winners = bodies.filter(({ access_token }) => access_token);
  assertEquals(winners.length, 1);
  // A second use does not end the grant, since a response can be lost.
  servers[0]!.clock.now += 60_000;
  assertEquals((await poll(servers[0]!, codes)).error, "invalid_grant");
  const [{ access_token }] = winners as [TokenBody];
  assertEquals(await callAPI(servers[1]!, access_token), 200);
});

Deno.test("a device that asks too often must wait longer, without a store call", async () => {
  let reads = 0;
  const inner = createMemorySessionStore();
  const store: SessionStore = {
    ...inner,
    put: inner.put.bind(inner),
    delete: inner.delete.bind(inner),
    byIndex: inner.byIndex!.bind(inner),
    get: (key) => {
      reads++;
      return inner.get(key);
    },
  };
  const server = startDevices({ store });
  const codes = await start(server);
  const { clock } = server;
  assertEquals((await poll(server, codes)).error, "authorization_pending");
  reads = 0;
  for (let count = 0; count < 1_000; count++) {
    assertEquals((await poll(server, codes)).error, "slow_down");
  }
  assertEquals(reads, 0);
  // The interval stays at most a minute, so the owner gets out.
  clock.now += 60_000;
  assertEquals((await poll(server, codes)).error, "authorization_pending");
  clock.now += 5_000;
  assertEquals((await poll(server, codes)).error, "slow_down");
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

for (
  const [name, type] of [
    ["lower case", (code: string) => code.toLowerCase()],
    ["no dash", (code: string) => code.replace("-", "")],
    ["spaces", (code: string) => ` ${code.replace("-", " ")} `],
    ["another dash", (code: string) => code.replace("-", "–")],
  ] as const
) {
  Deno.test(`a user may type a code with ${name}`, async () => {
    const server = startDevices();
    const { user_code } = await start(server);
    const browser = await browserOf(server);
    assertEquals((await open(browser, type(user_code))).status, 200);
  });
}

for (
  const code of [
    "AAAA-AAAA",
    "BCDF",
    "BCDF-GHJKL",
    "<script>",
    "\0",
    "B".repeat(9_000),
  ]
) {
  Deno.test(`the page asks again for the code ${code.slice(0, 20)}`, async () => {
    const server = startDevices();
    const browser = await browserOf(server);
    const response = await open(browser, code);
    assertEquals(response.status, 400);
    const text = await response.text();
    assert(!text.includes("<script>"));
    assertStringIncludes(text, 'name="user_code"');
  });
}

Deno.test("a user can try 20 codes in ten minutes, and then waits", async () => {
  const server = startDevices({ hasAudit: true });
  const codes = await start(server);
  const browser = await browserOf(server);
  for (let tries = 0; tries < 20; tries++) {
    assertEquals((await open(browser, "BCDF-GHJK")).status, 400);
  }
  await server.audit.flush();
  const lockouts = () =>
    server.security.filter(({ event }) => event.action === "lockout");
  assertEquals(lockouts().length, 0);
  const refused = await open(browser, codes.user_code);
  assertEquals(refused.status, 429);
  const seconds = Number(refused.headers.get("Retry-After"));
  assert(seconds > 0 && seconds <= 60);
  assertStringIncludes(await refused.text(), "too many codes");
  await server.audit.flush();
  assertEquals(
    lockouts().map(({ event, user }) => [event.reason, user?.id]),
    [["oauth-user-code", "1"]],
  );
  // Another user is not concerned, and the first one after a while.
  const other = await browserOf(server, "2");
  assertEquals((await open(other, codes.user_code)).status, 200);
  server.clock.now += 60_000;
  assertEquals((await open(browser, codes.user_code)).status, 200);
  await server.audit.flush();
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

Deno.test("neighbors who try many codes leave each user five tries", async () => {
  const server = startDevices();
  const eve = server.users.get("2")!;
  for (let count = 0; count < 15; count++) {
    const id = `eve-${count}`;
    server.users.set(id, { ...eve, id });
    const browser = await browserOf(server, id);
    for (let tries = 0; tries < 20; tries++) {
      await (await open(browser, "BCDF-GHJK")).body?.cancel();
    }
  }
  const late = await browserOf(server, "2");
  const statuses: number[] = [];
  for (let tries = 0; tries < 6; tries++) {
    statuses.push((await open(late, "BCDF-GHJK")).status);
  }
  assertEquals(statuses, [400, 400, 400, 400, 400, 429]);
  const codes = await start(server);
  const ada = await browserOf(server);
  await decide(ada, codes);
  assertEquals(typeof (await poll(server, codes)).access_token, "string");
});

Deno.test("if two devices have the same user code by chance, it finds neither", async () => {
  const rows = new Map<string, string>();
  const store = changedStore((inner) => ({
    put: (key, value, options) => {
      rows.set(key, value);
      return inner.put(key, value, options);
    },
  }));
  const server = startDevices({ store });
  const codes = await start(server);
  const [[key, value] = ["", ""]] = rows;
  // Another device has the same code, so either could be meant.
  const { device } = JSON.parse(value);
  const isAdded = await store.put(tamper(key, 0), value, {
    ttl: 600_000,
    ifVersion: null,
    index: [`oauth-device:${device.name}`],
  });
  assertEquals(isAdded, true);
  assertEquals(
    (await open(await browserOf(server), codes.user_code)).status,
    400,
  );
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

Deno.test("the user codes of a store are not in it", async () => {
  const keys: string[] = [];
  const store = changedStore((inner) => ({
    put: (key, value, options) => {
      keys.push(key + value);
      return inner.put(key, value, options);
    },
  }));
  const server = startDevices({ store });
  const { device_code, user_code } = await start(server);
  const all = keys.join();
  assert(keys.length === 1);
  for (const secret of [user_code, user_code.replace("-", ""), device_code]) {
    assert(!all.includes(secret));
  }
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

Deno.test("a client cannot use the code of another one", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  assertEquals((await poll(server, codes, "radio")).error, "invalid_grant");
  server.clock.now += 5_000;
  assertEquals(typeof (await poll(server, codes)).access_token, "string");
});

Deno.test("a changed password ends an approved code", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  server.users.get("1")!.version++;
  assertEquals((await poll(server, codes)).error, "invalid_grant");
});

for (
  const [name, form, status, error] of [
    ["without a client", {}, 401, "invalid_client"],
    ["of an unknown client", { client_id: "x" }, 401, "invalid_client"],
    ["of a client for codes", { client_id: "web" }, 400, "unauthorized_client"],
    [
      "for an unknown scope",
      { client_id: "tv", scope: "admin" },
      400,
      "invalid_scope",
    ],
    [
      "for an unknown resource",
      { client_id: "tv", resource: "https://evil.example/" },
      400,
      "invalid_target",
    ],
    [
      "with a secret that it does not have",
      { client_id: "tv", client_secret: "x" },
      401,
      "invalid_client",
    ],
  ] as const
) {
  Deno.test(`a request of a device ${name} gets ${error}`, async () => {
    const server = startDevices();
    const response = await post(server, "/device/code", form);
    assertEquals(response.status, status);
    assertEquals((await response.json()).error, error);
  });
}

for (
  const code of [
    "",
    "x",
    "oad_",
    `oad_${"A".repeat(66)}`,
    "oar_x",
    "B".repeat(20_000),
  ]
) {
  Deno.test(`the device code ${code.slice(0, 9)}, ${code.length} characters, gets no token`, async () => {
    const server = startDevices();
    const response = await post(server, "/token", {
      grant_type: DEVICE_CODE,
      client_id: "tv",
      device_code: code,
    });
    assertEquals(response.status, code.length > 16_000 ? 413 : 400);
  });
}

Deno.test("60 devices of an address start in ten minutes, and then one waits", async () => {
  const server = startDevices();
  for (let count = 0; count < 60; count++) await start(server);
  const response = await post(server, "/device/code", { client_id: "tv" });
  assertEquals(response.status, 429);
  await response.body?.cancel();
  server.clock.now += 10_000;
  await start(server);
});
