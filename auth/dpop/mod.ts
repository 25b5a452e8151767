/**
 * DPoP (RFC 9449): access tokens that are bound to a key of the client, so that a
 * stolen token is useless.
 *
 * @example A client proves that it has the key of its token
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createDPoPKey,
 *   createDPoPProof,
 *   createDPoPVerifier,
 *   thumbprintOfDPoPKey,
 * } from "@gatehouse/web/auth/dpop";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const dpop = createDPoPVerifier({ store: createMemorySessionStore() });
 *
 * // The client.
 * const key = await createDPoPKey();
 * const token = "the-access-token";
 * const url = "https://api.example/notes";
 * const proof = await createDPoPProof(key, { method: "GET", url, token });
 *
 * // The API. The claim `cnf.jkt` of the token has the thumbprint.
 * const request = new Request(url, { headers: { DPoP: proof } });
 * const context = new RequestContext(request);
 * const bound = { token, thumbprint: await thumbprintOfDPoPKey(key) };
 * assertEquals(await dpop.verify(context, bound), { ok: true });
 * // A proof works once.
 * assertEquals((await dpop.verify(context, bound)).ok, false);
 * ```
 *
 * @module
 */
export type {
  BoundToken,
  DPoPVerification,
  DPoPVerifier,
} from "../middleware/dpop_verifier.ts";
export { createDPoPBinding, type DPoPBinding } from "./binding.ts";
export {
  createDPoPKey,
  type DPoPKey,
  parseDPoPKey,
  thumbprintOfDPoPKey,
} from "./key.ts";
export { createDPoPProof, type DPoPRequest, readDPoPNonce } from "./proof.ts";
export { createDPoPVerifier, type DPoPVerifierOptions } from "./verifier.ts";
