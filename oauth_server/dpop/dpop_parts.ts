import type { DPoPVerifier } from "../../auth/access_tokens/mod.ts";
import type { GrantRow } from "../grants/grant_store.ts";
import type { GrantRequest } from "../token/grant_checks.ts";
import type { TokenFailure } from "../token/token_response.ts";

/** The functions of bound tokens. A server without them does not bundle them. */
export interface DPoPParts {
  /** Verifies the proofs of requests to the resources of the server. */
  readonly verifier: DPoPVerifier;
  /** `true` if no client gets tokens without a key. */
  readonly isAlwaysRequired: boolean;
  /**
   * Returns the thumbprint of the key in an authorization request, or `undefined`.
   *
   * @throws {Refusal} If it is malformed.
   */
  readonly requestedKey: (
    params: ReadonlyMap<string, string>,
  ) => string | undefined;
  /**
   * Checks the proof of a request to the token endpoint, and marks it as used. Call it
   * after all other checks, and before anything changes.
   *
   * @returns The thumbprint of the key that the tokens will be bound to, `undefined`
   * for bearer tokens, or an error.
   */
  readonly check: (
    request: GrantRequest,
    row: GrantRow,
  ) => Promise<string | undefined | TokenFailure>;
  /** Adds the next nonce to the headers of a response. */
  readonly addNonce: (headers: Headers) => Promise<void>;
}
