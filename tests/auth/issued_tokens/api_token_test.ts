import {
  createToken,
  hashToken,
  isTokenShaped,
  verifyToken,
} from "@gatehouse/web/auth";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertThrows,
} from "@std/assert";

Deno.test("createToken() returns a prefix, 256 random bits and a checksum, valid in a Bearer header (RFC 6750, 2.1)", () => {
  const token = createToken({ prefix: "acme_api" });
  assertMatch(token, /^acme_api_[0-9A-Za-z]{49}$/);
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  assertEquals(headers.get("Authorization"), `Bearer ${token}`);
});

Deno.test("createToken() never repeats a token and uses all digits equally (ASVS 11.5.1)", () => {
  const tokens = new Set<string>();
  const counts = new Map<string, number>();
  for (let time = 0; time < 2_000; time++) {
    const token = createToken({ prefix: "ab" });
    tokens.add(token);
    for (const digit of token.slice(3, 46)) {
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
  }
  assertEquals([tokens.size, counts.size], [2_000, 62]);
  // 86,000 digits are 1,387 of each, with a standard deviation of 37.
  for (const [digit, count] of counts) {
    assert(Math.abs(count - 1_387) < 222, `${digit} came up ${count} times`);
  }
});

Deno.test("isTokenShaped() rejects tokens with another prefix of the same length", () => {
  const token = createToken({ prefix: "read" });
  assert(isTokenShaped(token, { prefix: "read" }));
  assertFalse(isTokenShaped(token, { prefix: "full" }));
});

/** Created by hand: the checksum is zlib.crc32 in six digits of base 62. */
const KNOWN = "acme_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg1cfhE7";

Deno.test("isTokenShaped() uses the CRC-32 of secret scanners", () => {
  assert(isTokenShaped(KNOWN, { prefix: "acme" }));
});

Deno.test("isTokenShaped() detects every wrong character", () => {
  const token = createToken({ prefix: "acme" });
  assert(isTokenShaped(token, { prefix: "acme" }));
  for (const [index, digit] of [...token].entries()) {
    for (const other of [digit === "x" ? "y" : "x", "-", "", "\0"]) {
      const mistyped = token.slice(0, index) + other + token.slice(index + 1);
      assertFalse(isTokenShaped(mistyped, { prefix: "acme" }), mistyped);
    }
  }
});

const hostile = [
  "",
  " ",
  "acme",
  "acme_",
  "__proto__",
  "a".repeat(1_000_000),
  "acme_" + "0".repeat(49),
  "acme_" + "0".repeat(48) + "é",
  "acme_" + "\u0000".repeat(49),
  "ACME_" + KNOWN.slice(5),
  "other_" + KNOWN.slice(5),
  ` ${KNOWN}`,
  `${KNOWN} `,
  `${KNOWN}\n`,
  `${KNOWN}${KNOWN}`,
  "Bearer " + KNOWN,
];

Deno.test("isTokenShaped() and verifyToken() reject hostile tokens without an error", async () => {
  const hash = await hashToken(KNOWN);
  for (const token of hostile) {
    assertFalse(isTokenShaped(token, { prefix: "acme" }), token.slice(0, 80));
    assertFalse(await verifyToken(hash, token), token.slice(0, 80));
  }
});

Deno.test("isTokenShaped() rejects a token with another prefix", () => {
  const token = createToken({ prefix: "acme_api" });
  assertFalse(isTokenShaped(token, { prefix: "acme" }));
  assertFalse(isTokenShaped(token, { prefix: "acme_ap" }));
});

Deno.test("hashToken() returns the SHA-256 in base64url (FIPS 180-4, one-block message)", async () => {
  assertEquals(
    await hashToken("abc"),
    "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
  );
});

Deno.test("hashToken() returns different hashes for different tokens and hides the token", async () => {
  const [one, two] = [
    createToken({ prefix: "ab" }),
    createToken({ prefix: "ab" }),
  ];
  assertNotEquals(await hashToken(one), await hashToken(two));
  assertFalse((await hashToken(one)).includes(one.slice(3, 10)));
});

Deno.test("verifyToken() accepts only the token of a hash, and none without a stored hash", async () => {
  const token = createToken({ prefix: "acme" });
  const hash = await hashToken(token);
  assert(await verifyToken(hash, token));
  assertFalse(await verifyToken(hash, createToken({ prefix: "acme" })));
  assertFalse(await verifyToken(hash, token.toLowerCase()));
  assertFalse(await verifyToken(hash, ""));
  // A hash from a stolen table is not a token.
  assertFalse(await verifyToken(hash, hash));
  for (const nothing of [null, undefined, "", "x", hash.slice(1), hash + "A"]) {
    assertFalse(await verifyToken(nothing, token));
    assertFalse(await verifyToken(nothing, ""));
  }
});

const prefixes = [
  "",
  "a",
  "A1",
  "1a",
  "_a",
  "a_",
  "a-b",
  "a b",
  "é1",
  "a\n",
  "ab\n",
  "a".repeat(21),
];

for (const prefix of prefixes) {
  Deno.test(`createToken() throws a RangeError for the prefix ${JSON.stringify(prefix)}`, () => {
    assertThrows(() => createToken({ prefix }), RangeError, "token prefix");
    assertThrows(() => isTokenShaped("x", { prefix }), RangeError);
  });
}

Deno.test("createToken() throws a TypeError for a prefix that is not a string", () => {
  for (const prefix of [undefined, null, 42, {}]) {
    assertThrows(() => createToken({ prefix: prefix as never }), TypeError);
  }
});

Deno.test("hashToken() returns the SHA-256 of Web Crypto for any string", async () => {
  const texts = ["", "a", "é", "€", "👤", "\ud800", "x\udfff", "\0", "\ufeff"];
  texts.push("ü€".repeat(5_000) + "\ud800");
  texts.push(...[55, 56, 64, 119, 5_000].map((length) => "ü€".repeat(length)));
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
    const expected = base64.replaceAll("+", "-").replaceAll("/", "_");
    assertEquals(await hashToken(text), expected.slice(0, 43));
  }
});
