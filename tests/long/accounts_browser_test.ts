/** Walks the account pages in Chromium, with axe-core in every state. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Locator, Page } from "npm:playwright-core@1.56.1";
import jsqr from "npm:jsqr@1.4.0";
import { createAccounts, type Mail } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestProvider } from "@gatehouse/web/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createGrant, createMemoryApps } from "../accounts/_apps.ts";
import { layoutFaults } from "../deno/_layout.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { axeFaults } from "./_axe.ts";

// The package has types of another kind of module than its code.
const decode = jsqr as unknown as typeof jsqr.default;

const EMAIL = `a-long-name-of-an-owner-${"x".repeat(20)}@mail.example.com`;
const PASSWORD = "correct horse battery";

const definition = defineAccounts({
  scopes: ["invoices:read", "invoices:write"],
  teamRoles: ["owner", "editor", "reader"],
});

/** Serves accounts on a free port. */
function serveAccounts(
  registration: "open" | "invited" = "open",
  factorRequired = false,
) {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const mails: Mail[] = [];
  const provider = createOIDCAuthProvider({
    ...createTestProvider().client,
    name: "example",
    redirectUri: `${origin}/login/with/example/callback`,
  });
  const accounts = createAccounts({
    name: "Invoices",
    origin,
    definition,
    registration,
    secondFactorRequired: () => factorRequired,
    providers: { example: { label: "Example", provider } },
    database: createMemoryAccountStore(),
    sendMail: (mail) => void mails.push(mail),
    passwords: { memory: 64, passes: 1 },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get("/", accounts.requireUser, () => new Response("Home"));
  const server = serveLocally(router.fetch, { port });
  const lastMail = async () => {
    await accounts.flush();
    return mails.at(-1)!;
  };
  return { accounts, origin, server, lastMail };
}

for (
  const [device, width] of [["a phone", 390], ["a desktop", 1280]] as const
) {
  testInChromium(
    `Chromium: all account pages have no problem for axe-core, on ${device}`,
    async () => {
      const { accounts, origin, server, lastMail } = serveAccounts();
      await using _server = server;
      await using browser = await launch();
      const context = await browser.newContext({
        viewport: { width, height: 800 },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const visit = async (path: string) => {
        await page.goto(origin + path);
        await check(page, path);
      };
      const submit = async (state: string) => {
        await page.locator("main form button:visible").first().click();
        await page.waitForLoadState();
        await check(page, state);
      };
      for (
        const path of ["/login", "/login/email", "/login/reset", "/register"]
      ) {
        await visit(path);
        await submit(`${path}, failed`);
      }
      await visit("/login/reset/link?token=x");
      await visit("/register/link?token=x");

      await visit("/register?returnTo=%2Faccount");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email").fill(EMAIL);
      await page.getByLabel("Password").fill(PASSWORD);
      await submit("/register/code");
      const [code = ""] = /^\d{6}$/m.exec((await lastMail()).text) ?? [];
      await page.getByLabel("Code").fill(code);
      await submit("/account, welcome");
      assertEquals(new URL(page.url()).pathname, "/account");
      for (
        const path of [
          "email",
          "security",
          "connected",
          "password",
          "passkeys",
          "sessions",
          "data",
          "delete",
        ]
      ) await visit(`/account/${path}`);
      await visit("/account/logins");
      await visit("/login/with/example/callback?code=1&state=2");

      await walkApps(page, accounts, visit);
      await walkKeys(page, visit, submit);
      await walkTeams(page, visit, submit);
      await addPasskey(page, origin);
      await check(page, "/account/passkeys, with one");
      await renamePasskey(page, visit, submit);

      await visit("/account/two-step");
      const key = await page.locator(".key").innerText();
      const secret = key.replaceAll(" ", "");
      await scan(page, secret);
      await page.getByLabel("Code", { exact: true }).fill(
        await generateTOTP(secret),
      );
      await submit("/account/two-step, codes");
      assertEquals(await page.locator(".codes li").count(), 10);
      const recoveryCode = await page.locator(".codes li").first().innerText();
      await visit("/account/two-step");
      await page.getByRole("link", { name: "Security" }).last().click();
      await check(page, "/account/security, with an app");
      await page.getByRole("button", { name: "Log out" }).click();
      // The authenticator confirms each request, so the autofill logs in at once.
      await page.getByText("Home").waitFor();
      await context.close();

      const other = await browser.newPage({ viewport: { width, height: 800 } });
      other.setDefaultTimeout(30_000);
      await other.goto(`${origin}/login`);
      await other.getByLabel("Email").fill(EMAIL);
      await other.getByLabel("Password").fill(PASSWORD);
      await other.getByRole("button", { name: "Log in", exact: true }).click();
      await other.waitForURL(`${origin}/login/code`);
      await check(other, "/login/code");
      await other.getByLabel("Remember this browser").check();
      await other.getByLabel("Code").fill(recoveryCode);
      await other.getByRole("button", { name: "Log in" }).click();
      await other.getByText("Home").waitFor();
      await other.goto(`${origin}/account/two-step`);
      await other.getByRole("button", { name: /^Forget / }).waitFor();
      await check(other, "/account/two-step, with a remembered browser");
      await other.close();
    },
  );
}

testInChromium(
  "Chromium: the pages of invitations have no problem for axe-core",
  async () => {
    const { accounts, origin, server, lastMail } = serveAccounts("invited");
    await using _server = server;
    await using browser = await launch();
    for (const width of [390, 1280]) {
      for (const locale of ["en", "de"]) {
        const viewport = { width, height: 800 };
        const context = await browser.newContext({ locale, viewport });
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        for (const path of ["/login", "/register", "/register?token=x"]) {
          await page.goto(origin + path);
          await check(page, path);
        }
        const email = `${locale}${width}.${EMAIL}`;
        await accounts.users.invite({ email });
        const [link = ""] = /http\S+token=\S+/.exec((await lastMail()).text) ??
          [];
        await page.goto(link);
        await check(page, "/register, invited");
        await page.getByRole("button").first().click();
        await page.getByRole("alert").waitFor();
        await check(page, "/register, invited, failed");
        await page.locator("#name").fill("Ada");
        await page.locator("#password").fill(PASSWORD);
        await page.getByRole("button").first().click();
        await page.getByText("Home").waitFor();
        assertEquals((await accounts.users.findByEmail(email))?.name, "Ada");
        await context.close();
      }
    }
  },
);

testInChromium(
  "Chromium: the pages of a required second factor have no problem for axe-core, and log in",
  async () => {
    const { accounts, origin, server, lastMail } = serveAccounts("open", true);
    await using _server = server;
    await using browser = await launch();
    for (const width of [390, 1280]) {
      for (const locale of ["en", "de"]) {
        const email = `${locale}${width}.${EMAIL}`;
        const viewport = { width, height: 800 };
        const context = await browser.newContext({ locale, viewport });
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        await accounts.users.create({ email, name: "Ada" });
        const logIn = async () => {
          await page.goto(`${origin}/login/email`);
          await page.locator("#email").fill(email);
          await page.locator("main button").first().click();
          await page.locator("#code").waitFor();
          const [code = ""] = /^\d{6}$/m.exec((await lastMail()).text) ?? [];
          await page.locator("#code").fill(code);
          await page.locator("main button").first().click();
          await page.waitForURL(`${origin}/login/two-step`);
        };
        await addAuthenticator(page);
        await logIn();
        await check(page, "/login/two-step");
        await page.locator("form:has(#code) button").click();
        await page.getByRole("alert").first().waitFor();
        await check(page, "/login/two-step, failed");
        await page.locator("form:has(#name) button").click();
        await page.getByText("Home").waitFor();

        await context.clearCookies();
        await logIn();
        await check(page, "/login/two-step, with a passkey");
        await page.locator("main form button").click();
        await page.getByText("Home").waitFor();
        await page.goto(`${origin}/account/confirm`);
        await check(page, "/account/confirm, with a passkey");

        // The app has recovery codes.
        const { id } = (await accounts.users.findByEmail(email))!;
        await accounts.users.removeFactors(id);
        await logIn();
        const key = await page.locator(".key").innerText();
        const code = await generateTOTP(key.replaceAll(" ", ""));
        await page.locator("#code").fill(code);
        await page.locator("form:has(#code) button").click();
        await page.locator("ul.codes").waitFor();
        await check(page, "/login/two-step, codes");
        await page.locator("a.button").click();
        await page.getByText("Home").waitFor();
        await context.close();
      }
    }
  },
);

type Step = (name: string) => Promise<void>;

/** Disconnects apps, one and then all of them. */
async function walkApps(
  page: Page,
  { connect, users }: ReturnType<typeof serveAccounts>["accounts"],
  visit: Step,
): Promise<void> {
  const apps = createMemoryApps();
  connect(apps);
  await visit("/account/apps");
  const { id } = (await users.findByEmail(EMAIL))!;
  const client = {
    id: "https://a.example",
    name: "An app with a very long name that is not shortened for phones",
    host: `${"long-".repeat(8)}host.example.com`,
  };
  for (let n = 0; n < 25; n++) {
    apps.add(id, createGrant(n < 3 ? {} : { client }));
  }
  const host = "notes-for-teams.example-host.com";
  apps.add(id, createGrant({ client: { ...client, name: "Teams", host } }));
  await visit("/account/apps");
  const { height } = (await page.getByText(host).boundingBox())!;
  assert(height < 30, "a host does not break at a hyphen");
  const more = await page.getByRole("link", { name: "Next page" })
    .getAttribute("href");
  await visit(more!);
  await page.getByRole("button", { name: "Disconnect Claude" }).last().click();
  await page.getByText("Access has ended").waitFor();
  await check(page, "/account/apps, disconnected");
  await visit("/account/sessions");
  await page.goBack();
  await page.getByRole("button", { name: "Disconnect all apps" }).click();
  await page.getByText("No app is connected").waitFor();
  await check(page, "/account/apps, none");
}

/** Creates and revokes an API key. */
async function walkKeys(page: Page, visit: Step, submit: Step): Promise<void> {
  await visit("/account/keys");
  await submit("/account/keys, failed");
  await page.getByLabel("Name").fill("Monthly report");
  await page.getByLabel("invoices:read").check();
  await submit("/account/keys, created");
  const key = await page.getByLabel("API key").inputValue();
  assert(/^key_\w{49}$/.test(key), key);
  await page.getByRole("link", { name: "Done" }).click();
  await check(page, "/account/keys, with one");
  await page.getByRole("link", { name: "Revoke Monthly report" }).click();
  await check(page, "/account/keys/remove");
  await submit("/account/keys, revoked");
  await page.getByText("You have no API keys.").waitFor();
}

/** Creates a team, invites an address, and fails to leave as its last owner. */
async function walkTeams(page: Page, visit: Step, submit: Step): Promise<void> {
  await visit("/teams");
  await submit("/teams, failed");
  await page.getByLabel("Name of the team").fill("Analytical Engines");
  await submit("/teams/:team");
  const { pathname } = new URL(page.url());
  await visit(`${pathname}/invite`);
  await submit("/teams/:team/invite, failed");
  await page.getByLabel("Email").fill("guest@example.com");
  await submit("/teams/:team, invited");
  await page.getByRole("link", { name: "Leave the team" }).click();
  await check(page, "/teams/:team/members/:member/remove");
  await submit("/teams/:team/members/:member/remove, failed");
  await page.getByText("A team needs an owner").waitFor();
  await visit(pathname);
  await page.getByRole("link", { name: "Change Ada" }).click();
  await check(page, "/teams/:team/members/:member");
  await visit("/teams/invitations/unknown");
}

/** Adds a passkey of a virtual authenticator, which stays for the next login. */
async function addPasskey(page: Page, origin: string): Promise<void> {
  await addAuthenticator(page);
  await page.goto(`${origin}/account/passkeys`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("The passkey was added").waitFor();
}

/** Adds a virtual authenticator, which verifies its user. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Gives a passkey a new name, after a wrong one. */
async function renamePasskey(
  page: Page,
  visit: Step,
  submit: Step,
): Promise<void> {
  await page.getByRole("link", { name: "Rename Passkey" }).click();
  await check(page, "/account/passkeys/name");
  await page.getByLabel("Name").fill("");
  await submit("/account/passkeys/name, failed");
  await page.getByLabel("Name").fill(`Laptop ${"x".repeat(80)}`);
  await submit("/account/passkeys, renamed");
  await page.getByText("The passkey has a new name.").waitFor();
  await page.getByRole("link", { name: /^Rename Laptop x/ }).waitFor();
  await visit("/account/passkeys/name?id=unknown");
}

/** Scans the QR code on the page with a camera, in light and dark colors. */
async function scan(page: Page, secret: string): Promise<void> {
  const image = page.getByRole("img", { name: "QR code of the key" });
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    const { data, height, width } = await pixelsOf(page, image);
    const found = decode(Uint8ClampedArray.from(data), width, height);
    assertStringIncludes(found?.data ?? "", `secret=${secret}&`, colorScheme);
  }
}

/** Returns the pixels of a screenshot, which a page without a policy draws. */
async function pixelsOf(page: Page, image: Locator) {
  const png = (await image.screenshot()).toString("base64");
  const canvas = await page.context().newPage();
  const pixels: { data: number[]; height: number; width: number } = await canvas
    .evaluate(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${png}";
      await image.decode();
      const { height, width } = image;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      return { data: [...data], height, width };
    })()`);
  await canvas.close();
  return pixels;
}

/** Checks a page with axe-core, and that nothing is wider than the window. */
async function check(page: Page, state: string): Promise<void> {
  assertEquals(await axeFaults(page), [], state);
  assertEquals(await layoutFaults(page), [], state);
}
