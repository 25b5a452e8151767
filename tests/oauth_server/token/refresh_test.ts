import { assertEquals } from "@std/assert";
import {
  callAPI,
  changedStore,
  connect,
  ORIGIN,
  refresh,
  startServer,
  type TokenBody,
} from "../_server.ts";

Deno.test("the refresh token before the current one works for 30 seconds, and then ends the grant (ASVS 10.4.5)", async () => {
  const app = startServer();
  const first = await connect(app);
  const rotated = await (await refresh(app, first.refresh_token)).text();
  app.clock.now += 30_000;
  const repeated = await refresh(app, first.refresh_token);
  const { expires_in: _, ...tokens } = JSON.parse(rotated);
  const { expires_in, ...same } = await repeated.json();
  assertEquals(same, tokens);
  assertEquals(expires_in, 570);
  app.clock.now += 1;
  const late = await refresh(app, first.refresh_token);
  assertEquals((await late.json()).error, "invalid_grant");
  assertEquals((await refresh(app, tokens.refresh_token)).status, 400);
  assertEquals(await callAPI(app, tokens.access_token), 401);
  assertEquals(app.events.at(-1)?.name, "token-reuse");
});

Deno.test("a refresh may ask for fewer scopes, and the grant keeps them all (RFC 6749, section 6)", async () => {
  const app = startServer();
  const { refresh_token } = await connect(app);
  const more = await refresh(app, refresh_token, { scope: "notes:delete" });
  assertEquals((await more.json()).error, "invalid_scope");
  const other = { resource: `${ORIGIN}/files` };
  const target = await refresh(app, refresh_token, other);
  assertEquals((await target.json()).error, "invalid_target");
  const narrow: TokenBody = await (await refresh(app, refresh_token, {
    scope: "notes:read offline_access",
  })).json();
  assertEquals(narrow.scope, "notes:read");
  assertEquals(await callAPI(app, narrow.access_token, "/api/write"), 403);
  const all: TokenBody = await (await refresh(app, narrow.refresh_token))
    .json();
  assertEquals(all.scope, "notes:read notes:write");
  assertEquals(await callAPI(app, all.access_token, "/api/write"), 200);
});

Deno.test("a refresh for a scope that is not the first one gets this one, and so does its repetition", async () => {
  const app = startServer();
  const { refresh_token } = await connect(app);
  const form = { scope: " notes:write  offline_access " };
  for (let count = 0; count < 2; count++) {
    const response = await refresh(app, refresh_token, form);
    const { access_token, scope }: TokenBody = await response.json();
    assertEquals(scope, "notes:write");
    assertEquals(await callAPI(app, access_token, "/api/write"), 200);
    assertEquals(await callAPI(app, access_token), 403);
  }
});

Deno.test("a refresh without a scope of the resource keeps all scopes", async () => {
  const app = startServer();
  let { refresh_token } = await connect(app);
  for (const scope of ["", "offline_access", " offline_access "]) {
    const response = await refresh(app, refresh_token, { scope });
    const tokens: TokenBody = await response.json();
    assertEquals(tokens.scope, "notes:read notes:write");
    ({ refresh_token } = tokens);
  }
});

Deno.test("a refresh that loses three races gets a 503, and works later", async () => {
  let isBusy = false;
  let reads = 0;
  const store = changedStore((inner) => ({
    get: (key) => {
      reads++;
      return inner.get(key);
    },
    put: (...args) => isBusy ? Promise.resolve(false) : inner.put(...args),
  }));
  const app = startServer({ store });
  const { refresh_token } = await connect(app);
  [isBusy, reads] = [true, 0];
  const busy = await refresh(app, refresh_token);
  assertEquals(busy.status, 503);
  assertEquals((await busy.json()).error, "temporarily_unavailable");
  assertEquals(reads, 3);
  isBusy = false;
  assertEquals((await refresh(app, refresh_token)).status, 200);
});
