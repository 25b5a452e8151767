import {
  redirect,
  type RequestContext,
  safeRedirectPath,
  withHeaders,
} from "../../router/mod.ts";
import { currentSession } from "../current_session.ts";
import type { ProviderEngine } from "./_engine.ts";
import { demandOwnCallback } from "./_own_callback.ts";
import { report } from "./_report.ts";
import { pushRequest } from "./_pushed_request.ts";
import {
  byteLength,
  createTransaction,
  keepTransaction,
  type StartedTransaction,
} from "./_transaction.ts";
import { isStrict } from "../../session/internal.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ProviderMetadata } from "./metadata.ts";
import type { AuthorizationOptions } from "./options.ts";
import {
  engineOf,
  type ExternalAuthData,
  type ExternalAuthProvider,
} from "./provider.ts";

/** The longest path to return to that is kept, in characters. */
const MAX_RETURN_TO = 1024;

/** The most bytes of JSON that the application's data may take. */
const MAX_DATA = 1024;

/** Options for {@linkcode startExternalAuth}. */
export interface StartExternalAuthOptions extends AuthorizationOptions {
  /**
   * Where the user wants to go after the login. Whatever it says, the result
   * has a path on the own origin: pass it from the query as it is. One that is
   * longer than 1,024 characters, or does not fit into a cookie beside `data`,
   * is forgotten.
   *
   * @default {"/"}
   */
  readonly returnTo?: string | null;
  /**
   * What the result is to bring back, such as what the login is for. It stays
   * in the session: neither the browser nor the provider sees or changes it. At
   * most 1,024 bytes of JSON.
   *
   * @default {{}}
   */
  readonly data?: ExternalAuthData;
}

/**
 * Sends the user to an external provider to log in.
 *
 * The login is remembered in the session under a random `state`; a nonce and a
 * code verifier (PKCE, S256) bind the provider's answer to it. Several can be
 * in flight, ten minutes each. Where the provider can't be reached the answer is
 * a short 502.
 *
 * @example A route that starts the login
 * ```ts
 * import { assertEquals, assertMatch } from "@std/assert";
 * import { createOIDCAuthProvider, startExternalAuth } from "@gatehouse/web/auth";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/example/callback",
 *   metadata: {
 *     issuer: "https://id.example",
 *     authorization_endpoint: "https://id.example/authorize",
 *     token_endpoint: "https://id.example/token",
 *     jwks_uri: "https://id.example/keys",
 *   },
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.get("/auth/example", (context) =>
 *   startExternalAuth(provider, context, {
 *     returnTo: context.url.searchParams.get("returnTo"),
 *   }));
 *
 * const response = await router.fetch("https://app.example/auth/example");
 * assertEquals(response.status, 302);
 * assertMatch(response.headers.get("Location")!, /code_challenge_method=S256/);
 * ```
 *
 * @param provider The provider.
 * @param context The context of the request.
 * @param options Where to return to, and what to ask of the user.
 * @returns The redirect to the provider.
 * @throws {TypeError} If no session middleware ran before, its cookie has
 * `sameSite: "Strict"` and the provider is on another site, the application uses
 * another issuer with the same `redirectUri`, `maxAge` is not a
 * number of seconds or the provider does not speak OpenID Connect, or `data` is
 * not a JSON object.
 * @throws {RangeError} If `data` is too large.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 | RFC 6749, section 4.1.1}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest | OpenID Connect Core 1.0, section 3.1.2.1}
 */
export async function startExternalAuth(
  provider: ExternalAuthProvider,
  context: RequestContext,
  options: StartExternalAuthOptions = {},
): Promise<Response> {
  const engine = engineOf(provider);
  const purpose = "start the external login";
  demandOwnCallback(currentSession(context, purpose), engine, purpose);
  checkMaxAge(engine, options);
  const data = options.data && copyData(options.data);
  try {
    const location = await authorizationURL(engine, context, {
      ...options,
      ...data && { data },
    });
    return withHeaders(redirect(location), (headers) => {
      headers.set("Cache-Control", "no-store");
      headers.set("Referrer-Policy", "no-referrer");
    });
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    return new Response("Bad Gateway", {
      status: 502,
      headers: { "Cache-Control": "no-store" },
    });
  }
}

