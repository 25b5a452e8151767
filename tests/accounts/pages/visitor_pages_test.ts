import { assertEquals } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";
import { email } from "../_overview.ts";
import { assertOutline, assertPages } from "./_outline.ts";

const RETURN = "?returnTo=%2Fnotes";

Deno.test("the pages for visitors keep the path of the next page in each form and link", async () => {
  const visitor = startAccounts({ providers: exampleProviders() }).browser();
  await assertPages(visitor, {
    "/login": `
      200 Log in to Invoices – Invoices (with the script)
      # Log in to Invoices
      POST /login
      Email | email: email "" autocapitalize=none required
      Password | password: password "" required
      remember: checkbox | Remember me for 30 days
      [Log in]
      POST /login/passkey hidden data-passkey-conditional data-passkey-get=/login/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Log in with a passkey]
      Log in with Example → /login/with/example
      Log in by email → /login/email
      Forgot your password? → /login/reset
      No account yet? Register → /register
    `,
    [`/login${RETURN}`]: `
      200 Log in to Invoices – Invoices (with the script)
      # Log in to Invoices
      Please log in to see that page.
      POST /login?returnTo=%2Fnotes
      Email | email: email "" autocapitalize=none required
      Password | password: password "" required
      remember: checkbox | Remember me for 30 days
      [Log in]
      POST /login/passkey?returnTo=%2Fnotes hidden data-passkey-conditional data-passkey-get=/login/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Log in with a passkey]
      Log in with Example → /login/with/example?returnTo=%2Fnotes
      Log in by email → /login/email?returnTo=%2Fnotes
      Forgot your password? → /login/reset?returnTo=%2Fnotes
      No account yet? Register → /register?returnTo=%2Fnotes
    `,
    [`/login/reset${RETURN}`]: `
      200 Forgot your password? – Invoices
      # Forgot your password?
      We will email you a link to choose a new one.
      POST /login/reset?returnTo=%2Fnotes
      Email | email: email "" autocapitalize=none required
      [Send the link]
      Log in → /login?returnTo=%2Fnotes
    `,
    [`/login/email${RETURN}`]: `
      200 Log in by email – Invoices
      # Log in by email
      We will email you a code and a link.
      POST /login/email?returnTo=%2Fnotes
      Email | email: email "" autocapitalize=none required
      [Send the code]
      Back → /login?returnTo=%2Fnotes
    `,
    [`/register${RETURN}`]: `
      200 Register at Invoices – Invoices
      # Register at Invoices
      POST /register?returnTo=%2Fnotes
      Name | name: text "" required
      Email | email: email "" autocapitalize=none required
      Password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      [Register]
      Already have an account? Log in → /login?returnTo=%2Fnotes
    `,
  });
});

Deno.test("the pages for visitors show errors, and keep what was typed, but no password", async () => {
  const visitor = startAccounts().browser();
  const wrong = { email, password: PASSWORD, remember: "on" };
  const login = await visitor.post(`/login${RETURN}`, wrong);
  await assertOutline(
    login,
    `
      422 Error: Log in to Invoices – Invoices (with the script)
      # Log in to Invoices
      alert:
      Invalid email or password
      POST /login?returnTo=%2Fnotes
      Email | email: email "ada@example.com" autocapitalize=none required
      Password | password: password "" required
      remember: checkbox checked | Remember me for 30 days
      [Log in]
      POST /login/passkey?returnTo=%2Fnotes hidden data-passkey-conditional data-passkey-get=/login/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Log in with a passkey]
      Log in by email → /login/email?returnTo=%2Fnotes
      Forgot your password? → /login/reset?returnTo=%2Fnotes
      No account yet? Register → /register?returnTo=%2Fnotes
    `,
  );
  const reset = await visitor.post("/login/reset", { email: "ada" });
  await assertOutline(
    reset,
    `
      422 Error: Forgot your password? – Invoices
      # Forgot your password?
      alert:
      Please correct this:
      Invalid email address → #email
      We will email you a link to choose a new one.
      POST /login/reset
      Email | Invalid email address | email: email "ada" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      [Send the link]
      Log in → /login
    `,
  );
  const other = await visitor.post("/login/email", { email: "ada" });
  await assertOutline(
    other,
    `
      422 Error: Log in by email – Invoices
      # Log in by email
      alert:
      Please correct this:
      Invalid email address → #email
      We will email you a code and a link.
      POST /login/email
      Email | Invalid email address | email: email "ada" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      [Send the code]
      Back → /login
    `,
  );
});

