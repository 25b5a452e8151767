/** A login with the cookie of a session that another request ended. */
import { assertEquals } from "@std/assert";
import { startExternalAuth } from "@gatehouse/web/auth";
import { createMemorySessionStore, userSessions } from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";
import { createProvider } from "./_provider.ts";

const provider = createProvider();

for (
  const how of [
    "endAll()",
    "endAll() and destroy()",
    "another device",
  ]
) {
  Deno.test(`startExternalAuth() works right after the session was ended by ${how}`, async () => {
    const store = createMemorySessionStore();
    const server = new Server({ store });
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    const other = new Browser(server);
    await other.visit((session) => session.set("userId", 7));
    const ending = how === "another device" ? other : browser;
    await ending.visit(async (session, context) => {
      await userSessions(context).endAll();
      if (how.includes("destroy")) session.destroy();
    });
    await browser.visit((_session, context) =>
      startExternalAuth(provider, context)
    );
    assertEquals(browser.response.status, 302);
    assertEquals(await browser.visit((session) => session.id !== ""), true);
  });
}
