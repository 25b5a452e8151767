/**
 * Tokens against cross-site request forgery, for those who must have them.
 *
 * @module
 */
import {
  type ContextKey,
  createContextKey,
  type Middleware,
  type RequestContext,
} from "../router/mod.ts";
import { withCookies } from "./cookies/cache_control.ts";
import { readCookies } from "./cookies/header.ts";
import { CookiePolicy, type SessionCookieOptions } from "./cookies/policy.ts";
import {
  decodeBase64Url,
  encodeBase64Url,
  randomToken,
  timingSafeEqual,
} from "./secrets.ts";
import { requestSessionOf, Session } from "./session.ts";

export type { SessionCookieOptions };

/** Options for {@linkcode csrfProtection}. */
export interface CSRFProtectionOptions {
  /**
   * The header that scripts send the token in.
   *
   * @default {"X-CSRF-Token"}
   */
  readonly header?: string;
  /**
   * The form field that forms send the token in. It is looked for in what the
   * form-data middleware read, never in the query.
   *
   * @default {"csrfToken"}
   */
  readonly field?: string;
  /**
   * The cookie that the tokens depend on. It has no domain and no path: with
   * them it loses the prefix `__Host-`, and a sibling host could plant a cookie
   * and a token of its own.
   *
   * @default {{ name: "csrf", sameSite: "Lax" }}
   */
  readonly cookie?: Omit<SessionCookieOptions, "domain" | "path">;
  /**
   * The address that browsers see, as for the session middleware.
   *
   * @default {undefined}
   */
  readonly origin?: string | undefined;
}

const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/** A secret is 32 bytes as base64url. */
const SECRET = /^[\w-]{43}$/;

/** The bytes of an HMAC-SHA-256, and of the mask in front of it. */
const SIZE = 32;

const encoder = /* @__PURE__ */ new TextEncoder();

/** Makes and checks the tokens of one request. */
const Tokens: ContextKey<RequestTokens> = /* @__PURE__ */ createContextKey<
  RequestTokens
>(undefined, { name: "csrfProtection" });

/**
 * Creates a middleware that answers 403 to requests which could change
 * something and carry no valid token. Put it behind `formData()` and
 * `session()`.
 *
 * `crossOriginProtection()` protects as well without tokens; this is for rules
 * and old browsers that want them. A token is good for one browser and, when a
 * user is logged in, for that session: it ends with the login and the logout.
 * The server stores nothing for it. A cookie holds a secret, and a token is its
 * HMAC, masked anew each time so that compression gives nothing away.
 *
 * Trust: pages that show a token must not be readable for other sites.
 *
 * @example A form with a token
 * ```ts
 * import { csrfProtection, csrfToken } from "@gatehouse/web/csrf-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/form-data-middleware";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({
 *   middleware: [formData(), session(), csrfProtection()],
 * });
 * router.get("/", async (context) => {
 *   // <input type="hidden" name="csrfToken" value="…">
 *   return new Response(await csrfToken(context));
 * });
 * router.post("/", () => new Response("Done"));
 *
 * const page = await router.fetch("https://example.com/");
 * const [cookie] = page.headers.getSetCookie()[0].split(";");
 * const body = new URLSearchParams({ csrfToken: await page.text() });
 * const post = { method: "POST", body, headers: { cookie } };
 * const response = await router.fetch("https://example.com/", post);
 * assertEquals(response.status, 200);
 *
 * const forged = { method: "POST", headers: { cookie } };
 * assertEquals((await router.fetch("https://example.com/", forged)).status, 403);
 * ```
 *
 * @param options Where the token is, and the cookie.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie is malformed, or it has a
 * domain or a path.
 * @see {@link https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html | OWASP, Signed Double-Submit Cookie}
 */
export function csrfProtection(
  options: CSRFProtectionOptions = {},
): Middleware<readonly []> {
  const { field = "csrfToken", header = "X-CSRF-Token" } = options;
  const cookie = { name: "csrf", ...options.cookie };
  demandHostOnly(cookie);
  const policy = new CookiePolicy(cookie, options.origin);

  return async (context, next) => {
    const tokens = new RequestTokens(context, policy);
    context.set(Tokens, tokens);
    const { method, request } = context;
    const isSafe = SAFE_METHODS.includes(request.method) &&
      SAFE_METHODS.includes(method);
    if (!isSafe) {
      const sent = request.headers.get(header) ?? fieldOf(context, field);
      if (!await tokens.accept(sent)) {
        return new Response("Forbidden", { status: 403 });
      }
    }
    return tokens.finish(await next());
  };
}

