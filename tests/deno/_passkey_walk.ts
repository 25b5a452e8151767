import type { Loose } from "../auth/_passkey_app.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Browser, CDPSession, Page } from "npm:playwright-core@1.56.1";
import type { ServedApp } from "./_app_servers.ts";

/** A page with JavaScript and a virtual authenticator. */
interface Device {
  readonly page: Page;
  /** Sends a command of the domain WebAuthn. */
  send(method: string, params?: Record<string, unknown>): Promise<Loose>;
  /** Returns the passkeys in the authenticator. */
  passkeys(): Promise<Loose[]>;
  /** Fails the test if the page reports a problem, such as its policy. */
  readonly problems: string[];
}

/**
 * Registers a user, adds a passkey, and logs in by the button and by autofill.
 * Renames and removes the passkey, which the Signal API removes from the device.
 */
export async function walkWithPasskeys(
  browser: Browser,
  { baseURL }: ServedApp,
): Promise<void> {
  await withDevice(browser, async (device) => {
    const { page } = device;
    const email = `${crypto.randomUUID()}@example.com`;
    await register(page, baseURL, email);
    await addPasskey(device, baseURL);
    await logOut(page);
    await logInByButton(device, baseURL);
    await logOut(page);
    await logInByAutofill(device, baseURL);
    await confirm(device, baseURL);
    await rename(device, baseURL);
    await remove(device, baseURL);
    await logOut(page);
    await upgrade(device, baseURL, email);
  });
}

/** Logs in with a passkey that the application no longer has. */
export async function walkWithUnknownPasskey(
  browser: Browser,
  { baseURL }: ServedApp,
  removePasskeys: () => Promise<unknown>,
): Promise<void> {
  await withDevice(browser, async (device) => {
    const { page } = device;
    await register(page, baseURL, `${crypto.randomUUID()}@example.com`);
    await addPasskey(device, baseURL);
    await logOut(page);
    await removePasskeys();
    await page.goto(`${baseURL}/login`);
    await page.getByText("The passkey did not work").waitFor();
    await waitForNoPasskey(device);
  });
}

async function withDevice(
  browser: Browser,
  run: (device: Device) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.addInitScript(`if (sessionStorage.autofill === "off") {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    }`);
    const device = await createDevice(page);
    await run(device);
    assertEquals(device.problems, []);
  } finally {
    await context.close();
  }
}

/** Adds an authenticator that verifies the user without asking. */
async function createDevice(page: Page): Promise<Device> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const send = (method: string, params = {}) =>
    cdp.send(`WebAuthn.${method}` as "WebAuthn.enable", params);
  await send("enable");
  const { authenticatorId } = await send("addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }) as Loose;
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security|violates/.test(message.text())) {
      problems.push(message.text());
    }
  });
  return {
    page,
    problems,
    send: (method, params) => send(method, { authenticatorId, ...params }),
    async passkeys() {
      const { credentials } = await send("getCredentials", {
        authenticatorId,
      }) as Loose;
      return credentials;
    },
  };
}

/** The password of the user. */
const PASSWORD = "correct horse battery";

async function register(
  page: Page,
  baseURL: string,
  email: string,
): Promise<void> {
  await page.goto(`${baseURL}/register`);
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password, once more").fill(PASSWORD);
  await page.getByRole("main").getByRole("button").click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

async function addPasskey(device: Device, baseURL: string): Promise<void> {
  const { page } = device;
  await page.goto(`${baseURL}/account/passkeys`);
  await page.getByLabel("Name", { exact: true }).fill("Test device");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText('The passkey "Test device" is added').waitFor();
  const [passkey] = await device.passkeys();
  assertEquals(passkey.rpId, "localhost");
  assert(passkey.isResidentCredential);
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("link", { name: "Log in" }).first().waitFor();
}

async function logInByButton({ page }: Device, baseURL: string): Promise<void> {
  // Otherwise the autofill would be faster than the button.
  await page.evaluate("sessionStorage.autofill = 'off'");
  await page.goto(`${baseURL}/login?returnTo=/account`);
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.getByText("You are logged in, Ada").waitFor();
  assertEquals(new URL(page.url()).pathname, "/account");
  await page.evaluate("sessionStorage.clear()");
}

/** Opens the login page. The authenticator takes a passkey as soon as it can. */
async function logInByAutofill(
  { page }: Device,
  baseURL: string,
): Promise<void> {
  await page.goto(`${baseURL}/login`);
  await page.getByText("You are logged in, Ada").waitFor();
  assertEquals(new URL(page.url()).pathname, "/");
}

/** Confirms the login, as before a sensitive change. */
async function confirm({ page }: Device, baseURL: string): Promise<void> {
  await page.goto(`${baseURL}/account/confirm?returnTo=/account/keys`);
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
}

async function rename({ page }: Device, baseURL: string): Promise<void> {
  await page.goto(`${baseURL}/account/passkeys`);
  assertMatch(await page.getByRole("main").innerText(), /last used/);
  await page.getByText("Rename Test device").click();
  await page.getByLabel("New name of Test device").fill("Work laptop");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByText('The passkey is now called "Work laptop"').waitFor();
}

async function remove(device: Device, baseURL: string): Promise<void> {
  const { page } = device;
  await page.goto(`${baseURL}/account/passkeys`);
  await page.getByRole("button", { name: "Remove Work laptop" }).click();
  await page.getByText("The passkey is removed").waitFor();
  // The page told the browser which passkeys are left.
  await waitForNoPasskey(device);
}

/**
 * Logs in with the password, after which the page offers to create a passkey.
 * Chromium then waits for its password manager, which the test does not have.
 */
async function upgrade(
  { page }: Device,
  baseURL: string,
  email: string,
): Promise<void> {
  await page.goto(`${baseURL}/login`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  const answer = page.waitForResponse("**/account/passkeys/upgrade/options");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  const options = await (await answer).json();
  assertEquals(options.authenticatorSelection.userVerification, "preferred");
}

/** Waits until the Signal API has removed all passkeys from the device. */
async function waitForNoPasskey(device: Device): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if ((await device.passkeys()).length === 0) return;
    await device.page.waitForTimeout(100);
  }
  assertEquals(await device.passkeys(), []);
}
