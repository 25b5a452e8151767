import {
  decodeBase64Url,
  encodeBase64Url,
  timingSafeEqual,
} from "../../session/secrets.ts";
import {
  decodeContents,
  encodeContents,
  type TokenContents,
  type Tokens,
} from "../grants/tokens.ts";

/** The number of bytes of the MAC. */
const MAC_BYTES = 16;

/** The number of numbers in an access token. */
const NUMBERS = 3;

/** Matches an id: 16 bytes of the MAC, and 29 of the contents. */
const ID = /^[\w-]{60}$/;

/**
 * Encrypts the contents of an access token as its id, the claim `jti`. APIs log it,
 * and it must not reveal the key of the grant, from which the secrets derive tokens.
 *
 * The form is `base64url(MAC || contents ⊕ MAC of the MAC)`, with a key for each of
 * the two. The same contents have the same id, and others another stream. That is the
 * scheme of SIV (RFC 5297, section 2.6) for a single block, with HMAC as the cipher.
 */
export async function encryptTokenId(
  tokens: Tokens,
  { key, numbers }: TokenContents,
): Promise<string> {
  const contents = encodeContents(key, numbers);
  const [full] = await tokens.macs("jti", contents);
  const mac = full!.slice(0, MAC_BYTES);
  const [stream] = await tokens.macs("jti-stream", mac);
  const id = new Uint8Array(MAC_BYTES + contents.length);
  id.set(mac);
  id.set(xor(contents, stream!), MAC_BYTES);
  return encodeBase64Url(id);
}

/** Returns the contents of a token with an id, or `null` for any other value. */
export async function decryptTokenId(
  tokens: Tokens,
  id: unknown,
): Promise<TokenContents | null> {
  const bytes = typeof id === "string" && ID.test(id)
    ? decodeBase64Url(id)
    : null;
  if (bytes === null) return null;
  const mac = bytes.slice(0, MAC_BYTES);
  const streams = await tokens.macs("jti-stream", mac);
  for (const [index, stream] of streams.entries()) {
    const contents = xor(bytes.subarray(MAC_BYTES), stream);
    const macs = await tokens.macs("jti", contents);
    if (timingSafeEqual(macs[index]!.subarray(0, MAC_BYTES), mac)) {
      return decodeContents(contents, NUMBERS);
    }
  }
  return null;
}

/** Returns the exclusive or of bytes and a stream, which is longer. */
function xor(bytes: Uint8Array, stream: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes, (byte, index) => byte ^ stream[index]!);
}
