import {
  createContextKey,
  describeMiddleware,
  reportDenied,
  SAFE_METHODS,
} from "../router/internal.ts";
import type { ContextKey, Middleware, RequestContext } from "../router/mod.ts";
import { withCookies } from "./cookies/cache_headers.ts";
import {
  PrefixedCookie,
  readCookies,
  type SessionCookieOptions,
} from "./cookies/prefixed_cookie.ts";
import {
  decodeBase64Url,
  encodeBase64Url,
  hmac,
  randomToken,
  timingSafeEqual,
} from "./secrets.ts";
import { requestSessionOf, Session } from "./session.ts";

/** Options for {@linkcode csrfProtection}. */
export interface CSRFProtectionOptions {
  /**
   * The request header with the token of a script.
   *
   * @default {"X-CSRF-Token"}
   */
  readonly header?: string;
  /**
   * The form field with the token. The middleware reads it from the form data,
   * never from the query.
   *
   * @default {"csrfToken"}
   */
  readonly field?: string;
  /**
   * The cookie that the tokens depend on. It cannot have a domain or a path:
   * without the prefix `__Host-Http-`, a sibling host could plant a cookie and a
   * token.
   *
   * @default {name: "csrf", sameSite: "Lax"}
   */
  readonly cookie?: Omit<SessionCookieOptions, "domain" | "path">;
  /**
   * The public origin of the application, as in the session middleware.
   *
   * @default {undefined}
   */
  readonly origin?: string | undefined;
}

/** A secret: 32 bytes as base64url. */
const SECRET = /^[\w-]{43}$/;

/** The length of an HMAC-SHA-256 and of the mask before it, in bytes. */
const SIZE = 32;

/** The context key of a request's tokens. */
const Tokens: ContextKey<RequestTokens> = /* @__PURE__ */ createContextKey<
  RequestTokens
>(undefined, { name: "csrfProtection" });

/**
 * Creates a middleware that responds with 403 to unsafe requests without a valid
 * token. Put it after `formData()` and `session()`.
 *
 * `crossOriginProtection()` gives the same protection without tokens. Use tokens
 * if a policy or old browsers require them. A token is valid in one browser. It
 * is also bound to the session of a logged-in user, so a login or a logout makes
 * it invalid. The server stores nothing: a cookie contains a secret, and a token
 * is its HMAC. Each token has a new mask, so that compression does not reveal it.
 *
 * Trust: other sites must not be able to read pages with a token.
 *
 * @example A form with a token
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/middleware";
 * import {
 *   csrfProtection,
 *   csrfToken,
 *   session,
 * } from "@gatehouse/web/session-middleware";
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
 * @param options The names of the header and the field, and the cookie.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie is malformed, or it has a
 * domain or a path.
 * @see {@link https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html | OWASP, Signed Double-Submit Cookie}
 */
export function csrfProtection(
  options: CSRFProtectionOptions = {},
): Middleware<readonly []> {
  const { field = "csrfToken", header = "X-CSRF-Token" } = options;
  const cookieOptions = { name: "csrf", ...options.cookie };
  checkHostOnly(cookieOptions);
  const cookie = new PrefixedCookie(cookieOptions, options.origin);

  const middleware: Middleware<readonly []> = async (context, next) => {
    const tokens = new RequestTokens(context, cookie);
    context.set(Tokens, tokens);
    const { method, request } = context;
    const isSafe = SAFE_METHODS.includes(request.method) &&
      SAFE_METHODS.includes(method);
    if (!isSafe) {
      const sent = request.headers.get(header) ?? fieldOf(context, field);
      if (!await tokens.isValid(sent)) {
        reportDenied(context, "csrf");
        return await context.createErrorResponse({ status: 403 });
      }
    }
    return tokens.addCookie(await next());
  };
  return describeMiddleware(middleware, {
    responses: { 403: "" },
    unsafeOnly: true,
  });
}

/**
 * Throws if the cookie has a domain or a path, although its type forbids it.
 */
function checkHostOnly({ domain, path = "/" }: SessionCookieOptions): void {
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
 * Creates a token for a page. Each call returns a different token; all of them
 * are valid.
 *
 * @example Send a token to scripts
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import {
 *   csrfProtection,
 *   csrfToken,
 *   session,
 * } from "@gatehouse/web/session-middleware";
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
 * @throws {TypeError} If the response was already created without the cookie
 * that the token needs.
 */
export function csrfToken(context: RequestContext): Promise<string> {
  return context.get(Tokens).create();
}

class RequestTokens {
  readonly #context: RequestContext;
  readonly #cookie: PrefixedCookie;
  #cookieName = "";
  /** A secret that the browser does not have yet. */
  #newSecret: string | undefined;
  /** `true` if the response exists, so that no cookie can be set. */
  #isClosed = false;

  constructor(context: RequestContext, cookie: PrefixedCookie) {
    this.#context = context;
    this.#cookie = cookie;
  }

  async create(): Promise<string> {
    const session = await this.#context.get(Session).load();
    const needsCookie = requestSessionOf(session).needsCookie;
    // A new login gets the id that the token depends on when it is saved.
    if (session.userId !== undefined && needsCookie) await session.commit();
    const [secret = this.#secretToSet()] = this.#secrets();
    const mac = await this.#mac(secret);
    const mask = crypto.getRandomValues(new Uint8Array(SIZE));
    const token = new Uint8Array(2 * SIZE);
    token.set(mask);
    token.set(mac.map((byte, index) => byte ^ mask[index]!), SIZE);
    return encodeBase64Url(token);
  }

  async isValid(token: string | null): Promise<boolean> {
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

  addCookie(response: Response): Response {
    this.#isClosed = true;
    // Creating a token reads the session, so the response is private already.
    if (this.#newSecret === undefined) return response;
    const change = { suffix: "", value: this.#newSecret };
    const cookie = this.#cookie.setCookie(change, this.#cookieName);
    return withCookies(response, [cookie]);
  }

  /** Returns the secret for the response's cookie. */
  #secretToSet(): string {
    if (this.#isClosed && this.#newSecret === undefined) {
      throw new TypeError(
        "Cannot create CSRF token: the response was already created",
      );
    }
    return this.#newSecret ??= randomToken();
  }

  /** Returns the secrets of the request's cookies, at most one for each name. */
  #secrets(): string[] {
    const name = this.#cookie.nameFor(this.#context);
    this.#cookieName = name;
    const header = this.#context.request.headers.get("Cookie");
    return readCookies(header, name).filter((value) => SECRET.test(value))
      .slice(0, 1);
  }

  /** Returns the HMAC that a token of this browser and session contains. */
  async #mac(secret: string): Promise<Uint8Array> {
    const session = await this.#context.get(Session).load();
    const owner = session.userId === undefined ? "" : session.id;
    return await hmac(secret, `gatehouse csrf token\n${owner}`);
  }
}

/** Returns the token of a form if there is exactly one. */
function fieldOf(context: RequestContext, field: string): string | null {
  if (!context.has(FormData)) return null;
  const values = context.get(FormData).getAll(field);
  return values.length === 1 && typeof values[0] === "string"
    ? values[0]
    : null;
}
