/** The internal functions of the session that `auth` uses. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { beginLogin, endSessionsByName } from "../../session/internal.ts";
import { Browser, interruptibleStore, Server } from "../session/_browser.ts";

const SUBJECT = "sub:https://issuer.example|ada";
const SID = "sid:https://issuer.example|s1";

Deno.test("endSessionsByName() ends the sessions that began with a name", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const [one, other] = [new Browser(server), new Browser(server)];
  await logIn(one, 7, [SUBJECT, SID]);
  await logIn(other, 7, [SUBJECT, "sid:https://issuer.example|s2"]);

  assertEquals(await endSessionsByName(store, SID), 1);
  assertEquals(await userOf(one), undefined);
  assertEquals(await userOf(other), 7);

  assertEquals(await endSessionsByName(store, SUBJECT), 1);
  assertEquals(await userOf(other), undefined);
  assertEquals(await endSessionsByName(store, SUBJECT), 0);
});

Deno.test("A session keeps its names when its values or its id change", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await logIn(browser, 7, [SID]);
  await browser.visit((session) => session.set("theme", "dark"));
  await browser.visit((session) => session.regenerateId());
  assertEquals(await endSessionsByName(store, SID), 1);
  assertEquals(await userOf(browser), undefined);
});

Deno.test("A user who confirms a login keeps its names, and new ones replace them", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await logIn(browser, 7, [SID]);
  await logIn(browser, 7, []);
  assertEquals((await store.byIndex!(SID)).length, 1);
  await logIn(browser, 7, [SUBJECT]);
  assertEquals((await store.byIndex!(SID)).length, 0);
  assertEquals((await store.byIndex!(SUBJECT)).length, 1);
});

Deno.test("The next user's login and the end of a login drop the names", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const next = [
    (browser: Browser) => logIn(browser, 8, []),
    (browser: Browser) => browser.visit((session) => session.set("userId", 8)),
    (browser: Browser) => browser.visit((session) => session.unset("userId")),
    (browser: Browser) => browser.visit((session) => session.destroy()),
  ];
  for (const change of next) {
    const browser = new Browser(server);
    await logIn(browser, 7, [SID]);
    await change(browser);
    assertEquals(await store.byIndex!(SID), []);
  }
});

Deno.test("endSessionsByName() ends a session whose id changes at the same time", async () => {
  const { store, duringNextList } = interruptibleStore();
  const browser = new Browser(new Server({ store }));
  await logIn(browser, 7, [SID]);
  duringNextList(() => browser.visit((session) => session.regenerateId()));
  await endSessionsByName(store, SID);
  assertEquals(await userOf(browser), undefined);
});

Deno.test("beginLogin() rejects too many names and changes nothing", async () => {
  const browser = new Browser(new Server());
  await browser.visit(async (session) => {
    await assertRejects(
      () => beginLogin(session, 7, { names: ["a", "b", "c", "d"] }),
      RangeError,
      "5 index names",
    );
    assertEquals(session.userId, undefined);
    await beginLogin(session, 7, { names: ["a", "b", "c"] });
    assertEquals(session.userId, 7);
  });
});

Deno.test("endSessionsByName() throws if the store has no byIndex", async () => {
  const { get, put, delete: remove } = createMemorySessionStore();
  const store: SessionStore = { get, put, delete: remove };
  await assertRejects(
    () => endSessionsByName(store, SID),
    TypeError,
    "the store has no byIndex",
  );
});

Deno.test("A session in cookies has no names", async () => {
  const secrets = ["a secret of more than thirty-two characters"];
  const [plain, named] = [
    new Browser(new Server({ secrets })),
    new Browser(new Server({ secrets })),
  ];
  await logIn(plain, 7, []);
  await logIn(named, 7, ["sid:" + "x".repeat(2_000)]);
  assertEquals(await userOf(named), 7);
  assert(named.header.length < plain.header.length + 100);
});

function logIn(browser: Browser, userId: number, names: string[]) {
  return browser.visit((session) => beginLogin(session, userId, { names }));
}

function userOf(browser: Browser) {
  return browser.visit((session) => session.userId);
}
