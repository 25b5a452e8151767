/** Logins that a browser sends twice with the same cookie. */
import { assertEquals } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";

Deno.test("completeAuth() leaves one session after a double click", async () => {
  const { browser, store } = await open();
  for (let round = 0; round < 5; round++) {
    const clicks = [browser.copy(), browser.copy()];
    await Promise.all(clicks.map((click) => logIn(click, 7)));
    assertEquals((await store.byIndex!("user:7")).length, 1);
    const ids = await Promise.all(
      clicks.map((click) =>
        click.visit((session) => session.userId && session.id)
      ),
    );
    // The login that was saved last has the session.
    const [stored] = await store.byIndex!("user:7");
    const last = clicks[ids.indexOf(stored)];
    browser.cookies.clear();
    for (const [name, value] of last!.cookies) browser.cookies.set(name, value);
    assertEquals(await userOf(browser), 7);
  }
});

Deno.test("completeAuth() leaves one session if the second click arrives after the first login", async () => {
  const { browser, store } = await open();
  const clicks = [browser.copy(), browser.copy(), browser.copy()];
  for (const click of clicks) await logIn(click, 7);
  assertEquals((await store.byIndex!("user:7")).length, 1);
  assertEquals(await userOf(clicks[2]!), 7);
});

Deno.test("completeAuth() does not end the login of another user with the same cookie", async () => {
  // An attacker planted the cookie, and logs in with it a moment later.
  const { browser: victim, store } = await open();
  const attacker = victim.copy();
  await logIn(victim, 7);
  await logIn(attacker, 8);
  assertEquals([await userOf(victim), await userOf(attacker)], [7, 8]);
  assertEquals((await store.byIndex!("user:7")).length, 1);
});

Deno.test("completeAuth() keeps the user's logins in other browsers", async () => {
  const { browser, server, store } = await open();
  const other = new Browser(server);
  await logIn(other, 7);
  const click = browser.copy();
  await Promise.all([logIn(browser, 7), logIn(click, 7)]);
  assertEquals(await userOf(other), 7);
  assertEquals((await store.byIndex!("user:7")).length, 2);
});

async function open() {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const browser = new Browser(server);
  await browser.visit((session) => session.set("cart", []));
  return { browser, server, store };
}

function logIn(browser: Browser, userId: number): Promise<unknown> {
  return browser.visit((_session, context) => completeAuth(context, userId));
}

function userOf(browser: Browser): Promise<unknown> {
  return browser.visit((session) => session.userId);
}
