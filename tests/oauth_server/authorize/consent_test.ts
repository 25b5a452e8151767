import { assert, assertEquals, assertMatch } from "@std/assert";
import { html } from "@gatehouse/web/content";
import { secureHeaders } from "@gatehouse/web/middleware";
import {
  API,
  authorizePath,
  browserOf,
  callAPI,
  type ConsentForm,
  exchange,
  ORIGIN,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
  type TestServer,
  type TokenBody,
} from "../_server.ts";

/** Opens the consent page in a new browser. */
async function openConsent(
  app: TestServer,
  params: Readonly<Record<string, string>> = {},
  user = "1",
) {
  const browser = await browserOf(app, user);
  const page = await browser.fetch(authorizePath(params));
  const { headers } = page;
  return { browser, headers, form: await readConsent(page) };
}

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

/** The forms of strangers and mistakes, with the status and what they need. */
const REFUSED: readonly (readonly [
  string,
  number,
  (form: ConsentForm) => RequestInit,
])[] = [
  ["without a handle", 400, () => send({ decision: "approve" })],
  ["with another handle", 400, () => send({ request: "a".repeat(43) })],
  [
    "with two handles",
    400,
    ({ handle }) => send([["request", handle], ["request", handle]]),
  ],
  [
    "with a short handle",
    400,
    ({ handle }) => send({ request: handle.slice(1) }),
  ],
  [
    "from another site",
    403,
    ({ handle }) =>
      send({ request: handle, decision: "approve" }, "https://evil.example"),
  ],
  ["as JSON", 400, ({ handle }) => ({
    ...send({}),
    headers: { Origin: ORIGIN, "Content-Type": "application/json" },
    body: JSON.stringify({ request: handle, decision: "approve" }),
  })],
  [
    "that is too large",
    413,
    ({ handle }) => send({ request: handle, decision: "a".repeat(20_000) }),
  ],
];

function send(
  fields: Record<string, string> | [string, string][],
  origin = ORIGIN,
): RequestInit {
  const body = new URLSearchParams(fields);
  return { method: "POST", headers: { Origin: origin }, body };
}

Deno.test("the consent page refuses forged and malformed forms", async () => {
  const app = startServer();
  const { browser, form } = await openConsent(app);
  for (const [name, status, init] of REFUSED) {
    const response = await browser.fetch("/authorize", init(form));
    assertEquals(response.status, status, name);
    assertEquals(response.headers.get("Refresh"), null, name);
    await response.body?.cancel();
  }
  assertEquals(app.events, []);
  // None of them has used up the request.
  assertEquals((await sendConsent(browser, form)).status, 200);
});

Deno.test("a request is answered once, in its session, by its user (ASVS 10.7.1)", async () => {
  const app = startServer();
  const first = await openConsent(app);
  const second = await openConsent(app);
  assertEquals((await sendConsent(second.browser, first.form)).status, 400);
  const stranger = await browserOf(app, "2");
  assertEquals((await sendConsent(stranger, first.form)).status, 400);

  // Another user logs in with the same browser.
  await second.browser.fetch("/login/2", { method: "POST" });
  assertEquals((await sendConsent(second.browser, second.form)).status, 400);

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendConsent(first.browser, first.form)),
  );
  // A browser shows only the response to the second of two clicks.
  const targets = new Set(answers.map((one) => targetOf(one).href));
  assertEquals(targets.size, 1);
  const [target] = targets;
  const code = new URL(target!).searchParams.get("code")!;
  assertEquals((await exchange(app, code)).status, 200);
  assertEquals((await app.server.grants("1")).length, 1);
  assertEquals(app.events.map(({ name }) => name), ["granted"]);
  app.clock.now += 59_000;
  const late = await sendConsent(first.browser, first.form, "deny");
  assertEquals(targetOf(late).href, target);
  app.clock.now += 1_000;
  assertEquals((await sendConsent(first.browser, first.form)).status, 400);
  assertEquals(app.events.length, 1);
});

Deno.test("a refusal goes to the client, and the request cannot be approved afterwards", async () => {
  const app = startServer();
  const { browser, form } = await openConsent(app);
  const { searchParams } = targetOf(await sendConsent(browser, form, "deny"));
  assertEquals(searchParams.get("error"), "access_denied");
  assertEquals(searchParams.get("iss"), ORIGIN);
  const again = targetOf(await sendConsent(browser, form));
  assertEquals(again.searchParams.get("error"), "access_denied");
  app.clock.now += 60_000;
  assertEquals((await sendConsent(browser, form)).status, 400);
  assertEquals(app.events, [
    { name: "denied", userId: "1", client: "web", grant: "" },
  ]);
});

