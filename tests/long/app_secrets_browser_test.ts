import { assertEquals } from "@std/assert";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { startExampleApp } from "../deno/_example_app.ts";

testInChromium(
  "Chromium: one click copies a new key, and a reload shows it again",
  async () => {
    await using app = await startExampleApp();
    const user = await app.loggedIn();
    await using browser = await launch();
    const context = await browser.newContext();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], {
      origin: app.baseURL,
    });
    await context.addCookies([
      { name: "session", value: user.cookie()!, url: app.baseURL },
    ]);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${app.baseURL}/account/keys`);
    await page.getByLabel("Name").fill("Backup");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.waitForURL("**/account/keys/new");
    await page.reload();

    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied").waitFor();

    const copied = await page.evaluate("navigator.clipboard.readText()");
    assertEquals(copied, await page.locator("#secret").innerText());
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Backup").waitFor();
    await context.close();
  },
);
