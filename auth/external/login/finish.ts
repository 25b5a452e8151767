import { reportFailure } from "../../../router/internal.ts";
import type { RequestContext } from "../../../router/mod.ts";
import { setResponseHeader } from "../../../session/internal.ts";
import { ExternalAuthError } from "../../issuer/mod.ts";
import { currentSession } from "../../login/current_session.ts";
import { FinishedLogin } from "../../login/login_names.ts";
import { oncePerRequest } from "../../login/once_per_request.ts";
import type { ProviderEngine } from "../engine.ts";
import {
  engineOf,
  type ExternalAuthData,
  type ExternalAuthProvider,
  type ExternalAuthSuccess,
  type ProfileOf,
} from "../provider.ts";
import { requestTokens } from "../token_request.ts";
import {
  acceptCallback,
  type Callback,
  readCode,
  readUser,
} from "./_callback.ts";
import { identifyUser } from "./_identity.ts";
import { assertSeparateCallback } from "./_mix_up.ts";
import type { Transaction } from "./_transaction.ts";

/** The result of a login that failed. */
export interface ExternalAuthFailure {
  /** `false`, unlike that of a success. */
  readonly ok: false;
  /** The reason why the login failed. */
  readonly error: ExternalAuthError;
  /**
   * The path to return to, for another attempt. It is missing if the login is
   * not known.
   */
  readonly returnTo?: string;
  /** The `data` of `startExternalAuth`, if the login is known. */
  readonly data?: ExternalAuthData;
}

/** The result of an external login. */
export type ExternalAuthResult<Profile> =
  | ExternalAuthSuccess<Profile>
  | ExternalAuthFailure;

/**
 * Finishes an external login at the provider's callback.
 *
 * Checks `state`, `iss` and the provider's response, exchanges the code,
 * verifies the ID token and fetches the profile. It never throws because of the
 * browser, the provider or the network. The login with this `state` ends, even
 * if it fails.
 *
 * Trust: identify your users by issuer and subject, see
 * {@linkcode externalAuthResult}, never by email address.
 *
 * @example The route of the callback
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   completeAuth,
 *   createOIDCAuthProvider,
 *   finishExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.get("/callback", async (context) => {
 *   const profile = await finishExternalAuth(provider, context);
 *   if (!profile) {
 *     return new Response("Authentication failed", { status: 401 });
 *   }
 *   await completeAuth(context, profile.sub);
 *   return redirect("/");
 * });
 *
 * const forged = await router.fetch("https://app.example/callback?code=1&state=2");
 * assertEquals(forged.status, 401);
 * ```
 *
 * @param provider The provider at which the login was started.
 * @param context The context of the request.
 * @returns The profile, or `null` if the login failed.
 * @throws {TypeError} If no session middleware ran before, or the application
 * uses another issuer with the same `redirectUri`.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth | OpenID Connect Core 1.0, section 3.1}
 */
export async function finishExternalAuth<Provider extends ExternalAuthProvider>(
  provider: Provider,
  context: RequestContext,
): Promise<ProfileOf<Provider> | null> {
  const result = await externalAuthResult(provider, context);
  return result.ok ? result.profile : null;
}

/**
 * Returns the result of an external login: issuer, subject, claims, tokens and
 * the path to return to, or the error.
 *
 * Call it instead of {@linkcode finishExternalAuth} or after it: each request
 * finishes the login only once.
 *
 * @example Identifying users by issuer and subject
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider, externalAuthResult } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.get("/callback", async (context) => {
 *   const result = await externalAuthResult(provider, context);
 *   if (!result.ok) return new Response(result.error.code, { status: 401 });
 *   // Find the user by [result.issuer, result.subject], then completeAuth.
 *   return redirect(result.returnTo);
 * });
 *
 * const forged = await router.fetch("https://app.example/callback?code=1&state=2");
 * assertEquals(await forged.text(), "state_unknown");
 * ```
 *
 * @param provider The provider at which the login was started.
 * @param context The context of the request.
 * @returns The result.
 * @throws {TypeError} If no session middleware ran before, or the application
 * uses another issuer with the same `redirectUri`.
 */
export function externalAuthResult<Provider extends ExternalAuthProvider>(
  provider: Provider,
  context: RequestContext,
): Promise<ExternalAuthResult<ProfileOf<Provider>>> {
  const result = finishOnce(provider, context);
  return result as Promise<ExternalAuthResult<ProfileOf<Provider>>>;
}

const finishOnce = /* @__PURE__ */ oncePerRequest(
  (provider: ExternalAuthProvider, context) =>
    createResult(engineOf(provider), context),
);

async function createResult<Profile>(
  engine: ProviderEngine<Profile>,
  context: RequestContext,
): Promise<ExternalAuthResult<Profile>> {
  const purpose = "finish the external login";
  const session = currentSession(context, purpose);
  assertSeparateCallback(session, engine, purpose);
  // The URL of this page contains the code (RFC 9700, section 4.2.4).
  setResponseHeader(session, "Referrer-Policy", "no-referrer");
  let callback: Callback | undefined;
  try {
    callback = await acceptCallback(engine, context);
    return await exchangeCode(engine, context, callback);
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    engine.options.onError?.(error);
    reportFailure(context, "login", error.code);
    const intent = callback && intentOf(callback.transaction);
    return { ok: false, error, ...intent };
  }
}

/** Returns what the application passed to `startExternalAuth`. */
function intentOf({ data = {}, returnTo = "/" }: Transaction) {
  return { data, returnTo };
}

async function exchangeCode<Profile>(
  engine: ProviderEngine<Profile>,
  context: RequestContext,
  callback: Callback,
): Promise<ExternalAuthSuccess<Profile>> {
  const code = await readCode(engine, callback);
  const { transaction } = callback;
  const tokens = await requestTokens(engine, {
    grant_type: "authorization_code",
    code,
    redirect_uri: transaction.redirectUri,
    code_verifier: transaction.verifier,
  }, await engine.options.dpop?.createKey());
  const identity = await identifyUser(engine, tokens, transaction);
  const { authenticatedAt, issuer, subject, sessionId, claims } = identity;
  const { parseProfile, subjectOf } = engine.definition;
  const profile = callParser(() => parseProfile(claims));
  const sub = subject ?? callParser(() => subjectOf(claims));
  if (typeof sub !== "string" || sub === "" || sub.length > 255) {
    throw profileError();
  }
  // `completeAuth` stores the names. Only OpenID providers support a
  // back-channel logout.
  if (subject !== undefined) {
    context.set(FinishedLogin, { issuer, subject, sessionId });
  }
  const callbackUser = readUser(callback);
  return {
    ok: true,
    issuer,
    subject: sub,
    profile,
    ...authenticatedAt !== undefined && { authenticatedAt },
    claims,
    ...callbackUser !== undefined && { callbackUser },
    tokens: { ...tokens, subject: sub, issuer },
    ...intentOf(transaction),
  };
}

/** Calls a parser. If it throws or returns `null`, there is no user. */
function callParser<Value>(parser: () => Value | null): Value {
  let value: Value | null | undefined;
  try {
    value = parser();
  } catch {
    throw profileError();
  }
  if (value === null || value === undefined) throw profileError();
  return value;
}

function profileError(): ExternalAuthError {
  return new ExternalAuthError(
    "profile_invalid",
    "Cannot finish the external login: the profile does not identify the user",
  );
}
