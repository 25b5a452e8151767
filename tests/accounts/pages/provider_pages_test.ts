import { exampleProviders } from "../_accounts.ts";
import { email, start as startPlain } from "../_overview.ts";
import { PATH, start } from "../_providers.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const DAY = 86_400_000;

Deno.test("the page of the linked logins has a row for each, and a button for each provider", async () => {
  const { ada, database, id: accountId } = await startPlain({
    now: () => NOW,
    providers: exampleProviders(),
  });
  await assertOutline(
    await ada.get("/account/logins"),
    `
      200 Linked logins – Invoices
      status: You are logged in, Ada.
      # Linked logins
      You can log in with these providers instead of your…
      You have no linked logins.
      POST /account/logins
      provider: hidden "example"
      [Link Example]
    `,
  );
  const before = await ada.get("/account/logins");
  const ways = [
    { id: "i1", data: { provider: "example" }, usedAt: NOW - 2 * DAY },
    { id: "i2", data: { provider: "former" }, usedAt: null },
    { id: "i3", data: { provider: "toString" }, usedAt: null },
  ];
  for (const way of ways) {
    const { version } = (await database.find(accountId))!;
    const known = { kind: "identity", accountId, name: email, counter: 0 };
    const createdAt = NOW - 9 * DAY;
    await database.addWayIn({ ...known, createdAt, ...way }, version);
  }
  await assertChanges(
    before,
    await ada.get("/account/logins"),
    `
      - You have no linked logins.
      + Example: ada@example.com | Added 2026-11-19, last used 2 days ago | POST /account/logins/remove | id: hidden "i1" | [Remove] (Remove Example: ada@example.com)
      + former: ada@example.com | Added 2026-11-19 | POST /account/logins/remove | id: hidden "i2" | [Remove] (Remove former: ada@example.com)
      + toString: ada@example.com | Added 2026-11-19 | POST /account/logins/remove | id: hidden "i3" | [Remove] (Remove toString: ada@example.com)
    `,
  );
  const failed = await ada.post("/account/logins/remove", { id: "i4" });
  await assertChanges(
    await ada.get("/account/logins"),
    failed,
    `
      - 200 Linked logins – Invoices
      + 422 Error: Linked logins – Invoices
      + Linked logins → /account/logins
      + alert:
      + The login at the provider failed. Please try again.
    `,
  );
});

Deno.test("a login at a provider that did not work leads back to the login", async () => {
  const app = start();
  const visitor = app.browser();
  await assertPages(visitor, {
    [`${PATH}/callback?state=x&code=y`]: `
      422 Error: The login did not work – Invoices
      # The login did not work
      alert:
      The login at the provider failed. Please try again.
      Back → /login
    `,
    "/login/with/other": `
      404 The login did not work – Invoices
      # The login did not work
      alert:
      The login at the provider failed. Please try again.
      Back → /login
    `,
    "/login/with/other?returnTo=/notes": `
      404 The login did not work – Invoices
      # The login did not work
      alert:
      The login at the provider failed. Please try again.
      Back → /login?returnTo=%2Fnotes
    `,
  });
});

Deno.test("a login that a provider refuses leads back to the login with the path of the next page", async () => {
  const visitor = start().browser();
  const begun = await visitor.get(`${PATH}?returnTo=/notes`);
  const { searchParams } = new URL(begun.headers.get("Location")!);
  const state = searchParams.get("state")!;
  const search = new URLSearchParams({ state, error: "access_denied" });
  await assertPages(visitor, {
    [`${PATH}/callback?${search}`]: `
    422 Error: The login did not work – Invoices
    # The login did not work
    alert:
    The login at the provider failed. Please try again.
    Back → /login?returnTo=%2Fnotes
  `,
  });
});

Deno.test("a provider without an address asks for one", async () => {
  const app = start();
  const visitor = app.browser();
  const user = { sub: "a1", name: "Ada & Co", email };
  await app.logIn(visitor, user, `${PATH}?returnTo=/notes`);
  await assertOutline(
    await visitor.get("/login/address?returnTo=/notes"),
    `
      200 Your email address – Invoices
      # Your email address
      You logged in as ada@example.com. Your new account also…
      POST /login/address?returnTo=%2Fnotes
      Email | email: email "ada@example.com" autocapitalize=none required
      [Continue]
    `,
  );
  await assertOutline(
    await visitor.post("/login/address", { email: "ada" }),
    `
      422 Error: Your email address – Invoices
      # Your email address
      alert:
      Please correct this:
      Invalid email address → #email
      You logged in as ada@example.com. Your new account also…
      POST /login/address
      Email | Invalid email address | email: email "ada" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      [Continue]
    `,
  );
});

Deno.test("a separate page leads the browser to a provider", async () => {
  const ada = await start().registered();
  const response = await ada.post("/account/logins", { provider: "example" });
  const URL = response.headers.get("Refresh")!.replace("0; url=", "");
  await assertOutline(
    response,
    `
      200 Continue to the provider – Invoices
      status: You are logged in, Ada.
      # Continue to the provider
      Continue to the provider → URL
    `,
    { URL },
  );
});
