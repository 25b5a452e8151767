import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  authorizePath,
  browserOf,
  callAPI,
  exchange,
  ORIGIN,
  readConsent,
  refresh,
  sendConsent,
  startServer,
  targetOf,
  type TokenBody,
} from "../_server.ts";

const ID = "https://client.example/client.json";
const CALLBACK = "https://client.example/callback";
const FORM = { client_id: ID, redirect_uri: CALLBACK };

/** Starts a server for a client whose document can change. */
function startWithDocument() {
  const world = {
    document: {
      client_id: ID,
      client_name: "Client",
      redirect_uris: [CALLBACK],
    } as object | null,
    fetched: 0,
    blocked: false,
  };
  const app = startServer({
    cimd: {
      fetch() {
        world.fetched++;
        const { document } = world;
        const headers = { "Cache-Control": "no-store" };
        return Promise.resolve(
          document === null
            ? new Response(null, { status: 500 })
            : Response.json(document, { headers }),
        );
      },
      allow: () => !world.blocked,
      onError: () => {},
    },
  });
  return { app, world };
}

Deno.test("a document is fetched only for a user who is logged in", async () => {
  const { app, world } = startWithDocument();
  const request = new Request(ORIGIN + authorizePath(FORM));
  assertEquals((await app.router.fetch(request)).status, 303);
  assertEquals(world.fetched, 0);
  const browser = await browserOf(app);
  const { html } = await readConsent(await browser.fetch(authorizePath(FORM)));
  assertStringIncludes(html, "client.example");
  assertEquals(world.fetched, 1);
});

Deno.test("a grant by document works while the document is unavailable, and after it has changed", async () => {
  const { app, world } = startWithDocument();
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath(FORM)));
  const response = await sendConsent(browser, form);
  const code = targetOf(response).searchParams.get("code")!;
  const { fetched } = world;

  world.document = null;
  const tokens: TokenBody = await (await exchange(app, code, FORM)).json();
  assertEquals(await callAPI(app, tokens.access_token), 200);
  const next = await refresh(app, tokens.refresh_token, { client_id: ID });
  assertEquals(next.status, 200);
  assertEquals(world.fetched, fetched);

  world.blocked = true;
  assertEquals(await callAPI(app, tokens.access_token), 401);
  const { refresh_token }: TokenBody = await next.json();
  const refused = await refresh(app, refresh_token, { client_id: ID });
  assertEquals(refused.status, 400);
});

Deno.test("a redirect URI that the document loses before the decision gets no code", async () => {
  const { app, world } = startWithDocument();
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath(FORM)));
  world.document = {
    client_id: ID,
    redirect_uris: ["https://evil.example/callback"],
  };
  const response = await sendConsent(browser, form);
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("Location"), null);
  assertEquals(response.headers.get("Refresh"), null);
});

Deno.test("a client by document must name its redirect URI, so that it cannot change after the consent page", async () => {
  const { app } = startWithDocument();
  const browser = await browserOf(app);
  const path = authorizePath({ client_id: ID, redirect_uri: undefined });
  const response = await browser.fetch(path);
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("Location"), null);
});

Deno.test("an unusable document leads to a page, never to a redirect", async () => {
  const { app, world } = startWithDocument();
  world.document = null;
  const browser = await browserOf(app);
  for (const id of [ID, `${ID}#`, "https://127.0.0.1/client.json"]) {
    const path = authorizePath({ ...FORM, client_id: id });
    const response = await browser.fetch(path);
    assertEquals(response.status, 400, id);
    assertEquals(response.headers.get("Location"), null);
    await response.body?.cancel();
  }
  assertEquals(world.fetched, 1);
});
