import { assertEquals, assertRejects } from "@std/assert";
import {
  createMemorySessionStore,
  endUserSessions,
  type SessionStore,
} from "@gatehouse/web/session";
import { Browser, Clock, Server } from "./_browser.ts";

const secrets = ["a secret of more than thirty-two characters"];

for (const storage of ["a store", "cookies"]) {
  Deno.test(`session() with revokedBefore rejects older logins of one user (${storage})`, async () => {
    const clock = new Clock();
    const revoked = new Map<string | number, number>();
    const server = new Server({
      ...storage === "cookies" ? { secrets } : {},
      now: clock.now,
      revokedBefore: (userId) => revoked.get(userId),
    });
    const [user, other] = [new Browser(server), new Browser(server)];
    await user.visit((session) => session.set("userId", 7));
    await other.visit((session) => session.set("userId", 8));
    revoked.set(7, clock.time);
    assertEquals(await user.visit((session) => session.userId), undefined);
    assertEquals(await other.visit((session) => session.userId), 8);
    // A login after the revocation is valid, even in the same millisecond.
    await user.visit((session) => session.set("userId", 7));
    assertEquals(await user.visit((session) => session.userId), 7);
  });

  Deno.test(`session() with revokedBefore fails if it throws (${storage})`, async () => {
    let isDown = false;
    const server = new Server({
      ...storage === "cookies" ? { secrets } : {},
      revokedBefore: () => {
        if (isDown) throw new Error("The database is down");
        return null;
      },
    });
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    isDown = true;
    await assertRejects(
      () => browser.visit((session) => session.userId),
      Error,
      "Cannot check session: the store failed",
    );
  });

  Deno.test(`session() with clearSiteData sets the header after destroy() only (${storage})`, async () => {
    const server = new Server({
      ...storage === "cookies" ? { secrets } : {},
      clearSiteData: ["cache", "storage"],
    });
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    const name = "Clear-Site-Data";
    assertEquals(browser.response.headers.get(name), null);
    await browser.visit((session) => session.destroy());
    assertEquals(browser.response.headers.get(name), '"cache", "storage"');
    await browser.visit((session) => session.userId);
    assertEquals(browser.response.headers.get(name), null);
  });
}

Deno.test("session() sets no Clear-Site-Data by default", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  await browser.visit((session) => session.destroy());
  assertEquals(browser.response.headers.has("Clear-Site-Data"), false);
});

Deno.test("endUserSessions() throws if the store has no byIndex", async () => {
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  await assertRejects(
    () => endUserSessions(store, 7),
    TypeError,
    "the store has no byIndex",
  );
});
