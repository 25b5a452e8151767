import { reportSecurityEvent } from "../../../router/internal.ts";
import type { RequestContext } from "../../../router/mod.ts";
import {
  createMarks,
  endSessionsByName,
  type ValueStore,
} from "../../../session/internal.ts";
import type { SessionStore } from "../../../session/mod.ts";
import { ExternalAuthError, type JSONObject } from "../../issuer/mod.ts";
import {
  namelessName,
  sessionName,
  subjectName,
} from "../../login/login_names.ts";
import { checkedCaller } from "../../store/checked_caller.ts";
import type { OpenIDDefinition, ProviderEngine } from "../engine.ts";
import { engineOf, type ExternalAuthProvider } from "../provider.ts";
import {
  hasTrustedAudiences,
  idTokenAlgorithms,
  isIdentifier,
  tokenError,
  type TokenKind,
  verifyProviderToken,
} from "../provider_token.ts";
import { readForm } from "../read_form.ts";

/** The user or session that a provider logs out. */
export interface BackChannelLogout {
  /** The provider's issuer. */
  readonly issuer: string;
  /** The user's id at the issuer, if the token names one. */
  readonly subject?: string;
  /** The session at the provider, if the token names one. */
  readonly sessionId?: string;
}

/** Options for {@linkcode backChannelLogout}. */
export interface BackChannelLogoutOptions {
  /** The store of the session middleware. */
  readonly store: SessionStore;
  /**
   * Returns the user whose sessions all end, or `null` to end only those of the
   * login. It may also revoke other access of the user.
   *
   * @default {() => null}
   * @param logout The user or session that the provider logs out.
   * @returns The id that was passed to `completeAuth`.
   */
  readonly findUserId?: (
    logout: BackChannelLogout,
  ) => string | number | null | Promise<string | number | null>;
  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;
}

/** The event of a logout token. */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Seconds for which a logout token is valid and remembered. */
const MAX_AGE = 600;

const LOGOUT_TOKEN: TokenKind = {
  code: "logout_token_invalid",
  name: "logout token",
  types: ["logout+jwt", "jwt", ""],
  requiredClaims: ["iss", "aud", "iat", "exp", "jti", "events"],
};

/**
 * Handles the request of a provider to log a user out: verifies the logout token
 * and ends the sessions that it names.
 *
 * If the token names a session of the provider, the session of that login ends.
 * If it also names the user, the user's sessions whose ID token had no `sid` end
 * too. If it only names the user, all sessions end that started with a login as
 * that user. Sessions are found if `completeAuth` ran in the request of the
 * callback. With `findUserId`, all other sessions of the user end too.
 *
 * The provider's server sends the request, without a cookie. Put the route before
 * a cross-origin protection that is `strict`. A token is accepted once, and does
 * not end sessions that started after it was issued. If `findUserId` or the store
 * fails, the response is a 400, `onError` of the provider receives an error with
 * the code `logout_failed`, and the provider can send the token again.
 *
 * @example The route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { backChannelLogout, createOIDCAuthProvider } from "@gatehouse/web/auth";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const store = createMemorySessionStore();
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 * });
 * const router = createRouter();
 * router.post("/logout/example", (context) =>
 *   backChannelLogout(provider, context, { store }));
 *
 * const forged = await router.fetch("https://app.example/logout/example", {
 *   method: "POST",
 *   body: new URLSearchParams({ wrong: "token" }),
 * });
 * assertEquals(forged.status, 400);
 * ```
 *
 * @param provider The provider.
 * @param context The context of the request.
 * @param options The session store.
 * @returns The response: 200, or 400 if the token is invalid or the logout
 * failed.
 * @throws {TypeError} If the store cannot find sessions by index.
 * @throws {RangeError} If the timeout is not a positive number.
 * @see {@link https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation | OpenID Connect Back-Channel Logout 1.0, section 2.6}
 */
export async function backChannelLogout(
  provider: ExternalAuthProvider,
  context: RequestContext,
  options: BackChannelLogoutOptions,
): Promise<Response> {
  const { store, storeTimeout } = options;
  const engine = engineOf(provider);
  if (store.byIndex === undefined) {
    throw new TypeError(
      "Cannot log out by back channel: the session store has no byIndex",
    );
  }
  const used = usedTokens(engine, store, storeTimeout);
  try {
    const form = await readForm(context);
    const claims = await verifyLogoutToken(
      engine,
      form?.getAll("logout_token"),
    );
    const userId = await endSessions(engine, claims, options, used);
    reportSecurityEvent(context, {
      action: "logout-everywhere",
      reason: "back-channel",
      targetId: userId ?? undefined,
    });
    return createResponse(200);
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    engine.options.onError?.(error);
    reportSecurityEvent(context, {
      action: "logout-everywhere",
      outcome: "failure",
      reason: error.code,
    });
    const isInternal = error.code === "logout_failed";
    return createResponse(400, isInternal ? "server_error" : "invalid_request");
  }
}

