const encoder = /* @__PURE__ */ new TextEncoder();

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64(BASE64URL);
}

/** Decodes unpadded base64url, or `null` where the text is not canonical. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  try {
    // Strict refuses spare bits that are not zero, and wants the padding.
    return Uint8Array.fromBase64(text.padEnd(text.length + 3 & ~3, "="), {
      alphabet: "base64url",
      lastChunkHandling: "strict",
    });
  } catch {
    return null;
  }
}

/** Hashes text or bytes with SHA-256. */
export function sha256(
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return crypto.subtle.digest("SHA-256", bytes)
    .then((digest) => new Uint8Array(digest));
}

/** Hashes a token with SHA-256, as the key that its session is stored under. */
export async function tokenKey(token: string): Promise<string> {
  // By hand: the platform's encoder takes longer than 43 characters do.
  const bytes = new Uint8Array(token.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = token.charCodeAt(at);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return encodeBase64Url(new Uint8Array(digest));
}

/** Makes an unguessable token: 32 random bytes as base64url. */
export function randomToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Makes a version that no value ever had, not even an earlier one of its key. */
export function newVersion(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)));
}
