/** The pages that confirm a login, and those of a login that needs a second factor. */
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestProvider } from "@gatehouse/web/testing";
import type { Browser } from "../_accounts.ts";
import {
  addApp,
  addPasskey,
  type HeldApp,
  sendPassword,
  startHeld,
} from "../_ways_in.ts";
import { assertOutline } from "./_outline.ts";

const RETURN = "?returnTo=%2Fnotes";

/** Starts accounts that need a second factor while `rule.required`. */
function start(options: Partial<AccountsOptions> = {}) {
  const rule = { required: false };
  const secondFactorRequired = () => rule.required;
  return startHeld(rule, { secondFactorRequired, ...options });
}

const google = createTestProvider();

/** Providers that ask for the login again. */
const providers = {
  example: {
    label: "Example",
    provider: createOIDCAuthProvider({
      ...google.client,
      name: "example",
      redirectUri: "https://test.example/login/with/example/callback",
      canReauthenticate: true,
    }),
  },
};

async function linkLogin({ rule }: HeldApp, ada: Browser): Promise<void> {
  rule.required = false;
  const begun = await ada.post("/account/logins", { provider: "example" });
  const next = begun.headers.get("Refresh")!.replace("0; url=", "");
  const user = { sub: "a1", name: "Ada" };
  await ada.client.fetch(google.authorize(next, { user }));
}

/** The ways in of an account, and the page that confirms its login. */
const states: Record<string, {
  readonly prepare: (app: HeldApp, ada: Browser) => Promise<unknown>;
  readonly page: string;
}> = {
  "a password": {
    prepare: () => Promise.resolve(),
    page: `
      200 Confirm that it's you – Invoices
      status: You are logged in, Ada.
      # Confirm that it's you
      Please enter your password again to continue.
      POST /account/confirm?returnTo=%2Fnotes
      username: text "ada@example.com" hidden
      Password | password: password "" required
      [Confirm]
      Forgot your password? → /login/reset
    `,
  },
  "a passkey": {
    prepare: addPasskey,
    page: `
      200 Confirm that it's you – Invoices (with the script)
      status: The passkey was added, and your other sessions have ended.
      # Confirm that it's you
      Please enter your password again to continue.
      POST /account/confirm?returnTo=%2Fnotes
      username: text "ada@example.com" hidden
      Password | password: password "" required
      [Confirm]
      POST /account/confirm/passkey?returnTo=%2Fnotes hidden data-passkey-get=/account/confirm/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Confirm with a passkey]
      Forgot your password? → /login/reset
    `,
  },
  "a linked login": {
    prepare: linkLogin,
    page: `
      200 Confirm that it's you – Invoices
      status: The login is linked.
      # Confirm that it's you
      Please enter your password again to continue.
      POST /account/confirm?returnTo=%2Fnotes
      username: text "ada@example.com" hidden
      Password | password: password "" required
      [Confirm]
      POST /account/confirm/provider?returnTo=%2Fnotes
      provider: hidden "example"
      [ Confirm with Example ]
      Forgot your password? → /login/reset
    `,
  },
  "an app": {
    prepare: addApp,
    page: `
      200 Confirm that it's you – Invoices
      # Confirm that it's you
      POST /account/confirm/code?returnTo=%2Fnotes
      Code | A code from your authenticator app, or a recovery code. | code: text "" required aria-describedby=code-hint
      [Confirm]
    `,
  },
  "an app and a passkey": {
    async prepare(app, ada) {
      await addPasskey(app, ada);
      await addApp(app, ada);
    },
    page: `
      200 Confirm that it's you – Invoices (with the script)
      # Confirm that it's you
      POST /account/confirm/code?returnTo=%2Fnotes
      Code | A code from your authenticator app, or a recovery code. | code: text "" required aria-describedby=code-hint
      [Confirm]
      POST /account/confirm/passkey?returnTo=%2Fnotes hidden data-passkey-get=/account/confirm/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Confirm with a passkey]
    `,
  },
};

for (const [name, { page, prepare }] of Object.entries(states)) {
  Deno.test(`the page that confirms a login has the methods of an account with ${name}`, async () => {
    const app = start({ providers });
    const ada = await app.registered();
    await prepare(app, ada);
    app.rule.required = false;
    await assertOutline(await ada.get(`/account/confirm${RETURN}`), page);
  });
}

Deno.test("only a passkey confirms a login of an account that needs a second factor", async () => {
  const app = start();
  const authenticator = await addPasskey(app, await app.registered());
  const ada = app.browser();
  const options = await (await ada.post("/login/passkey/options")).json();
  const answer = await authenticator.authenticate(options);
  await ada.post("/login/passkey", { passkey: JSON.stringify(answer) });
  await assertOutline(
    await ada.get(`/account/confirm${RETURN}`),
    `
      200 Confirm that it's you – Invoices (with the script)
      status: You are logged in, Ada.
      # Confirm that it's you
      Passkeys need JavaScript. Please turn it on.
      POST /account/confirm/passkey?returnTo=%2Fnotes hidden data-passkey-get=/account/confirm/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Confirm with a passkey]
    `,
  );
  const passkey = JSON.stringify(answer);
  const failed = await ada.post("/account/confirm/passkey", { passkey });
  await assertOutline(
    failed,
    `
    422 Error: Confirm that it's you – Invoices (with the script)
    # Confirm that it's you
    alert:
    The passkey did not work. Please try again.
    Passkeys need JavaScript. Please turn it on.
    POST /account/confirm/passkey hidden data-passkey-get=/account/confirm/passkey/options
    passkey: hidden
    alert: data-passkey-error The passkey did not work. Please try again.
    [Confirm with a passkey]
  `,
  );
});