/** Types do not tell what a variable of options has besides. */
function demandHostOnly({ domain, path = "/" }: SessionCookieOptions): void {
  const problem = domain !== undefined
    ? `domain "${domain}"`
    : path !== "/"
    ? `path "${path}"`
    : undefined;
  if (problem === undefined) return;
  throw new TypeError(
    `Cannot create CSRF cookie with ${problem}: without the prefix __Host- a sibling host could plant a token`,
  );
}

/**
 * Makes a token for the page that is being answered. Each call makes another
 * one; all of them are good.
 *
 * @example Handing a token to scripts
 * ```ts
 * import { csrfProtection, csrfToken } from "@gatehouse/web/csrf-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({ middleware: [session(), csrfProtection()] });
 * router.get("/token", async (context) => {
 *   return Response.json({ token: await csrfToken(context) });
 * });
 *
 * const response = await router.fetch("https://example.com/token");
 * const { token } = await response.json();
 * assertEquals(token.length, 86);
 * ```
 *
 * @param context The request's context.
 * @returns The token.
 * @throws {MissingContextValueError} If `csrfProtection()` did not run.
 * @throws {TypeError} If the response was made without the cookie that the token
 * would need.
 */
export function csrfToken(context: RequestContext): Promise<string> {
  return context.get(Tokens).make();
}

class RequestTokens {
  readonly #context: RequestContext;
  readonly #policy: CookiePolicy;
  #isSecure = true;
  /** A secret that the browser does not have yet. */
  #newSecret: string | undefined;
  /** Whether the response was made, so that no cookie can be set any more. */
  #isClosed = false;

  constructor(context: RequestContext, policy: CookiePolicy) {
    this.#context = context;
    this.#policy = policy;
  }

  async make(): Promise<string> {
    const session = await this.#context.get(Session).load();
    const isMoving = requestSessionOf(session).changes.needsCookie;
    // A login that is not saved has no id yet that a token could depend on.
    if (session.userId !== undefined && isMoving) await session.commit();
    const [secret = this.#secretToSet()] = this.#secrets();
    const mac = await this.#mac(secret);
    const mask = crypto.getRandomValues(new Uint8Array(SIZE));
    const token = new Uint8Array(2 * SIZE);
    token.set(mask);
    token.set(mac.map((byte, index) => byte ^ mask[index]!), SIZE);
    return encodeBase64Url(token);
  }

  async accept(token: string | null): Promise<boolean> {
    const bytes = token === null || token.length > 100
      ? null
      : decodeBase64Url(token);
    if (bytes?.length !== 2 * SIZE) return false;
    const mac = bytes.subarray(SIZE).map((byte, at) => byte ^ bytes[at]!);
    for (const secret of this.#secrets()) {
      if (timingSafeEqual(mac, await this.#mac(secret))) return true;
    }
    return false;
  }

  finish(response: Response): Response {
    this.#isClosed = true;
    // Who made a token has asked for the session: the answer is private already.
    if (this.#newSecret === undefined) return response;
    const change = { suffix: "", value: this.#newSecret };
    return withCookies(response, [
      this.#policy.setCookie(change, this.#isSecure),
    ]);
  }

  /** The secret that the response's cookie hands out. */
  #secretToSet(): string {
    if (this.#isClosed && this.#newSecret === undefined) {
      throw new TypeError(
        "Cannot make CSRF token: the response was already made",
      );
    }
    return this.#newSecret ??= randomToken();
  }

  /** The secrets of the request's cookies; one, unless someone plays tricks. */
  #secrets(): string[] {
    this.#isSecure = this.#policy.isSecure(this.#context);
    const name = this.#policy.name(this.#isSecure);
    return readCookies(this.#context.request.headers.get("Cookie"), name)
      .filter((value) => SECRET.test(value)).slice(0, 1);
  }

  /** What tokens of this browser and session have inside. */
  async #mac(secret: string): Promise<Uint8Array> {
    const session = await this.#context.get(Session).load();
    const owner = session.userId === undefined ? "" : session.id;
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const raw = encoder.encode(secret);
    const usages: KeyUsage[] = ["sign"];
    const key = await crypto.subtle
      .importKey("raw", raw, algorithm, false, usages);
    const text = encoder.encode(`gatehouse csrf token\n${owner}`);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
  }
}

/** The token of a form, if exactly one was sent. */
function fieldOf(context: RequestContext, field: string): string | null {
  if (!context.has(FormData)) return null;
  const values = context.get(FormData).getAll(field);
  return values.length === 1 && typeof values[0] === "string"
    ? values[0]
    : null;
}
