/** Runs axe-core on the pages of the application, light and dark. */
import { assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import axe from "npm:axe-core@4.11.0/axe.min.js" with { type: "text" };
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { launch, testInChromium } from "../deno/_chromium.ts";
import {
  type ExampleApp,
  PAGES_FOR_ADMINS,
  PASSWORD,
  startExampleApp,
} from "../deno/_example_app.ts";

const forVisitors = [
  "/",
  "/login",
  "/login/email",
  "/login/email/code",
  "/login/email/link?token=x",
  "/register",
  "/forgot-password",
  "/reset-password",
  "/reset-password/done",
  // The demo identity provider.
  "/auth/demo",
];

/** WCAG 2.5.3, which is not among the default rules. */
const RULES = '{ "label-content-name-mismatch": { enabled: true } }';

/** In dark mode only the colors differ. */
const SCHEMES = [
  ["light", `axe.run({ rules: ${RULES} })`],
  ["dark", 'axe.run({ runOnly: ["color-contrast"] })'],
] as const;

testInChromium(
  "Chromium: axe-core finds no problem on any page, light and dark",
  async () => {
    await using app = await startExampleApp();
    const admin = await app.loggedIn("admin");
    await app.loggedIn("user");
    await admin.post("/editor", { title: "Tea", body: "All welcome" });
    await admin.post("/account/keys", { label: "Backup" });
    await app.database(
      `INSERT INTO identities (issuer, subject, user_id, login, created_at)
        VALUES ('https://id.example', 'ada', 1, 'other', 0)`,
      [],
    );
    for (let number = 1; number <= 60; number++) {
      const name = `User ${number}`;
      await app.users.create({ name, email: null, passwordHash: "" });
    }
    await using browser = await launch();
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);

    for (const path of forVisitors) {
      await page.goto(app.baseURL + path);
      assertEquals(await faults(page), [], path);
    }
    await page.goto(`${app.baseURL}/register`);
    await page.getByRole("main").getByRole("button").click();
    await page.getByRole("alert").waitFor();
    assertEquals(await faults(page), [], "/register, failed");

    const value = admin.cookie()!;
    await context.addCookies([{ name: "session", value, url: app.baseURL }]);
    const more = ["/admin?page=2", "/account/confirm/email?token=x"];
    for (const path of [...PAGES_FOR_ADMINS, ...more]) {
      await page.goto(app.baseURL + path);
      assertEquals(await faults(page), [], path);
    }
    await page.goto(`${app.baseURL}/account/keys`);
    await page.getByLabel("Name").fill("Report");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.locator("#secret").waitFor();
    assertEquals(await faults(page), [], "/account/keys/new");
    await app.database(
      "UPDATE users SET password_hash = '' WHERE id = 1",
      [],
    );
    await page.goto(`${app.baseURL}/account/confirm`);
    assertEquals(await faults(page), [], "/account/confirm, by email");
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("A link is on its way").waitFor();
    assertEquals(await faults(page), [], "/account/confirm/send");
    const [link] = app.mails.at(-1)!.text.match(/http\S+/)!;
    await page.goto(link);
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    assertEquals(await faults(page), [], "/account/confirm/email");
    await walkFactors(page, app);
    await context.close();
  },
);

/** Checks the pages of a second factor and of an emailed link. */
async function walkFactors(
  page: Page,
  app: ExampleApp,
): Promise<void> {
  await page.context().clearCookies();
  const person = { name: "Ada", email: "ada@example.com", password: PASSWORD };
  const visitor = app.visitor();
  await visitor.post("/register", { ...person, confirmPassword: PASSWORD });
  const [link] = app.mails.at(-1)!.text.match(/http\S+/)!;
  await page.goto(link);
  await page.getByText("Type this code").waitFor();
  assertEquals(await faults(page), [], "/account/email/link");

  const value = visitor.cookie()!;
  const session = { name: "session", value, url: app.baseURL };
  await page.context().addCookies([session]);
  await page.goto(link);
  await page.getByRole("button", { name: "Verify" }).waitFor();
  assertEquals(await faults(page), [], "/account/email/link, ready");
  await page.goto(`${app.baseURL}/account/security/app`);
  const secret = await page.locator("#totp-secret").innerText();
  const code = await generateTOTP(secret.replaceAll(" ", ""), {
    time: app.now(),
  });
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.getByRole("button", { name: "Finish" }).click();
  await page.locator("#recovery-codes").waitFor();
  assertEquals(await faults(page), [], "/account/security/app, done");
  await page.goto(`${app.baseURL}/account/security`);
  assertEquals(await faults(page), [], "/account/security, with an app");

  await page.context().clearCookies();
  await page.goto(`${app.baseURL}/login`);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button").first().click();
  await page.getByLabel("Remember this browser").waitFor();
  assertEquals(await faults(page), [], "/login/code");
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Returns the faults of the current page: color scheme, rule and place. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found: string[] = [];
  for (const [colorScheme, run] of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate<AxeResults>(run);
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${colorScheme}, ${id}: ${html}`)
      ),
    );
  }
  return found;
}