Deno.test("the user gives only the requested scopes that are ticked", async () => {
  const app = startServer();
  const scope = "notes:read notes:write";
  const { browser, form } = await openConsent(app, { scope });
  const scopes = ["notes:read", "notes:delete", "files:read", "unknown"];
  const target = targetOf(await sendConsent(browser, { ...form, scopes }));
  const tokens: TokenBody = await (await exchange(
    app,
    target.searchParams.get("code")!,
  )).json();
  assertEquals(tokens.scope, "notes:read");
  assertEquals(await callAPI(app, tokens.access_token, "/api/write"), 403);

  const other = await openConsent(app, { scope });
  const none = targetOf(
    await sendConsent(other.browser, { ...other.form, scopes: [] }),
  );
  assertEquals(none.searchParams.get("error"), "access_denied");
});

Deno.test("a request expires after ten minutes, and a session has five", async () => {
  const app = startServer();
  const { browser, form } = await openConsent(app);
  app.clock.now += 600_000;
  assertEquals((await sendConsent(browser, form)).status, 400);

  const forms: ConsentForm[] = [];
  for (let count = 0; count < 6; count++) {
    forms.push(await readConsent(await browser.fetch(authorizePath())));
  }
  assertEquals((await sendConsent(browser, forms[0]!)).status, 400);
  assertEquals((await sendConsent(browser, forms[1]!)).status, 200);
});

Deno.test("a client that has lost its redirect URI since the page gets no code", async () => {
  let redirectUris = ["https://client.example/callback"];
  const app = startServer({
    clients: (id) => id === "web" ? { id, name: "Web", redirectUris } : null,
  });
  const { browser, form } = await openConsent(app);
  redirectUris = ["https://client.example/other"];
  const response = await sendConsent(browser, form);
  assertEquals(response.status, 400);
  assertEquals(app.events, []);
});

Deno.test("the consent page says how long the access lasts (ASVS 10.7.2)", async () => {
  const cases = [
    [undefined, "30 days"],
    [48 * 3_600_000, "2 days"],
    [24 * 3_600_000, "24 hours"],
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
  const marked = [...html.matchAll(/>([^<]+)<span class="new">/g)];
  assertEquals(marked.map(([, text]) => text!.trim()), ["Change your notes"]);
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
  assertMatch(await unknown.text(), /Sorry: The application is unknown/);
});

Deno.test("a trusted client that authenticates needs no consent", async () => {
  const hash = "a".repeat(43);
  const client = {
    id: "web",
    name: "Own",
    redirectUris: ["https://client.example/callback"],
    authentication: { secretHashes: [hash] },
    trusted: true,
  };
  const app = startServer({ clients: [client] });
  const browser = await browserOf(app);
  const target = targetOf(await browser.fetch(authorizePath()));
  assertMatch(target.searchParams.get("code")!, /^oac_/);
  const silent = await browser.fetch(authorizePath({ prompt: "none" }));
  assertMatch(targetOf(silent).searchParams.get("code")!, /^oac_/);
  const asked = await browser.fetch(authorizePath({ prompt: "consent" }));
  await readConsent(asked);
});

Deno.test("a user has at most 20 grants of a client, and the longest unused end", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const tokens: string[] = [];
  for (let count = 0; count < 23; count++) {
    const form = await readConsent(await browser.fetch(authorizePath()));
    const target = targetOf(await sendConsent(browser, form));
    const code = target.searchParams.get("code")!;
    const body: TokenBody = await (await exchange(app, code)).json();
    tokens.push(body.access_token);
    app.clock.now += 1_000;
  }
  const grants = await app.server.grants("1");
  assertEquals(grants.length, 20);
  assertEquals(grants.every(({ resource }) => resource === API), true);
  const statuses = await Promise.all(
    tokens.map((token) => callAPI(app, token)),
  );
  assertEquals(statuses.slice(0, 3), [401, 401, 401]);
  assertEquals(new Set(statuses.slice(3)), new Set([200]));
});
