/** Requests that loaded a session before another one changed its id. */
import { assertEquals } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import { type Action, Browser, Server } from "./_browser.ts";

const moves: Record<string, Action> = {
  "regenerateId()": (session) => session.regenerateId(),
  "completeAuth()": (_session, context) => completeAuth(context, 7),
};

for (const [how, move] of Object.entries(moves)) {
  Deno.test(`session() responds with 409 if ${how} changed the id before a write was saved`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => session.set("userId", 7));
    const late = browser.copy();
    await late.visit(async (session) => {
      await browser.visit(move);
      session.set("a", 1);
    });
    assertEquals(late.response.status, 409);
    assertEquals(late.response.headers.getSetCookie(), []);
    await browser.visit((session) => {
      assertEquals([session.userId, session.has("a")], [7, false]);
    });
  });

  Deno.test(`session() responds with 200 if ${how} changed the id of a session that is only read`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => {
      session.set("userId", 7);
      session.flash("notice", "saved");
    });
    const late = browser.copy();
    const read = await late.visit(async (session) => {
      await browser.visit(move);
      return [session.userId, session.get("notice")];
    });
    assertEquals(read, [7, "saved"]);
    assertEquals(late.response.status, 200);
    assertEquals(late.response.headers.getSetCookie(), []);
  });
}

Deno.test("session() responds with 200 to a write after a logout, which stays without effect", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.destroy());
    session.set("a", 1);
  });
  assertEquals(late.response.status, 200);
  assertEquals(await late.visit((session) => session.has("a")), false);
});
