/** Builds the documentation site and walks it in Chromium. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { serveLocally, type TestServer } from "../deno/_serve.ts";
import { buildSite } from "../../site/build.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { axeFaults, ColorCheck } from "./_axe.ts";
import { isNightly } from "./_nightly.ts";

const DIST = new URL("../../site/.build/dist/", import.meta.url);

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** Serves the built site as GitHub Pages does. */
function serveSite(): TestServer {
  return serveLocally(async ({ url }) => {
    const path = new URL(url).pathname.slice(1);
    const names = path === "" || path.endsWith("/")
      ? [`${path}index.html`]
      : [path, `${path}.html`];
    for (const name of names) {
      const file = await Deno.readFile(new URL(name, DIST)).catch(() => null);
      if (file === null) continue;
      const type = types[name.split(".").at(-1)!] ?? "application/octet-stream";
      return new Response(file, { headers: { "Content-Type": type } });
    }
    const page = await Deno.readFile(new URL("404.html", DIST));
    return new Response(page, {
      status: 404,
      headers: { "Content-Type": types.html },
    });
  });
}

/** Words that users search for, and the pages that must come first. */
const FIRST_RESULTS: Readonly<Record<string, string>> = {
  "2fa": "second_factors",
  "api key": "accept_access_tokens",
  "content security policy": "security_headers",
  "cookie samesite": "sessions cookies",
  "cors": "cors",
  "csrf": "protect_forms",
  "docker": "create_a_project deploy",
  "dpop": "protect_an_api call_apis_for_the_user",
  "google": "add_a_provider",
  "invite": "register_users",
  "jwt": "accept_access_tokens protect_an_api",
  "logout everywhere": "log_out_everywhere",
  "magic link": "login_by_email",
  "mcp": "protect_an_mcp_server",
  "multi tenant": "protect_a_route",
  "oauth": "add_a_provider",
  "openapi": "openapi",
  "passkey": "passkeys",
  "rate limit": "rate_limits",
  "redis": "choose_a_session_store",
  "refresh token": "call_apis_for_the_user",
  "remember me": "sessions",
  "reset password": "forgotten_passwords",
  "role": "protect_a_route teams",
  "server sent events": "event_streams",
  "test": "test_your_routes",
  "throttle": "limit_attempts",
  "totp": "second_factors",
  "upload": "validate_input",
  "websocket": "websockets",
};

/** Texts, and how many of their elements have bad colors. */
const COLORED: Readonly<Record<string, number>> = {
  "<p>plain</p>": 0,
  '<p style="color: #999">faint</p>': 1,
  '<p style="color: #999; font-size: 40px">faint and large</p>': 1,
  '<p style="color: #888; font-size: 40px">large</p>': 0,
  '<p style="color: #888; font-size: 19px">not large</p>': 1,
  '<p style="color: #888; font: bold 19px serif">large in bold</p>': 0,
  '<div style="background: #333"><b><p>on dark</p></b></div>': 1,
  '<div style="opacity: 0.3"><p>half seen</p></div>': 1,
  '<p>A long text with <a href="/" style="text-decoration: none">a link</a></p>':
    1,
  '<p>A long text with <a href="/" style="text-decoration: none">a <span>link</span></a></p>':
    1,
  '<p>A long text with <a href="/">a link</a></p>': 0,
  '<p><a href="/" style="text-decoration: none">a link</a></p>': 0,
  '<pre><span style="color: #999">code</span></pre>': 1,
  '<input value="value" aria-label="x" style="color: #999">': 1,
  '<div style="height: 1em; overflow: hidden"><p>&nbsp;</p><p style="color: #999">cut off</p></div><p style="color: #999">faint</p>':
    1,
};

/** Returns the addresses of a page's links, without those to other origins. */
function links(html: string, base: string): string[] {
  const { origin } = new URL(base);
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)]
    .map(([, href]) => new URL(href.replaceAll("&amp;", "&"), base))
    .filter((url) => url.origin === origin)
    .map(({ href }) => href);
}

