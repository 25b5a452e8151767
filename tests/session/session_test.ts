import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestSession } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
  fail,
} from "@std/assert";
import { Browser, Server } from "./_browser.ts";

Deno.test("Session.get() returns what an earlier request set (spec 2.3)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("cart", ["tea", { n: 2 }]));
  const cart = await browser.visit((session) => session.get("cart"));
  assertEquals(cart, ["tea", { n: 2 }]);
});

Deno.test("session() sets a __Host-Http- cookie that scripts and HTTP cannot read (ASVS 3.3.1, 3.3.2, 3.3.3, 3.3.4)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  const [cookie] = browser.response.headers.getSetCookie();
  assert(/^__Host-Http-session=[\w-]{43};/.test(cookie));
  for (const part of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]) {
    assertStringIncludes(cookie, part);
  }
  assert(!/Domain|Max-Age|Expires/i.test(cookie));
});

Deno.test("Session.get() returns a copy of an object, which changes nothing until it is set", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("cart", { items: [1] }));
  await browser.visit((session) => {
    (session.get("cart") as { items: number[] }).items.push(2);
    session.set("other", true);
  });
  const cart = await browser.visit((session) => session.get("cart"));
  assertEquals(cart, { items: [1] });
});

Deno.test("Session.set() stores a copy of the value", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    const cart = [1];
    session.set("cart", cart);
    cart.push(2);
    assertEquals(session.get("cart"), [1]);
  });
  assertEquals(await browser.visit((session) => session.get("cart")), [1]);
});

const values = [null, false, 0, "", [], {}, "é 漢 🏰 \0 \ud800", 1.5, [null]];
for (const value of values) {
  Deno.test(`Session.set() keeps ${JSON.stringify(value)} (spec 2.3)`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => session.set("value", value));
    await browser.visit((session) => {
      assert(session.has("value"));
      assertEquals(session.get("value"), value);
    });
  });
}

for (const key of ["__proto__", "constructor", "toString", "", "a b\n"]) {
  Deno.test(`Session.get() returns ${JSON.stringify(key)} only after it was set`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => {
      assertEquals(session.get(key), undefined);
      assertFalse(session.has(key));
      session.set(key, { isAdmin: true });
      session.flash("other", 1);
    });
    await browser.visit((session) => {
      assertEquals(session.get(key), { isAdmin: true });
      assertEquals(session.get("isAdmin"), undefined);
      assertEquals(({} as Record<string, unknown>).isAdmin, undefined);
    });
  });
}

Deno.test("Session.set() rejects values without JSON", () => {
  const session = createTestSession();
  for (const value of [undefined, () => 1, Symbol("a"), 1n]) {
    assertThrows(() => session.set("a", value as never), TypeError);
  }
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  assertThrows(() => session.set("a", circle as never), TypeError);
  assertFalse(session.has("a"));
});

Deno.test("Session.set() rejects an invalid userId", () => {
  const session = createTestSession();
  for (const value of ["", null, NaN, Infinity, {}, [1], true]) {
    assertThrows(() => session.set("userId", value as never), TypeError);
  }
  for (const act of ["flash", "update"] as const) {
    assertThrows(() => session[act]("userId", (() => 1) as never), TypeError);
  }
  assertThrows(() => session.take("userId"), TypeError);
  assertEquals(session.userId, undefined);
});

Deno.test("Session.set() rejects values over the size limit", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    assertThrows(() => session.set("a", "x".repeat(32_769)), RangeError);
    for (const key of ["a", "b", "c"]) session.set(key, "é".repeat(8_000));
  }).then(
    () => fail("48 kB were stored"),
    (error) => assertStringIncludes(error.message, "at most 32768 are allowed"),
  );
});

Deno.test("Session.unset() removes a value and a flash value", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    session.flash("b", 2);
  });
  await browser.visit((session) => {
    session.unset("a");
    session.unset("b");
    session.unset("never");
    assertFalse(session.has("a"));
  });
  await browser.visit((session) => {
    assertEquals([session.has("a"), session.has("b")], [false, false]);
  });
});

Deno.test("createTestSession() works without middleware", async () => {
  const session = createTestSession();
  assertEquals(session.id, "");
  session.set("userId", 7);
  session.flash("notice", "m");
  await session.commit();
  assertEquals(session.userId, 7);
  assertEquals(session.get("notice"), "m");
  const { id } = session;
  assertNotEquals(id, "");

  session.update("count", (count) => Number(count ?? 0) + 1);
  await session.commit();
  assertEquals([session.id, session.get("count")], [id, 1]);
  session.regenerateId();
  await session.commit();
  assertNotEquals(session.id, id);
  session.destroy();
  await session.commit();
  assertEquals(session.userId, undefined);
});

Deno.test("Session hides its secrets when printed", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("password", "hunter2"));
  const token = browser.header.split("=")[1];
  await browser.visit((session) => {
    const shown = JSON.stringify(session) + String(session);
    assertFalse(shown.includes("hunter2") || shown.includes(token));
  });
});

Deno.test("session() keeps the sessions of two routers apart", async () => {
  const router = createRouter();
  const read = { handler: () => Response.json(null) };
  router.get("/a", { ...read, middleware: [session()] });
  router.get("/b", {
    middleware: [session({ cookie: { name: "b" } })],
    handler: (context) => {
      context.get(Session).set("b", 1);
      return new Response();
    },
  });
  const response = await router.fetch("https://example.com/b");
  assert(response.headers.getSetCookie()[0].startsWith("__Host-Http-b="));
  assertNotEquals((await router.fetch("https://example.com/a")).status, 500);
});
