import type { ServerMessages } from "./messages.ts";

/**
 * The English strings of the pages.
 *
 * @example Another word on a button
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { english } from "@gatehouse/web/oauth-server";
 *
 * const messages = [{ ...english, allow: "Connect" }];
 * assertEquals(messages[0]!.cancel, "Cancel");
 * ```
 */
export const english: ServerMessages = {
  language: "en",
  connect: (app, resource) => `Connect ${app} to ${resource}?`,
  application: "Application",
  returnsTo: "Returns to",
  account: "Your account",
  ownName: (app) =>
    `The application has chosen the name ${app} itself. Continue only if you have just started it.`,
  ownDevice:
    "The request comes from a program on this device. Continue only if you have just started it yourself.",
  otherHost: (host, redirectHost) =>
    `The application is described at ${host}, but your browser returns to ${redirectHost}. Continue only if you know both.`,
  scopes: "It asks for permission to:",
  isNew: "new",
  allow: "Allow",
  cancel: "Cancel",
  endOfAccess: (hours) =>
    `You can disconnect the application at any time. Without use, its access ends after ${
      hours < 48
        ? hours === 1 ? "1 hour" : `${hours} hours`
        : `${Math.round(hours / 24)} days`
    }.`,
  unchanged: "Nothing has changed. You can close this page.",
  returning: (app) => `Returning to ${app}`,
  returnText:
    "If nothing happens, continue with this link. You can close this page afterwards.",
  returnLink: (app) => `Continue to ${app}`,
  error: "The application cannot be connected",
  errors: {
    expired:
      "This request has expired or was answered before. Start again in the application.",
    notUser:
      "Only users who are logged in themselves can connect applications.",
    tooLong: "The request of the application is too long.",
    unknownAddress:
      "The application asks to return to an address that it has not registered.",
    unknownClient:
      "The application is unknown, or its description cannot be read.",
  },
};
