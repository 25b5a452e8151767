import type { RequestContext } from "../../router/mod.ts";
import { EmailLoginEngine } from "./_engine.ts";
import type {
  EmailLink,
  EmailLoginOptions,
  EmailLoginResult,
  EmailRequest,
  EmailToSend,
} from "./options.ts";

/** Logins, and proofs of addresses, by a link or a code in an email. */
export interface EmailLogin {
  /**
   * Remembers in this browser that an email was asked for, and returns its
   * contents.
   *
   * Send the email in the background, and give the same response if the result is
   * `null`. Otherwise the response or its time reveals the accounts. Say on the
   * page how many emails an hour an address gets.
   *
   * @param context The context of the request, with a session.
   * @param request The address and its account.
   * @returns The email to send; `null` if the account does not exist, or if there
   * were too many emails.
   * @throws {RangeError} If `data` has more than 2,000 characters.
   * @throws {Error} If the store has no room for the email.
   * @throws {SessionStoreError} If the store failed.
   */
  start(
    context: RequestContext,
    request: EmailRequest,
  ): Promise<EmailToSend | null>;

  /**
   * Returns the page to show for an opened link. It uses nothing up, because email
   * scanners open links too.
   *
   * @param context The context of the request, with a session.
   * @param token The query parameter `token`.
   * @returns The kind of page.
   * @throws {SessionStoreError} If the store failed.
   */
  open(context: RequestContext, token: unknown): Promise<EmailLink>;

  /**
   * Uses up a link, for the form of the opened page. It works only in the browser
   * that asked for the email, and once. The other links and codes of the account
   * end.
   *
   * If there were too many emails to the address, the link of another email to the
   * same account works in this browser too, for an hour. Otherwise attackers who
   * ask for emails would lock the owner out.
   *
   * A proof of the address clears the counts of its emails and codes. It makes the
   * browser a known device of all throttles in the store.
   *
   * @param context The context of the request, with a session.
   * @param token The token of the link, as the client sent it.
   * @returns The account and the verified address, or the reason of the failure.
   * @throws {SessionStoreError} If the store failed.
   */
  verifyLink(
    context: RequestContext,
    token: unknown,
  ): Promise<EmailLoginResult>;

  /**
   * Uses up a code, in the browser that asked for the email. It works once. The
   * other links and codes of the account end.
   *
   * @param context The context of the request, with a session.
   * @param code The code, as the client sent it.
   * @returns The account and the verified address, or the reason of the failure.
   * @throws {SessionStoreError} If the store failed.
   */
  verifyCode(
    context: RequestContext,
    code: unknown,
  ): Promise<EmailLoginResult>;

  /**
   * Returns the address of the email that this browser asked for, for the page
   * that asks for the code.
   *
   * @param context The context of the request, with a session.
   * @returns The address; `null` if there was no email, or if it has expired.
   * @throws {SessionStoreError} If the store failed.
   */
  pendingEmail(context: RequestContext): Promise<string | null>;

  /**
   * Revokes all links and codes of an account, for example because its password
   * changed. A login revokes the others by itself. In a store without an index,
   * they work until they expire.
   *
   * @param account The account that `start` got.
   * @throws {SessionStoreError} If the store failed.
   */
  revoke(account: string | number): Promise<void>;
}

/**
 * Creates logins by email: a link, and a code of six digits for other browsers.
 * It also verifies addresses, with another `purpose`.
 *
 * The link and the code work once, and only in the browser that asked for the
 * email. In any other browser the link shows the code, to type in the first one.
 * So a scanner that opens links, runs scripts and submits forms uses nothing up.
 *
 * @example A login by email
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { createEmailLogin } from "@gatehouse/web/auth/email-login";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/fetch-router/testing";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const emailLogin = createEmailLogin({
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * const outbox: string[] = [];
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", async (context) => {
 *   const email = "ada@example.com";
 *   const mail = await emailLogin.start(context, { email, account: 7 });
 *   if (mail !== null) outbox.push(mail.code);
 *   return new Response("If you have an account, we have sent you a code.");
 * });
 * router.post("/login/:code", async (context) => {
 *   const { code } = context.params;
 *   const result = await emailLogin.verifyCode(context, code);
 *   if (!result.ok) return new Response(result.reason, { status: 422 });
 *   await completeAuth(context, result.account, { methods: ["email"] });
 *   return new Response("Welcome");
 * });
 *
 * const browser = createTestClient(router, { remoteAddress: "192.0.2.1" });
 * await browser.fetch("/login", { method: "POST" });
 * const path = `/login/${outbox[0]}`;
 * const other = createTestClient(router, { remoteAddress: "192.0.2.2" });
 * assertEquals((await other.fetch(path, { method: "POST" })).status, 422);
 * const login = await browser.fetch(path, { method: "POST" });
 * assertEquals(await login.text(), "Welcome");
 * ```
 *
 * @param options The store, the secrets and the purpose.
 * @returns The methods of the login.
 * @throws {TypeError} If the purpose is empty, the secrets are not an array of
 * strings, or the store is only eventually consistent.
 * @throws {RangeError} If a secret is too short or easy to guess, or a time is not
 * within its limits.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 6.6}
 */
export function createEmailLogin(options: EmailLoginOptions): EmailLogin {
  return new EmailLoginEngine(options);
}
