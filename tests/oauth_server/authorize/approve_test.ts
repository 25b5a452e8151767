import { assertEquals, assertMatch } from "@std/assert";
import {
  API,
  authorizePath,
  browserOf,
  callAPI,
  changedStore,
  exchange,
  readConsent,
  refresh,
  sendConsent,
  slowStore,
  startServer,
  targetOf,
  type TokenBody,
} from "../_server.ts";
import { openConsent } from "./_consent.ts";

Deno.test("the user gives only the requested scopes that are ticked", async () => {
  const app = startServer();
  const scope = "notes:read notes:write";
  const { browser, form } = await openConsent(app, { scope });
  const scopes = ["notes:read", "notes:delete", "files:read", "unknown"];
  const target = targetOf(await sendConsent(browser, { ...form, scopes }));
  const tokens: TokenBody = await (await exchange(
    app,
    target.searchParams.get("code")!,
  )).json();
  assertEquals(tokens.scope, "notes:read");
  assertEquals(await callAPI(app, tokens.access_token, "/api/write"), 403);

  const other = await openConsent(app, { scope });
  const none = targetOf(
    await sendConsent(other.browser, { ...other.form, scopes: [] }),
  );
  assertEquals(none.searchParams.get("error"), "access_denied");
});

Deno.test("a client that has lost its redirect URI since the page gets no code", async () => {
  let redirectUris = ["https://client.example/callback"];
  const app = startServer({
    clients: (id) => id === "web" ? { id, name: "Web", redirectUris } : null,
  });
  const { browser, form } = await openConsent(app);
  redirectUris = ["https://client.example/other"];
  const response = await sendConsent(browser, form);
  assertEquals(response.status, 400);
  assertEquals(app.events, []);
});

Deno.test("a trusted client that authenticates needs no consent", async () => {
  const hash = "a".repeat(43);
  const client = {
    id: "web",
    name: "Own",
    redirectUris: ["https://client.example/callback"],
    authentication: { secretHashes: [hash] },
    trusted: true,
  };
  const app = startServer({ clients: [client] });
  const browser = await browserOf(app);
  const target = targetOf(await browser.fetch(authorizePath()));
  assertMatch(target.searchParams.get("code")!, /^oac_/);
  const silent = await browser.fetch(authorizePath({ prompt: "none" }));
  assertMatch(targetOf(silent).searchParams.get("code")!, /^oac_/);
  const asked = await browser.fetch(authorizePath({ prompt: "consent" }));
  await readConsent(asked);
});

Deno.test("a user has at most 20 grants of a client, and the longest unused end", async () => {
  const { open, store } = slowStore();
  const app = startServer({ store });
  const browser = await browserOf(app);
  const tokens: string[] = [];
  const connectAgain = async () => {
    const form = await readConsent(await browser.fetch(authorizePath()));
    const target = targetOf(await sendConsent(browser, form));
    assertEquals(open.calls, 0);
    const code = target.searchParams.get("code")!;
    const body: TokenBody = await (await exchange(app, code)).json();
    tokens.push(body.access_token);
    app.clock.now += 1_000;
    return { body, form };
  };
  const first = await connectAgain();
  for (let count = 1; count < 20; count++) await connectAgain();
  const revoked = () => app.events.filter(({ name }) => name === "revoked");
  assertEquals(revoked(), []);
  const denied = await readConsent(await browser.fetch(authorizePath()));
  await sendConsent(browser, denied, "deny");
  assertEquals(revoked(), []);

  // Its use saves the first one.
  const { refresh_token } = first.body;
  const used: TokenBody = await (await refresh(app, refresh_token)).json();
  const { form } = await connectAgain();
  for (let count = 0; count < 2; count++) await connectAgain();
  const ended = app.events.slice(1, 4).map(({ grant }) => grant);
  assertEquals(revoked().map(({ grant }) => grant), ended);
  // A second click ends no other grant.
  await sendConsent(browser, form);
  assertEquals(revoked().length, 3);
  const grants = await app.server.grants("1");
  assertEquals(grants.length, 20);
  assertEquals(grants.every(({ resource }) => resource === API), true);
  const statuses = await Promise.all(
    tokens.map((token) => callAPI(app, token)),
  );
  assertEquals(statuses.slice(0, 4), [200, 401, 401, 401]);
  assertEquals(new Set(statuses.slice(4)), new Set([200]));
  assertEquals(await callAPI(app, used.access_token), 200);
});

Deno.test("a store without room sends the client an error instead of a code", async () => {
  const store = changedStore(() => ({ put: () => Promise.resolve(false) }));
  const app = startServer({ store });
  const { browser, form } = await openConsent(app);
  const { origin, searchParams } = targetOf(await sendConsent(browser, form));
  assertEquals(origin, "https://client.example");
  assertEquals(searchParams.get("error"), "temporarily_unavailable");
  assertEquals(searchParams.get("code"), null);
  assertEquals(app.events, []);
});