/** Returns the store of the tokens that were used, until they expire. */
function usedTokens(
  { clockTolerance }: ProviderEngine<unknown>,
  store: SessionStore,
  storeTimeout: number | undefined,
): ReturnType<typeof createMarks> {
  const owner = "back-channel logout";
  const call = checkedCaller(store, { owner, storeTimeout });
  return createMarks(call, "logout", (MAX_AGE + 2 * clockTolerance) * 1000);
}

async function verifyLogoutToken(
  engine: ProviderEngine<unknown>,
  tokens: readonly string[] = [],
): Promise<JSONObject> {
  const { openid } = engine.definition;
  const [token] = tokens;
  if (openid === undefined || token === undefined || tokens.length > 1) {
    throw tokenError(LOGOUT_TOKEN, "it is missing, or there are several");
  }
  const { claims } = await verifyProviderToken(engine, openid, token, {
    ...LOGOUT_TOKEN,
    algorithms: idTokenAlgorithms(openid.algorithms, await engine.metadata()),
    caller: "logout",
  });
  const problem = findProblem(engine, openid, claims);
  if (problem !== undefined) throw tokenError(LOGOUT_TOKEN, problem);
  return claims;
}

function findProblem(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  claims: JSONObject,
): string | undefined {
  const { events, iat, jti, nonce, sid, sub } = claims;
  if (!hasTrustedAudiences(engine, openid, claims)) {
    return 'claim "aud": it has an audience that is not trusted';
  }
  const { clockTolerance, now } = engine;
  const age = now() / 1000 - (iat as number);
  if (!(age >= -clockTolerance && age <= MAX_AGE + clockTolerance)) {
    return 'claim "iat": it was issued at another time';
  }
  const isLogout = isObject(events) && Object.hasOwn(events, EVENT) &&
    isObject(events[EVENT]);
  if (!isLogout) return 'claim "events": it is not a logout';
  // An ID token must not be accepted as a logout token.
  if (nonce !== undefined) return 'claim "nonce": it is present';
  if (!isIdentifier(jti)) return 'claim "jti": it is not an identifier';
  const named = [sub, sid].filter((claim) => claim !== undefined);
  if (named.length === 0) return 'no claim "sub" or "sid"';
  if (!named.every(isIdentifier)) {
    return 'claim "sub" or "sid": it is not an identifier';
  }
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null;
}

async function endSessions(
  engine: ProviderEngine<unknown>,
  claims: JSONObject,
  { findUserId, store, storeTimeout }: BackChannelLogoutOptions,
  used: ValueStore<true>,
): Promise<string | number | null> {
  let key: string | undefined;
  try {
    key = await rememberToken(used, claims);
    const logout = toLogout(engine, claims);
    const userId = await findUserId?.(logout) ?? null;
    const names = namesOf(logout);
    if (userId !== null) names.push(`user:${userId}`);
    // A replayed token ends no later login, even if the store has evicted the
    // key of its first use.
    const before = ((claims.iat as number) + engine.clockTolerance) * 1000;
    const options = { before, storeTimeout };
    for (const name of names) await endSessionsByName(store, name, options);
    return userId;
  } catch (error) {
    if (error instanceof ExternalAuthError) throw error;
    // Sessions may still be active, so the provider must be able to try again.
    if (key !== undefined) await used.remove(key).catch(() => {});
    throw new ExternalAuthError(
      "logout_failed",
      "Cannot log out by back channel: the session store or findUserId failed",
      { cause: withoutArguments(error) },
    );
  }
}

/** Stores a token as used until it expires, and returns its key. */
async function rememberToken(
  used: ValueStore<true>,
  { iss, jti }: JSONObject,
): Promise<string> {
  const key = await used.key(JSON.stringify([iss, jti]));
  if (await used.add(key, true)) return key;
  throw tokenError(LOGOUT_TOKEN, "it was used before");
}

/** Copies an error without its other properties: drivers add arguments there. */
function withoutArguments(error: unknown, depth = 3): Error | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined;
  const { code, message, name } = error as Error & { code?: unknown };
  const cause = withoutArguments(error.cause, depth - 1);
  return Object.assign(new Error(message, cause && { cause }), { name, code });
}

function toLogout(
  { definition }: ProviderEngine<unknown>,
  { iss, sid, sub }: JSONObject,
): BackChannelLogout {
  const issuer = iss as string;
  return {
    issuer: definition.openid?.canonicalIssuer?.(issuer) ?? issuer,
    ...sub !== undefined && { subject: sub as string },
    ...sid !== undefined && { sessionId: sid as string },
  };
}

/**
 * Returns the names of the sessions that end (section 2.7). If the token names
 * both a session and a subject, the subject's logins without a `sid` end too: each
 * of them may be the session.
 */
function namesOf(
  { issuer, sessionId, subject }: BackChannelLogout,
): string[] {
  const names: string[] = [];
  if (sessionId !== undefined) names.push(sessionName(issuer, sessionId));
  if (subject !== undefined) {
    const nameOf = sessionId === undefined ? subjectName : namelessName;
    names.push(nameOf(issuer, subject));
  }
  return names;
}

function createResponse(status: number, error?: string): Response {
  const headers = { "Cache-Control": "no-store" };
  return error === undefined
    ? new Response(null, { status, headers })
    : Response.json({ error }, { status, headers });
}
