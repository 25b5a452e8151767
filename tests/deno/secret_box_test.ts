/** The form of sealed cookies, held against another implementation. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { createDecipheriv, hkdfSync } from "node:crypto";
import { SecretBox } from "../../session/internal.ts";

const SECRET = "a secret of more than thirty-two characters";

Deno.test("SecretBox encrypts with AES-256-GCM, the key by HKDF-SHA-256, the name as additional data (SP 800-38D, RFC 5869)", async () => {
  const sealed = await new SecretBox([SECRET]).encrypt("__Host-é", "text é");
  const [id, rest] = sealed.split(".");
  assertEquals(id, derived("key id", 6).toString("base64url"));
  const bytes = Buffer.from(rest, "base64url");
  assertEquals(bytes.length, 12 + 12 + "text é".length + 1 + 16);
  const decipher = createDecipheriv(
    "aes-256-gcm",
    derived("encryption", 32, bytes.subarray(0, 12)),
    bytes.subarray(12, 24),
  );
  decipher.setAAD(Buffer.from("__Host-é"));
  decipher.setAuthTag(bytes.subarray(-16));
  const opened = decipher.update(bytes.subarray(24, -16), undefined, "utf8");
  assertEquals(opened + decipher.final("utf8"), "text é");
});

Deno.test("SecretBox never uses an initialisation vector twice (SP 800-38D, 8)", async () => {
  const cipher = new SecretBox([SECRET]);
  const sealed = await Promise.all(
    Array.from({ length: 1_000 }, () => cipher.encrypt("name", "text")),
  );
  const vectors = sealed.map((text) => text.split(".")[1].slice(16, 32));
  assertEquals(new Set(vectors).size, 1_000);
  assertEquals(new Set(sealed.map((text) => text.slice(-22))).size, 1_000);
});

Deno.test("SecretBox takes another key long before a key has sealed 2^32 messages (SP 800-38D, 8.3)", async () => {
  const cipher = new SecretBox([SECRET], 3);
  const sealed: string[] = [];
  for (let n = 0; n < 7; n++) sealed.push(await cipher.encrypt("name", `${n}`));
  const salts = sealed.map((text) => text.split(".")[1].slice(0, 16));
  assertEquals(new Set(salts.slice(0, 3)).size, 1);
  assertEquals(new Set(salts.slice(3, 6)).size, 1);
  assertEquals(new Set(salts).size, 3);
  // Any other process with the secret opens them.
  const other = new SecretBox([SECRET]);
  for (const [n, text] of sealed.entries()) {
    assertEquals(await other.decrypt("name", text), `${n}`);
  }
  assertNotEquals(
    (await other.encrypt("name", "")).slice(0, 25),
    sealed[0].slice(0, 25),
  );
});

Deno.test(
  "SecretBox decrypts the cookies of more processes than it remembers keys of",
  { timeout: 300_000 },
  async () => {
    const sealed: string[] = [];
    for (let n = 0; n < 1_100; n++) {
      sealed.push(await new SecretBox([SECRET]).encrypt("name", `${n}`));
    }
    const cipher = new SecretBox([SECRET]);
    for (let round = 0; round < 2; round++) {
      for (const [n, text] of sealed.entries()) {
        assertEquals(await cipher.decrypt("name", text), `${n}`);
      }
    }
  },
);

Deno.test("SecretBox tells names apart, in any order", async () => {
  const cipher = new SecretBox([SECRET]);
  const names = ["a", "b", "a.b", ""];
  for (const name of names) {
    const sealed = await cipher.encrypt(name, `text of ${name}`);
    for (const other of names) {
      const expected = other === name ? `text of ${name}` : null;
      assertEquals(await cipher.decrypt(other, sealed), expected);
    }
  }
});

Deno.test("SecretBox decrypts nothing that is written another way", async () => {
  const cipher = new SecretBox([SECRET]);
  const sealed = await cipher.encrypt("name", "text!");
  // Values whose last character has unused bits: these must be zero.
  for (const text of ["text", "text!!"]) {
    const other = await cipher.encrypt("name", text);
    const last = ALPHABET.indexOf(other.at(-1)!);
    const changed = other.slice(0, -1) + ALPHABET[last + 1];
    assertNotEquals(changed, other);
    assertEquals(await cipher.decrypt("name", changed), null);
  }
  for (
    const text of [`${sealed}=`, ` ${sealed}`, `${sealed} `, `${sealed}\n`]
  ) {
    assertEquals(await cipher.decrypt("name", text), null);
  }
});

const ALPHABET =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Derives a key from the secret with HKDF (RFC 5869). */
function derived(
  purpose: string,
  length: number,
  salt: Uint8Array = new Uint8Array(),
): Buffer {
  const info = `gatehouse session cookie, ${purpose}`;
  return Buffer.from(hkdfSync("sha256", SECRET, salt, info, length));
}
