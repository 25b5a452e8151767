import {
  ASYMMETRIC_ALGORITHMS,
  ExternalAuthError,
  type JSONObject,
  keysOfIssuer,
  onceForEach,
  parseKeys,
  type ProviderKeys,
  resolveIssuerOptions,
  verifyJWT,
  verifyWithKeys,
} from "../../auth/internal.ts";
import { type CallStore, createMarks } from "../../session/internal.ts";
import type { TokenClient } from "./client.ts";
import type { Fetch } from "./_public_fetch.ts";

/** The world of {@linkcode ClientAssertions}. */
export interface ClientAssertionsOptions {
  /** The issuer of the server, which is the only audience of assertions. */
  readonly issuer: string;
  readonly call: CallStore;
  /** Fetches the keys of a client, or is `null` if this runtime cannot. */
  readonly fetch: Fetch | null;
  /** Returns the keys in the metadata document of a client. */
  readonly documentKeys: (id: string) => Promise<JSONObject | undefined>;
  readonly onError: (error: ExternalAuthError) => void;
  readonly now: () => number;
}

/** The longest lifetime of an assertion that is left, in seconds. */
const MAX_LIFETIME = 300;

/** The allowed difference between the clocks, in seconds. */
const CLOCK_TOLERANCE = 30;

/** The longest `jti`, in characters. */
const MAX_JTI = 256;

/** The most key sets of clients that are cached. */
const MAX_KEY_SETS = 200;

const EXPECTATION = {
  algorithms: ASYMMETRIC_ALGORITHMS,
  clockTolerance: CLOCK_TOLERANCE,
  requiredClaims: ["iss", "sub", "aud", "exp", "jti"],
  types: ["", "jwt", "client-authentication+jwt"],
};

type KeySource = ReturnType<typeof keysOfIssuer>;

/**
 * Verifies the assertions with which clients authenticate (`private_key_jwt`, RFC
 * 7523, section 3). Each one works once.
 */
export class ClientAssertions {
  readonly #options: ClientAssertionsOptions;
  readonly #report: (error: ExternalAuthError) => void;
  readonly #used: ReturnType<typeof createMarks>;
  /** The keys by their URL. The oldest one comes first. */
  readonly #sources = new Map<string, KeySource>();

  constructor(options: ClientAssertionsOptions) {
    this.#options = options;
    this.#report = onceForEach(options.onError);
    // The clocks of the machines may differ too.
    const ttl = (MAX_LIFETIME + 4 * CLOCK_TOLERANCE) * 1000;
    this.#used = createMarks(options.call, "oauth-assertion", ttl);
  }

  /** Returns `true` if a client has signed an assertion for this server. */
  async verify(
    jwt: string,
    client: TokenClient,
  ): Promise<boolean> {
    const { id } = client;
    const { issuer, now } = this.#options;
    const expectation = { ...EXPECTATION, audience: issuer, now: now() };
    const claims = await this.#claimsOf(jwt, client, expectation);
    if (claims === null || claims.iss !== id || claims.sub !== id) return false;
    const { aud, exp, jti } = claims;
    // An assertion for several servers could be used at each of them by the others.
    if (Array.isArray(aud) && aud.length !== 1) return false;
    const latest = now() / 1000 + MAX_LIFETIME + CLOCK_TOLERANCE;
    if (!(Number(exp) <= latest)) return false;
    if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI) {
      return false;
    }
    // This check comes last, so that no other assertion costs a write.
    const key = await this.#used.key(JSON.stringify([id, jti]));
    return await this.#used.add(key, true);
  }

  async #claimsOf(
    jwt: string,
    { authentication, id, source }: TokenClient,
    expectation: Parameters<typeof verifyJWT>[2],
  ): Promise<JSONObject | null> {
    try {
      if (typeof authentication === "string") return null;
      let jwks: JSONObject | undefined;
      if ("jwks" in authentication) jwks = authentication.jwks as JSONObject;
      else if ("jwksUri" in authentication) {
        const { jwksUri } = authentication;
        if (source !== "document" || jwksUri !== id) {
          const keys = await this.#sourceOf(jwksUri, id)();
          return claimsOf(await verifyWithKeys(jwt, keys, expectation));
        }
        jwks = await this.#options.documentKeys(id);
      }
      if (jwks === undefined) return null;
      const { all } = keysFrom(jwks);
      return claimsOf(await verifyJWT(jwt, all, expectation));
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      this.#report(error);
      return null;
    }
  }

  #sourceOf(url: string, id: string): KeySource {
    const { fetch, now } = this.#options;
    const sources = this.#sources;
    let source = sources.get(url);
    if (source === undefined) {
      if (fetch === null) {
        throw new ExternalAuthError(
          "keys_failed",
          `Cannot fetch the keys of the client "${id}": this runtime cannot, so the option cimd needs "fetch"`,
          {},
        );
      }
      const limits = { fetch, now, maxResponseBytes: 65_536, timeout: 5_000 };
      source = keysOfIssuer(id, url, resolveIssuerOptions(limits, "clients"));
      const [oldest] = sources.keys();
      if (sources.size >= MAX_KEY_SETS) sources.delete(oldest!);
    }
    sources.delete(url);
    sources.set(url, source);
    return source;
  }
}

/** Parsed keys of clients, so that each key is imported once. */
const parsed = /* @__PURE__ */ new WeakMap<JSONObject, ProviderKeys>();

function keysFrom(jwks: JSONObject): ProviderKeys {
  const keys = parsed.get(jwks) ?? parseKeys(jwks);
  parsed.set(jwks, keys);
  return keys;
}

function claimsOf(
  verification: Awaited<ReturnType<typeof verifyJWT>>,
): JSONObject | null {
  return verification.ok ? verification.claims : null;
}
