import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createMemoryApps } from "../_apps.ts";
import { type Browser, PASSWORD, startAccounts } from "../_accounts.ts";
import { email } from "../_overview.ts";
import { assertChanges, assertOutline } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;

const AGENTS = {
  firefox:
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  safari:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
};

/** Starts accounts with a clock, and a user who is logged in. */
async function start() {
  let time = NOW;
  const app = startAccounts({ now: () => time });
  const ada = await app.registered();
  const wait = (minutes: number) => void (time += minutes * MINUTE);
  const logIn = async (browser: Browser, search = "") => {
    await browser.post(`/login${search}`, { email, password: PASSWORD });
    return browser;
  };
  /** Returns the setup of an app, with the strings that differ between runs. */
  const readSetup = async () => {
    const page = await (await ada.get("/account/two-step")).text();
    const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
    const [, KEY = ""] = /class="key">([^<]+)</.exec(page)!;
    const secret = KEY.replaceAll(" ", "");
    const code = () => {
      wait(1);
      return generateTOTP(secret, { time });
    };
    return { setup, code, ids: { KEY, SECRET: secret, SETUP: setup } };
  };
  return { ...app, ada, logIn, readSetup, wait };
}

Deno.test("the page of the app shows its key as an image, a text and a link until it is set up", async () => {
  const { ada, readSetup } = await start();
  const { ids, setup } = await readSetup();
  const failed = await ada.post("/account/two-step", { setup, code: "1" });
  await assertOutline(
    failed,
    `
      422 Error: Two-step login – Invoices
      Security → /account/security
      # Two-step login
      alert:
      Please correct this:
      This code is wrong → #code
      With an authenticator app, a stolen password is not enough…
      Scan this code with your app, or type the key below it:
      image: QR code of the key
      KEY
      Open it in an app on this device → otpauth://totp/Invoices:ada%40example.com?secret=SECRET&issuer=Invoices&algorithm=SHA1&digits=6&period=30
      POST /account/two-step
      setup: hidden "SETUP"
      Code | The six digits that your app shows now. | This code is wrong | code: text "" inputmode=numeric required aria-describedby=code-hint code-error aria-invalid=true
      [Turn on]
    `,
    ids,
  );
});

Deno.test("an app that is set up has recovery codes, and the browsers that need none", async () => {
  const { ada, browser, logIn, readSetup, wait } = await start();
  const { code, setup } = await readSetup();
  const shown = await ada.post("/account/two-step", {
    setup,
    code: await code(),
  });
  const page = await shown.clone().text();
  const codes = Array.from(
    page.matchAll(/<li>([\w-]+)<\/li>/g),
    ([, one]) => one!,
  );
  const ids = Object.fromEntries(
    codes.map((one, index) => [`CODE${index}`, one]),
  );
  await assertOutline(
    shown,
    `
      200 Recovery codes – Invoices
      Security → /account/security
      # Recovery codes
      If you lose your device, each code logs you in once. Keep…
      CODE0
      CODE1
      CODE2
      CODE3
      CODE4
      CODE5
      CODE6
      CODE7
      CODE8
      CODE9
      I have saved them → /account/two-step
    `,
    ids,
  );
  await assertOutline(
    await ada.get("/account/two-step"),
    `
      200 Two-step login – Invoices
      Security → /account/security
      # Two-step login
      Two-step login is on. Unused recovery codes: 10.
      POST /account/two-step/codes
      [Create new recovery codes]
      POST /account/two-step/remove
      [Turn off two-step login]
      ## Remembered browsers
      Each login needs a code.
    `,
  );

  const firefox = await logIn(
    browser({ "User-Agent": AGENTS.firefox }),
    "?returnTo=/notes",
  );
  await assertOutline(
    await firefox.get("/login/code?returnTo=/notes"),
    `
      200 Enter your code – Invoices
      # Enter your code
      POST /login/code?returnTo=%2Fnotes
      Code | A code from your authenticator app, or a recovery code. | code: text "" required aria-describedby=code-hint
      remember: checkbox | Remember this browser for 30 days
      [Log in]
      Back → /login?returnTo=%2Fnotes
    `,
  );
  const wrong = { code: "1", remember: "on" };
  await assertOutline(
    await firefox.post("/login/code", wrong),
    `
      422 Error: Enter your code – Invoices
      # Enter your code
      alert:
      Please correct this:
      This code is wrong → #code
      POST /login/code
      Code | A code from your authenticator app, or a recovery code. | This code is wrong | code: text "" required aria-describedby=code-hint code-error aria-invalid=true
      remember: checkbox checked | Remember this browser for 30 days
      [Log in]
      Back → /login
    `,
  );
  const before = await ada.get("/account/two-step");
  await firefox.post("/login/code", { code: await code(), remember: "on" });
  wait(24 * 60);
  const own = { code: codes[0]!, remember: "on" };
  await (await logIn(ada)).post("/login/code", own);
  await assertChanges(
    before,
    await ada.get("/account/two-step"),
    `
      - Two-step login is on. Unused recovery codes: 10.
      - Each login needs a code.
      + status: You are logged in, Ada.
      + Two-step login is on. Unused recovery codes: 9.
      + Unknown browser | This browser · needs no code until 2026-12-29 | POST /account/two-step/forget | id: hidden "ID0" | [Forget] (Forget Unknown browser)
      + Firefox, Linux | needs no code until 2026-12-28 | POST /account/two-step/forget | id: hidden "ID1" | [Forget] (Forget Firefox, Linux)
    `,
    await idsOf(ada, "/account/two-step"),
  );
});

