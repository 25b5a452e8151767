import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
} from "@std/assert";
import { base64url } from "jose";
import { Browser, Server } from "../_browser.ts";

Deno.test("Session.set() of userId logs in (spec 2.3)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertEquals(await browser.visit((session) => session.get("userId")), 7);
});

Deno.test("Session.set() of another userId ends the old id (ASVS 7.2.4)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("theme", "dark"));
  const planted = browser.copy();
  const id = await browser.visit((session) => session.id);
  await browser.visit((session) => session.set("userId", 7));

  const seen = await browser.visit((session) => ({
    id: session.id,
    theme: session.get("theme"),
  }));
  assertNotEquals(seen.id, id);
  assertEquals(seen.theme, "dark");
  assertEquals(await planted.visit((session) => session.userId), undefined);
  assertEquals(
    await planted.visit((session) => session.get("theme")),
    undefined,
  );
});

Deno.test("Session.unset() of userId ends the login and the id", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const copied = browser.copy();
  await browser.visit((session) => session.unset("userId"));
  await browser.visit((session) => {
    assertEquals(session.userId, undefined);
    assertEquals(session.authenticatedAt, undefined);
  });
  assertNotEquals(browser.header, copied.header);
  assertEquals(await copied.visit((session) => session.userId), undefined);
});

Deno.test("Session.unset() of userId changes nothing if no user is logged in", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("cart", 1));
  const { header } = browser;
  await browser.visit((session) => session.unset("userId"));
  assertEquals(browser.header, header);
  assertEquals(await browser.visit((session) => session.get("cart")), 1);
});

Deno.test("Session.unset() of userId drops the user's data", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("userId", 7);
    session.set("cart", "of user 7");
    session.flash("notice", "for user 7");
  });
  await browser.visit((session) => session.unset("userId"));
  await browser.visit((session) => {
    assertEquals([session.has("cart"), session.has("notice")], [false, false]);
  });
});

Deno.test("Session.set() of another userId drops the first user's data", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("userId", 7);
    session.set("cart", "of user 7");
    session.flash("notice", "for user 7");
  });
  await browser.visit((session) => {
    session.set("userId", 8);
    session.set("cart2", "of user 8");
  });
  await browser.visit((session) => {
    assertEquals(session.userId, 8);
    assertEquals(session.has("cart"), false);
    assertEquals(session.has("notice"), false);
    assertEquals(session.get("cart2"), "of user 8");
  });
});

Deno.test("Session.set() of the same userId keeps the id", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const { header } = browser;
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(browser.header, header);
});

Deno.test("Session.id stays the same until it is regenerated, and is never the token", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    assertEquals(session.id, "");
    session.set("a", 1);
  });
  const id = await browser.visit((session) => session.id);
  assertEquals(await browser.visit((session) => session.id), id);
  assert(/^[\w-]{43}$/.test(id));
  assertFalse(browser.header.includes(id));
});

Deno.test("session() stores a session under the SHA-256 of its token (FIPS 180-4)", async () => {
  const keys: string[] = [];
  const store = {
    get: (key: string) => {
      keys.push(key);
      return null;
    },
    put: () => true,
    delete: () => {},
  };
  const server = new Server({ store });
  const tokens = [..."Aa0_-"].map((character) => character.repeat(43));
  for (let count = 0; count < 200; count++) tokens.push(randomToken());
  for (const token of tokens) {
    const Cookie = `__Host-Http-session=${token}`;
    await server.request((session) => session.userId, { Cookie });
  }
  assertEquals(keys, await Promise.all(tokens.map(sha256)));
});

Deno.test("Session.regenerateId() changes the id of the session", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  const copied = browser.copy();
  await browser.visit((session) => session.regenerateId());
  assertNotEquals(browser.header, copied.header);
  assertEquals(await browser.visit((session) => session.get("a")), 1);
  assertEquals(await copied.visit((session) => session.get("a")), undefined);
});

Deno.test("Session.regenerateId() after a login leaves no usable old id", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  const copied = browser.copy();
  await browser.visit((session) => {
    session.set("userId", 7);
    session.regenerateId();
  });
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertEquals(await copied.visit((session) => session.has("a")), false);
});

function randomToken(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return base64url.encode(
    new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)),
  );
}
