import type { RequestContext } from "../../router/mod.ts";
import { setResponseHeader } from "../../session/internal.ts";
import { currentSession } from "../current_session.ts";
import { oncePerRequest } from "../once_per_request.ts";
import {
  type Callback,
  readCode,
  readUser,
  takeCallback,
} from "./_callback.ts";
import type { ProviderEngine } from "./_engine.ts";
import { identify } from "./_identity.ts";
import { demandOwnCallback } from "./_own_callback.ts";
import { noteLogin } from "./_login_names.ts";
import { report } from "./_report.ts";
import { requestTokens } from "./_token_request.ts";
import type { Transaction } from "./_transaction.ts";
import { ExternalAuthError } from "./errors.ts";
import {
  engineOf,
  type ExternalAuthData,
  type ExternalAuthProvider,
  type ExternalAuthSuccess,
  type ProfileOf,
} from "./provider.ts";

/** A login that failed. */
export interface ExternalAuthFailure {
  /** Tells it from a success. */
  readonly ok: false;
  /** Why. */
  readonly error: ExternalAuthError;
  /**
   * Where the user wanted to go, to begin again with. Absent where it is not
   * known which login failed.
   */
  readonly returnTo?: string;
  /** What `startExternalAuth` was given as `data`, where the login is known. */
  readonly data?: ExternalAuthData;
}

/** How an external login ended. */
export type ExternalAuthResult<Profile> =
  | ExternalAuthSuccess<Profile>
  | ExternalAuthFailure;

/**
 * Finishes an external login at the provider's callback.
 *
 * Checks `state`, `iss` and the provider's answer, exchanges the code, verifies
 * the ID token and fetches the profile. Whatever the browser, the provider or
 * the network does, it does not throw. The login begun with this `state` is used
 * up, come what may.
 *
 * Trust: key your users by issuer and subject, see
 * {@linkcode externalAuthResult}, never by e-mail address.
 *
 * @example The callback's route
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
 * @param provider The provider that the login was begun at.
 * @param context The context of the request.
 * @returns The profile, or `null` where the login failed.
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
 * Tells all about how an external login ended: who vouches for whom, with which
 * claims and tokens, and where the user wanted to go; or why it failed.
 *
 * Call it instead of {@linkcode finishExternalAuth} or after it: within one
 * request the login is finished once.
 *
 * @example Keying users by issuer and subject
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
 * @param provider The provider that the login was begun at.
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
  (provider: ExternalAuthProvider, context) => run(engineOf(provider), context),
);

async function run<Profile>(
  engine: ProviderEngine<Profile>,
  context: RequestContext,
): Promise<ExternalAuthResult<Profile>> {
  const purpose = "finish the external login";
  const session = currentSession(context, purpose);
  demandOwnCallback(session, engine, purpose);
  // The URL of this page has the code in it (RFC 9700, section 4.2.4).
  setResponseHeader(session, "Referrer-Policy", "no-referrer");
  let callback: Callback | undefined;
  try {
    callback = await takeCallback(engine, context);
    return await finish(engine, context, callback);
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    const intent = callback && intentOf(callback.transaction);
    return { ok: false, error, ...intent };
  }
}

/** What the login was begun for. */
function intentOf({ data = {}, returnTo = "/" }: Transaction) {
  return { data, returnTo };
}

async function finish<Profile>(
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
  });
  const identity = await identify(engine, tokens, transaction);
  const { authenticatedAt, issuer, subject, sessionId, claims } = identity;
  const profile = parse(() => engine.definition.parseProfile(claims));
  const sub = subject ?? parse(() => engine.definition.subjectOf(claims));
  if (typeof sub !== "string" || sub === "" || sub.length > 255) {
    throw unidentified();
  }
  // For completeAuth. Without OpenID Connect no provider tells of a logout.
  if (subject !== undefined) {
    noteLogin(context, { issuer, subject, sessionId });
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

/** A parser that stumbles over the provider's answer has not found a user. */
function parse<Value>(read: () => Value | null): Value {
  let value: Value | null | undefined;
  try {
    value = read();
  } catch {
    throw unidentified();
  }
  if (value === null || value === undefined) throw unidentified();
  return value;
}

function unidentified(): ExternalAuthError {
  return new ExternalAuthError(
    "profile_invalid",
    "Cannot finish the external login: the profile lacks what identifies the user",
  );
}
