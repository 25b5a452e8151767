/**
 * What the modules above the session share with it of random tokens, hashes and
 * their comparison. Not part of the public surface, and apart from the rest of
 * it: who hashes passwords needs no session.
 *
 * @module
 */
export {
  decodeBase64Url,
  encodeBase64Url,
  randomToken,
  sha256,
} from "./_bytes.ts";
export { timingSafeEqual } from "./_timing_safe_equal.ts";
