/**
 * Responses come after the calls of the store and the events that belong to them:
 * Workers end with the response.
 */
import { assertEquals } from "@std/assert";
import { deviceGrant, registrationEndpoint } from "@gatehouse/web/oauth-server";
import {
  authorizePath,
  browserOf,
  CALLBACK,
  exchange,
  ORIGIN,
  post,
  readConsent,
  refresh,
  sendConsent,
  slowStore,
  startServer,
  targetOf,
  type TokenBody,
} from "./_server.ts";
import { CLIENTS, open, poll, send, start } from "./device/_devices.ts";

/** Starts a server whose store takes a while. */
function startSlowly() {
  const { open, store } = slowStore();
  const app = startServer({
    ...{ store, clients: CLIENTS, device: deviceGrant() },
    registration: registrationEndpoint(),
  });
  /** Checks what a response leaves behind. */
  const check = (...events: string[]) => {
    assertEquals(open.calls, 0);
    assertEquals(app.events.splice(0).map(({ name }) => name), events);
  };
  return { app, check };
}

Deno.test("responses about codes and tokens come after their store calls and events", async () => {
  const { app, check } = startSlowly();
  const browser = await browserOf(app);
  const params = { redirect_uri: "https://client.example/cb" };
  const approve = async (decision = "approve") => {
    const page = await browser.fetch(authorizePath(params));
    const form = await readConsent(page);
    return targetOf(await sendConsent(browser, form, decision));
  };
  await approve("deny");
  check("denied");

  const target = await approve();
  check("granted");
  const code = target.searchParams.get("code")!;
  const first: TokenBody = await (await exchange(app, code, params)).json();
  check();
  app.clock.now += 6_000;
  await exchange(app, code, params);
  check("code-reuse");
  assertEquals((await refresh(app, first.refresh_token)).status, 400);

  const other = (await approve()).searchParams.get("code")!;
  const tokens: TokenBody = await (await exchange(app, other, params)).json();
  await refresh(app, tokens.refresh_token);
  check("granted");
  app.clock.now += 31_000;
  await refresh(app, tokens.refresh_token);
  check("token-reuse");

  const last = (await approve()).searchParams.get("code")!;
  const { access_token: token }: TokenBody = await (await exchange(
    app,
    last,
    params,
  )).json();
  check("granted");
  await post(app, "/revoke", { token, client_id: "web" });
  check("revoked");
});

Deno.test("responses about devices and registrations come after their store calls and events", async () => {
  const { app, check } = startSlowly();
  const browser = await browserOf(app);
  for (const decision of ["deny", "approve"]) {
    const codes = await start(app);
    check();
    const form = await readConsent(await open(browser, codes.user_code));
    check();
    await send(browser, form, decision);
    check(decision === "deny" ? "denied" : "granted");
    await poll(app, codes);
    check();
  }
  const response = await app.router.fetch(`${ORIGIN}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [CALLBACK] }),
  });
  check();
  const { client_id } = await response.json();
  const page = await browser.fetch(authorizePath({ client_id }));
  await sendConsent(browser, await readConsent(page));
  check("granted");
});

Deno.test("revoke() returns after its store calls and events", async () => {
  const { app, check } = startSlowly();
  const browser = await browserOf(app);
  const params = { redirect_uri: "https://client.example/cb" };
  for (let count = 0; count < 2; count++) {
    const page = await browser.fetch(authorizePath(params));
    const response = await sendConsent(browser, await readConsent(page));
    await exchange(app, targetOf(response).searchParams.get("code")!, params);
  }
  check("granted", "granted");
  assertEquals(await app.server.revoke("1"), 2);
  check("revoked", "revoked");
  assertEquals(await app.server.grants("1"), []);
});
