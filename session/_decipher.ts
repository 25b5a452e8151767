/** The part of the built-in crypto module in use. */
interface NodeCrypto {
  createDecipheriv(
    algorithm: "aes-256-gcm",
    key: Uint8Array,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): {
    setAAD(data: Uint8Array): void;
    setAuthTag(tag: Uint8Array): void;
    update(data: Uint8Array, from: undefined, to: "utf8"): string;
    final(to: "utf8"): string;
  };
}

/** Decrypts a text; `null` where the key, the vector or a bit is another. */
export type Decipher = (
  iv: Uint8Array,
  additionalData: Uint8Array,
  sealed: Uint8Array,
) => string | null;

/**
 * Makes what decrypts with AES-256-GCM at once; `null` where crypto.subtle is to
 * do it. Bun's has another thread do it, and for a cookie the way there and back
 * takes four times as long as the work.
 */
export function createDecipher(key: Uint8Array): Decipher | null {
  if (!("Bun" in globalThis)) return null;
  // Asked for, never imported: Workers may not have it.
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(name: string): NodeCrypto };
  };
  const node = process.getBuiltinModule("node:crypto");
  return (iv, additionalData, sealed) => {
    try {
      // The tag has 16 bytes; less will not do (NIST SP 800-38D, appendix C).
      const decipher = node.createDecipheriv("aes-256-gcm", key, iv, {
        authTagLength: 16,
      });
      decipher.setAAD(additionalData);
      decipher.setAuthTag(sealed.subarray(-16));
      const text = decipher.update(sealed.subarray(0, -16), undefined, "utf8");
      // This checks the tag: before it, nothing is believed.
      return text + decipher.final("utf8");
    } catch {
      return null;
    }
  };
}
