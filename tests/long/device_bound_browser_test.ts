/** Device-bound sessions in Chromium, over HTTPS and with keys in software. */
import { assert, assertEquals } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import { deviceBoundSessions } from "@gatehouse/web/auth/device-bound";
import { html, htmlResponse } from "@gatehouse/web/content";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import type { Page } from "npm:playwright-core@1.56.1";
import { until } from "../_wait.ts";
import { launchProfile, testInFullChromium } from "../deno/_chromium.ts";
import { createCertificate, isOpenSSLInstalled } from "../deno/_certificate.ts";
import { serveLocally } from "../deno/_serve.ts";

/** Chromium signs six times in nine minutes, so each test sends few requests. */
const LIFETIME = 2_000;

const FEATURES = [
  "EnableBoundSessionCredentialsSoftwareKeysForManualTesting",
  "DeviceBoundSessions",
].join();

const test = isOpenSSLInstalled ? testInFullChromium : Deno.test.ignore;

test("Chromium registers a key, holds a navigation until the refresh, and forgets the key after the logout", async () => {
  await using app = await startApp();
  await using browser = await app.open();
  const { events, page } = browser;
  await logIn(browser);
  assertEquals(events, ["creation Success"]);
  assertEquals(await userOf(page, app.origin), "7");

  await page.waitForTimeout(LIFETIME + 500);
  app.log.length = 0;
  app.delay = 1_000;
  assertEquals(await userOf(page, app.origin), "7");
  app.delay = 0;
  const held = app.log.findIndex((line) => line === "answered GET /");
  const refreshed = app.log.indexOf("answered POST /device-session/refresh");
  assert(refreshed >= 0 && refreshed < held, app.log.join("\n"));
  assertEquals(app.log.indexOf("received GET /") > refreshed, true);
  assert(events.includes("refresh Success"), events.join());

  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("anonymous").waitFor();
  assertEquals(await userOf(page, app.origin), "anonymous");
  app.log.length = 0;
  assertEquals(await userOf(page, app.origin), "anonymous");
  assertEquals(app.log, ["received GET /", "answered GET /"]);
});

test("a copied cookie jar stops working in another profile of Chromium, and the owner continues", async () => {
  await using app = await startApp();
  await using owner = await app.open();
  await logIn(owner);
  assertEquals(await userOf(owner.page, app.origin), "7");

  const jar = await owner.page.context().cookies();
  assertEquals(jar.map(({ name }) => name).sort(), [
    "__Host-Http-session",
    "__Host-bound",
  ]);
  await using thief = await app.open();
  // The thief's browser keeps the cookies, whatever their lifetime.
  await thief.page.context()
    .addCookies(jar.map((cookie) => ({ ...cookie, expires: -1 })));
  assertEquals(await userOf(thief.page, app.origin), "7");

  app.ahead = LIFETIME + 15_000;
  await owner.page.waitForTimeout(LIFETIME);
  assertEquals(await userOf(thief.page, app.origin), "anonymous");
  assertEquals(thief.events, []);
  assertEquals(await userOf(owner.page, app.origin), "7");
  assertEquals(await userOf(thief.page, app.origin), "anonymous");
});

test("Chromium renews the cookie after a link on another site", async () => {
  await using app = await startApp();
  await using browser = await app.open();
  const { page } = browser;
  await logIn(browser);
  assertEquals(await userOf(page, app.origin), "7");
  app.ahead = LIFETIME + 15_000;
  await page.waitForTimeout(LIFETIME);
  const { port } = new URL(app.origin);
  await page.goto(`https://127.0.0.1:${port}/link`);
  await page.getByRole("link").click();
  await page.getByText("user 7").waitFor();
  assert(app.log.includes("received GET / from another site"));
});

test("Chromium registers a key after a login at a provider on another site", async () => {
  await using app = await startApp();
  await using browser = await app.open();
  const { events, page } = browser;
  const { port } = new URL(app.origin);
  await page.goto(`https://127.0.0.1:${port}/provider`);
  await page.getByRole("link").click();
  await page.getByText("user 7").waitFor();
  // The next request has the same origin. A page usually causes one at once.
  await page.evaluate("fetch('/link').then((response) => response.text())");
  await waitForKey(browser);
  assertEquals(events, ["creation Success"]);
  assertEquals(await userOf(page, app.origin), "7");
});