testInChromium("The documentation site works in Chromium", {
  timeout: 40 * 60_000,
}, async (t) => {
  await buildSite();
  await using server = serveSite();
  const base = `http://localhost:${server.addr.port}/`;
  await using browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  // Colors that change with time would be new styles on each page.
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });

  // A script that fails is a mistake on every page.
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });

  /** The pages, as paths in the site. */
  const addresses: string[] = [];

  await t.step("no link is dead", async () => {
    const ids = new Map<string, Set<string>>();
    const dead: string[] = [];
    const found = new Map<string, string>([[base, "the start"]]);
    // A map iterates over entries that are added while it does.
    for (const [href, from] of found) {
      const url = new URL(href);
      const address = url.origin + url.pathname;
      if (!ids.has(address)) {
        const response = await fetch(address);
        const body = await response.text();
        if (response.status !== 200) dead.push(`${href} in ${from}`);
        ids.set(
          address,
          new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
        );
        const isPage = response.headers.get("Content-Type") === types.html;
        if (isPage) addresses.push(address.slice(base.length));
        for (const link of isPage ? links(body, address) : []) {
          if (!found.has(link)) found.set(link, address);
        }
      }
      const id = decodeURIComponent(url.hash.slice(1));
      if (id !== "" && !ids.get(address)!.has(id)) {
        dead.push(`${href} in ${from}: no such heading`);
      }
    }
    assertEquals(dead, []);
    assert(ids.size > 60, `only ${ids.size} pages were found`);
  });

  await t.step("a missing page is answered with links", async () => {
    const response = await page.goto(`${base}guide/nothing`);
    assertEquals(response!.status(), 404);
    await page.getByText("PAGE NOT FOUND").waitFor();
  });

  await t.step('the search finds "throttle"', async () => {
    await page.goto(base);
    await page.getByRole("button", { name: /search/i }).first().click();
    await page.getByRole("searchbox").fill("throttle");
    const result = page.locator(".VPLocalSearchBox .result").first();
    await result.waitFor();
    await result.click();
    await page.waitForURL(/\/(?:guide|api)\//);
  });

  await t.step("the search leads with the page of a user's words", async () => {
    await page.goto(base);
    await page.getByRole("button", { name: /search/i }).first().click();
    const missed: string[] = [];
    for (const [words, pages] of Object.entries(FIRST_RESULTS)) {
      await page.getByRole("searchbox").fill(words);
      const first = pages.split(" ").map((name) =>
        `.VPLocalSearchBox li:first-child a.result[href*="/guide/${name}.html"]`
      );
      await page.locator(first.join(", ")).waitFor()
        .catch(() => missed.push(words));
    }
    assertEquals(missed, []);
  });

  await t.step("a program shows the type of a name on hover", async () => {
    await page.goto(`${base}guide/protect_a_route.html`);
    const types = page.locator(".twoslash-floating:visible");
    assertEquals(await types.count(), 0);
    await page.locator(".twoslash-hover", { hasText: "requireAuth" }).first()
      .hover();
    await types.waitFor();
    assertStringIncludes(
      await types.innerText(),
      "function requireAuth(options?: RequireAuthOptions)",
    );
    // In steps, as it would not hide for a pointer that aims at it.
    await page.mouse.move(0, 0, { steps: 100 });
    await types.waitFor({ state: "hidden" });
  });

  await t.step("the search does not look into these types", async () => {
    await page.goto(base);
    await page.getByRole("button", { name: /search/i }).first().click();
    await page.getByRole("searchbox").fill("RequireAuthOptions");
    await page.locator(".VPLocalSearchBox .no-results, .result").first()
      .waitFor();
    const links = page.locator(".VPLocalSearchBox .result");
    for (const link of await links.all()) {
      assertStringIncludes((await link.getAttribute("href"))!, "/api/");
    }
  });

  await t.step("a guide page leads to its source", async () => {
    await page.goto(`${base}guide/routing.html`);
    const link = page.getByRole("link", { name: "Edit this page" });
    assertStringIncludes(
      (await link.getAttribute("href"))!,
      "/edit/main/docs/routing.md",
    );
  });

  const samples = [
    "",
    "guide/getting_started.html",
    "guide/choose_a_session_store.html",
    "guide/benchmarks.html",
    "guide/protect_a_route.html",
    "guide/routing.html",
    "api/",
    "api/session-middleware.html",
    "security.html",
    "guide/",
    "guide/sessions.html",
    "changelog.html",
  ];

  await t.step("every page fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of samples) {
      await page.goto(base + path);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert((width as number) <= 390, `/${path} is ${width} px wide`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.step(
    "the check of colors sees a single text that differs",
    async () => {
      // Another page, because the browser misses the icon of these.
      const page = await context.newPage();
      await page.goto(base);
      for (const [text, count] of Object.entries(COLORED)) {
        const plain = "<p>plain</p>".repeat(100);
        await page.setContent(`<main>${plain}${text}${plain}</main>`);
        const faults = await new ColorCheck().faults(page);
        assertEquals(faults.length, count, text);
      }
      await page.close();
    },
  );

  await t.step("axe-core finds no fault on any page, light", async () => {
    // Most of the time of axe-core goes into colors.
    const enabled = isNightly;
    const rules = {
      "color-contrast": { enabled },
      "link-in-text-block": { enabled },
    };
    const colors = new ColorCheck();
    const found: string[] = [];
    for (const path of addresses) {
      await page.goto(base + path);
      const faults = await colors.faults(page);
      // The other rules take up to a minute for a page of the reference.
      if (!path.startsWith("api/") || isNightly) {
        faults.push(...await axeFaults(page, { rules }, { exclude: ["pre"] }));
      }
      for (const fault of faults) found.push(`/${path} ${fault}`);
    }
    assertEquals(found, []);
  });

  await t.step("axe-core finds no fault in colors, dark", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    const colors = new ColorCheck();
    for (const path of samples) {
      await page.goto(base + path);
      assertEquals(await colors.faults(page), [], `/${path}`);
    }
  });

  await t.step("models find the guide", async () => {
    const response = await fetch(`${base}llms.txt`);
    assertStringIncludes(
      await response.text(),
      "[Routing](/guide/routing.html)",
    );
    const skill = await fetch(`${base}skills/add-a-login/SKILL.md`);
    assertStringIncludes(await skill.text(), "name: add-a-login");
    const full = await (await fetch(`${base}llms-full.txt`)).text();
    assertStringIncludes(full, "createCredentialsAuthProvider");
  });

  await t.step("no script fails", () => {
    // The page that is missing.
    const isMissing = (text: string) => text.includes("status of 404");
    assertEquals(problems.filter((text) => !isMissing(text)), []);
    assertEquals(problems.filter(isMissing).length, 1);
  });

  await context.close();
});
