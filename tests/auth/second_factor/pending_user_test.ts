// Logins at providers that one user of a browser begins and another one finishes.
import {
  completeAuth,
  externalAuthCallbacks,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { clientOf, ORIGIN } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";
import { SECRET } from "../_token_app.ts";

for (const place of ["store", "cookies"] as const) {
  Deno.test(`externalAuthResult() accepts the callback of the user who connects an account (${place})`, async () => {
    const { begin, finish, logIn, tokenOf } = await setUp(place);
    const ada = await logIn("ada");
    const callback = await begin(ada);
    assertEquals(await finish(ada, callback), "saved for ada");
    assertEquals(await tokenOf(ada), true);
  });

  for (const other of ["eve", "an anonymous user"]) {
    Deno.test(`externalAuthResult() refuses to connect an account for ${other} that ada began to connect (${place})`, async () => {
      const { begin, finish, logIn, tokenOf } = await setUp(place);
      const browser = await logIn("ada");
      const callback = await begin(browser);
      const late = pendingCookies(browser);
      const path = other === "an anonymous user" ? "/logout" : `/as/${other}`;
      await browser.fetch(path, { method: "POST" });
      // The response that began the flow arrives after the login of eve.
      for (const [name, value] of late) cookiesOf(browser).set(name, value);
      assertEquals(await finish(browser, callback), "state_unknown");
      const eve = await logIn("eve");
      assertEquals(await tokenOf(eve), false);
    });
  }

  Deno.test(`externalAuthResult() refuses to connect an account that a visitor began to connect (${place})`, async () => {
    const { begin, finish, visit } = await setUp(place);
    const browser = visit();
    const callback = await begin(browser);
    const late = pendingCookies(browser);
    await browser.fetch("/as/eve", { method: "POST" });
    for (const [name, value] of late) cookiesOf(browser).set(name, value);
    assertEquals(await finish(browser, callback), "state_unknown");
  });
}

/** Returns the cookies of pending steps, if sessions are in cookies. */
function pendingCookies({ cookies }: TestClient): [string, string][] {
  return [...cookies].filter(([name]) => name.includes("."));
}

function cookiesOf({ cookies }: TestClient): Map<string, string> {
  return cookies as Map<string, string>;
}

async function setUp(place: "store" | "cookies") {
  const provider = await TestProvider.create();
  const { now } = provider;
  const client = clientOf(provider);
  const store = createMemorySessionStore({ now });
  const sessions = place === "store" ? { store } : { secrets: [SECRET] };
  const tokens = keepTokens(client, {
    store,
    secrets: [SECRET],
    owner: "user",
  });
  const router = createRouter({
    middleware: [
      externalAuthCallbacks([client]),
      session({ ...sessions, now }),
    ],
  });
  router.post("/as/:user", async (context) => {
    await completeAuth(context, context.params.user);
    return new Response();
  });
  router.post("/logout", (context) => {
    context.get(Session).unset("userId");
    return new Response();
  });
  router.get("/connect", (context) => startExternalAuth(client, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    if (!result.ok) return new Response(result.error.code, { status: 401 });
    await tokens.save(context, result);
    return new Response(`saved for ${context.get(Session).userId}`);
  });
  router.get("/token", async (context) => {
    return Response.json((await tokens.get(context)).ok);
  });
  const visit = () => createTestClient(router, { origin: ORIGIN });
  const logIn = async (user: string) => {
    const browser = visit();
    await browser.fetch(`/as/${user}`, { method: "POST" });
    return browser;
  };
  const begin = async (browser: TestClient) => {
    const { headers } = await browser.fetch("/connect");
    return provider.authorize(headers.get("Location"));
  };
  const finish = async (browser: TestClient, callback: string) => {
    return await (await browser.fetch(callback)).text();
  };
  const tokenOf = async (browser: TestClient): Promise<boolean> => {
    return await (await browser.fetch("/token")).json();
  };
  return { begin, finish, logIn, tokenOf, visit };
}
