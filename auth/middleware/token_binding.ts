import type { RequestContext } from "../../router/mod.ts";
import {
  tokenChallenge,
  type TokenCredentials,
} from "./bearer_token_scheme.ts";
import type { DPoPVerification, DPoPVerifier } from "./dpop_verifier.ts";
import type {
  AuthRefusal,
  ChallengeDetails,
  ChallengeReason,
} from "./scheme.ts";

/** Options of schemes for tokens that may be bound to a key of the client. */
export interface DPoPOptions {
  /**
   * Verifies the proofs of bound tokens, see `createDPoPVerifier` of
   * `@gatehouse/web/auth/access-tokens`. Without it, bound tokens are refused.
   *
   * @default {undefined}
   */
  readonly dpop?: DPoPVerifier | undefined;

  /**
   * `true` to refuse tokens that are not bound.
   *
   * @default {false}
   */
  readonly requireDPoP?: boolean | undefined;
}

/** A token that may be used, with the headers of the response. */
export interface AcceptedBinding {
  readonly status: "accepted";
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Checks that a client has the key that its token is bound to. */
export interface TokenBinding {
  /** The HTTP scheme of the tokens, for OpenAPI documents. */
  readonly scheme: "bearer" | "dpop";
  /**
   * Checks the proof of a verified token.
   *
   * @param cnf The claim `cnf` of the token.
   */
  check(
    context: RequestContext,
    credentials: TokenCredentials,
    cnf: unknown,
  ): Promise<AcceptedBinding | AuthRefusal>;
  /** Creates the challenges for bearer tokens and for bound tokens. */
  challenge(
    parameters: Readonly<Record<string, string>>,
    reason: ChallengeReason,
    details?: ChallengeDetails,
  ): string;
}

const ACCEPTED: AcceptedBinding = { status: "accepted", headers: undefined };

/** The descriptions of the errors of proofs, for the developers of clients. */
export const PROOF_ERRORS: Readonly<Record<string, string>> = {
  invalid_dpop_proof: "The DPoP proof is missing, invalid or was used before",
  use_dpop_nonce: "The DPoP proof needs the nonce of the header DPoP-Nonce",
};

/**
 * Creates the checks of a scheme for access tokens (RFC 9449, section 7).
 *
 * @param name The owner, for error messages.
 * @param origin The origin of the API, if the scheme knows it.
 * @throws {TypeError} If proofs are required and no verifier is given.
 */
export function createTokenBinding(
  { dpop, requireDPoP = false }: DPoPOptions,
  name: string,
  origin?: string,
): TokenBinding {
  if (requireDPoP && dpop === undefined) {
    throw new TypeError(`Cannot create ${name}: requireDPoP needs dpop`);
  }
  return {
    scheme: requireDPoP ? "dpop" : "bearer",

    async check(context, { token, type }, cnf) {
      if (cnf === undefined) {
        return type === "DPoP" || requireDPoP
          ? refusal("The access token is not bound to a key")
          : ACCEPTED;
      }
      const thumbprint = thumbprintOf(cnf);
      if (thumbprint === null || dpop === undefined || type === "Bearer") {
        // If it passed as a bearer token, a thief could use it without the key.
        return refusal("The access token is bound to a key");
      }
      return toOutcome(
        await dpop.verify(context, { token, thumbprint, origin }),
      );
    },

    challenge(parameters, reason, details) {
      const challenges: string[] = [];
      if (!requireDPoP && !isAboutProof(details)) {
        challenges.push(tokenChallenge("Bearer", parameters, reason, details));
      }
      if (dpop !== undefined) {
        const own = { ...parameters, algs: dpop.algorithms.join(" ") };
        challenges.push(tokenChallenge("DPoP", own, reason, details));
      }
      return challenges.join(", ");
    },
  };
}

function isAboutProof({ error }: ChallengeDetails = {}): boolean {
  return error !== undefined && Object.hasOwn(PROOF_ERRORS, error);
}

function toOutcome(proof: DPoPVerification): AcceptedBinding | AuthRefusal {
  const headers = proof.nonce === undefined
    ? undefined
    : { "DPoP-Nonce": proof.nonce };
  if (proof.ok) return { status: "accepted", headers };
  return {
    ...refusal(PROOF_ERRORS[proof.error]),
    error: proof.error,
    ...headers && { headers },
  };
}

function refusal(description: string | undefined): AuthRefusal {
  return { status: "refused", ...description && { description } };
}

/**
 * Returns the thumbprint of a token's key, or `null` for a token that is bound to
 * anything else, such as a certificate.
 */
function thumbprintOf(cnf: unknown): string | null {
  const isObject = typeof cnf === "object" && cnf !== null;
  const [[name, value] = [], ...others] = isObject ? Object.entries(cnf) : [];
  return name === "jkt" && typeof value === "string" && others.length === 0
    ? value
    : null;
}