Deno.test("the sessions have their browsers and times, this one first", async () => {
  const { accounts, ada, browser, logIn, wait } = await start();
  await assertOutline(
    await ada.get("/account/sessions"),
    `
      200 Sessions – Invoices
      status: You are logged in, Ada.
      # Sessions
      You are logged in on these browsers. End the sessions that…
      Unknown browser | This browser active now logged in 2026-11-28
    `,
  );
  wait(24 * 60);
  const others = [browser({ "User-Agent": AGENTS.firefox }), browser()];
  for (const other of others) {
    await logIn(other);
    wait(1);
  }
  wait(5);
  const phone = await logIn(browser({ "User-Agent": AGENTS.safari }));
  const path = "/account/sessions";
  await assertOutline(
    await phone.get(path),
    `
      200 Sessions – Invoices
      status: You are logged in, Ada.
      # Sessions
      You are logged in on these browsers. End the sessions that…
      Safari, iPhone | This browser active now logged in 2026-11-29
      Unknown browser | active 6 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "ID0" | [End] (End the session in Unknown browser)
      Firefox, Linux | active 7 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "ID1" | [End] (End the session in Firefox, Linux)
      POST /account/sessions
      [End all other sessions]
    `,
    await idsOf(phone, path),
  );
  const failed = await phone.post(path, { id: "unknown" });
  await assertOutline(
    failed,
    `
      422 Error: Sessions – Invoices
      # Sessions
      alert:
      This session has already ended.
      You are logged in on these browsers. End the sessions that…
      Safari, iPhone | This browser active now logged in 2026-11-29
      Unknown browser | active 6 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "ID0" | [End] (End the session in Unknown browser)
      Firefox, Linux | active 7 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "ID1" | [End] (End the session in Firefox, Linux)
      POST /account/sessions
      [End all other sessions]
    `,
    await idsOf(phone, path),
  );
  accounts.connect(createMemoryApps());
  const before = await phone.get(path);
  await phone.post(path);
  await assertChanges(
    before,
    await phone.get(path),
    `
      - Unknown browser | active 6 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "…" | [End] (End the session in Unknown browser)
      - Firefox, Linux | active 7 minutes ago logged in 2026-11-29 | POST /account/sessions | id: hidden "…" | [End] (End the session in Firefox, Linux)
      - POST /account/sessions
      - [End all other sessions]
      - This button also disconnects all apps.
      + status: Done.
    `,
  );
});

Deno.test("two sessions suffice to end all others, and the older browser is first on its own page", async () => {
  const { accounts, ada, browser, logIn, wait } = await start();
  wait(1);
  await logIn(browser({ "User-Agent": AGENTS.firefox }));
  accounts.connect(createMemoryApps());
  const path = "/account/sessions";
  await assertOutline(
    await ada.get(path),
    `
    200 Sessions – Invoices
    status: You are logged in, Ada.
    # Sessions
    You are logged in on these browsers. End the sessions that…
    Unknown browser | This browser active now logged in 2026-11-28
    Firefox, Linux | active now logged in 2026-11-28 | POST /account/sessions | id: hidden "ID0" | [End] (End the session in Firefox, Linux)
    POST /account/sessions
    [End all other sessions]
    This button also disconnects all apps.
  `,
    await idsOf(ada, path),
  );
});

/** Returns the ids in the forms of a page, in their order. */
async function idsOf(browser: Browser, path: string) {
  const page = await (await browser.get(path)).text();
  const ids = Array.from(
    page.matchAll(/name="id" value="([^"]+)"/g),
    ([, id]) => id!,
  );
  return Object.fromEntries(ids.map((id, index) => [`ID${index}`, id]));
}
