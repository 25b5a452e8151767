import type { RequestContext } from "../../router/mod.ts";
import {
  callStore,
  endSessionsByName,
  STORE_TIMEOUT,
} from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import type { OpenIDDefinition, ProviderEngine } from "./_engine.ts";
import { idTokenAlgorithms } from "./_engine.ts";
import { readForm } from "./_form.ts";
import { isIdentifier, verifyWithKeys } from "./_id_token.ts";
import { namelessName, sessionName, subjectName } from "./_login_names.ts";
import { report } from "./_report.ts";
import { ExternalAuthError } from "./errors.ts";
import { engineOf, type ExternalAuthProvider } from "./provider.ts";

/** Who is logged out by a provider. */
export interface BackChannelLogout {
  /** The provider's issuer. */
  readonly issuer: string;
  /** Who the user is to the issuer, where it says who. */
  readonly subject?: string;
  /** The session at the provider, where it says which. */
  readonly sessionId?: string;
}

/** Options for {@linkcode backChannelLogout}. */
export interface BackChannelLogoutOptions {
  /** Where the sessions live: the session middleware's store. */
  readonly store: SessionStore;
  /**
   * Finds the user, to end all of that user's sessions besides, however they
   * began; `null` ends no others. It may also find out what else is to end.
   *
   * @default {() => null}
   * @param logout Who is logged out.
   * @returns The id that `completeAuth` got.
   */
  readonly findUserId?: (
    logout: BackChannelLogout,
  ) => string | number | null | Promise<string | number | null>;
}

/** What makes a token a logout token. */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Seconds for which a logout token is accepted, and remembered. */
const MAX_AGE = 600;

/**
 * Answers a provider that tells the application to log a user out: verifies the
 * logout token and ends the sessions that it is about.
 *
 * Where the token names a session of the provider, that is the one session here
 * which the login there has begun, and where it names the user too, those of the
 * user's whose ID token named none. Where it names the user alone, it is all
 * sessions that began with a login as that user. They are found if
 * `completeAuth` began them in the request of the callback. With `findUserId`
 * all others of the user end too.
 *
 * The request comes from the provider's server, without a cookie: put the route
 * in front of a cross-origin protection that is `strict`. A token is accepted
 * once, and ends no session that began after it was issued. If `findUserId` or
 * the store fails, the answer is a 400, `onError` of the provider gets an error with
 * the code `logout_failed`, and the token can be sent again.
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
 * @param options Where the sessions live.
 * @returns The response: 200, or 400 if the token is invalid or the logout
 * failed.
 * @throws {TypeError} If the store can't find sessions by index.
 * @see {@link https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation | OpenID Connect Back-Channel Logout 1.0, section 2.6}
 */
export async function backChannelLogout(
  provider: ExternalAuthProvider,
  context: RequestContext,
  options: BackChannelLogoutOptions,
): Promise<Response> {
  const engine = engineOf(provider);
  if (options.store.byIndex === undefined) {
    throw new TypeError(
      "Cannot log out by back channel: the session store has no byIndex",
    );
  }
  try {
    const form = await readForm(context);
    const claims = await verifyLogoutToken(
      engine,
      form?.getAll("logout_token"),
    );
    await logOut(engine, claims, options);
    return answer(200);
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    const isOurs = error.code === "logout_failed";
    return answer(400, isOurs ? "server_error" : "invalid_request");
  }
}

async function verifyLogoutToken(
  engine: ProviderEngine<unknown>,
  tokens: readonly string[] = [],
): Promise<JSONObject> {
  const { openid } = engine.definition;
  const [token] = tokens;
  if (openid === undefined || token === undefined || tokens.length > 1) {
    throw refusal("there is none, or several");
  }
  const metadata = await engine.metadata();
  const { get, renew } = await engine.keys();
  const verification = await verifyWithKeys(
    token,
    // Anybody can send a token of an unknown key.
    { get, renew: (old) => renew(old, "logout") },
    openid,
    {
      algorithms: idTokenAlgorithms(openid.algorithms, metadata),
      audience: engine.client.clientId,
      types: ["logout+jwt", "jwt", ""],
      requiredClaims: ["iss", "aud", "iat", "exp", "jti", "events"],
      clockTolerance: engine.clockTolerance,
      now: engine.now(),
    },
  );
  if (!verification.ok) throw refusal(verification.reason);
  const { claims } = verification;
  const problem = problemOf(engine, openid, claims, metadata.issuer);
  if (problem !== undefined) throw refusal(problem);
  return claims;
}

