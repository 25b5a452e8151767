import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Mail } from "@gatehouse/web/accounts";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const START = Date.UTC(2026, 10, 27);

/** Starts accounts with a user who has an authenticator app. */
async function startWithApp() {
  let time = START;
  const app = startAccounts({ now: () => time });
  const ada = await app.registered();
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const secret = key.replaceAll(" ", "");
  /** Returns a code that was not used yet. */
  const nextCode = () => {
    time += 31_000;
    return generateTOTP(secret, { time });
  };
  const wrong = await ada.post("/account/two-step", { setup, code: "x" });
  assertEquals(wrong.status, 422);
  // The app keeps its secret after a typo.
  assertStringIncludes(await wrong.text(), key);
  const code = await nextCode();
  const enabled = await ada.post("/account/two-step", { setup, code });
  assertEquals(enabled.status, 200);
  const shown = await enabled.text();
  const codes = [...shown.matchAll(/<li>([\w-]+)<\/li>/g)].map(([, one]) =>
    one!
  );
  assertEquals(codes.length, 10);
  return {
    ...app,
    ada,
    codes,
    nextCode,
    /** Returns the time after a wait. */
    wait: (passed: number) => time += passed,
  };
}

/** Returns the form that sets up an app at a time. */
async function setUpForm(browser: Browser, time: number) {
  const page = await (await browser.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const code = await generateTOTP(key.replaceAll(" ", ""), { time });
  return { setup, code };
}

async function firstFactor(browser: Browser): Promise<void> {
  const login = await browser.send("/login?returnTo=%2Ffresh", {
    email,
    password: PASSWORD,
  });
  const { next, location } = await login.json();
  const step = "/login/code?returnTo=%2Ffresh";
  assertEquals([next, location], ["second-factor", step]);
  assertEquals(await browser.isLoggedIn(), false);
}

/** Chooses a new password by email, and returns the values of the next login. */
async function resetPassword(
  owner: Browser,
  lastMail: (to: string) => Promise<Mail>,
): Promise<{ email: string; password: string }> {
  await owner.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  await owner.post("/login/reset/link", { token, password });
  return { email, password };
}

Deno.test("the page of a new app has a QR code of its link, next to the key", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  const response = await ada.get("/account/two-step");
  const policy = response.headers.get("Content-Security-Policy")!;
  assertStringIncludes(policy, "default-src 'none'; style-src 'self'");
  const page = await response.text();
  assertStringIncludes(page, 'role="img" aria-label="QR code of the key"');
  assertEquals(/<img|<script|style=/.test(page), false);
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const [, uri = ""] = /href="(otpauth:[^"]+)"/.exec(page)!;
  assertStringIncludes(uri, `secret=${key.replaceAll(" ", "")}&`);
  const german = await ada.get("/account/two-step", {
    "Accept-Language": "de",
  });
  assertStringIncludes(await german.text(), "QR-Code des Schlüssels");
});

Deno.test("a long name leaves the key of an app without a QR code", async () => {
  const { registered } = startAccounts({ name: "業".repeat(60) });
  const ada = await registered();
  const page = await (await ada.get("/account/two-step")).text();
  assertStringIncludes(page, "Add this key to your app:");
  assertEquals(page.includes("<svg"), false);
});

Deno.test("a login with an app needs its code, once, and returns to the page", async () => {
  const { browser, lastMail, nextCode } = await startWithApp();
  assertStringIncludes((await lastMail(email)).text, "authenticator app");
  const [first, second] = [browser(), browser()];
  await firstFactor(first);
  assertEquals((await first.get("/login/code")).status, 200);
  assertEquals((await first.post("/login/code", { code: "1" })).status, 422);
  const code = await nextCode();
  const login = await first.post("/login/code", { code });
  assertEquals(login.headers.get("Location"), "/fresh");
  assertEquals(await first.isLoggedIn(), true);

  await firstFactor(second);
  assertEquals((await second.post("/login/code", { code })).status, 422);
  const other = await browser().post("/login/code", { code });
  assertEquals(other.headers.get("Location"), "/login");
});

Deno.test("a remembered browser needs no code, until the password is reset", async () => {
  const { browser, lastMail, nextCode, wait } = await startWithApp();
  const laptop = browser();
  await firstFactor(laptop);
  const code = await nextCode();
  await laptop.post("/login/code", { code, remember: "on" });
  await laptop.post("/login/out");
  wait(11 * 60_000);
  const values = { email, password: PASSWORD };
  await laptop.post("/login", values);
  assertEquals(await laptop.isLoggedIn(), true);
  // The code was typed long ago, so the app is not replaced without a new one.
  for (const path of ["/fresh", "/account/two-step"]) {
    assertEquals((await laptop.get(path)).status, 302);
  }

  await laptop.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  await laptop.post("/login/reset/link", { token, password });
  const login = await laptop.send("/login", { email, password });
  // The address was verified before, so the app is the owner's and stays.
  assertEquals((await login.json()).next, "second-factor");
});

