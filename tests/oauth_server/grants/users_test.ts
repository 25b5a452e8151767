import { assertEquals } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import { auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  authorizePath,
  browserOf,
  callAPI,
  connect,
  ORIGIN,
  refresh,
  startServer,
} from "../_server.ts";

Deno.test("users without versions keep their grants", async () => {
  const app = startServer({ hasVersions: false });
  const { access_token, refresh_token } = await connect(app);
  app.users.get("1")!.version++;
  assertEquals(await callAPI(app, access_token), 200);
  assertEquals((await refresh(app, refresh_token)).status, 200);
  assertEquals((await app.server.grants("1")).length, 1);
});

Deno.test("a grant has no user while the version of its user is missing", async () => {
  const app = startServer();
  const user = app.users.get("1")! as { version: unknown };
  const { access_token } = await connect(app);
  const statuses: number[] = [];
  for (const version of [1, undefined, null, 1, 0, 2]) {
    user.version = version;
    statuses.push(await callAPI(app, access_token));
  }
  assertEquals(statuses, [200, 401, 401, 200, 200, 401]);
});

Deno.test("a grant has no user if the application finds another one", async () => {
  const app = startServer();
  const { access_token, refresh_token } = await connect(app);
  app.users.set("1", app.users.get("2")!);
  assertEquals(await callAPI(app, access_token), 401);
  assertEquals((await refresh(app, refresh_token)).status, 400);
  assertEquals(await app.server.grants("1"), []);
});

Deno.test("an application may find its users later", async () => {
  const app = startServer();
  const { access_token, refresh_token } = await connect(app);
  const get = app.users.get.bind(app.users);
  app.users.get = ((id: string) => Promise.resolve(get(id))) as never;
  assertEquals(await callAPI(app, access_token), 200);
  assertEquals((await refresh(app, refresh_token)).status, 200);
  assertEquals((await app.server.grants("1")).length, 1);
});

Deno.test("a user who is not that of the session cannot connect an application", async () => {
  const { server, users } = startServer();
  for (const id of ["1", "2"]) {
    const store = createMemorySessionStore();
    const app = {
      router: createRouter({
        middleware: [
          session({ store }),
          auth({
            schemes: [{
              name: "header",
              authenticate: () => ({
                status: "authenticated",
                user: users.get("1")!,
              }),
            }],
          }),
        ],
      }),
    };
    app.router.map(server.routes, server.controller);
    app.router.post("/login/:id", async (context) => {
      await completeAuth(context, context.params.id, { version: 1 });
      return new Response("Welcome");
    });
    const browser = await browserOf(app, id);
    const response = await browser.fetch(ORIGIN + authorizePath());
    assertEquals(response.status, id === "1" ? 200 : 403);
    await response.body?.cancel();
  }
});
