/**
 * Login by email, and proof of email addresses: by a link that works once in the
 * browser that asked for it, or by a code of six digits.
 *
 * @example Verifying a new address
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createEmailLogin } from "@gatehouse/web/auth/email-login";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const newAddress = createEmailLogin({
 *   purpose: "change-email",
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * let token = "";
 * const router = createRouter({ middleware: [session()] });
 * router.post("/email", async (context) => {
 *   const email = "new@example.com";
 *   const mail = await newAddress.start(context, { email, account: 7 });
 *   token = mail?.token ?? "";
 *   return new Response("We have sent you a link.");
 * });
 * router.post("/email/:token", async (context) => {
 *   const { token } = context.params;
 *   const result = await newAddress.verifyLink(context, token);
 *   return new Response(result.ok ? result.email : result.reason);
 * });
 *
 * const { fetch } = createTestClient(router, { remoteAddress: "192.0.2.1" });
 * await fetch("/email", { method: "POST" });
 * const done = await fetch(`/email/${token}`, { method: "POST" });
 * assertEquals(await done.text(), "new@example.com");
 * ```
 *
 * @module
 */
export { createEmailLogin } from "./email_login.ts";
export type {
  EmailLink,
  EmailLogin,
  EmailLoginOptions,
  EmailLoginResult,
  EmailRequest,
  EmailToSend,
} from "./options.ts";