function problemOf(
  { client, clockTolerance, now }: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  claims: JSONObject,
  issuer: string,
): string | undefined {
  const { aud, events, iat, iss, jti, nonce, sid, sub } = claims;
  const isIssuer = typeof iss === "string" &&
    (openid.isTokenIssuer?.(iss, claims, issuer) ?? iss === issuer);
  if (!isIssuer) return 'claim "iss": it is another issuer';
  const trusted = [client.clientId, ...openid.trustedAudiences];
  if (Array.isArray(aud) && !aud.every((one) => trusted.includes(one))) {
    return 'claim "aud": it has an audience that is not trusted';
  }
  const age = now() / 1000 - (iat as number);
  if (!(age >= -clockTolerance && age <= MAX_AGE + clockTolerance)) {
    return 'claim "iat": it was issued at another time';
  }
  const isLogout = isObject(events) && Object.hasOwn(events, EVENT) &&
    isObject(events[EVENT]);
  if (!isLogout) return 'claim "events": it is no logout';
  // So that no ID token passes for a logout token.
  if (nonce !== undefined) return 'claim "nonce": it is there';
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

async function logOut(
  engine: ProviderEngine<unknown>,
  claims: JSONObject,
  { findUserId, store }: BackChannelLogoutOptions,
): Promise<void> {
  let mark: string | undefined;
  try {
    mark = await useOnce(engine, store, claims);
    const logout = toLogout(engine, claims);
    const userId = await findUserId?.(logout) ?? null;
    const names = namesOf(logout);
    if (userId !== null) names.push(`user:${userId}`);
    // A token that is replayed ends no later login, even if a full store has
    // evicted the mark of its first use.
    const before = ((claims.iat as number) + engine.clockTolerance) * 1000;
    for (const name of names) await endSessionsByName(store, name, { before });
  } catch (error) {
    if (error instanceof ExternalAuthError) throw error;
    // The sessions may live on: the provider must be able to try again.
    if (mark !== undefined) {
      await Promise.try(() => store.delete(mark!)).catch(() => {});
    }
    throw new ExternalAuthError(
      "logout_failed",
      "Cannot log out by back channel: the session store or findUserId failed",
      { cause: reduce(error) },
    );
  }
}

/** Remembers the token for as long as it would be accepted: under which key. */
async function useOnce(
  engine: ProviderEngine<unknown>,
  store: SessionStore,
  { iss, jti }: JSONObject,
): Promise<string> {
  const hash = await sha256(JSON.stringify([iss, jti]));
  const key = `logout:${encodeBase64Url(hash)}`;
  const options = {
    ttl: (MAX_AGE + 2 * engine.clockTolerance) * 1000,
    ifVersion: null,
  };
  const isNew = await callStore(
    "write",
    () => store.put(key, "used", options),
    STORE_TIMEOUT,
  );
  if (!isNew) throw refusal("it was used before");
  return key;
}

/** A driver's error may have its arguments as properties. */
function reduce(error: unknown, depth = 3): Error | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined;
  const { code, message, name } = error as Error & { code?: unknown };
  const cause = reduce(error.cause, depth - 1);
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
 * Section 2.7: one session where it is named, else all of the subject's. Where
 * both are named, those of the subject too whose login named no session: any of
 * them may be the one.
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

function answer(status: number, error?: string): Response {
  const headers = { "Cache-Control": "no-store" };
  return error === undefined
    ? new Response(null, { status, headers })
    : Response.json({ error }, { status, headers });
}

function refusal(state: string): ExternalAuthError {
  return new ExternalAuthError(
    "logout_token_invalid",
    `Cannot believe the logout token: ${state}`,
  );
}
