import type { DeviceMessages } from "./messages.ts";

/**
 * The English strings of the pages for devices. They are not in `english`, so a
 * program without devices does not contain them.
 *
 * @example Another word on a button
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { english, englishDevice } from "@gatehouse/web/oauth-server";
 *
 * const device = { ...englishDevice, continueButton: "Next" };
 * const messages = [{ ...english, device }];
 * assertEquals(messages[0]!.device.code, "Code");
 * ```
 */
export const englishDevice: DeviceMessages = {
  title: "Connect a device",
  text: "Type the code that your device shows.",
  code: "Code",
  wrongCode:
    "No device shows this code now. Compare it with your device, or start again there.",
  tooManyCodes: "You have tried too many codes. Wait a few minutes.",
  continueButton: "Continue",
  askedFrom: "Asked from",
  warning:
    "Continue only if you have just started this on your own device, and it shows this code. No one else should send you a code.",
  connected: (app) => `${app} is connected`,
  continues: "Your device continues in a few seconds. You can close this page.",
  notConnected: (app) => `${app} is not connected`,
};
