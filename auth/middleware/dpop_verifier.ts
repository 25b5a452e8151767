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

/** Verifies the proofs of requests with DPoP-bound access tokens. */
export interface DPoPVerifier {
  /** The accepted signature algorithms, for the challenge. */
  readonly algorithms: readonly string[];

  /**
   * Verifies the proof of a request. Call it once for a request, and only after
   * the token was verified: it marks the proof as used.
   *
   * @param context The context of the request.
   * @param token The access token of the request.
   * @param thumbprint The thumbprint of the key that the token is bound to: its
   * claim `cnf.jkt`.
   * @returns The result.
   * @throws {SessionStoreError} If the store fails.
   */
  verify(
    context: RequestContext,
    token: string,
    thumbprint: string,
  ): Promise<DPoPVerification>;
}
