/** Connects applications to an account in Chromium, with axe-core in every state. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import { completeAuth } from "@gatehouse/web/auth";
import { auth, createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
import { html, htmlResponse } from "@gatehouse/web/content";
import {
  createRouter,
  redirect,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  formData,
  secureHeaders,
} from "@gatehouse/web/middleware";
import {
  createAuthorizationServer,
  deviceGrant,
  english,
  englishDevice,
  german,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { layoutFaults } from "../deno/_layout.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { CHALLENGE, SECRET } from "../oauth_server/_server.ts";
import { axeFaults } from "./_axe.ts";

/** The document of a client whose name is as long as documents may choose. */
const DOCUMENT = "https://tools.example/oauth/client.json";

/** Serves an application with an authorization server, and a client's callback. */
function serve() {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const callbackPort = freePort();
  const callback = `http://127.0.0.1:${callbackPort}/callback`;
  const find = (id: string | number) => ({ id, email: "ada@mail.example.com" });
  const server = createAuthorizationServer({
    issuer: origin,
    users: { find },
    store: createMemorySessionStore(),
    secrets: [SECRET],
    resources: {
      [`${origin}/mcp`]: {
        name: "Notes",
        scopes: {
          "notes:read": "Read your notes",
          "notes:write":
            "Create and change notes, and share them with your team",
          "notes:delete": "Delete notes",
        },
        defaultScopes: ["notes:read"],
      },
    },
    clients: [
      { id: "cli", name: "Notes CLI", redirectUris: [callback] },
      { id: "app", name: "Notes", redirectUris: ["com.example.app:/callback"] },
      { id: "tv", name: "Notes on TV", grants: ["device"] },
    ],
    device: deviceGrant(),
    cimd: {
      fetch: () =>
        Promise.resolve(Response.json({
          client_id: DOCUMENT,
          client_name: "A tool with quite a long name",
          redirect_uris: [callback, "https://callbacks.example/return"],
          token_endpoint_auth_method: "none",
        })),
    },
    loginPath: "/login",
    messages: [english, german],
  });
  const login = createSessionAuthScheme({ name: "login", verify: find });
  const router = createRouter({
    middleware: [
      server.endpoints,
      secureHeaders(),
      formData(),
      session({ store: createMemorySessionStore() }),
      crossOriginProtection(),
      auth({ schemes: [login] }),
    ],
  });
  router.map(server.routes, server.controller);
  router.map(server.deviceRoutes, server.deviceController);
  router.get("/login", () =>
    htmlResponse(html`
      <form method="post"><button>Log in</button></form>
    `));
  router.post("/login", async (context) => {
    await completeAuth(context, "1");
    const { searchParams } = context.url;
    return redirect(safeRedirectPath(searchParams.get("returnTo")), 303);
  });
  return {
    origin,
    callback,
    url: (params: Readonly<Record<string, string>>) => {
      const all = {
        response_type: "code",
        redirect_uri: callback,
        state: "s1",
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        ...params,
      };
      return `${origin}/authorize?${new URLSearchParams(all)}`;
    },
    app: serveLocally(router.fetch, { port }),
    client: serveLocally(
      ({ url }) => new Response(`Connected ${new URL(url).search}`),
      { port: callbackPort },
    ),
  };
}

