/** The times that the store and the rows of grants have. */
import { assertEquals, assertMatch } from "@std/assert";
import { deviceGrant } from "@gatehouse/web/oauth-server";
import { CLIENTS, decide, poll, start } from "../device/_devices.ts";
import {
  browserOf,
  callAPI,
  changedStore,
  connect,
  exchange,
  getCode,
  refresh,
  type ServerSettings,
  startServer,
} from "../_server.ts";

const DAY = 86_400_000;

/** Starts a server that notes what its store keeps, and whose store has its own clock. */
function startWithNotes(settings: ServerSettings = {}) {
  const puts: [ttl: number, index: readonly string[]][] = [];
  const store = changedStore((inner) => ({
    put(key, value, options) {
      if (key.endsWith("~grant")) puts.push([options.ttl, options.index ?? []]);
      return inner.put(key, value, options);
    },
  }));
  return { app: startServer({ store, ...settings }), puts };
}

Deno.test("the store keeps a code for a minute, and a grant until it ends", async () => {
  const { app, puts } = startWithNotes();
  const { refresh_token } = await connect(app);
  app.clock.now += 20 * DAY;
  let token = refresh_token;
  for (let count = 0; count < 18; count++) {
    token = (await (await refresh(app, token)).json()).refresh_token;
    app.clock.now += 19 * DAY;
  }
  const lifetimes = puts.map(([ttl]) => ttl);
  assertEquals(lifetimes.slice(0, 3), [60_000, 30 * DAY, 30 * DAY]);
  // The last refresh is on the day 343, and the grant ends on the day 365.
  assertEquals(lifetimes.at(-1), 22 * DAY);
  const indexes = new Set(puts.map(([, index]) => index.join()));
  assertEquals(indexes.size, 1);
  assertMatch([...indexes][0]!, /^oauth-user:[\w-]{43}$/);
});

Deno.test("the store keeps a device for ten minutes, and no index of a refusal", async () => {
  const { app, puts } = startWithNotes({
    device: deviceGrant(),
    clients: CLIENTS,
  });
  const browser = await browserOf(app);
  const approved = await start(app);
  app.clock.now += 60_000;
  await decide(browser, approved);
  await poll(app, approved);
  await decide(browser, await start(app), "deny");
  const names = puts.map(([ttl, index]) => [
    ttl,
    index.map((name) => name.split(":", 1)[0]),
  ]);
  assertEquals(names, [
    [600_000, ["oauth-device"]],
    [600_000, ["oauth-user"]],
    [30 * DAY, ["oauth-user"]],
    [600_000, ["oauth-device"]],
    [600_000, []],
  ]);
});

Deno.test("codes and grants end at their time, even if the store still has them", async () => {
  const { app } = startWithNotes();
  const browser = await browserOf(app);
  const [code, late] = [await getCode(browser), await getCode(browser)];
  app.clock.now += 59_999;
  const response = await exchange(app, code);
  assertEquals(response.status, 200);
  app.clock.now += 1;
  assertEquals((await exchange(app, late)).status, 400);

  const { access_token, refresh_token } = await response.json();
  app.clock.now += 30 * DAY - 2;
  const next = await refresh(app, refresh_token);
  assertEquals(next.status, 200);
  app.clock.now += 30 * DAY;
  const { refresh_token: last } = await next.json();
  assertEquals((await refresh(app, last)).status, 400);
  assertEquals(await callAPI(app, access_token), 401);
  assertEquals(await app.server.grants("1"), []);
});
