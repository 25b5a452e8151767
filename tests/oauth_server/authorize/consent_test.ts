import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import {
  authorizePath,
  browserOf,
  CALLBACK,
  type ConsentForm,
  exchange,
  ORIGIN,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
} from "../_server.ts";
import { openConsent } from "./_consent.ts";

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

Deno.test("a second click gets the same code, even if the login has become too old meanwhile", async () => {
  const app = startServer();
  const scope = "notes:delete";
  const browser = await browserOf(app);
  app.clock.now += 595_000;
  const page = await browser.fetch(authorizePath({ scope }));
  const form = await readConsent(page);
  const first = targetOf(await sendConsent(browser, form));
  app.clock.now += 10_000;
  const second = await sendConsent(browser, form);
  assertEquals(second.status, 200);
  assertEquals(targetOf(second).href, first.href);
});

Deno.test("the page for a user who is not logged in has another text than that for an old request", async () => {
  const app = startServer();
  const { browser, form } = await openConsent(app);
  const stranger = createTestClient(app.router, { origin: ORIGIN });
  const refused = await sendConsent(stranger, form);
  assertEquals(refused.status, 403);
  assertStringIncludes(await refused.text(), "Only users who are logged in");
  app.clock.now += 600_000;
  const expired = await sendConsent(browser, form);
  assertEquals(expired.status, 400);
  assertStringIncludes(await expired.text(), "This request has expired");
});

Deno.test("a login during the decision ends the request, so that it gets no code", async () => {
  const web = { id: "web", name: "Web", redirectUris: [CALLBACK] };
  let isDecided = false;
  const app = startServer({
    async clients(id) {
      if (isDecided) {
        isDecided = false;
        await browser.fetch("/login/1", { method: "POST" });
      }
      return id === "web" ? web : null;
    },
  });
  const { browser, form } = await openConsent(app);
  isDecided = true;
  const response = await sendConsent(browser, form);
  assertEquals(response.status, 400);
  assertEquals(app.events, []);
});