function checkMaxAge(
  { definition: { name, openid } }: ProviderEngine<unknown>,
  { maxAge }: StartExternalAuthOptions,
): void {
  if (maxAge === undefined) return;
  if (!(Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    throw new TypeError(
      `Cannot start the external login: maxAge "${maxAge}" is not a number of seconds`,
    );
  }
  // Without an ID token a maxAge would look as if it had been checked.
  if (openid === undefined) {
    throw new TypeError(
      `Cannot start the external login: "${name}" does not tell when users authenticated, so maxAge can't be checked (see canReauthenticate)`,
    );
  }
}

/**
 * Browsers leave a Strict cookie out of the provider's answer: each login would
 * end with `state_unknown`. The last two labels of a host are at most the site,
 * so that no login which works is refused.
 *
 * @throws {TypeError} If the provider is on another site than the application.
 */
function demandSameSite(location: URL, { hostname }: URL): void {
  const siteOf = (host: string) => host.split(".").slice(-2).join(".");
  if (siteOf(location.hostname) === siteOf(hostname)) return;
  throw new TypeError(
    'Cannot start the external login: the session cookie has sameSite "Strict", which browsers do not send with the answer of a provider, use "Lax"',
  );
}

async function authorizationURL(
  engine: ProviderEngine<unknown>,
  context: RequestContext,
  options: StartExternalAuthOptions,
): Promise<URL> {
  const { client, now, options: registered } = engine;
  const metadata = await engine.metadata();
  if (isStrict(currentSession(context, "start the external login"))) {
    demandSameSite(
      new URL(metadata.authorization_endpoint),
      engine.redirectUri,
    );
  }
  const chosen = { ...registered, ...withoutUndefined(options) };
  const returnTo = safeRedirectPath(options.returnTo);
  const started = createTransaction(now(), {
    issuer: engine.definition.issuer,
    clientId: client.clientId,
    redirectUri: registered.redirectUri,
    ...returnTo.length <= MAX_RETURN_TO && { returnTo },
    ...options.data && { data: options.data },
    ...chosen.maxAge !== undefined && { maxAge: chosen.maxAge },
  });
  const params = await authorizationParams(engine, started, chosen);
  const isPushed = registered.pushedAuthorization === true ||
    metadata.require_pushed_authorization_requests === true;
  const sent = isPushed ? await pushRequest(engine, metadata, params) : params;
  // Remembered once nothing can fail any more.
  await keepTransaction(context, now(), started);
  return addParams(metadata, sent);
}

async function authorizationParams(
  { client, definition, options, scopes }: ProviderEngine<unknown>,
  { state, transaction }: StartedTransaction,
  { acrValues, loginHint, maxAge, prompt }: AuthorizationOptions,
): Promise<Record<string, string>> {
  const { responseMode = "query" } = options;
  return {
    ...definition.authorizationParams,
    ...options.authorizationParams,
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: options.redirectUri,
    ...scopes.length > 0 && { scope: scopes.join(" ") },
    state,
    code_challenge: encodeBase64Url(await sha256(transaction.verifier)),
    code_challenge_method: "S256",
    ...definition.openid !== undefined && { nonce: transaction.nonce },
    ...responseMode !== "query" && { response_mode: responseMode },
    ...prompt !== undefined && { prompt },
    ...loginHint !== undefined && { login_hint: loginHint },
    ...maxAge !== undefined && { max_age: String(maxAge) },
    ...acrValues !== undefined && { acr_values: acrValues.join(" ") },
  };
}

/** The endpoint may have a query of its own (RFC 6749, section 3.1). */
function addParams(
  { authorization_endpoint }: ProviderMetadata,
  params: Readonly<Record<string, string>>,
): URL {
  const url = new URL(authorization_endpoint);
  for (const [name, value] of Object.entries(params)) {
    url.searchParams.set(name, value);
  }
  return url;
}

/** The data as it will come back, whatever becomes of the object. */
function copyData(data: ExternalAuthData): ExternalAuthData {
  const text = JSON.stringify(data);
  if (!text?.startsWith("{")) {
    throw new TypeError(
      "Cannot start the external login: data is not a JSON object",
    );
  }
  const size = byteLength(text);
  if (size > MAX_DATA) {
    throw new RangeError(
      `Cannot start the external login: data takes ${size} bytes, and at most ${MAX_DATA} are allowed`,
    );
  }
  return JSON.parse(text);
}

function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Options;
}
