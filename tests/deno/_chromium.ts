import { type Browser, chromium, type Page } from "npm:playwright-core@1.56.1";
import { type ExampleApp, startExampleApp } from "./_example_app.ts";

const executablePath = "/usr/bin/chromium";

const isInstalled = await Deno.stat(executablePath).then(
  () => true,
  () => false,
);
if (!isInstalled) {
  console.error(`Skipped: no browser walks, for ${executablePath} is missing`);
}

/** Somebody who walks through the example application in Chromium. */
export interface Walk {
  readonly app: ExampleApp;
  readonly page: Page;
  /** The path and the query of the page that is shown. */
  path(): string;
  /** Opens a page: its status. */
  open(path: string): Promise<number>;
  /** Fills fields of the page's form by their labels, and sends it. */
  send(
    button: string,
    fields?: Record<string, string>,
  ): Promise<number>;
}

/**
 * Defines a test that walks through the application with JavaScript turned off:
 * what passes works without it.
 */
export function walk(name: string, run: (walk: Walk) => Promise<void>): void {
  const define = isInstalled ? Deno.test : Deno.test.ignore;
  define(`Chromium: ${name}`, async () => {
    await using app = await startExampleApp();
    await using browser = await launch();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
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
        return await click(page, button);
      },
    });
    await context.close();
  });
}

/** Presses a button and waits for the page it leads to: its status. */
async function click(page: Page, button: string): Promise<number> {
  const answer = page.waitForResponse((response) =>
    response.request().isNavigationRequest() &&
    ![301, 302, 303, 307, 308].includes(response.status())
  );
  await page.locator("main").getByRole("button", { name: button }).click();
  const response = await answer;
  await page.waitForLoadState();
  return response.status();
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