Deno.test("a user forgets a remembered browser, and no one else does", async () => {
  const { ada, browser, nextCode, registered } = await startWithApp();
  const laptop = browser({ "User-Agent": "Firefox/140.0 <script> Linux" });
  await firstFactor(laptop);
  const code = await nextCode();
  await laptop.post("/login/code", { code, remember: "on" });
  const page = await (await laptop.get("/account/two-step")).text();
  assertStringIncludes(page, "Firefox, Linux");
  assertStringIncludes(page, "This browser");
  assertStringIncludes(page, "needs no code until");
  assertEquals(page.includes("<script>"), false);
  const [, id = ""] = /name="id" value="([^"]+)"/.exec(page)!;
  const isRemembered = async () => {
    await laptop.post("/login/out");
    const login = await laptop.send("/login", { email, password: PASSWORD });
    return (await login.json()).next === "done";
  };

  const eve = await registered({ email: "eve@example.com" });
  await eve.post("/account/two-step/forget", { id });
  await ada.post("/account/two-step/forget", { id: `${id}x` });
  await ada.post("/account/two-step/forget");
  assertEquals(await isRemembered(), true);
  const forgotten = await ada.post("/account/two-step/forget", { id });
  assertEquals(forgotten.headers.get("Location"), "/account/two-step");
  assertEquals(await isRemembered(), false);
  const empty = await (await ada.get("/account/two-step")).text();
  assertStringIncludes(empty, "Each login needs a code.");
});

Deno.test("neither guesses nor a stolen password lock an owner with an app out on a known device", async () => {
  const { browser, nextCode, wait } = await startWithApp();
  const laptop = browser();
  await firstFactor(laptop);
  await laptop.post("/login/code", { code: await nextCode() });
  await laptop.post("/login/out");
  // A thief of the password gets no known device.
  for (let n = 0; n < 20; n++) await firstFactor(browser());
  for (let n = 0; n < 100; n++) {
    await browser().post("/login", { email, password: `guess number ${n}` });
  }
  const right = { email, password: PASSWORD };
  assertEquals((await browser().post("/login", right)).status, 429);
  await firstFactor(laptop);
  wait(31_000);
  await laptop.post("/login/code", { code: await nextCode() });
  assertEquals(await laptop.isLoggedIn(), true);
});

Deno.test("a recovery code logs in once, and the owner gets an email", async () => {
  const { browser, codes, lastMail } = await startWithApp();
  const [code] = codes;
  const phone = browser();
  await firstFactor(phone);
  const login = await phone.post("/login/code", { code: code! });
  assertEquals(login.status, 303);
  assertStringIncludes((await lastMail(email)).text, "recovery code");
  const thief = browser();
  await firstFactor(thief);
  assertEquals((await thief.post("/login/code", { code: code! })).status, 422);
});

Deno.test("a sensitive page asks a user with an app for a code, not for the password", async () => {
  const { ada, nextCode, wait } = await startWithApp();
  wait(11 * 60_000);
  const page = await ada.get("/account/confirm?returnTo=%2Ffresh");
  const text = await page.text();
  assert(!text.includes('name="password"'));
  assertStringIncludes(text, '<label for="code">Code</label>');
  await ada.post("/account/confirm", { password: PASSWORD });
  assertEquals((await ada.get("/fresh")).status, 302);
  const path = "/account/confirm/code?returnTo=%2Ffresh";
  const wrong = await ada.post(path, { code: "1" });
  assertEquals(wrong.status, 422);
  assertStringIncludes(await wrong.text(), "This code is wrong");
  const confirmed = await ada.post(path, { code: await nextCode() });
  assertEquals(confirmed.headers.get("Location"), "/fresh");
  assertEquals((await ada.get("/fresh")).status, 200);
});

Deno.test("scripts read the second factor, and set one up without a page", async () => {
  const { ada, wait } = await startWithApp();
  const read = async () => {
    const headers = { Accept: "application/json" };
    return await (await ada.get("/account/two-step", headers)).json();
  };
  const { browsers, isOn, recoveryCodes, secret, setup, since } = await read();
  assertEquals([isOn, recoveryCodes, browsers], [true, 10, []]);
  assertEquals(typeof since, "number");
  // The secret of an app is shown before it is on, and never again.
  assertEquals([secret, setup], [undefined, undefined]);
  await ada.post("/account/two-step/remove");
  const off = await read();
  assertEquals([off.isOn, off.since], [false, null]);
  const { secret: key } = off;
  assertStringIncludes(off.uri, `secret=${key}`);
  const code = await generateTOTP(key, { time: wait(31_000) });
  const on = await ada.send("/account/two-step", { setup: off.setup, code });
  assertEquals(on.status, 200);
  assertEquals((await read()).isOn, true);
});

