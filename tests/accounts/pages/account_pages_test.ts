import { assertEquals, assertStringIncludes } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { boolean, optional, string } from "@gatehouse/web/data-schema";
import { codeOf, PASSWORD, startAccounts } from "../_accounts.ts";
import { email } from "../_overview.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const definition = defineAccounts({
  fields: {
    company: {
      schema: optional(string()),
      label: { en: "Company", de: "Firma" },
    },
    size: {
      schema: optional(string()),
      label: { en: "Size" },
      input: ["small", "large"],
    },
    since: {
      schema: optional(string()),
      label: { fr: "Depuis" },
      input: "date",
    },
    news: { schema: optional(boolean()), label: "News", input: "checkbox" },
    plan: { schema: optional(string()), label: "Plan", by: "application" },
  },
});

const values = {
  name: "Ada L.",
  "field-company": "Analytics & Co",
  "field-size": "large",
  "field-since": "1843-07-10",
  "field-news": "on",
};

function start() {
  const database = createMemoryAccountStore();
  const app = startAccounts({ definition: definition as never, database });
  return { ...app, database };
}

Deno.test("the profile page has the values of each kind of field, in the user's language", async () => {
  const { browser, registered } = start();
  const ada = await registered();
  await assertOutline(
    await ada.get("/account"),
    `
      200 Profile – Invoices
      status: You are logged in, Ada.
      # Profile
      POST /account
      Name | name: text "Ada" required
      Company | field-company: text ""
      Size | field-size: select small large
      since | field-since: date ""
      field-news: checkbox | News
      [Save]
      Email ada@example.com → /account/email
      Download your data → /account/data
      Delete your account → /account/delete
    `,
  );
  await ada.post("/account", values);
  await assertOutline(
    await ada.get("/account"),
    `
      200 Profile – Invoices
      status: Your changes are saved.
      # Profile
      POST /account
      Name | name: text "Ada L." required
      Company | field-company: text "Analytics & Co"
      Size | field-size: select small [large]
      since | field-since: date "1843-07-10"
      field-news: checkbox checked | News
      [Save]
      Email ada@example.com → /account/email
      Download your data → /account/data
      Delete your account → /account/delete
    `,
  );
  const german = browser({ "Accept-Language": "de" });
  await german.post("/login", { email, password: PASSWORD });
  const page = await (await german.get("/account")).text();
  const labels = page.matchAll(/<label for="field-[^>]+>([^<]+)</g);
  // A label without the language is in English, and otherwise the name.
  assertEquals(Array.from(labels, ([, label]) => label), [
    "Firma",
    "Size",
    "since",
    "News",
  ]);
  const wrong = { name: "", "field-company": "B", "field-size": "small" };
  await assertOutline(
    await ada.post("/account", wrong),
    `
      422 Error: Profile – Invoices
      # Profile
      alert:
      Please correct this:
      Name is required → #name
      POST /account
      Name | Name is required | name: text "" required aria-describedby=name-error aria-invalid=true
      Company | field-company: text "B"
      Size | field-size: select [small] large
      since | field-since: date ""
      field-news: checkbox | News
      [Save]
      Email ada@example.com → /account/email
      Download your data → /account/data
      Delete your account → /account/delete
    `,
  );
});

Deno.test("the registration page has the fields of the application, and keeps what was typed", async () => {
  const { browser } = start();
  await assertOutline(
    await browser().get("/register"),
    `
      200 Register at Invoices – Invoices
      # Register at Invoices
      POST /register
      Name | name: text "" required
      Email | email: email "" autocapitalize=none required
      Password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      Company | field-company: text ""
      Size | field-size: select small large
      since | field-since: date ""
      field-news: checkbox | News
      [Register]
      Already have an account? Log in → /login
    `,
  );
  const wrong = { ...values, email: "ada", password: "short" };
  await assertOutline(
    await browser().post("/register", wrong),
    `
      422 Error: Register at Invoices – Invoices
      # Register at Invoices
      alert:
      Please correct these:
      Invalid email address → #email
      Password must be at least 8 characters → #password
      POST /register
      Name | name: text "Ada L." required
      Email | Invalid email address | email: email "ada" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      Password | At least 8 characters. Several words work well. | Password must be at least 8 characters | password: password "" required aria-describedby=password-hint password-error aria-invalid=true
      Company | field-company: text "Analytics & Co"
      Size | field-size: select small [large]
      since | field-since: date "1843-07-10"
      field-news: checkbox checked | News
      [Register]
      Already have an account? Log in → /login
    `,
  );
});

Deno.test("each page of the account has its forms and links", async () => {
  const ada = await start().registered();
  await assertPages(ada, {
    "/account/email": `
      200 Change your address – Invoices
      status: You are logged in, Ada.
      Profile → /account
      # Change your address
      Your address is ada@example.com.
      POST /account/email
      New email | email: email "" autocapitalize=none required
      [Continue]
    `,
    "/account/password": `
      200 Change password – Invoices
      Security → /account/security
      # Change password
      This ends your other sessions.
      POST /account/password
      username: text "ada@example.com" hidden
      New password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      [Change password]
    `,
    "/account/data": `
      200 Download your data – Invoices
      Profile → /account
      # Download your data
      The file has everything that your account contains, except…
      POST /account/data
      [Download as JSON]
    `,
    "/account/delete": `
      200 Delete your account – Invoices
      Profile → /account
      # Delete your account
      Your account and its data will be deleted in 7 days. Until…
      POST /account/delete
      [Delete my account]
      Cancel → /account
      Download your data → /account/data
    `,
  });
  await assertOutline(
    await ada.post("/account/email", { email: "ada" }),
    `
      422 Error: Change your address – Invoices
      Profile → /account
      # Change your address
      alert:
      Please correct this:
      Invalid email address → #email
      Your address is ada@example.com.
      POST /account/email
      New email | Invalid email address | email: email "ada" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      [Continue]
    `,
  );
  await assertOutline(
    await ada.post("/account/password", { password: "short" }),
    `
      422 Error: Change password – Invoices
      Security → /account/security
      # Change password
      alert:
      Please correct this:
      Password must be at least 8 characters → #password
      This ends your other sessions.
      POST /account/password
      username: text "ada@example.com" hidden
      New password | At least 8 characters. Several words work well. | Password must be at least 8 characters | password: password "" required aria-describedby=password-hint password-error aria-invalid=true
      [Change password]
    `,
  );
});

Deno.test("a field without a value is empty on the profile page", async () => {
  const { accounts, database, registered } = start();
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  await database.update(id, { fields: { company: null } });
  const page = await (await ada.get("/account")).text();
  const input = /<input id="field-company"[^>]*>/.exec(page)![0];
  assertStringIncludes(input, 'value=""');
});

Deno.test("too many downloads of the data have to wait", async () => {
  const ada = await start().registered();
  const before = await ada.get("/account/data");
  let response = await ada.post("/account/data");
  while (response.ok) {
    await response.body?.cancel();
    response = await ada.post("/account/data");
  }
  await assertChanges(
    before,
    response,
    `
    - 200 Download your data – Invoices
    - status: You are logged in, Ada.
    + 429 Error: Download your data – Invoices
    + alert:
    + Too many attempts. Please wait 60 seconds, then try again.
  `,
  );
});

Deno.test("a deletion after one day is in 1 day, on the page, in the email and in the notice", async () => {
  for (
    const [days, english, german] of [
      [1, "in 1 day.", "in 1 Tag gelöscht"],
      [2, "in 2 days.", "in 2 Tagen gelöscht"],
    ] as const
  ) {
    for (const [language, text] of [["en", english], ["de", german]] as const) {
      const { accounts, browser, lastMail } = startAccounts({
        deletionDelay: days * 86_400_000,
      });
      const ada = browser({ "Accept-Language": language });
      await ada.post("/register", { email, name: "Ada", password: PASSWORD });
      const code = codeOf(await lastMail(email));
      await ada.post("/register/code", { code });
      const page = await (await ada.get("/account/delete")).text();
      assertStringIncludes(page, text);
      const deleted = await ada.post("/account/delete");
      const next = await ada.get(deleted.headers.get("Location")!);
      assertStringIncludes(await next.text(), text);
      await accounts.flush();
      assertStringIncludes((await lastMail(email)).text, text);
    }
  }
});
