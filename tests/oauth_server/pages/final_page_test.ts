import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  authorizePath,
  browserOf,
  CALLBACK,
  startServer,
  targetOf,
} from "../_server.ts";

const DOCUMENT = { "Sec-Fetch-Dest": "document" };
const OWN = { "Sec-Fetch-Site": "same-origin" };

const rows: [name: string, headers: Record<string, string>, isPage: boolean][] =
  [
    ["a form of this site", { ...OWN, ...DOCUMENT }, true],
    ["a page of the client", {
      "Sec-Fetch-Site": "cross-site",
      ...DOCUMENT,
    }, false],
    ["the address bar", { "Sec-Fetch-Site": "none", ...DOCUMENT }, false],
    ["a frame of this site", { ...OWN, "Sec-Fetch-Dest": "iframe" }, false],
    ["a browser without these headers", {}, false],
  ];

for (const [name, headers, isPage] of rows) {
  Deno.test(`an error after ${name} returns to the client by a ${isPage ? "page" : "redirect"} (CSP, form-action)`, async () => {
    const browser = await browserOf(startServer());
    const path = authorizePath({ scope: "unknown" });
    const response = await browser.fetch(path, { headers });
    assertEquals(response.status, isPage ? 200 : 302);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const target = targetOf(response);
    assertEquals(target.origin + target.pathname, CALLBACK);
    assertEquals(target.searchParams.get("error"), "invalid_scope");
    if (!isPage) return;
    const page = await response.text();
    assertStringIncludes(page, "Continue to Web client");
  });
}

Deno.test("an unknown redirect URI gets no page that opens it", async () => {
  const browser = await browserOf(startServer());
  const path = authorizePath({ redirect_uri: "https://evil.example/" });
  const response = await browser.fetch(path, {
    headers: { ...OWN, ...DOCUMENT },
  });
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("Refresh"), null);
  assertEquals((await response.text()).includes("evil.example"), false);
});
