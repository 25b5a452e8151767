import { CachedDocument } from "./_cached_document.ts";
import { ExternalAuthError } from "./_errors.ts";
import {
  decodeClaims,
  type JWTExpectation,
  type JWTVerification,
  verifyJWT,
} from "./_jwt.ts";
import { fetchKeys, parseKeys, type ProviderKeys } from "./_key_set.ts";
import {
  discover,
  parseKeysMetadata,
  type ProviderMetadata,
} from "./_metadata.ts";
import type { ResolvedIssuerOptions } from "./_options.ts";
import { RetryPause } from "./retry_pause.ts";

/** Milliseconds for which keys are cached. */
const LIFETIMES = {
  ttl: 600_000,
  // The time is shorter than for metadata, because a revoked key must not work
  // for a day.
  maxStale: 3_600_000,
  // Tokens with unknown keys cause at most one request in this time.
  cooldown: 30_000,
} as const;

/** Creates a function that returns a provider's keys. Their URL may change. */
export function keysOf(
  metadata: () => Promise<Pick<ProviderMetadata, "issuer" | "jwks_uri">>,
  options: ResolvedIssuerOptions,
): () => Promise<CachedDocument<ProviderKeys>> {
  const { cache, now } = options;
  let current: [url: string, keys: CachedDocument<ProviderKeys>] | undefined;
  return async () => {
    const { issuer, jwks_uri: url } = await metadata();
    if (url === undefined) {
      throw new ExternalAuthError(
        "keys_failed",
        `Cannot use the keys of "${issuer}": its metadata has no "jwks_uri"`,
      );
    }
    if (current?.[0] !== url) {
      const keys = new CachedDocument({
        key: `gatehouse:keys:${url}`,
        ...LIFETIMES,
        load: () => fetchKeys(options, url),
        parse: parseKeys,
        now,
        cache,
      });
      current = [url, keys];
    }
    return current[1];
  };
}

/**
 * Creates a function that returns the keys of an issuer of access tokens. After
 * a failure it throws the same error for a while. Anyone can send tokens, and
 * must not be able to cause a request to an unavailable issuer with each of
 * them.
 */
export function keysOfIssuer(
  issuer: string,
  jwksUri: string | undefined,
  options: ResolvedIssuerOptions,
): () => Promise<CachedDocument<ProviderKeys>> {
  const { allowInsecureLoopback, now } = options;
  const metadata = jwksUri === undefined
    ? discover(
      issuer,
      options,
      (body) => parseKeysMetadata(body, issuer, allowInsecureLoopback),
      true,
    )
    : () => Promise.resolve({ issuer, jwks_uri: jwksUri });
  const source = keysOf(metadata, options);
  const outage = new RetryPause(now);
  let failure: unknown;
  return async () => {
    if (outage.isRunning) throw failure;
    // This call sends a request, while concurrent calls fail at once.
    if (outage.isSet) outage.start();
    try {
      const keys = await source();
      await keys.get();
      outage.clear();
      return keys;
    } catch (error) {
      failure = error;
      outage.start();
      throw error;
    }
  };
}

/** Returns `true` if a token says that it has expired. */
function hasExpired(
  token: string,
  { clockTolerance, now }: JWTExpectation,
): boolean {
  const { exp } = decodeClaims(token);
  return typeof exp === "number" && (exp + clockTolerance) * 1000 <= now;
}

/** Verifies a token, and verifies it again with new keys if they may help. */
export async function verifyWithKeys(
  token: string,
  keys: CachedDocument<ProviderKeys>,
  expectation: JWTExpectation & {
    /** Returns `true` if a key of the first issuer may sign for the second. */
    readonly isKeyIssuer?:
      | ((keyIssuer: string, tokenIssuer: string) => boolean)
      | undefined;
    /** The owner of the cooldown for new keys. */
    readonly caller?: "login" | "logout" | undefined;
  },
): Promise<JWTVerification> {
  const { caller, isKeyIssuer } = expectation;
  const known = await keys.get();
  const verification = await verifyWith(known);
  if (verification.ok || !verification.mayNeedNewKeys) return verification;
  // Old tokens signed with a removed key must not use up the cooldown.
  if (hasExpired(token, expectation)) return verification;
  const refreshed = await keys.refresh(known, caller);
  return refreshed === undefined ? verification : await verifyWith(refreshed);

  function verifyWith(current: ProviderKeys): Promise<JWTVerification> {
    if (isKeyIssuer === undefined) {
      return verifyJWT(token, current.all, expectation);
    }
    const { iss } = decodeClaims(token);
    const issuer = typeof iss === "string" ? iss : "";
    const set = current.forIssuer((keyIssuer) =>
      isKeyIssuer(keyIssuer, issuer)
    );
    return verifyJWT(token, set, expectation);
  }
}
