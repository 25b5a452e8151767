import type { Loose } from "../auth/_passkey_app.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Browser, CDPSession, Page } from "npm:playwright-core@1.56.1";
import type { ServedApp } from "./_app_servers.ts";
import { until } from "../_wait.ts";
import { mailTo } from "./_app_walks.ts";

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
 * Removes the passkey, which the Signal API removes from the device.
 */
export async function walkWithPasskeys(
  browser: Browser,
  app: ServedApp,
): Promise<void> {
  await withDevice(browser, async (device) => {
    const { baseURL } = app;
    await register(device.page, app);
    await addPasskey(device, baseURL);
    await logOut(device.page);
    await logInByButton(device, baseURL);
    await logOut(device.page);
    await logInByAutofill(device, baseURL);
    await confirm(device, baseURL);
    await remove(device, baseURL);
  });
}

/** Logs in with a passkey that the application no longer has. */
export async function walkWithUnknownPasskey(
  browser: Browser,
  app: ServedApp,
  removePasskeys: () => Promise<unknown>,
): Promise<void> {
  await withDevice(browser, async (device) => {
    const { page } = device;
    await register(page, app);
    await addPasskey(device, app.baseURL);
    await logOut(page);
    await removePasskeys();
    await page.evaluate("sessionStorage.clear()");
    await page.goto(`${app.baseURL}/login`);
    await page.getByRole("alert").filter({ hasText: "did not work" }).first()
      .waitFor();
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

async function register(page: Page, app: ServedApp): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  await page.goto(`${app.baseURL}/register`);
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("main").getByRole("button").click();
  await page.getByLabel("Code").fill((await mailTo(app, email)).code);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

async function addPasskey(device: Device, baseURL: string): Promise<void> {
  const { page } = device;
  await page.goto(`${baseURL}/account/passkeys`);
  await page.getByLabel("Name", { exact: true }).fill("Test device");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("The passkey was added").waitFor();
  const [passkey] = await device.passkeys();
  assertEquals(passkey.rpId, "localhost");
  assert(passkey.isResidentCredential);
}

async function logOut(page: Page): Promise<void> {
  // The login page would use the passkey at once.
  await page.evaluate("sessionStorage.autofill = 'off'");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("You are logged out").waitFor();
}

async function logInByButton({ page }: Device, baseURL: string): Promise<void> {
  await page.goto(`${baseURL}/login?returnTo=/account`);
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.getByText("You are logged in, Ada").waitFor();
  assertEquals(new URL(page.url()).pathname, "/account");
}

/** Opens the login page. The authenticator takes a passkey as soon as it can. */
async function logInByAutofill(
  { page }: Device,
  baseURL: string,
): Promise<void> {
  await page.evaluate("sessionStorage.clear()");
  await page.goto(`${baseURL}/login`);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  assertEquals(new URL(page.url()).pathname, "/");
}

/** Confirms the login, as before a sensitive change. */
async function confirm({ page }: Device, baseURL: string): Promise<void> {
  await page.goto(`${baseURL}/account/confirm?returnTo=/account/passkeys`);
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("heading", { name: "Passkeys", exact: true }).waitFor();
}

async function remove(device: Device, baseURL: string): Promise<void> {
  const { page } = device;
  await page.goto(`${baseURL}/account/passkeys`);
  assertMatch(await page.getByRole("main").innerText(), /last used/);
  await page.getByRole("button", { name: "Remove Test device" }).click();
  await page.getByText("The passkey was removed").waitFor();
  // The page told the browser which passkeys are left.
  await waitForNoPasskey(device);
}

/** Waits until the Signal API has removed all passkeys from the device. */
async function waitForNoPasskey(device: Device): Promise<void> {
  await until(async () => (await device.passkeys()).length === 0);
}
