import { assertEquals, assertRejects } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { captureConsole } from "../_console.ts";
import {
  callAPI,
  changedStore,
  connect,
  post,
  refresh,
  startServer,
} from "./_server.ts";

Deno.test("a store that fails makes the endpoints fail, and never looks like a revocation", async () => {
  let isDown = false;
  const inner = createMemorySessionStore();
  const call = <Value>(value: () => Value): Value => {
    if (isDown) throw new Error("down");
    return value();
  };
  const app = startServer({
    sessions: createMemorySessionStore(),
    store: {
      get: (key) => call(() => inner.get(key)),
      put: (...args) => call(() => inner.put(...args)),
      delete: (key) => call(() => inner.delete(key)),
      byIndex: (name) => call(() => inner.byIndex!(name)),
    },
  });
  const tokens = await connect(app);
  isDown = true;
  using console = captureConsole();
  const response = await refresh(app, tokens.refresh_token);
  assertEquals(response.status, 503);
  assertEquals(await callAPI(app, tokens.access_token), 503);
  await assertRejects(() => app.server.grants("1"));
  assertEquals(console.printed.length, 2);
  isDown = false;
  assertEquals((await refresh(app, tokens.refresh_token)).status, 200);
});

Deno.test("a revocation that the store cannot carry out is not reported as done", async () => {
  const store = changedStore(() => ({
    delete: () => Promise.reject(new Error("down")),
  }));
  const app = startServer({ store });
  const { access_token, refresh_token: token } = await connect(app);
  using _console = captureConsole();
  const response = await post(app, "/revoke", { token, client_id: "web" });
  assertEquals(response.status, 503);
  assertEquals(await callAPI(app, access_token), 200);
  assertEquals(app.events.map(({ name }) => name), ["granted"]);
});
