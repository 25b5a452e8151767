/** Passkeys of the example application in Chromium. */
import { assertEquals } from "@std/assert";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { startExampleApp } from "../deno/_example_app.ts";
import {
  walkWithPasskeys,
  walkWithUnknownPasskey,
} from "../deno/_passkey_walk.ts";

testInChromium(
  "Chromium: a user adds, uses, renames and removes a passkey",
  async () => {
    await using app = await startExampleApp();
    await using browser = await launch();
    await walkWithPasskeys(browser, app);
    assertEquals(app.errors, []);
  },
);

testInChromium(
  "Chromium: a passkey that was removed elsewhere leaves the device",
  async () => {
    await using app = await startExampleApp();
    await using browser = await launch();
    await walkWithUnknownPasskey(
      browser,
      app,
      async () => await app.database("DELETE FROM passkeys", []),
    );
    assertEquals(app.errors, []);
  },
);
