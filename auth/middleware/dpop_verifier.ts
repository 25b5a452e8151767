import type { RequestContext } from "../../router/mod.ts";

/** The result of a check of a DPoP proof. */
export type DPoPVerification =
  | {
    /** The request has a valid proof. */
    readonly ok: true;
    /** A new nonce for the header `DPoP-Nonce`, if the client needs one soon. */
    readonly nonce?: string;
  }
  | {
    /** The proof is missing or invalid. */
    readonly ok: false;
    /** The error of the challenge (RFC 9449, sections 7.1 and 9). */
    readonly error: "invalid_dpop_proof" | "use_dpop_nonce";
    /** The nonce that the next proof must have. */
    readonly nonce?: string;
  };

/** A token that is bound to a key. */
export interface BoundToken {
  /** The access token of the request. */
  readonly token: string;
  /**
   * The thumbprint of the key that the token is bound to, from its claim
   * `cnf.jkt`.
   */
  readonly thumbprint: string;
  /**
   * The origin of the API as clients see it. The option `origin` of the verifier
   * wins over it.
   *
   * @default {the origin of the request's URL}
   */
  readonly origin?: string | undefined;
}

/** Verifies the proofs of requests with DPoP-bound access tokens. */
export interface DPoPVerifier {
  /** The accepted signature algorithms, for the challenge. */
  readonly algorithms: readonly string[];

  /**
   * Verifies the proof of a request. Call it once for a request, and only after
   * the token was verified: it marks the proof as used.
   *
   * @param context The context of the request.
   * @param bound The token and the thumbprint of its key.
   * @returns The result.
   * @throws {SessionStoreError} If the store fails.
   */
  verify(
    context: RequestContext,
    bound: BoundToken,
  ): Promise<DPoPVerification>;
}
