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
