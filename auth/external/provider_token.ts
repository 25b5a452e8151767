import {
  ASYMMETRIC_ALGORITHMS,
  ExternalAuthError,
  type ExternalAuthErrorCode,
  type JSONObject,
  type ProviderMetadata,
  verifyWithKeys,
} from "../issuer/mod.ts";
import type { OpenIDDefinition, ProviderEngine } from "./engine.ts";

/** A kind of token that providers sign. */
export interface TokenKind {
  /** The code of errors. */
  readonly code: ExternalAuthErrorCode;
  /** The name for messages. */
  readonly name: string;
  /** The allowed values of `typ`, in lower case. `""` if it may be missing. */
  readonly types: readonly string[];
  /** The claims that must be present. */
  readonly requiredClaims: readonly string[];
}

/** A verified token. */
export interface VerifiedToken {
  readonly claims: JSONObject & { readonly iss: string };
  readonly algorithm: string;
}

/**
 * Verifies the signature, the issuer and the standard claims of a token.
 *
 * @throws {ExternalAuthError} If the token is invalid.
 */
export async function verifyProviderToken(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  token: string,
  kind: TokenKind & {
    readonly algorithms: readonly string[];
    /** The owner of the cooldown for new keys. */
    readonly caller?: "login" | "logout";
  },
): Promise<VerifiedToken> {
  const { issuer } = await engine.metadata();
  const verification = await verifyWithKeys(token, await engine.keys(), {
    ...kind,
    audience: engine.client.clientId,
    clockTolerance: engine.clockTolerance,
    now: engine.now(),
    isKeyIssuer: openid.isKeyIssuer,
  });
  if (!verification.ok) throw tokenError(kind, verification.reason);
  const { claims, algorithm } = verification;
  const { iss } = claims;
  const isIssuer = typeof iss === "string" &&
    (openid.isTokenIssuer?.(iss, claims, issuer) ?? iss === issuer);
  if (!isIssuer) throw tokenError(kind, 'claim "iss": it is another issuer');
  return { claims: claims as VerifiedToken["claims"], algorithm };
}

/** Creates the error for an invalid token. */
export function tokenError(
  { code, name }: TokenKind,
  reason: string,
): ExternalAuthError {
  return new ExternalAuthError(code, `Cannot accept the ${name}: ${reason}`);
}

/** Returns `true` if all audiences of a token are the client or trusted. */
export function hasTrustedAudiences(
  { client }: ProviderEngine<unknown>,
  { trustedAudiences }: OpenIDDefinition,
  { aud }: JSONObject,
): boolean {
  const trusted = [client.clientId, ...trustedAudiences];
  return !Array.isArray(aud) || aud.every((one) => trusted.includes(one));
}

/**
 * Returns `true` if a claim can identify a user, a session or a token, which
 * takes 1 to 255 printable ASCII characters (Core 1.0, section 2).
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value);
}

/** Returns the allowed signature algorithms of ID tokens. */
export function idTokenAlgorithms(
  configured: readonly string[] | undefined,
  metadata: ProviderMetadata,
): readonly string[] {
  // Every provider supports RS256 (Core 1.0, section 15.1).
  return asymmetric(
    configured ?? metadata.id_token_signing_alg_values_supported ?? ["RS256"],
  );
}

/** Returns the allowed signature algorithms of userinfo. */
export function userinfoAlgorithms(
  configured: readonly string[] | undefined,
  metadata: ProviderMetadata,
): readonly string[] {
  const named = metadata.userinfo_signing_alg_values_supported;
  return configured === undefined && named !== undefined
    ? asymmetric(named)
    : idTokenAlgorithms(configured, metadata);
}

function asymmetric(named: readonly string[]): readonly string[] {
  return ASYMMETRIC_ALGORITHMS.filter((algorithm) =>
    named.includes(algorithm) ||
    algorithm === "Ed25519" && named.includes("EdDSA")
  );
}
