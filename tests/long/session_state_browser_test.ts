/** The components of docs/show_who_is_logged_in.md in Chromium. */
import { assertEquals, assertLess } from "@std/assert";
import type { BrowserContext, Page } from "npm:playwright-core@1.56.1";
import { compile } from "npm:svelte@5.57.3/compiler";
import { compileScript, parse } from "npm:vue@3.5.45/compiler-sfc";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { programs } from "../deno/_guide.ts";
import { checkoutConfig, deno, freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";

/** The packages that the programs import without a version. */
const PACKAGES = {
  "@types/react": "npm:@types/react@19.3.3",
  "react": "npm:react@19.3.1",
  "react-dom/client": "npm:react-dom@19.3.1/client",
  "react/jsx-runtime": "npm:react@19.3.1/jsx-runtime",
  "svelte": "npm:svelte@5.57.3",
  "svelte/": "npm:/svelte@5.57.3/",
  "vue": "npm:vue@3.5.45",
};

/** Mounts the component of each framework. */
const MAINS: Record<string, string> = {
  react: `
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LoginStatus } from "./LoginStatus.tsx";
const main = document.querySelector("main");
createRoot(main).render(
  createElement(StrictMode, null, createElement(LoginStatus)),
);`,
  vue: `
import { createApp } from "vue";
import LoginStatus from "./vue.ts";
createApp(LoginStatus).mount("main");`,
  svelte: `
import { mount } from "svelte";
import LoginStatus from "./svelte.js";
mount(LoginStatus, { target: document.querySelector("main") });`,
  plain: 'import "./login_status.ts";',
};

/** Compiles and bundles the programs of the page. */
async function bundleComponents(): Promise<Record<string, string>> {
  const found = await programs("show_who_is_logged_in.md");
  const { descriptor } = parse(found["LoginStatus.vue"]!);
  const vue = compileScript(descriptor, { id: "vue", inlineTemplate: true });
  const svelte = compile(found["LoginStatus.svelte"]!, { generate: "client" });
  const config = JSON.parse(checkoutConfig());
  Object.assign(config.imports, PACKAGES);
  config.compilerOptions = {
    jsx: "react-jsx",
    jsxImportSource: "react",
    jsxImportSourceTypes: "@types/react",
    lib: ["dom", "esnext"],
  };
  const files: Record<string, string> = {
    "deno.json": JSON.stringify(config),
    "session.ts": found["session.ts"]!,
    "LoginStatus.tsx": found["LoginStatus.tsx"]!,
    "login_status.ts": found["login_status.ts"]!,
    "vue.ts": vue.content,
    "svelte.js": svelte.js.code,
  };
  const folder = await Deno.makeTempDir();
  const scripts: Record<string, string> = {};
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await deno(["check", "LoginStatus.tsx", "login_status.ts"], {
      cwd: folder,
    });
    for (const [name, main] of Object.entries(MAINS)) {
      // The test calls the API as the application would.
      const source = `import { client } from "./session.ts";
globalThis.client = client;${main}`;
      await Deno.writeTextFile(`${folder}/${name}_main.js`, source);
      const script = `${folder}/${name}_bundle.js`;
      await deno(
        ["bundle", "--platform=browser", "-o", script, `${name}_main.js`],
        { cwd: folder },
      );
      scripts[name] = await Deno.readTextFile(script);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return scripts;
}

/** Creates an application with a page for each framework. */
function createApp(origin: string, scripts: Record<string, string>) {
  const accounts = testAccounts({ origin });
  let requests = 0;
  const router: Router = createRouter({
    middleware: [(context) => {
      if (context.url.pathname === "/account/session") requests++;
    }, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  router.get("/notes", accounts.requireUser, () => Response.json(["Tea"]));
  router.get("/pages/:name", ({ params }) =>
    new Response(
      `<!doctype html><title>Notes</title><main></main>
<script type="module" src="/scripts/${params.name}"></script>`,
      { headers: { "Content-Type": "text/html" } },
    ));
  router.get(
    "/scripts/:name",
    ({ params }) =>
      new Response(scripts[params.name], {
        headers: { "Content-Type": "text/javascript" },
      }),
  );
  return { accounts, router, requests: () => requests };
}

/** Opens a page, and records its errors. */
async function openTab(
  context: BrowserContext,
  url: string,
  errors: unknown[],
): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => errors.push(error));
  await page.goto(url);
  return page;
}

testInChromium(
  "show_who_is_logged_in.md: a login, a logout and the end of a session appear in all tabs, with React, Vue, Svelte and without a framework",
  async () => {
    const scripts = await bundleComponents();
    const origin = `http://localhost:${freePort()}`;
    const app = createApp(origin, scripts);
    await using _server = serveLocally(app.router.fetch, {
      port: Number(new URL(origin).port),
    });
    await using browser = await launch();
    for (const name of Object.keys(MAINS)) {
      const context = await browser.newContext();
      await walk(context, app, origin, name);
      await context.close();
    }
  },
);

async function walk(
  context: BrowserContext,
  { accounts, requests }: ReturnType<typeof createApp>,
  origin: string,
  name: string,
): Promise<void> {
  const email = `${name}@example.com`;
  const user = await accounts.users.create({ email, name: `Ada of ${name}` });
  const before = requests();
  const url = `${origin}/pages/${name}`;
  const errors: unknown[] = [];
  const first = await openTab(context, url, errors);
  const second = await openTab(context, url, errors);
  const tabs = [first, second];
  const shows = (text: string) =>
    Promise.all(tabs.map((tab) => tab.getByText(text).waitFor()));
  await shows("Log in");

  const logIn = async () => {
    await second.goto(`${origin}/login/email?returnTo=/pages/${name}`);
    await second.getByLabel("Email").fill(email);
    await second.locator("main form button").first().click();
    await second.getByLabel("Code").waitFor();
    const [code = ""] = /^\d{6}$/m.exec(accounts.mails.at(-1)!.text) ?? [];
    await second.getByLabel("Code").fill(code);
    await second.locator("main form button").first().click();
  };
  await logIn();
  await shows(`Ada of ${name}`);
  await first.getByRole("button", { name: "Log out" }).click();
  await shows("Log in");

  await logIn();
  await shows(`Ada of ${name}`);
  await accounts.users.update(user!.id, { name: `Grace of ${name}` });
  await accounts.users.endAccess(user!.id);
  // Without a network, and before anybody asks, the state stays.
  await context.setOffline(true);
  assertEquals(await callAPI(first), [false, 0]);
  await shows(`Ada of ${name}`);
  await context.setOffline(false);
  assertEquals(await callAPI(second), [false, 401]);
  await shows("Log in");
  assertLess(requests() - before, 20);
  assertEquals(errors, []);
}

/** Calls the API in a page, and returns if it succeeded, and the status. */
function callAPI(page: Page): Promise<unknown> {
  return page.evaluate(
    "client.notes().then(({ ok, status }) => [ok, status])",
  );
}
