import { PROOF_ERRORS, ProofVerifier } from "../../auth/internal.ts";
import { Refusal } from "../authorize/authorization_request.ts";
import type { GrantRow } from "../grants/grant_store.ts";
import type { DPoPTokens } from "../options.ts";
import type { GrantRequest } from "../token/grant_checks.ts";
import { INVALID_GRANT, type TokenFailure } from "../token/token_response.ts";
import type { CreatePart } from "../server_part.ts";
import type { DPoPParts } from "./dpop_parts.ts";

/** A request for tokens, for the option `required` of {@linkcode dpopTokens}. */
export interface DPoPTokenRequest {
  /** The client id. */
  readonly clientId: string;
  /** The URL of the resource. */
  readonly resource: string;
}

/** Options for {@linkcode dpopTokens}. */
export interface DPoPTokensOptions {
  /**
   * `true` to refuse clients without a key, or a function that returns `true` for the
   * clients and resources that need one. Other clients without a key get bearer tokens.
   *
   * @default {false}
   */
  readonly required?: boolean | ((request: DPoPTokenRequest) => boolean);

  /**
   * `true` to accept only proofs with a nonce that the server sent within the last
   * five minutes. An attacker who could use the client's key for a moment cannot create
   * proofs for later.
   *
   * @default {false}
   */
  readonly nonces?: boolean;

  /**
   * The allowed signature algorithms. Symmetric ones are never allowed.
   *
   * @default {RSA, RSA-PSS, ECDSA and EdDSA of all sizes}
   */
  readonly algorithms?: readonly string[];
}

/** Matches the thumbprint of a key: SHA-256 as base64url. */
const THUMBPRINT = /^[\w-]{43}$/;

/** The error of a proof whose key is not that of the grant. */
const OTHER_KEY: TokenFailure = {
  error: "invalid_grant",
  description: "The DPoP proof has another key than the grant",
};

/**
 * Creates the option `dpop` of an authorization server: tokens that are bound to a key
 * of the client, and useless without it. A client that sends a DPoP proof with its code
 * gets them. `server.resource()` then accepts them with proofs only.
 *
 * The refresh token of a public client is bound too. A client that authenticates may
 * use another key at each refresh, to which its access tokens are bound from then on.
 *
 * @example A server whose clients can bind their tokens
 * ```ts
 * import { assert } from "@std/assert";
 * import {
 *   createAuthorizationServer,
 *   dpopTokens,
 * } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find: (id) => ({ id }) },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://app.example/api": {
 *       name: "Notes",
 *       scopes: { "notes:read": "Read your notes" },
 *     },
 *   },
 *   dpop: dpopTokens(),
 *   loginPath: "/login",
 * });
 *
 * assert("dpop_signing_alg_values_supported" in server.metadata);
 * ```
 *
 * @param options The clients that need a key, and nonces.
 * @returns The option.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-5 | RFC 9449, section 5}
 */
export function dpopTokens(options: DPoPTokensOptions = {}): DPoPTokens {
  const { algorithms, nonces = false, required = false } = options;
  const parts: CreatePart<DPoPParts> = ({ issuer, now, secrets, store }) => {
    const verifier = new ProofVerifier({
      ...{ store, now },
      ...algorithms && { algorithms },
      ...nonces && { nonceSecrets: secrets },
    });
    const { origin } = new URL(issuer);
    return {
      verifier,
      isAlwaysRequired: required === true,
      requestedKey,
      check: (request, row) =>
        checkKey(request, row, { origin, required, verifier }),
      async addNonce(headers) {
        const { nonce } = await verifier.createNonce();
        if (nonce !== undefined) headers.set("DPoP-Nonce", nonce);
      },
    };
  };
  return { parts };
}

/** Returns the parameter `dpop_jkt` (RFC 9449, section 10). */
function requestedKey(
  params: ReadonlyMap<string, string>,
): string | undefined {
  const thumbprint = params.get("dpop_jkt");
  if (thumbprint === undefined || THUMBPRINT.test(thumbprint)) {
    return thumbprint;
  }
  throw new Refusal("invalid_request", "dpop_jkt is not a thumbprint");
}

/**
 * Returns the thumbprint of the key that the tokens of a request are bound to. A grant
 * is bound at its first tokens or never: if a thief of a bearer refresh token could
 * bind it later, the owner could no longer end it by using an old token.
 */
async function checkKey(
  { context, form, settings: { clients } }: GrantRequest,
  { client, generation, resource, thumbprint }: GrantRow,
  { origin, required, verifier }: {
    readonly origin: string;
    readonly required: NonNullable<DPoPTokensOptions["required"]>;
    readonly verifier: ProofVerifier;
  },
): Promise<string | undefined | TokenFailure> {
  if (generation === 0 && form.has("refresh_token")) {
    // The store has lost the first tokens of the grant, and maybe their key.
    return INVALID_GRANT;
  }
  if (thumbprint === undefined) {
    const isRequired = client.needsProof ||
      (typeof required === "function"
        ? required({ clientId: client.id, resource })
        : required);
    if (generation > 0) return isRequired ? INVALID_GRANT : undefined;
    if (!isRequired && !context.request.headers.has("DPoP")) return undefined;
  }
  const proof = await verifier.verifyKey(context, { origin });
  if (!proof.ok) {
    const { error } = proof;
    return { error, description: PROOF_ERRORS[error]! };
  }
  if (thumbprint === undefined || proof.thumbprint === thumbprint) {
    return proof.thumbprint;
  }
  // The authentication of the client protects its refresh tokens (RFC 9449, section 5).
  const mayChange = generation > 0 &&
    (await clients.ofGrant(client))?.isPublic === false;
  return mayChange ? proof.thumbprint : OTHER_KEY;
}
