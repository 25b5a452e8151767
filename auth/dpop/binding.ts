import { createDPoPKey, type DPoPKey } from "./key.ts";
import { createDPoPProof, type DPoPRequest, readDPoPNonce } from "./proof.ts";

/**
 * Binds the tokens of an external provider to keys. It is an object, so that
 * only applications that use it have it in their bundle.
 */
export interface DPoPBinding {
  /** Creates the key of a login. */
  readonly createKey: () => Promise<DPoPKey>;
  /** Creates the proof of a request. */
  readonly createProof: (
    key: DPoPKey,
    request: DPoPRequest,
  ) => Promise<string>;
  /** Reads the nonce of a response. */
  readonly readNonce: (response: Pick<Response, "headers">) => string | null;
}

/**
 * Creates the option `dpop` of an external provider, which binds the tokens of
 * each login to a new key.
 *
 * @example A provider with bound tokens
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider } from "@gatehouse/web/auth";
 * import { createDPoPBinding } from "@gatehouse/web/auth/access-tokens";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 *   dpop: createDPoPBinding(),
 * });
 * assertEquals(provider.name, "example");
 * ```
 *
 * @returns The binding.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-5 | RFC 9449, DPoP access token request}
 */
export function createDPoPBinding(): DPoPBinding {
  return {
    createKey: createDPoPKey,
    createProof: createDPoPProof,
    readNonce: readDPoPNonce,
  };
}