Deno.test("a wrong password or code does not confirm a login", async () => {
  const app = start();
  const ada = await app.registered();
  app.rule.required = false;
  const failed = await ada.post("/account/confirm", { password: "x" });
  await assertOutline(
    failed,
    `
      422 Error: Confirm that it's you – Invoices
      status: You are logged in, Ada.
      # Confirm that it's you
      alert:
      Please correct this:
      This is not your password → #password
      Please enter your password again to continue.
      POST /account/confirm
      username: text "ada@example.com" hidden
      Password | This is not your password | password: password "" required aria-describedby=password-error aria-invalid=true
      [Confirm]
      Forgot your password? → /login/reset
    `,
  );
  await addApp(app, ada);
  const wrong = await ada.post("/account/confirm/code", { code: "1" });
  await assertOutline(
    wrong,
    `
      422 Error: Confirm that it's you – Invoices
      # Confirm that it's you
      alert:
      Please correct this:
      This code is wrong → #code
      POST /account/confirm/code
      Code | A code from your authenticator app, or a recovery code. | This code is wrong | code: text "" required aria-describedby=code-hint code-error aria-invalid=true
      [Confirm]
    `,
  );
});

Deno.test("a login without the second factor that its account needs sets one up", async () => {
  const app = start();
  await app.registered();
  const other = app.browser();
  await sendPassword(other, RETURN);
  const path = `/login/two-step${RETURN}`;
  const page = await (await other.get(path)).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, KEY = ""] = /class="key">([^<]+)</.exec(page)!;
  const ids = { KEY, SECRET: KEY.replaceAll(" ", ""), SETUP: setup };
  const wrong = await other.post(path, { setup, code: "1" });
  await assertOutline(
    wrong,
    `
      422 Error: Protect your account – Invoices (with the script)
      # Protect your account
      alert:
      Please correct this:
      This code is wrong → #code
      Your account at Invoices needs a second step at each login.…
      ## Passkeys
      A passkey logs you in with your fingerprint, your face or…
      Passkeys need JavaScript. Please turn it on.
      POST /login/two-step/passkey?returnTo=%2Fnotes hidden data-passkey-create=/login/two-step/passkey/options
      passkey: hidden
      Name | For example, the name of the device. | name: text "Passkey" required aria-describedby=name-hint
      alert: data-passkey-error The passkey did not work. Please try again.
      [Add a passkey]
      ## Authenticator app
      Scan this code with your app, or type the key below it:
      image: QR code of the key
      KEY
      Open it in an app on this device → otpauth://totp/Invoices:ada%40example.com?secret=SECRET&issuer=Invoices&algorithm=SHA1&digits=6&period=30
      POST /login/two-step?returnTo=%2Fnotes
      setup: hidden "SETUP"
      Code | The six digits that your app shows now. | This code is wrong | code: text "" inputmode=numeric required aria-describedby=code-hint code-error aria-invalid=true
      [Turn on]
      Back → /login?returnTo=%2Fnotes
    `,
    ids,
  );
  const code = await generateTOTP(ids.SECRET, { time: app.now() });
  const shown = await other.post(path, { setup, code });
  const codes = (await shown.clone().text()).matchAll(/<li>([\w-]+)<\/li>/g);
  const names = Array.from(codes, ([, one], index) => [`CODE${index}`, one!]);
  await assertOutline(
    shown,
    `
      200 Recovery codes – Invoices
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
      I have saved them → /notes
    `,
    Object.fromEntries(names),
  );
});

Deno.test("a login without the passkey of its account proves it", async () => {
  const app = start();
  await addPasskey(app, await app.registered());
  const phone = app.browser();
  await sendPassword(phone, RETURN);
  await assertOutline(
    await phone.get(`/login/two-step${RETURN}`),
    `
      200 Use your passkey – Invoices (with the script)
      # Use your passkey
      Your account at Invoices needs a second step at each login.…
      Passkeys need JavaScript. Please turn it on.
      POST /login/two-step/passkey?returnTo=%2Fnotes hidden data-passkey-get=/login/two-step/passkey/options
      passkey: hidden
      alert: data-passkey-error The passkey did not work. Please try again.
      [Continue with your passkey]
      If you have lost it, only an administrator of Invoices can…
      Back → /login?returnTo=%2Fnotes
    `,
  );
  const path = `/login/two-step/passkey${RETURN}`;
  const failed = await phone.post(path, { passkey: "{}" });
  await assertOutline(
    failed,
    `
    422 Error: Use your passkey – Invoices (with the script)
    # Use your passkey
    alert:
    The passkey did not work. Please try again.
    Your account at Invoices needs a second step at each login.…
    Passkeys need JavaScript. Please turn it on.
    POST /login/two-step/passkey?returnTo=%2Fnotes hidden data-passkey-get=/login/two-step/passkey/options
    passkey: hidden
    alert: data-passkey-error The passkey did not work. Please try again.
    [Continue with your passkey]
    If you have lost it, only an administrator of Invoices can…
    Back → /login?returnTo=%2Fnotes
  `,
  );
});