for (
  const [device, width, messages] of [
    ["a phone", 390, english],
    ["a phone", 390, german],
    ["a desktop", 1280, english],
    ["a desktop", 1280, german],
  ] as const
) {
  const { language } = messages;
  testInChromium(
    `Chromium: a user connects applications, without a problem for axe-core, on ${device} (${language})`,
    async () => {
      const { allow, cancel, device = englishDevice } = messages;
      const { app, callback, client, origin, url } = serve();
      await using _app = app;
      await using _client = client;
      await using browser = await launch();
      const context = await browser.newContext({
        locale: language,
        viewport: { width, height: 800 },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);

      await page.goto(url({ client_id: "cli" }));
      assertEquals(new URL(page.url()).pathname, "/login");
      await page.getByRole("button", { name: "Log in" }).click();
      await check(page, "consent");
      assertStringIncludes(await textOf(page), messages.ownDevice);
      // A second click sends the form again.
      await page.getByRole("button", { name: allow }).dblclick();
      await page.waitForURL(`${callback}?**`);
      assertMatch(page.url(), /\?code=oac_[\w-]+&state=s1&iss=/);

      await page.goto(url({
        client_id: DOCUMENT,
        scope: "notes:read notes:write notes:delete",
      }));
      await check(page, "a client with a document");
      assertMatch(await textOf(page), /tools\.example/);
      await page.getByLabel("Delete notes").uncheck();
      await page.getByRole("button", { name: cancel }).click();
      await page.waitForURL(`${callback}?**`);
      assertMatch(page.url(), /error=access_denied/);

      await page.goto(url({
        client_id: DOCUMENT,
        redirect_uri: "https://callbacks.example/return",
      }));
      await check(page, "a client that returns to another host");
      assertStringIncludes(
        await textOf(page),
        messages.otherHost("tools.example", "callbacks.example"),
      );

      const codes = await (await fetch(`${origin}/device/code`, {
        method: "POST",
        body: new URLSearchParams({ client_id: "tv" }),
      })).json();
      await page.goto(codes.verification_uri);
      await check(page, "the code of a device");
      await page.getByLabel("Code").fill("bcdf ghjk");
      await page.getByRole("button", { name: device.continueButton }).click();
      await page.getByRole("alert").waitFor();
      await check(page, "a wrong code of a device");
      await page.goto(codes.verification_uri_complete);
      await check(page, "the code of a device in a link");
      await page.getByRole("button", { name: device.continueButton }).click();
      await page.getByRole("button", { name: allow }).waitFor();
      await check(page, "a device");
      await page.getByRole("button", { name: allow }).click();
      await page.getByText(device.connected("Notes on TV")).first().waitFor();
      await check(page, "a connected device");

      const other = await (await fetch(`${origin}/device/code`, {
        method: "POST",
        body: new URLSearchParams({ client_id: "tv" }),
      })).json();
      await page.goto(other.verification_uri_complete);
      await page.getByRole("button", { name: device.continueButton }).click();
      await page.getByRole("button", { name: cancel }).click();
      await page.getByText(device.notConnected("Notes on TV")).first()
        .waitFor();
      await check(page, "a refused device");
      await page.goto(other.verification_uri);
      const field = page.getByLabel("Code");
      const tooMany = page.getByText(device.tooManyCodes);
      for (let tries = 0; tries < 40 && !await tooMany.isVisible(); tries++) {
        await field.fill("BCDF-GHJK");
        const response = page.waitForResponse((one) =>
          one.request().method() === "POST"
        );
        await page.getByRole("button", { name: device.continueButton }).click();
        await response;
        await page.waitForLoadState();
      }
      await tooMany.waitFor();
      await check(page, "too many codes of devices");

      await page.goto(
        url({ client_id: "app", redirect_uri: "com.example.app:/callback" }),
      );
      await check(page, "a native application");
      await page.getByRole("button", { name: allow }).click();
      const link = page.getByRole("link", {
        name: messages.returnLink("Notes"),
      });
      await link.waitFor();
      await check(page, "the page after the decision");
      const target = await link.getAttribute("href");
      assertMatch(target!, /^com\.example\.app:\/callback\?code=oac_/);

      await page.goto(url({ client_id: "unknown" }));
      await check(page, "an error");
      assertStringIncludes(await textOf(page), messages.error);
    },
  );
}

/** The folder for pictures of the pages, for a change of their design. */
const PICTURES = Deno.env.get("PICTURES");

async function check(page: Page, state: string): Promise<void> {
  await page.waitForLoadState();
  if (PICTURES !== undefined) {
    const { width } = page.viewportSize()!;
    const language = await page.evaluate("document.documentElement.lang");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      const name = [state.replaceAll(" ", "_"), language, width, colorScheme];
      const path = `${PICTURES}/${name.join("_")}.png`;
      await page.screenshot({ path, fullPage: true });
    }
  }
  assertEquals(await axeFaults(page), [], state);
  assertEquals(await layoutFaults(page), [], state);
}

async function textOf(page: Page): Promise<string> {
  const text = await page.locator("main").innerText();
  assert(text.length > 0);
  return text;
}
