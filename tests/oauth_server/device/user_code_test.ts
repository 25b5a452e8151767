import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { randomUserCode } from "../../../oauth_server/device/user_code.ts";
import { browserOf, changedStore, tamper } from "../_server.ts";
import { decide, open, poll, start, startDevices } from "./_devices.ts";

Deno.test("an approved code is no longer found by its user code", async () => {
  const server = startDevices();
  const codes = await start(server);
  await decide(await browserOf(server), codes);
  const eve = await browserOf(server, "2");
  assertEquals((await open(eve, codes.user_code)).status, 400);
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

Deno.test("the page reads a text of 40 characters, and none that is longer", async () => {
  const server = startDevices();
  const { user_code } = await start(server);
  const browser = await browserOf(server);
  for (const [length, status] of [[40, 200], [41, 400]] as const) {
    const response = await open(browser, user_code.padEnd(length));
    assertEquals(response.status, status);
    await response.body?.cancel();
  }
});

Deno.test("a user code has eight of 20 letters, and each of them occurs", () => {
  const codes = Array.from({ length: 300 }, randomUserCode);
  for (const code of codes) assertMatch(code, /^[A-Z]{8}$/);
  const letters = new Set(codes.join(""));
  assertEquals([...letters].sort().join(""), "BCDFGHJKLMNPQRSTVWXZ");
});

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

Deno.test("neighbors who try many codes leave each user five tries", async () => {
  const server = startDevices();
  const eve = server.users.get("2")!;
  let wrong = 0;
  for (let count = 0; count < 15; count++) {
    const id = `eve-${count}`;
    server.users.set(id, { ...eve, id });
    const browser = await browserOf(server, id);
    for (let tries = 0; tries < 20; tries++) {
      const response = await open(browser, "BCDF-GHJK");
      if (response.status === 400) wrong++;
      await response.body?.cancel();
    }
  }
  // Each user had five tries, and their address 200 more.
  assertEquals(wrong, 15 * 5 + 200);
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