const registrations: [
  registration: AccountsOptions["registration"],
  hasLink: boolean,
  page: string,
][] = [
  [
    "open",
    true,
    `
      200 Register at Invoices – Invoices
      # Register at Invoices
      POST /register?returnTo=%2Fnotes
      Name | name: text "" required
      Email | email: email "" autocapitalize=none required
      Password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      [Register]
      Already have an account? Log in → /login?returnTo=%2Fnotes
    `,
  ],
  [
    "invited",
    false,
    `
      200 Register at Invoices – Invoices
      # Register at Invoices
      You can register at Invoices by invitation only.
      Log in → /login?returnTo=%2Fnotes
    `,
  ],
  [
    "closed",
    false,
    `
      404
      Not Found
    `,
  ],
];

for (const [registration, hasLink, page] of registrations) {
  Deno.test(`the login page ${hasLink ? "has a" : "has no"} link to a registration that is ${registration}`, async () => {
    const visitor = startAccounts({ registration }).browser();
    const login = await (await visitor.get("/login")).text();
    assertEquals(login.includes('href="/register"'), hasLink);
    await assertOutline(await visitor.get(`/register${RETURN}`), page);
  });
}

Deno.test("the registration of an invitation asks for no address", async () => {
  const { accounts, browser, lastMail } = startAccounts({
    registration: "invited",
  });
  await accounts.users.invite({ email });
  const TOKEN = tokenOf(await lastMail(email));
  await assertPages(browser(), {
    "/register?token=TOKEN": `
      200 Register at Invoices – Invoices
      # Register at Invoices
      POST /register
      Name | name: text "" required
      token: hidden "TOKEN"
      username: text "ada@example.com" hidden
      You register with the address ada@example.com.
      Password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      [Register]
      Already have an account? Log in → /login
    `,
    "/register?token=unknown": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /login
    `,
  }, { TOKEN });
  const typed = { token: TOKEN, name: "Ada", password: "short" };
  const failed = await browser().post("/register", typed);
  await assertOutline(
    failed,
    `
      422 Error: Register at Invoices – Invoices
      # Register at Invoices
      alert:
      Please correct this:
      Password must be at least 8 characters → #password
      POST /register
      Name | name: text "Ada" required
      token: hidden "TOKEN"
      username: text "ada@example.com" hidden
      You register with the address ada@example.com.
      Password | At least 8 characters. Several words work well. | Password must be at least 8 characters | password: password "" required aria-describedby=password-hint password-error aria-invalid=true
      [Register]
      Already have an account? Log in → /login
    `,
    { TOKEN },
  );
});

Deno.test("a registration asks for the code of its email, or opens its link", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const ada = browser();
  const values = { email, name: "Ada", password: PASSWORD };
  await assertOutline(
    await ada.get("/register/code"),
    `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /register
    `,
  );
  await ada.post(`/register${RETURN}`, values);
  const mail = await lastMail(email);
  const ids = { TOKEN: tokenOf(mail), CODE: codeOf(mail) };
  await assertPages(ada, {
    [`/register/code${RETURN}`]: `
      200 Check your email – Invoices
      # Check your email
      We sent an email to ada@example.com. Open the link in this…
      POST /register/code?returnTo=%2Fnotes
      Code | The six digits from the email. They work once, for ten… | code: text "" inputmode=numeric required aria-describedby=code-hint
      [Continue]
      No email, not even in the spam folder? Ask for another email → /register?returnTo=%2Fnotes
    `,
    "/register/link?token=TOKEN": `
      200 Confirm your address – Invoices
      # Confirm your address
      Please confirm that ada@example.com is your address.
      POST /register/link
      token: hidden "TOKEN"
      [Continue]
    `,
  }, ids);
  const wrong = await ada.post("/register/code", { code: "1" });
  await assertOutline(
    wrong,
    `
      422 Error: Check your email – Invoices
      # Check your email
      alert:
      Please correct this:
      This code is wrong → #code
      We sent an email to ada@example.com. Open the link in this…
      POST /register/code
      Code | The six digits from the email. They work once, for ten… | This code is wrong | code: text "" inputmode=numeric required aria-describedby=code-hint code-error aria-invalid=true
      [Continue]
      No email, not even in the spam folder? Ask for another email → /register
    `,
  );
  await assertPages(browser(), {
    "/register/link?token=TOKEN": `
      200 Your code – Invoices
      # Your code
      This email was requested in another browser. Type this code…
      CODE
    `,
  }, ids);
  accounts.wait(11 * 60_000);
  await assertPages(ada, {
    "/register/link?token=TOKEN": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /register
    `,
  }, ids);
});