Deno.test("new recovery codes replace the old ones, and the app can be removed", async () => {
  const { ada, browser, codes, lastMail } = await startWithApp();
  const renewed = await ada.send("/account/two-step/codes", {});
  const { recoveryCodes } = await renewed.json();
  assertEquals(recoveryCodes.length, 10);
  assertStringIncludes((await lastMail(email)).text, "new recovery codes");
  const thief = browser();
  await firstFactor(thief);
  assertEquals(
    (await thief.post("/login/code", { code: codes[1]! })).status,
    422,
  );
  assertEquals((await ada.post("/account/two-step/remove")).status, 303);
  assertStringIncludes((await lastMail(email)).text, "turned off");
  const values = { email, password: PASSWORD };
  const login = await browser().post("/login", values);
  assertEquals(login.headers.get("Location"), "/");
});

Deno.test("a link against one app removes another app that was set up since", async () => {
  const { ada, browser, lastMail, wait } = await startWithApp();
  const token = tokenOf(await lastMail(email));
  wait(60_000);
  await ada.post("/account/two-step/remove");
  await ada.post("/account/two-step", await setUpForm(ada, wait(0)));
  const later = await lastMail(email);
  assertEquals(tokenOf(later) === token, false);
  const owner = browser();
  assertEquals((await owner.post("/account/not-me", { token })).status, 303);
  const values = await resetPassword(owner, lastMail);
  const login = await owner.post("/login", values);
  assertEquals(login.headers.get("Location"), "/");
});

Deno.test("a link against a passkey leaves the app that was set up before it", async () => {
  const { ada: thief, browser, lastMail, wait } = await startWithApp();
  wait(60_000);
  const path = "/account/passkeys";
  const options = await (await thief.post(`${path}/options`)).json();
  const origin = "https://test.example";
  const created = await createTestAuthenticator({ origin }).register(options);
  const passkey = JSON.stringify(created);
  const added = await thief.post(path, { name: "Phone", passkey });
  assertEquals(added.status, 303);
  const token = tokenOf(await lastMail(email));
  const owner = browser();
  assertEquals((await owner.post("/account/not-me", { token })).status, 303);
  const values = await resetPassword(owner, lastMail);
  const login = await owner.send("/login", values);
  assertEquals((await login.json()).next, "second-factor");
});

Deno.test("the notice of a new app removes it, and ends the access of a thief", async () => {
  const { ada: thief, browser, lastMail } = await startWithApp();
  const token = tokenOf(await lastMail(email));
  const owner = browser();
  assertEquals((await owner.post("/account/not-me", { token })).status, 303);
  assertEquals(await thief.isLoggedIn(), false);
  const values = await resetPassword(owner, lastMail);
  const login = await owner.post("/login", values);
  assertEquals(login.headers.get("Location"), "/");
});

Deno.test("a restored address removes the app of a thief", async () => {
  const { ada: thief, browser, lastMail } = await startWithApp();
  await thief.post("/account/email", { email: "eve@example.com" });
  const code = codeOf(await lastMail("eve@example.com"));
  await thief.post("/account/email/code", { code });
  const owner = browser();
  const token = tokenOf(await lastMail(email));
  assertEquals((await owner.post("/account/not-me", { token })).status, 303);
  const values = await resetPassword(owner, lastMail);
  const login = await owner.post("/login", values);
  assertEquals(login.headers.get("Location"), "/");
});

Deno.test("neither a login by email nor a reset bypasses the app (ASVS 6.3.4, 6.4.3)", async () => {
  const { browser, lastMail, nextCode } = await startWithApp();
  const mailbox = browser();
  await mailbox.post("/login/email", { email });
  const code = codeOf(await lastMail(email));
  const login = await mailbox.post("/login/email/code", { code });
  assertEquals(login.headers.get("Location"), "/login/code");
  assertEquals(await mailbox.isLoggedIn(), false);

  const values = await resetPassword(mailbox, lastMail);
  const reset = await mailbox.post("/login", values);
  assertEquals(reset.headers.get("Location"), "/login/code");
  assertEquals(await mailbox.isLoggedIn(), false);
  await mailbox.post("/login/code", { code: await nextCode() });
  assertEquals(await mailbox.isLoggedIn(), true);
});
