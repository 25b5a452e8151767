/** The default headers in a browser, and the exceptions in the guide. */
import { assertEquals } from "@std/assert";
import { createRouter, redirect } from "@gatehouse/web/fetch-router";
import { secureHeaders } from "@gatehouse/web/middleware";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { serveLocally } from "../deno/_serve.ts";

const style = "h1 { color: rgb(1, 2, 3) }";
const html = { "Content-Type": "text/html; charset=utf-8" };
const policy = (part: string) =>
  `default-src 'self'; ${part}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'`;

async function hashOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}

/**
 * Creates the pages of the guide, and forms that redirect to another origin.
 */
async function createApp(provider: string) {
  const hash = await hashOf(style);
  const router = createRouter({ middleware: [secureHeaders()] });
  const page = (head: string, headers: Record<string, string> = {}) =>
    new Response(
      `<!doctype html><title>Notes</title>${head}<h1>Notes</h1>`,
      { headers: { ...html, ...headers } },
    );
  router.get("/inline", () => {
    return page(
      `<style>${style}</style><script>document.title = "Ready"</script>`,
    );
  });
  router.get("/style.css", () => {
    return new Response(style, { headers: { "Content-Type": "text/css" } });
  });
  router.get("/file", () => page(`<link rel=stylesheet href="/style.css">`));
  router.get("/hash", () => {
    const csp = policy(`style-src 'self' ${hash}`);
    return page(`<style>${style}</style>`, { "Content-Security-Policy": csp });
  });
  router.get("/nonce", () => {
    const nonce = crypto.randomUUID();
    const csp = policy(`script-src 'nonce-${nonce}'`);
    return page(
      `<script nonce="${nonce}">document.title = "Ready"</script>`,
      { "Content-Security-Policy": csp },
    );
  });
  const form = `<form method="post" action="/go"><button>Go</button></form>`;
  router.get("/form", () => page(form));
  router.get("/form/wide", {
    middleware: [secureHeaders({ formTargets: [provider] })],
  }, () => page(form));
  router.post("/go", () => redirect(`${provider}/login`));
  return router;
}

testInChromium(
  "Chromium: secureHeaders() blocks inline code, and each exception of the guide works",
  async () => {
    await using provider = serveLocally(() =>
      new Response("provider", { headers: html })
    );
    const away = `http://127.0.0.1:${provider.addr.port}`;
    await using server = serveLocally((await createApp(away)).fetch);
    const origin = `http://127.0.0.1:${server.addr.port}`;
    await using browser = await launch();
    const page = await (await browser.newContext()).newPage();
    const look = async (path: string) => {
      await page.goto(origin + path);
      const color = await page.evaluate(
        "getComputedStyle(document.querySelector('h1')).color",
      );
      return [color, await page.title()];
    };
    const [black, teal] = ["rgb(0, 0, 0)", "rgb(1, 2, 3)"];
    assertEquals(await look("/inline"), [black, "Notes"]);
    assertEquals(await look("/file"), [teal, "Notes"]);
    assertEquals(await look("/hash"), [teal, "Notes"]);
    assertEquals(await look("/nonce"), [black, "Ready"]);

    // The redirect after a form is blocked unless its target is allowed.
    await page.goto(`${origin}/form`);
    const blocked = page.waitForEvent("console", {
      predicate: (message) => message.text().includes("form-action"),
    });
    await page.getByRole("button").click();
    await blocked;
    assertEquals(new URL(page.url()).origin, origin);
    await page.goto(`${origin}/form/wide`);
    await page.getByRole("button").click();
    await page.waitForURL(`${away}/login`);
    await browser.close();
  },
);
