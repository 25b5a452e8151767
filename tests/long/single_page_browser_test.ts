/** The single-page application in Chromium: no token reaches the browser. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { createApp } from "../../examples/single_page/app.ts";
import { createNotesAPI } from "../../examples/single_page/notes_api.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally, type TestServer } from "../deno/_serve.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** Serves the application, the provider and the API, and records all tokens. */
function start() {
  const origin = `http://localhost:${freePort()}`;
  const issuer = `http://localhost:${freePort()}`;
  const resource = `http://localhost:${freePort()}/v1`;
  const clientSecret = crypto.randomUUID();
  const tokens = new Set<string>();
  const provider = createIdentityProvider({
    issuer,
    clients: [{
      id: "single-page",
      secret: clientSecret,
      redirectUris: [`${origin}/callback`],
    }],
    resources: [resource],
  });
  const api = createNotesAPI({ issuer, resource });
  const app = createApp({
    origin,
    issuer,
    clientSecret,
    api: resource,
    secret: crypto.randomUUID(),
  });
  const requests: Request[] = [];
  const servers = [
    serve(issuer, async (request) => {
      const response = await provider.fetch(request);
      if (new URL(request.url).pathname === "/token") {
        const body = await response.clone().json();
        tokens.add(body.access_token).add(body.id_token);
      }
      return response;
    }),
    serve(resource, (request) => {
      requests.push(request);
      return api.fetch(request);
    }),
    serve(origin, app.fetch),
  ];
  return {
    origin,
    resource,
    tokens,
    requests,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.shutdown();
    },
  };
}

function serve(url: string, handler: Handler): TestServer {
  const port = Number(new URL(url).port);
  return serveLocally((request) => handler(request), { port });
}

/** Records all requests and responses of a page, with their bodies. */
async function recordNetwork(page: Page): Promise<() => Promise<string>> {
  const cdp = await page.context().newCDPSession(page);
  const parts: unknown[] = [];
  const bodies: Promise<unknown>[] = [];
  for (
    const event of [
      "Network.requestWillBeSent",
      "Network.requestWillBeSentExtraInfo",
      "Network.responseReceived",
      "Network.responseReceivedExtraInfo",
    ] as const
  ) cdp.on(event, (details: unknown) => parts.push(details));
  cdp.on("Network.loadingFinished", ({ requestId }) => {
    const body = cdp.send("Network.getResponseBody", { requestId });
    // The browser forgets the bodies of the last page.
    bodies.push(body.catch(() => null));
  });
  await cdp.send("Network.enable");
  return async () => JSON.stringify([parts, await Promise.all(bodies)]);
}

/** Returns all that a script of the page can read. */
async function readable(page: Page): Promise<string> {
  return await page.evaluate(`(async () => {
    const databases = await indexedDB.databases();
    const caches = await globalThis.caches.keys();
    return JSON.stringify([
      document.cookie, { ...localStorage }, { ...sessionStorage }, databases,
      caches, document.documentElement.outerHTML, location.href, history.state,
      Object.keys(globalThis).map((name) => typeof globalThis[name] === "string"
        ? globalThis[name] : name),
    ]);
  })()`);
}

testInChromium(
  "Chromium: a single-page application calls an API through forwardTo, and no token reaches the browser",
  async () => {
    await using servers = start();
    await using browser = await launch();
    const context = await browser.newContext();
    const page = await context.newPage();
    const received = await recordNetwork(page);
    page.setDefaultTimeout(30_000);
    await page.goto(servers.origin);
    await page.getByText("You are not logged in.").waitFor();
    await page.getByRole("link", { name: "Log in" }).click();
    await page.getByRole("button", { name: /Ada/ }).click();
    await page.getByText("0 notes").waitFor();
    await page.getByLabel("New note").fill("Milk <b>");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("1 notes").waitFor();
    assertEquals(await page.locator("li").allInnerTexts(), ["Milk <b>"]);

    // The API has seen the token, and nothing of the browser.
    assertEquals(servers.tokens.size, 2);
    assertEquals(servers.requests.length, 2);
    for (const { headers } of servers.requests) {
      const [scheme, token] = headers.get("Authorization")!.split(" ");
      assert(scheme === "Bearer" && servers.tokens.has(token));
      assertEquals([headers.get("Cookie"), headers.get("Origin")], [
        null,
        null,
      ]);
    }
    const stored = JSON.stringify([
      await context.storageState(),
      await readable(page),
    ]);
    const network = await received();
    assert(network.includes("Milk"));
    for (const token of servers.tokens) {
      const [, claims, signature] = token.split(".");
      for (const part of [token, claims, signature]) {
        assertFalse(stored.includes(part), "storage");
        assertFalse(network.includes(part), "network");
      }
    }
    assertEquals(await page.evaluate("document.cookie"), "");

    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You are not logged in.").waitFor();
    assertEquals(servers.requests.length, 2);
    await context.close();
  },
);

testInChromium(
  "Chromium: forwardTo() refuses navigations, elements and other sites",
  async () => {
    await using servers = start();
    await using other = serveLocally(() =>
      new Response("<!doctype html><title>Other</title>", {
        headers: { "Content-Type": "text/html" },
      })
    );
    await using browser = await launch();
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${servers.origin}/login`);
    await page.getByRole("button", { name: /Ada/ }).click();
    await page.getByText("0 notes").waitFor();
    const seen = servers.requests.length;
    const url = `${servers.origin}/api/notes`;

    // A navigation, an image and a script of the application itself.
    assertEquals((await page.goto(url))!.status(), 403);
    await page.goto(servers.origin);
    await page.getByText("0 notes").waitFor();
    const elements = await page.evaluate(`Promise.all(["img", "script"].map(
      (name) => new Promise((done) => {
        const element = document.createElement(name);
        element.onload = () => done("loaded");
        element.onerror = () => done("refused");
        element.src = "/api/notes";
        document.body.append(element);
      })))`);
    assertEquals(elements, ["refused", "refused"]);
    const socket = await page.evaluate(`new Promise((done) => {
      const socket = new WebSocket(${
      JSON.stringify(url.replace("http", "ws"))
    });
      socket.onopen = () => done("open");
      socket.onerror = () => done("refused");
    })`);
    assertEquals(socket, "refused");
    assertEquals(servers.requests.length, seen + 1);

    // Another port is the same site, so the cookie is sent.
    for (const host of ["localhost", "127.0.0.1"]) {
      await page.goto(`http://${host}:${other.addr.port}/`);
      await page.evaluate(`fetch(${JSON.stringify(url)}, {
        credentials: "include", mode: "no-cors", method: "POST",
        headers: { "Content-Type": "text/plain" }, body: '{"text":"evil"}',
      }).catch(() => {})`);
    }
    assertEquals(servers.requests.length, seen + 1);
    await context.close();
  },
);
