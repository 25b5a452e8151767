import { assert, assertEquals, assertMatch } from "@std/assert";
import { html } from "@gatehouse/web/content";
import { secureHeaders } from "@gatehouse/web/middleware";
import {
  authorizePath,
  connect,
  exchange,
  FILES,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
} from "../_server.ts";
import { openConsent } from "../authorize/_consent.ts";

Deno.test("the consent page has its own policy, without scripts and frames", async () => {
  const app = startServer({ middleware: [secureHeaders()], hasForms: true });
  const { browser, form, headers } = await openConsent(app);
  const policy = headers.get("Content-Security-Policy")!;
  assertMatch(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  );
  assertEquals(headers.get("X-Frame-Options"), "DENY");
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals(headers.get("Referrer-Policy"), "same-origin");
  const response = await sendConsent(browser, form);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Content-Security-Policy"), policy);
  const target = targetOf(response);
  const link = /<a class="button" href="([^"]+)"/.exec(await response.text());
  assertEquals(link?.[1]?.replaceAll("&amp;", "&"), target.href);
});

Deno.test("the consent page names an application that the developer has registered", async () => {
  const redirectUris = ["https://client.example/callback"];
  const clients = [{ id: "web", name: "Notes for the web", redirectUris }];
  const { form } = await openConsent(startServer({ clients }));
  const [, name] = /<dt>Application<\/dt>\s*<dd>([^<]*)</.exec(form.html) ?? [];
  assertEquals(name, "Notes for the web");
});

Deno.test("the consent page says how long the access lasts (ASVS 10.7.2)", async () => {
  const cases = [
    [undefined, "30 days"],
    [48 * 3_600_000, "2 days"],
    [24 * 3_600_000, "24 hours"],
    [5_400_000, "2 hours"],
    [60_000, "1 hour"],
  ] as const;
  for (const [idle, text] of cases) {
    const lifetimes = idle === undefined ? {} : { idle };
    const { form } = await openConsent(startServer({ lifetimes }));
    const words = form.html.replaceAll(/\s+/g, " ");
    assert(words.includes(`its access ends after ${text}.`), words);
  }
});

Deno.test("a step-up shows which scopes are new (ASVS 10.7.2)", async () => {
  const app = startServer();
  const { browser, form } = await openConsent(app, { scope: "notes:read" });
  assert(!form.html.includes('class="new"'));
  const target = targetOf(await sendConsent(browser, form));
  await exchange(app, target.searchParams.get("code")!);
  const path = authorizePath({ scope: "notes:read notes:write" });
  const { html } = await readConsent(await browser.fetch(path));
  const marked = [...html.matchAll(/>([^<]+)<strong class="new">/g)];
  assertEquals(marked.map(([, text]) => text!.trim()), ["Change your notes"]);
});

Deno.test("an application stays new while the user has grants of another one, or for another resource", async () => {
  const app = startServer({
    pages: {
      consent: ({ form, isNew }) => html`<p>new: ${String(isNew)}</p>${form}`,
    },
  });
  await connect(app);
  const rows = [
    [{ client_id: "web" }, false],
    [{ client_id: "web", resource: FILES }, true],
    [{ client_id: "other" }, true],
  ] as const;
  for (const [params, isNew] of rows) {
    const { form } = await openConsent(app, params);
    assert(form.html.includes(`new: ${isNew}`), JSON.stringify(params));
  }
});

Deno.test("names of clients are escaped, and the pages can be replaced", async () => {
  const name = '<script>alert("x")</script>';
  const app = startServer({
    clients: [{
      id: "web",
      name,
      redirectUris: ["https://client.example/callback"],
    }],
    pages: {
      consent: ({ client, form, isNew, resource }) =>
        html`<p>${client.name} ${resource} ${String(isNew)}</p>${form}`,
      error: ({ text }) => html`<p>Sorry: ${text}</p>`,
    },
  });
  const { browser, form } = await openConsent(app);
  assert(!form.html.includes("<script"));
  assert(form.html.includes("&lt;script&gt;"));
  assert(form.html.includes("Notes true"));
  const page = await (await sendConsent(browser, form)).text();
  assert(!page.includes("<script"));
  const unknown = await browser.fetch(authorizePath({ client_id: "x" }));
  assertMatch(
    await unknown.text(),
    /Sorry: The application is unknown/,
  );
});
