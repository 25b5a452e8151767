import { assert, assertEquals, assertThrows } from "@std/assert";
import { createCookieSessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

const weak = [
  "a".repeat(32),
  "a".repeat(1_000),
  `${"a".repeat(31)}b`,
  "ab".repeat(16),
  "changeme".repeat(4),
  "supersecretsupersecretsupersecre",
  "password1234password1234password",
  "0123456789abcdef0123456789abcdef",
  "abcdefghijklmnopqrstuvwxyzabcdef",
  "00000000-0000-0000-0000-000000000000",
  "12345678901234567890123456789012",
  "################################",
];

for (const secret of weak) {
  Deno.test(`createCookieSessionStore() rejects the secret "${secret.slice(0, 40)}"`, () => {
    for (
      const create of [
        () => createCookieSessionStore({ secrets: [secret] }),
        () => session({ secrets: [secret] }),
      ]
    ) {
      const { message } = assertThrows(
        create,
        RangeError,
        'secrets[0] is too easy to guess, create one with "openssl rand -base64 32"',
      );
      assert(!message.includes(secret));
    }
  });
}

Deno.test("createCookieSessionStore() accepts any secret from a random source", () => {
  const bytes = (count: number) =>
    crypto.getRandomValues(new Uint8Array(count));
  const hex = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  for (let round = 0; round < 200; round++) {
    const secrets = [
      hex(bytes(16)),
      hex(bytes(32)),
      base64(bytes(24)),
      base64(bytes(32)),
      crypto.randomUUID(),
      Array.from(bytes(32), (byte) => byte % 10).join(""),
    ];
    assertEquals(createCookieSessionStore({ secrets }).kind, "cookie");
  }
});
