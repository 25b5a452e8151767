/** Builds the documentation site and walks it in Chromium. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { serveLocally, type TestServer } from "../deno/_serve.ts";
import type { Page } from "npm:playwright-core@1.56.1";
import axe from "npm:axe-core@4.11.0/axe.min.js" with { type: "text" };
import { buildSite } from "../../site/build.ts";
import { cutTests, markPrograms, moveLinks } from "../../site/pages.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
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

/** Returns the addresses of a page's links, without those to other origins. */
function links(html: string, base: string): string[] {
  const { origin } = new URL(base);
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)]
    .map(([, href]) => new URL(href.replaceAll("&amp;", "&"), base))
    .filter((url) => url.origin === origin)
    .map(({ href }) => href);
}

testInChromium("The documentation site works in Chromium", {
  timeout: 20 * 60_000,
}, async (t) => {
  await buildSite();
  await using server = serveSite();
  const base = `http://localhost:${server.addr.port}/`;
  await using browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);

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
      await page.locator(first.join(", ")).waitFor({ timeout: 5_000 })
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

  await t.step("axe-core finds no fault on any page of the guide", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    // All pages have the colors of one theme. Most of the time of axe-core goes
    // into them, so the gate checks them on ten pages, below.
    const rules = { "color-contrast": { enabled: isNightly } };
    const found: string[] = [];
    for (const path of addresses) {
      // A page of the reference takes up to a minute.
      if (path.startsWith("api/") && !isNightly) continue;
      await page.goto(base + path);
      for (const fault of await faults(page, { exclude: ["pre"] }, { rules })) {
        found.push(`/${path} ${fault}`);
      }
    }
    assertEquals(found, []);
  });

  // The code of all pages has the same few colors, so one page shows it.
  const withCode = "guide/getting_started.html";
  const colored = samples
    .filter((path) => !/stores|benchmarks/.test(path))
    .concat("guide/", "guide/sessions.html", "changelog.html");
  const colors = { runOnly: ["color-contrast", "link-in-text-block"] };
  for (const colorScheme of ["light", "dark"] as const) {
    await t.step(
      `axe-core finds no fault in colors, ${colorScheme}`,
      async () => {
        await page.emulateMedia({ colorScheme });
        for (const path of colored) {
          await page.goto(base + path);
          const exclude = path === withCode ? [] : ["pre"];
          const context = { include: ["html"], exclude };
          assertEquals(await faults(page, context, colors), [], `/${path}`);
        }
      },
    );
  }

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

/** Runs axe-core: its violations, with the elements that cause them. */
async function faults(
  page: Page,
  context: object,
  options: object,
): Promise<string[]> {
  await page.evaluate(axe);
  const run = `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`;
  const { violations } = await page.evaluate(run) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

Deno.test("cutTests() removes tests and the import that only they use", () => {
  const page = `\`\`\`ts
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web";

const router = createRouter();

// #region test
assertEquals(typeof router.fetch, "function");
// #endregion
\`\`\`
`;
  assertEquals(
    cutTests(page),
    `\`\`\`ts
import { createRouter } from "@gatehouse/web";

const router = createRouter();

Deno.serve(router.fetch);
\`\`\`
`,
  );
  const whole = page.replace(/\/\/ #(?:region test|endregion)\n/g, "");
  assertEquals(cutTests(whole), whole);
});

Deno.test("markPrograms() marks TypeScript only", () => {
  assertEquals(
    markPrograms("```ts ignore a.ts\n```\n\n```sh\n```\n"),
    "```ts twoslash ignore a.ts\n```\n\n```sh\n```\n",
  );
});

Deno.test("moveLinks() leads to pages, and from source to the repository", () => {
  const move = (link: string) => moveLinks(`[x](${link})`, "docs/deploy.md");
  assertEquals(move("routing.md#patterns"), "[x](/guide/routing#patterns)");
  assertEquals(move("decisions/README.md"), "[x](/guide/decisions/)");
  assertEquals(move("../SECURITY.md"), "[x](/security)");
  assertEquals(move("#here"), "[x](#here)");
  assertEquals(move("https://deno.com"), "[x](https://deno.com)");
  assertStringIncludes(
    move("../examples/app/app.ts"),
    "/blob/main/examples/app/app.ts)",
  );
});