Deno.test("a login by email asks for the code of its email, or opens its link", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const ada = browser();
  await assertOutline(
    await ada.get(`/login/email/code${RETURN}`),
    `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /login/email?returnTo=%2Fnotes
    `,
  );
  await ada.post(`/login/email${RETURN}`, { email });
  const TOKEN = tokenOf(await lastMail(email));
  await assertPages(ada, {
    [`/login/email/code${RETURN}`]: `
      200 Check your email – Invoices
      # Check your email
      We sent an email to ada@example.com. Open the link in this…
      POST /login/email/code?returnTo=%2Fnotes
      Code | The six digits from the email. They work once, for ten… | code: text "" inputmode=numeric required aria-describedby=code-hint
      [Continue]
      No email, not even in the spam folder? Ask for another email → /login/email?returnTo=%2Fnotes
    `,
    "/login/email/link?token=TOKEN": `
      200 Confirm your address – Invoices
      # Confirm your address
      Please confirm that ada@example.com is your address.
      POST /login/email/link
      token: hidden "TOKEN"
      [Continue]
    `,
    "/login/email/link?token=unknown": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /login/email
    `,
  }, { TOKEN });
});

Deno.test("a new address asks for the code of its email, or opens its link", async () => {
  const { lastMail, registered } = startAccounts();
  const ada = await registered();
  await assertOutline(
    await ada.get("/account/email/code"),
    `
      400 Error: This link no longer works – Invoices
      status: You are logged in, Ada.
      # This link no longer works
      It was already used or has expired.
      Back → /account/email
    `,
  );
  await ada.post("/account/email", { email: "new@example.com" });
  const TOKEN = tokenOf(await lastMail("new@example.com"));
  await assertPages(ada, {
    "/account/email/code": `
      200 Check your email – Invoices
      # Check your email
      We sent an email to new@example.com. Open the link in this…
      POST /account/email/code
      Code | The six digits from the email. They work once, for ten… | code: text "" inputmode=numeric required aria-describedby=code-hint
      [Continue]
      No email, not even in the spam folder? Ask for another email → /account/email
    `,
    "/account/email/link?token=TOKEN": `
      200 Confirm your address – Invoices
      # Confirm your address
      Please confirm that new@example.com is your address.
      POST /account/email/link
      token: hidden "TOKEN"
      [Continue]
    `,
    "/account/email/link?token=unknown": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /account/email
    `,
  }, { TOKEN });
});

Deno.test("a reset asks for a new password", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  await browser().post("/login/reset", { email });
  const TOKEN = tokenOf(await lastMail(email));
  await assertPages(browser(), {
    "/login/reset/link?token=TOKEN": `
      200 Choose a new password – Invoices
      # Choose a new password
      This ends all sessions, and removes passkeys, linked logins…
      POST /login/reset/link
      token: hidden "TOKEN"
      username: text "ada@example.com" hidden
      New password | At least 8 characters. Several words work well. | password: password "" required aria-describedby=password-hint
      [Change password]
    `,
    "/login/reset/link?token=unknown": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /login/reset
    `,
  }, { TOKEN });
  const typed = { token: TOKEN, password: "x" };
  const failed = await browser().post("/login/reset/link", typed);
  await assertOutline(
    failed,
    `
      422 Error: Choose a new password – Invoices
      # Choose a new password
      alert:
      Please correct this:
      Password must be at least 8 characters → #password
      This ends all sessions, and removes passkeys, linked logins…
      POST /login/reset/link
      token: hidden "TOKEN"
      username: text "ada@example.com" hidden
      New password | At least 8 characters. Several words work well. | Password must be at least 8 characters | password: password "" required aria-describedby=password-hint password-error aria-invalid=true
      [Change password]
    `,
    { TOKEN },
  );
});

Deno.test("the link of a notice says what it restores", async () => {
  const { browser, lastMail, registered } = startAccounts({
    definition: defineAccounts({ scopes: ["notes:read"] }) as never,
  });
  const ada = await registered();
  const key = { name: "Reports", "scope-notes:read": "on" };
  await ada.post("/account/keys", key);
  const KEY = tokenOf(await lastMail(email));
  await ada.post("/account/email", { email: "new@example.com" });
  const code = codeOf(await lastMail("new@example.com"));
  await ada.post("/account/email/code", { code });
  const ADDRESS = tokenOf(await lastMail(email));
  await assertPages(browser(), {
    "/account/not-me?token=KEY": `
      200 This was not you? – Invoices
      # This was not you?
      This removes what was added to your account, and all that…
      POST /account/not-me
      token: hidden "KEY"
      [ Remove it ]
    `,
    "/account/not-me?token=ADDRESS": `
      200 This was not you? – Invoices
      # This was not you?
      This restores your address, removes the password and ends…
      POST /account/not-me
      token: hidden "ADDRESS"
      [ Restore my account ]
    `,
    "/account/not-me?token=unknown": `
      400 Error: This link no longer works – Invoices
      # This link no longer works
      It was already used or has expired.
      Back → /login/reset
    `,
  }, { KEY, ADDRESS });
});