test("a script in Chromium can plant a cookie with the old prefix, but none with the new one", async () => {
  await using app = await startApp();
  await using browser = await app.open();
  const { page } = browser;
  await page.evaluate(`
    for (const prefix of ["__Host-", "__Host-Http-", "__HOST-HTTP-", "__Http-"]) {
      document.cookie = prefix + "session=planted; Secure; Path=/";
      document.cookie = prefix + "bound=planted; Secure; Path=/";
    }
  `);
  const cookies = await page.context().cookies();
  assertEquals(cookies.map(({ name }) => name).sort(), [
    "__Host-bound",
    "__Host-session",
  ]);
  await logIn(browser);
  assertEquals(await userOf(page, app.origin), "7");
});

interface OpenBrowser {
  readonly page: Page;
  /** The steps that Chromium reports. */
  readonly events: string[];
}

async function logIn({ events, page }: OpenBrowser): Promise<void> {
  await page.getByRole("button", { name: "Log in" }).click();
  await waitForKey({ events, page });
}

async function waitForKey({ events }: OpenBrowser): Promise<void> {
  await until(() => events.length > 0);
}

async function userOf(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/`);
  const text = await page.locator("p").textContent();
  return text!.replace("user ", "");
}

async function startApp() {
  const { cert, key, spki } = await createCertificate();
  const state = { ahead: 0, delay: 0, log: [] as string[] };
  const now = () => Date.now() + state.ahead;
  const router = createRouter({
    middleware: [
      crossOriginProtection(),
      session({ now }),
      deviceBoundSessions({ lifetime: LIFETIME, now }),
    ],
  });
  router.get("/", (context) => {
    const { userId } = context.get(Session);
    const user = userId === undefined ? "anonymous" : `user ${userId}`;
    const page = html`
      <title>App</title>
      <p>${user}</p>
      <form method="post" action="/login"><button>Log in</button></form>
      <form method="post" action="/logout"><button>Log out</button></form>
    `;
    return htmlResponse(page);
  });
  router.get("/link", (context) => {
    const url = `https://localhost:${context.url.port}/`;
    return htmlResponse(html`<title>Link</title><a href="${url}">Open</a>`);
  });
  router.get("/provider", (context) => {
    const url = `https://localhost:${context.url.port}/callback`;
    return htmlResponse(
      html`<title>Provider</title><a href="${url}">Log in</a>`,
    );
  });
  router.get("/callback", async (context) => {
    await completeAuth(context, 7);
    return Response.redirect(new URL("/", context.url), 303);
  });
  router.post("/login", async (context) => {
    await completeAuth(context, 7);
    return Response.redirect(new URL("/", context.url), 303);
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return Response.redirect(new URL("/", context.url), 303);
  });

  const server = serveLocally(async (request, info) => {
    const { pathname } = new URL(request.url);
    const line = `${request.method} ${pathname}`;
    if (pathname === "/favicon.ico") return new Response(null, { status: 404 });
    const site = request.headers.get("Sec-Fetch-Site");
    const from = site === "cross-site" ? " from another site" : "";
    state.log.push(`received ${line}${from}`);
    if (pathname.endsWith("/refresh") && state.delay > 0) {
      await new Promise((resolve) => setTimeout(resolve, state.delay));
    }
    const response = await router.fetch(request, info);
    state.log.push(`answered ${line}`);
    return response;
  }, { cert, key });
  const origin = `https://localhost:${server.addr.port}`;
  return Object.assign(state, {
    origin,
    async open(): Promise<OpenBrowser & AsyncDisposable> {
      const context = await launchProfile([
        `--enable-features=${FEATURES}`,
        `--ignore-certificate-errors-spki-list=${spki}`,
      ]);
      const page = context.pages()[0] ?? await context.newPage();
      const events = await watchEvents(page);
      await page.goto(`${origin}/`);
      const close = () => context.close();
      return { page, events, [Symbol.asyncDispose]: close };
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  });
}

/** An event of the DevTools protocol, as far as the tests read it. */
interface BoundSessionEvent {
  readonly creationEventDetails?: { readonly fetchResult: string };
  readonly refreshEventDetails?: { readonly fetchResult?: string };
}

/** Collects the events about device-bound sessions. Playwright has no types. */
async function watchEvents(page: Page): Promise<string[]> {
  const events: string[] = [];
  const client = await page.context().newCDPSession(page);
  const onEvent = (event: BoundSessionEvent) => {
    const { creationEventDetails, refreshEventDetails } = event;
    if (creationEventDetails) {
      events.push(`creation ${creationEventDetails.fetchResult}`);
    }
    if (refreshEventDetails?.fetchResult) {
      events.push(`refresh ${refreshEventDetails.fetchResult}`);
    }
  };
  client.on("Network.deviceBoundSessionEventOccurred" as never, onEvent);
  await client.send(
    "Network.enableDeviceBoundSessions" as never,
    { enable: true } as never,
  );
  return events;
}
