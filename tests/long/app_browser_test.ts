/** The noticeboard in Chromium: its layout, on its own and on account pages. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import type { Mail } from "@gatehouse/web/accounts";
import axe from "npm:axe-core@4.11.0/axe.min.js" with { type: "text" };
import { Outbox } from "../../examples/app/features/outbox.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import {
  type ExampleApp,
  PAGES_FOR_ADMINS,
  startExampleApp,
} from "../deno/_example_app.ts";
import { layoutFaults } from "../deno/_layout.ts";
import { walkWithUnknownPasskey } from "../deno/_passkey_walk.ts";
import { walk } from "../deno/_walk.ts";

const FOR_VISITORS = ["/", "/login", "/register", "/login/with/demo"];

/** WCAG 2.5.3, which is not among the default rules. */
const RULES = '{ "label-content-name-mismatch": { enabled: true } }';

/** In dark mode only the colors differ. */
const SCHEMES = [
  ["light", `axe.run({ rules: ${RULES} })`],
  ["dark", 'axe.run({ runOnly: ["color-contrast"] })'],
] as const;

const demo = {
  list: () =>
    Promise.resolve([
      { role: "admin", email: "admin@example.com", password: "MoAxvkQpVnzr" },
    ]),
};

/** Starts the application with long texts, and logs an admin in. */
async function startFull(page: Page): Promise<ExampleApp> {
  const outbox = new Outbox();
  const app = await startExampleApp({ demo, outbox });
  const subject = "Log in to Noticeboard";
  const text = `${app.baseURL}/login/email/link?token=${"x".repeat(100)}`;
  outbox.mails.push({ to: "ada@example.com", subject, text, html: "" });
  const admin = await app.loggedIn("admin");
  const notice = { title: "y".repeat(120), body: "z".repeat(500) };
  await admin.post("/editor/new", notice);
  const value = admin.cookie()!;
  const session = { name: "session", value, url: app.baseURL };
  await page.context().addCookies([session]);
  return app;
}

/** Opens each page, and returns the faults of all. */
async function faultsOfAll(
  page: Page,
  baseURL: string,
  faultsOf: (page: Page) => Promise<readonly string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  const check = async (path: string) => {
    for (const fault of await faultsOf(page)) faults.push(`${path}: ${fault}`);
  };
  const visit = async (path: string) => {
    await page.goto(baseURL + path);
    await check(path);
  };
  for (const path of PAGES_FOR_ADMINS) await visit(path);
  await visit("/editor/new");
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("alert").waitFor();
  await check("/editor/new, failed");
  await page.context().clearCookies();
  for (const path of FOR_VISITORS) await visit(path);
  return faults;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Returns the faults that axe-core finds: color scheme, rule and place. */
async function axeFaults(page: Page): Promise<string[]> {
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

testInChromium(
  "Chromium: axe-core finds no problem in the noticeboard, light and dark",
  async () => {
    await using browser = await launch();
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await using app = await startFull(page);
    assertEquals(await faultsOfAll(page, app.baseURL, axeFaults), []);
    await page.close();
  },
);

for (const width of [320, 390, 1280]) {
  testInChromium(
    `Chromium: nothing in the noticeboard touches or overflows at ${width} px`,
    async () => {
      await using browser = await launch();
      const viewport = { width, height: 800 };
      const page = await browser.newPage({ viewport });
      page.setDefaultTimeout(30_000);
      await using app = await startFull(page);
      assertEquals(await faultsOfAll(page, app.baseURL, layoutFaults), []);
      await page.close();
    },
  );
}

walk(
  "the first tab stop skips to the content",
  async ({ open, page }) => {
    await open("/login");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    assert((await skip.boundingBox())!.y >= 0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ada@example.com");
    assertEquals(
      await page.getByLabel("Email").inputValue(),
      "ada@example.com",
    );
  },
);

walk(
  "the Back button shows no account data after the logout",
  async ({ app, follow, open, page, path }) => {
    const user = await app.loggedIn();
    await page.context().addCookies([
      { name: "session", value: user.cookie()!, url: app.baseURL },
    ]);
    await open("/account");
    assertEquals(path(), "/account");
    await follow(page.getByRole("button", { name: "Log out" }));

    await page.goBack();

    assertEquals(path(), "/login?returnTo=%2Faccount");
    assert(!(await page.content()).includes("@example.com"));
  },
);

testInChromium(
  "Chromium: a passkey that was removed elsewhere leaves the device",
  async () => {
    const outbox = new Outbox();
    const options = { outbox, sendMail: (mail: Mail) => outbox.send(mail) };
    await using app = await startExampleApp(options);
    await using browser = await launch();
    await walkWithUnknownPasskey(
      browser,
      app,
      async () => await app.database("DELETE FROM gatehouse_ways_in", []),
    );
  },
);
