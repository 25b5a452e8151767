/** The page of an OpenAPI document in a browser, under its policy. */
import { assert, assertEquals } from "@std/assert";
import { object, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { get, route } from "@gatehouse/web/fetch-router/routes";
import { secureHeaders } from "@gatehouse/web/middleware";
import { openapi, openapiPage } from "@gatehouse/web/openapi";
import { absolutePath } from "npm:swagger-ui-dist@5.35.0";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { serveLocally } from "../deno/_serve.ts";

const CDN = "https://cdn.jsdelivr.net/npm/swagger-ui-dist@5.35.0/";

function createApp() {
  const routes = route({
    note: get("/notes/:id", {
      summary: "Returns a <b>note</b>",
      responses: { 200: object({ text: string() }) },
    }),
  });
  const router = createRouter({ middleware: [secureHeaders()] });
  router.get(routes.note, () => Response.json({ text: "Buy tea" }));
  router.get("/docs", openapiPage({ document: "/openapi.json" }));
  router.get("/openapi.json", () => Response.json(document));
  const { document } = openapi(router, {
    info: { title: "Notes", version: "1.0.0" },
    include: ({ name }) => name !== "",
  });
  return router;
}

/** Opens the page. Returns its headings and the errors of the browser. */
async function openPage(
  read: (name: string) => Promise<string>,
): Promise<{ text: string; errors: string[] }> {
  const router = createApp();
  await using server = serveLocally((request) => router.fetch(request));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(error.message));
    await page.route(`${CDN}**`, async (route) => {
      const name = route.request().url().slice(CDN.length);
      await route.fulfill({
        body: await read(name),
        headers: {
          "Access-Control-Allow-Origin": "*",
          "Content-Type": name.endsWith(".js") ? "text/javascript" : "text/css",
        },
      });
    });
    await page.goto(`http://127.0.0.1:${server.addr.port}/docs`);
    await page.waitForLoadState("networkidle");
    return { text: await page.locator("body").innerText(), errors };
  } finally {
    await browser.close();
  }
}

testInChromium(
  "openapiPage() shows the document under its policy",
  async () => {
    const { errors, text } = await openPage((name) =>
      Deno.readTextFile(`${absolutePath()}/${name}`)
    );
    assertEquals(errors, []);
    for (const part of ["Notes", "/notes/{id}", "Returns a <b>note</b>"]) {
      assert(text.includes(part), `${part} is not in ${text}`);
    }
  },
);

testInChromium("openapiPage() runs no script that was changed", async () => {
  const { errors, text } = await openPage(async (name) => {
    return await Deno.readTextFile(`${absolutePath()}/${name}`) + " ";
  });
  assert(errors.some((error) => error.includes("integrity")));
  assert(!text.includes("/notes/{id}"));
});
