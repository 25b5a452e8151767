import { createCookieSessionStore } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { base64url } from "jose";
import { Browser, Clock, MINUTE, Server } from "../_browser.ts";

const SECRET = "a secret of more than thirty-two characters";

/** The session key under which the auth module stores pending logins. */
const PENDING = "__auth.external";

Deno.test("session({ secrets }) keeps values, flash values and the login in the cookie", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => {
    session.set("userId", 7);
    session.set("cart", [1, { n: "é" }]);
    session.flash("notice", "once");
  });
  await browser.visit((session) => {
    assertEquals(session.userId, 7);
    assertEquals(session.get("cart"), [1, { n: "é" }]);
    assertEquals(session.get("notice"), "once");
  });
  await browser.visit((session) => {
    assertEquals(session.has("notice"), false);
    session.destroy();
  });
  // Only the time of the logout is left.
  assertEquals([...browser.cookies.keys()], ["__Host-Http-session-ended"]);
});

Deno.test("session({ secrets }) works like createCookieSessionStore()", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("userId", 7));
  const store = createCookieSessionStore({ secrets: [SECRET] });
  const other = new Browser(new Server({ store }), browser.cookies);
  assertEquals(await other.visit((session) => session.userId), 7);
});

Deno.test("session({ secrets }) hides the content of the cookie (ASVS 10.1.1)", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("token", "hunter2-hunter2"));
  const [, sealed] = browser.header.split(".");
  const bytes = base64url.decode(sealed);
  const shown = browser.header + new TextDecoder("latin1").decode(bytes);
  assertFalse(shown.includes("hunter2"));
  const { header } = browser;
  await browser.visit((session) => session.set("token", "hunter2-hunter3"));
  assertNotEquals(browser.header, header);
});

Deno.test("session({ secrets }) rejects a cookie that was changed at any position", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("userId", 7));
  const [name, sealed] = browser.header.split(/=(.*)/);
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    await assertRejected(`${name}=${changed}`);
  }
  const dot = sealed.indexOf(".");
  for (
    const value of [
      ".",
      sealed.slice(0, dot),
      sealed.slice(0, dot + 1),
      sealed.slice(dot),
      sealed.slice(0, dot + 10),
      sealed.slice(0, dot + 38),
      sealed.slice(0, -1),
      `${sealed}A`,
      `${sealed}=`,
      `x${sealed}`,
      `${sealed.slice(0, dot)}.${"A".repeat(9_000)}`,
    ]
  ) {
    await assertRejected(`${name}=${value}`);
  }
});

Deno.test("session({ secrets }) rejects a cookie under another name", async () => {
  const a = new Browser(server({ cookie: { name: "a" } }));
  await a.visit((session) => session.set("userId", 7));
  const value = a.cookies.get("__Host-Http-a")!;
  const b = new Browser(server({ cookie: { name: "b" } }), [[
    "__Host-Http-b",
    value,
  ]]);
  assertEquals(await b.visit((session) => session.userId), undefined);
});

Deno.test("session({ secrets }) ends a session by the times in the cookie, even if the browser keeps it (ASVS 7.3)", async () => {
  const clock = new Clock();
  const browser = new Browser(server({ now: clock.now }));
  await browser.visit((session) => session.set("userId", 7));
  const copied = browser.copy();
  clock.time += 29 * MINUTE;
  assertEquals(await browser.visit((session) => session.userId), 7);
  clock.time += 2 * MINUTE;
  assertEquals(await copied.visit((session) => session.userId), undefined);
  for (let time = 31; time < 12 * 60 - 20; time += 20) {
    assertEquals(await browser.visit((session) => session.userId), 7);
    clock.time += 20 * MINUTE;
  }
  clock.time += 20 * MINUTE;
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session({ secrets }) sets the cookie after a change, or after a quarter of the timeout", async () => {
  const clock = new Clock();
  const browser = new Browser(server({ now: clock.now }));
  const cookies = () => browser.response.headers.getSetCookie().length;
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(cookies(), 1);
  await browser.visit((session) => session.userId);
  assertEquals(cookies(), 0);
  clock.time += 8 * MINUTE;
  await browser.visit(() => {});
  assertEquals(cookies(), 0);
  await browser.visit((session) => session.userId);
  assertEquals(cookies(), 1);
  await browser.visit((session) => session.userId);
  assertEquals(cookies(), 0);
});

Deno.test("session() accepts a store or secrets, not both", () => {
  const store = createCookieSessionStore({ secrets: [SECRET] });
  assertThrows(() => session({ store, secrets: [SECRET] }), TypeError, "both");
});

Deno.test("session({ secrets }) throws if the cookie is too large for browsers (ASVS 3.3.5)", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("a", "x".repeat(2_500)));
  const [[name, value]] = browser.cookies;
  assert(name.length + value.length <= 4_096);
  await assertRejects(
    () => browser.visit((session) => session.set("b", "x".repeat(500))),
    Error,
    "at most 4096 are allowed",
  );
  assertEquals(await browser.visit((session) => session.has("b")), false);
});

Deno.test("session({ secrets }) changes the id with the login (ASVS 7.2.4)", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("a", 1));
  const id = await browser.visit((session) => session.id);
  assertEquals(await browser.visit((session) => session.id), id);
  await browser.visit((session) => session.set("userId", 7));
  await browser.visit((session) => {
    assertNotEquals(session.id, id);
    assertNotEquals(session.id, "");
    assertEquals(session.get("a"), 1);
  });
});

Deno.test("session({ secrets }) removes all its cookies on destroy()", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => {
    session.set("a", 1);
    session.set(PENDING, { a: "verifier", b: "verifier" });
  });
  assertEquals(browser.cookies.size, 3);
  await browser.visit((session) => session.destroy());
  assertEquals(browser.cookies.size, 0);
});

Deno.test("session({ secrets }) saves only committed changes if the handler throws", async () => {
  const browser = new Browser(server());
  await browser.visit((session) => session.set("a", 1));
  await assertRejects(() =>
    browser.visit((session) => {
      session.set("a", 2);
      throw new Error("handler");
    })
  );
  assertEquals(await browser.visit((session) => session.get("a")), 1);
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.set("a", 2);
      await session.commit();
      session.set("a", 3);
      throw new Error("handler");
    })
  );
  assertEquals(await browser.visit((session) => session.get("a")), 2);
});

function server(options: SessionOptions = {}): Server {
  return new Server({ secrets: [SECRET], ...options });
}

async function assertRejected(Cookie: string): Promise<void> {
  const response = await shared.request(
    (session) => session.userId ?? "anonymous",
    { Cookie },
  );
  assertEquals(await response.json(), "anonymous", Cookie);
}

const shared = server();
