import { launch, testInChromium, type Walk, walkThrough } from "./_chromium.ts";
import { type ExampleApp, startExampleApp } from "./_example_app.ts";

/** Defines a test that walks through the application in Chromium. */
export function walk(
  name: string,
  run: (walk: Walk<ExampleApp>) => Promise<void>,
): void {
  testInChromium(`Chromium: ${name}`, async () => {
    await using app = await startExampleApp();
    await using browser = await launch();
    await walkThrough(browser, app, run);
  });
}
