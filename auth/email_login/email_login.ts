import { checkPositive, reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { STORE_TIMEOUT } from "../../session/internal.ts";
import { randomToken, timingSafeEqual } from "../../session/secrets.ts";
import { currentSession } from "../login/current_session.ts";
import { ownSession } from "../login/own_account.ts";
import { createEmailThrottle } from "../throttle/email_throttle.ts";
import { createThrottle, type Throttle } from "../throttle/throttle.ts";
import {
  type AskedEmail,
  askedEmail,
  isDelayedEmail,
  rememberAsked,
} from "./_asked_email.ts";
import { type EmailRecord, EmailStore } from "./_email_store.ts";
import type {
  EmailLink,
  EmailLogin,
  EmailLoginOptions,
  EmailLoginResult,
  EmailRequest,
  EmailToSend,
} from "./options.ts";

/** The longest lifetime of an email, in milliseconds. */
const MAX_TTL = 3_600_000;

/** The longest email address, in characters (RFC 5321, section 4.5.3.1). */
const MAX_EMAIL = 320;

/** The longest data that is stored, in characters. */
const MAX_DATA = 2_000;

const EXPIRED = { ok: false, reason: "expired" } as const;

/**
 * Creates logins by email: a link, and a code of six digits for other browsers.
 * It also verifies addresses, with another `purpose`.
 *
 * The link and the code work once, and only in the browser that asked for the
 * email. In any other browser the link shows the code, to type in the first
 * one. A scanner that opens links, runs scripts and submits forms therefore
 * uses nothing up.
 *
 * @example A login by email
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { createEmailLogin } from "@gatehouse/web/auth/email-login";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
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

/** Logins and proofs of addresses by email. */
class EmailLoginEngine implements EmailLogin {
  readonly #emails: EmailStore;
  readonly #purpose: string;
  readonly #ttl: number;
  readonly #mailThrottle: Pick<Throttle, "attempt" | "trustDevice">;
  readonly #codeThrottle: Pick<Throttle, "attempt" | "trustDevice">;
  readonly #now: () => number;

  constructor(options: EmailLoginOptions) {
    const {
      store,
      secrets,
      purpose = "login",
      ttl = 600_000,
      now = Date.now,
      storeTimeout = STORE_TIMEOUT,
    } = options;
    const shared = { store, storeTimeout, now };
    const {
      mailThrottle = createEmailThrottle(shared),
      codeThrottle = createThrottle({ ...shared, name: "email-code" }),
    } = options;
    if (!purpose) {
      throw new TypeError("Cannot create email login: the purpose is empty");
    }
    checkPositive("email login", "ttl", ttl, MAX_TTL);
    const stored = { secrets, purpose, storeTimeout, now };
    this.#emails = new EmailStore(store, stored);
    this.#purpose = purpose;
    this.#ttl = ttl;
    this.#mailThrottle = mailThrottle;
    this.#codeThrottle = codeThrottle;
    this.#now = now;
  }

  async start(
    context: RequestContext,
    { email, account, data, version }: EmailRequest,
  ): Promise<EmailToSend | null> {
    const session = await this.#sessionOf(context);
    if (data !== undefined && data.length > MAX_DATA) {
      throw new RangeError(
        `Cannot start email login: data has more than ${MAX_DATA} characters`,
      );
    }
    // Clients can send an address of any length.
    if (email.length > MAX_EMAIL) return null;
    const attempt = await this.#mailThrottle.attempt(context, email);
    if (!attempt.allowed) {
      const delayed = { email, account, now: this.#now() };
      await rememberAsked(session, this.#purpose, { delayed });
      return null;
    }
    const token = randomToken(16);
    const code = newCode();
    const key = (await this.#emails.keyOf(token))!;
    const expiresAt = this.#now() + this.#ttl;
    const asked = { email, account, data, version };
    const record = { ...asked, code, guesses: 0, expiresAt };
    // A record is stored for unknown accounts too. Without it, response time
    // would reveal them.
    if (!await this.#emails.add(key, record)) {
      throw new Error("Cannot start email login: it was not stored");
    }
    await rememberAsked(session, this.#purpose, { key });
    return account === null ? null : { email, token, code };
  }

  async open(context: RequestContext, token: unknown): Promise<EmailLink> {
    const key = await this.#emails.keyOf(token);
    const found = await this.#emails.find(key);
    if (key === null || found === null) return { status: "expired" };
    const { code, email } = found.value;
    return await this.#mayUse(context, key, found.value)
      ? { status: "ready", email }
      : { status: "other-browser", code };
  }

  async verifyLink(
    context: RequestContext,
    token: unknown,
  ): Promise<EmailLoginResult> {
    await this.#sessionOf(context);
    const key = await this.#emails.keyOf(token);
    const found = await this.#emails.find(key);
    if (key === null || found === null) return this.#failed(context, EXPIRED);
    const { account, code, data, email, version } = found.value;
    if (!await this.#mayUse(context, key, found.value)) {
      const reason = "other-browser";
      return this.#failed(context, { ok: false, reason, code });
    }
    if (account === null || !await this.#emails.use(key, found)) {
      return this.#failed(context, EXPIRED);
    }
    for (const throttle of [this.#mailThrottle, this.#codeThrottle]) {
      await throttle.trustDevice(context, email);
    }
    // If another browser asked for the email, its client chose the data.
    const isOwn = key === await this.#pendingKey(context);
    return {
      ok: true,
      account,
      email,
      data: isOwn ? data : undefined,
      version,
    };
  }

  async verifyCode(
    context: RequestContext,
    code: unknown,
  ): Promise<EmailLoginResult> {
    const key = await this.#pendingKey(context);
    const found = await this.#emails.find(key);
    if (key === null || found === null) return this.#failed(context, EXPIRED);
    const { account, data, email, version } = found.value;
    const attempt = await this.#codeThrottle.attempt(context, email);
    if (!attempt.allowed) {
      const { retryAfter } = attempt;
      return { ok: false, reason: "throttled", retryAfter };
    }
    const typed = typeof code === "string" && code.length <= 100
      ? code.replace(/[\s-]/g, "")
      : "";
    const isRight = (record: EmailRecord) =>
      timingSafeEqual(typed, record.code) && record.account !== null;
    const guess = await this.#emails.guess(key, isRight, found);
    if (guess === null) return this.#failed(context, EXPIRED);
    if (guess === "wrong" || account === null) {
      return this.#failed(context, { ok: false, reason: "wrong" });
    }
    await this.#mailThrottle.trustDevice(context, email);
    await attempt.succeed();
    return { ok: true, account, email, data, version };
  }

  async pendingEmail(context: RequestContext): Promise<string | null> {
    const found = await this.#emails.find(await this.#pendingKey(context));
    return found?.value.email ?? null;
  }

  async revoke(account: string | number): Promise<void> {
    await this.#emails.revoke(account);
  }

  #failed<Result extends EmailLoginResult & { ok: false }>(
    context: RequestContext,
    result: Result,
  ): Result {
    reportSecurityEvent(context, {
      action: "login",
      outcome: "failure",
      reason: `email-${result.reason}`,
    });
    return result;
  }

  /** Returns `true` if this browser may use the link of an email. */
  async #mayUse(
    context: RequestContext,
    key: string,
    record: EmailRecord,
  ): Promise<boolean> {
    const asked = await this.#asked(context);
    return asked?.key === key ||
      await isDelayedEmail(asked, record, this.#now());
  }

  /** Returns the key of the email that this browser asked for. */
  async #pendingKey(context: RequestContext): Promise<string | null> {
    return (await this.#asked(context))?.key ?? null;
  }

  async #asked(context: RequestContext): Promise<AskedEmail | null> {
    return askedEmail(await this.#sessionOf(context), this.#purpose);
  }

  #sessionOf(context: RequestContext) {
    const purpose = "use the email login";
    // While a user acts as another one, only a login may run.
    return this.#purpose === "login"
      ? currentSession(context, purpose).load()
      : ownSession(context, purpose);
  }
}

/** Returns six random digits. */
function newCode(): string {
  for (;;) {
    const [number] = crypto.getRandomValues(new Uint32Array(1));
    // The limit is a multiple of a million: larger numbers would make low codes
    // more likely.
    if (number! < 4_294_000_000) {
      return String(number! % 1_000_000).padStart(6, "0");
    }
  }
}
