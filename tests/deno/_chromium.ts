import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "npm:playwright-core@1.56.1";
import type { ServedApp } from "./_app_servers.ts";
import {
  chromiumPaths,
  firstExisting,
  headlessPaths,
  skip,
} from "./_installed.ts";

/** All of Chromium, or an empty string. */
const executablePath = firstExisting(chromiumPaths()) ?? "";

/** The program for most tests, or an empty string. */
const headlessPath = firstExisting(headlessPaths()) ?? "";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

if (executablePath === "") {
  skip(
    headlessPath === "" ? "tests in a browser" : "tests in all of Chromium",
    "Chromium is not installed (another path: the variable CHROMIUM)",
  );
}

/** Defines a test that needs Chromium. */
export const testInChromium: typeof Deno.test | typeof Deno.test.ignore =
  headlessPath === "" ? Deno.test.ignore : Deno.test;

/** Defines a test that needs all of Chromium, for {@linkcode launchProfile}. */
export const testInFullChromium: typeof Deno.test | typeof Deno.test.ignore =
  executablePath === "" ? Deno.test.ignore : Deno.test;

/** A user of the example application in Chromium. */
export interface Walk<App extends ServedApp = ServedApp> {
  readonly app: App;
  readonly page: Page;
  /** Returns the path and the query of the current page. */
  path(): string;
  /** Opens a page and returns its status. */
  open(path: string): Promise<number>;
  /** Fills in the page's form by labels, and submits it. */
  send(
    button: string,
    fields?: Record<string, string>,
  ): Promise<number>;
  /** Clicks a link or a button to another page and returns its status. */
  follow(target: Locator): Promise<number>;
}

/**
 * Opens the application in a browser without cookies and with JavaScript turned
 * off. Everything that passes works without JavaScript.
 */
export async function walkThrough<App extends ServedApp>(
  browser: Browser,
  app: App,
  run: (walk: Walk<App>) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await run({
    app,
    page,
    path() {
      const { pathname, search } = new URL(page.url());
      return pathname + search;
    },
    async open(path) {
      return (await page.goto(app.baseURL + path))!.status();
    },
    async send(button, fields = {}) {
      for (const [label, value] of Object.entries(fields)) {
        await page.getByLabel(label, { exact: true }).fill(value);
      }
      const main = page.getByRole("main");
      return await follow(page, main.getByRole("button", { name: button }));
    },
    follow: (target) => follow(page, target),
  });
  await context.close();
}

/** Clicks, waits for the last page of the redirects and returns its status. */
async function follow(page: Page, target: Locator): Promise<number> {
  const answer = page.waitForResponse((response) =>
    response.request().isNavigationRequest() &&
    ![301, 302, 303, 307, 308].includes(response.status())
  );
  const loaded = page.waitForEvent("load");
  await target.click();
  const response = await answer;
  await loaded;
  return response.status();
}

/** Starts Chromium without windows, with additional environment variables. */
export function launch(env: Record<string, string> = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: headlessPath,
    env: { ...Deno.env.toObject(), ...env },
    args: [...ARGS],
  });
}

/** Starts all of Chromium, with a new profile on the disk and more arguments. */
export function launchProfile(
  args: readonly string[],
): Promise<BrowserContext> {
  const options = { executablePath, args: [...ARGS, ...args] };
  // Playwright creates a folder if none is named, and removes it at the end.
  return chromium.launchPersistentContext("", options);
}
