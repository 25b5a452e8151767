import type { Session } from "@gatehouse/web/session";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { assert, assertEquals } from "@std/assert";
import { Browser, Clock, MINUTE, Server } from "../_browser.ts";

const SECRET = "a secret of more than thirty-two characters";

/** The session key under which the auth module stores pending logins. */
const PENDING = "__auth.external";

Deno.test("session({ secrets }) keeps the pending logins of two tabs", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("cart", 1));
  const begin = (name: string) => (session: Session) =>
    session.update(PENDING, (pending) => ({
      ...pending as Record<string, string>,
      [name]: `verifier of ${name}`,
    }));
  const [a, b] = [browser.copy(), browser.copy()];
  await Promise.all([a.visit(begin("a")), b.visit(begin("b"))]);
  for (const tab of [a, b]) {
    const [cookie] = tab.response.headers.getSetCookie();
    assert(/^__Host-Http-session\.[\w-]{12}=/.test(cookie), cookie);
    assert(/Max-Age=600(;|$)/.test(cookie), cookie);
    browser.keep(tab.response);
  }
  await browser.visit((session) => {
    assertEquals(session.get(PENDING), {
      a: "verifier of a",
      b: "verifier of b",
    });
    // One login finishes, the other stays pending.
    session.update(PENDING, (pending) => {
      const { a: _taken, ...others } = pending as Record<string, string>;
      return others;
    });
  });
  await browser.visit((session) => {
    assertEquals(session.get(PENDING), { b: "verifier of b" });
    assertEquals(session.get("cart"), 1);
    session.set("userId", 7);
  });
  assertEquals(browser.cookies.size, 1);
  await browser.visit((session) => {
    assertEquals(session.has(PENDING), false);
    assertEquals(session.userId, 7);
  });
});

Deno.test("session({ secrets }) forgets a login that does not finish in ten minutes", async () => {
  const clock = new Clock();
  const browser = new Browser(server({ now: clock.now }));
  await browser.visit((session) => session.set(PENDING, { a: "verifier" }));
  clock.time += 10 * MINUTE;
  assertEquals(await browser.visit((s) => s.get(PENDING)), undefined);
});

Deno.test("session({ secrets }) keeps only the newest pending logins, so that servers accept the header", async () => {
  const browser = new Browser(server());
  for (let n = 0; n < 20; n++) {
    await browser.visit((session) =>
      session.update(PENDING, (pending) => ({
        ...pending as Record<string, string>,
        [`login${n}`]: "x".repeat(400),
      }))
    );
  }
  assert(browser.header.length < 5_000);
  const pending = await browser.visit((session) => session.get(PENDING));
  const names = Object.keys(pending as Record<string, string>);
  assert(names.length >= 4 && names.length < 8, String(names.length));
  assertEquals(names.at(-1), "login19");
});

Deno.test("session({ secrets }) drops no other pending login if the new one is too large for a cookie", async () => {
  const browser = new Browser(server());
  const begin = (name: string, length: number) =>
    browser.visit((session) =>
      session.update(PENDING, (pending) => ({
        ...pending as Record<string, string>,
        [name]: "x".repeat(length),
      }))
    );
  const names = async () => {
    const pending = await browser.visit((session) => session.get(PENDING));
    return Object.keys(pending as Record<string, string>);
  };
  await begin("a", 400);
  await begin("b", 400);
  await begin("huge", 5_000);
  assertEquals(await names(), ["a", "b"]);
  // The newest login replaces the oldest ones.
  await begin("large", 2_000);
  assertEquals(await names(), ["b", "large"]);
});

function server(options: SessionOptions = {}): Server {
  return new Server({ secrets: [SECRET], ...options });
}
