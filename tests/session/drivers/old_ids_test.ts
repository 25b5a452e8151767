import { completeAuth } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals } from "@std/assert";

Deno.test("an old session id has no user on a machine whose clock is minutes behind", async () => {
  const time = 1_700_000_000_000;
  const store = createMemorySessionStore({ now: () => time });
  const machine = (now: () => number) => {
    const router = createRouter({ middleware: [session({ store, now })] });
    router.post("/login", async (context) => {
      await completeAuth(context, 7);
      return new Response();
    });
    router.get("/", (context) => {
      return Response.json(context.get(Session).userId ?? null);
    });
    return async (path: string, cookie = "") => {
      const method = path === "/login" ? "POST" : "GET";
      const init = { method, headers: { cookie } };
      const response = await router.fetch(`https://test.example${path}`, init);
      const [changed = ""] = response.headers.getSetCookie();
      return { cookie: changed.split(";")[0]!, body: await response.text() };
    };
  };
  const right = machine(() => time);
  const slow = machine(() => time - 300_000);
  const { cookie: stolen } = await right("/login");
  assertEquals((await slow("/", stolen)).body, "7");
  // The user confirms the login, which changes the id.
  const { cookie } = await right("/login", stolen);
  assertEquals((await slow("/", stolen)).body, "null");
  assertEquals((await slow("/", cookie)).body, "7");
});
