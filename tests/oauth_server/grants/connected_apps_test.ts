import { assertEquals } from "@std/assert";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { OPTIONS } from "../_options.ts";
import {
  authorizePath,
  browserOf,
  callAPI,
  changedStore,
  connect,
  exchange,
  getCode,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
} from "../_server.ts";

const DOCUMENT = "https://client.example/client.json";

Deno.test("grants() returns the newest grant first, and revoke() ends those that match", async () => {
  const app = startServer();
  const tokens: string[] = [];
  const times: number[] = [];
  for (const client_id of ["web", "other", "web"]) {
    app.clock.now += 1_000;
    times.unshift(app.clock.now);
    const code = await getCode(await browserOf(app), { client_id });
    const response = await exchange(app, code, { client_id });
    tokens.unshift((await response.json()).access_token);
  }
  const statuses = () =>
    Promise.all(tokens.map((token) => callAPI(app, token)));
  const grants = await app.server.grants("1");
  assertEquals(grants.map(({ createdAt }) => createdAt), times);
  assertEquals(grants.map(({ client }) => client.id), ["web", "other", "web"]);

  assertEquals(await app.server.revoke("1", { id: "x" }), 0);
  assertEquals(await app.server.revoke("1", { client: "cli" }), 0);
  assertEquals(await app.server.revoke("1", { before: times[2]! }), 0);
  const { id } = grants[1]!;
  assertEquals(await app.server.revoke("1", { id, client: "web" }), 0);
  assertEquals(await statuses(), [200, 200, 200]);
  assertEquals(await app.server.revoke("1", { before: times[1]! }), 1);
  assertEquals(await statuses(), [200, 200, 401]);
  assertEquals(await app.server.revoke("1", { client: "web" }), 1);
  assertEquals(await statuses(), [401, 200, 401]);
  assertEquals(await app.server.revoke("1", { id }), 1);
  assertEquals(await statuses(), [401, 401, 401]);
});

Deno.test("users.connect() receives the functions of the server", async () => {
  const found: object[] = [];
  const server = createAuthorizationServer({
    ...OPTIONS,
    users: { find: () => null, connect: (apps) => void found.push(apps) },
  });
  const { grants, revoke } = server;
  assertEquals(found, [{ grants, revoke }]);
  assertEquals(await grants("1"), []);
});

Deno.test("grants() has the host of a client with a document", async () => {
  const app = startServer({
    cimd: {
      fetch: () =>
        Promise.resolve(Response.json({
          client_id: DOCUMENT,
          client_name: "Client",
          redirect_uris: ["https://client.example/callback"],
        })),
    },
  });
  const client_id = DOCUMENT;
  const code = await getCode(await browserOf(app), { client_id });
  assertEquals((await exchange(app, code, { client_id })).status, 200);
  const [grant] = await app.server.grants("1");
  assertEquals(grant?.client, {
    id: DOCUMENT,
    name: "Client",
    host: "client.example",
  });
});

Deno.test("grants() looks for no user without grants", async () => {
  const app = startServer();
  const get = app.users.get.bind(app.users);
  let lookups = 0;
  app.users.get = (id) => {
    lookups++;
    return get(id);
  };
  assertEquals(await app.server.grants("1"), []);
  assertEquals(lookups, 0);
  app.users.get = get;
  await connect(app);
  assertEquals((await app.server.grants("1")).length, 1);
});

Deno.test("grants() leaves out keys that the index names by mistake", async () => {
  const store = changedStore((inner) => {
    const names: string[] = [];
    return {
      put(key, value, options) {
        names.push(...options.index ?? []);
        return inner.put(key, value, options);
      },
      // All users have the keys of each other, and one that is gone.
      byIndex: async () => {
        const keys = await Promise.all(
          [...new Set(names)].map((name) => inner.byIndex!(name)),
        );
        return [`${"A".repeat(22)}~grant`, ...keys.flat()];
      },
    };
  });
  const app = startServer({ store });
  await connect(app);
  assertEquals((await app.server.grants("1")).length, 1);
  assertEquals(await app.server.grants("2"), []);
  assertEquals(await app.server.revoke("2"), 0);
  const browser = await browserOf(app, "2");
  const form = await readConsent(await browser.fetch(authorizePath()));
  const target = targetOf(await sendConsent(browser, form));
  await exchange(app, target.searchParams.get("code")!);
  assertEquals((await app.server.grants("2")).length, 1);
  assertEquals((await app.server.grants("1")).length, 1);
});
