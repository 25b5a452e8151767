import { assertEquals, assertStringIncludes } from "@std/assert";
import { html } from "@gatehouse/web/content";
import type { DevicePage } from "@gatehouse/web/oauth-server";
import { createTestClient } from "@gatehouse/web/testing";
import {
  CLIENTS,
  open,
  send,
  start,
  startDevices,
} from "../device/_devices.ts";
import {
  browserOf,
  ORIGIN,
  post,
  readConsent,
  startServer,
} from "../_server.ts";

Deno.test("the page for a code shows an error only after a wrong code", async () => {
  const app = startDevices();
  const browser = await browserOf(app);
  const pages = [await browser.fetch("/device"), await open(browser, "x")];
  for (let count = 0; count < 20; count++) await open(browser, "x");
  pages.push(await open(browser, "x"));
  const found = await Promise.all(pages.map(async (page) => {
    const text = await page.text();
    const [, problem] = /role="alert">([^<]*)</.exec(text) ?? [];
    return [
      page.status,
      problem,
      text.includes("aria-invalid"),
      [
        ...text.matchAll(/>false<|>undefined</g),
      ].length,
    ];
  }));
  const wrong =
    "No device shows this code now. Compare it with your device, or start again there.";
  const many = "You have tried too many codes. Wait a few minutes.";
  assertEquals(found, [
    [200, undefined, false, 0],
    [400, wrong, true, 0],
    [429, many, true, 0],
  ]);
});

Deno.test("the page of a device shows its address, if that is known", async () => {
  for (const remoteAddress of ["192.0.2.7", undefined]) {
    const seen: DevicePage[] = [];
    const app = startDevices({
      pages: {
        device(page) {
          seen.push(page);
          return html`${page.form}`;
        },
      },
    });
    const device = createTestClient(app.router, {
      origin: ORIGIN,
      ...remoteAddress !== undefined && { remoteAddress },
    });
    const response = await device.fetch("/device/code", {
      method: "POST",
      body: new URLSearchParams({ client_id: "tv" }),
    });
    const { user_code } = await response.json();
    const browser = await browserOf(app);
    await readConsent(await open(browser, user_code));
    const { form: _form, messages: _messages, scopes, ...facts } = seen[0]!;
    assertEquals(scopes.map(({ name }) => name), ["notes:read", "notes:write"]);
    assertEquals(facts, {
      client: { id: "tv", name: "TV" },
      isKnown: true,
      isNew: true,
      code: user_code,
      resource: "Notes",
      user: "Ada",
      ...remoteAddress !== undefined && { address: remoteAddress },
    });
  }
});

Deno.test("the page after a decision says what happens next", async () => {
  const rows = [
    ["approve", "TV is connected", "Your device continues in a few seconds."],
    ["deny", "TV is not connected", "Nothing has changed."],
  ] as const;
  for (const [decision, title, text] of rows) {
    const app = startDevices();
    const { user_code } = await start(app);
    const browser = await browserOf(app);
    const form = await readConsent(await open(browser, user_code));
    // A second click shows the same page.
    for (const _click of [1, 2]) {
      const page = await (await send(browser, form, decision)).text();
      assertStringIncludes(page, `<h1>${title}</h1>`);
      assertStringIncludes(page, text);
    }
  }
});

Deno.test("without the option device, its pages and its endpoint do not exist", async () => {
  const { router, server } = startServer({ clients: CLIENTS });
  router.map(server.deviceRoutes, server.deviceController);
  const browser = createTestClient(router, { origin: ORIGIN });
  const method = "POST";
  const statuses = [
    (await browser.fetch("/device")).status,
    (await browser.fetch("/device", { method })).status,
    (await post({ router }, "/device/code", { client_id: "tv" })).status,
  ];
  assertEquals(statuses, [404, 404, 404]);
});
