/** Compares the CBOR decoder of passkeys with another one. */
import { assert, assertEquals } from "@std/assert";
import { decodePartialCBOR, encodeCBOR } from "npm:@levischuck/tiny-cbor@0.3.6";
import { decodeCBORMap, decodeCBORPrefix } from "../../auth/passkey/_cbor.ts";

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));

/** The examples of RFC 8949, appendix A, that authenticators could send. */
const valid: [hex: string, value: unknown][] = [
  ["00", 0],
  ["17", 23],
  ["1818", 24],
  ["1903e8", 1000],
  ["1a000f4240", 1000000],
  ["1affffffff", 4294967295],
  ["20", -1],
  ["3863", -100],
  ["3903e7", -1000],
  ["f4", false],
  ["f5", true],
  ["f6", null],
  ["40", new Uint8Array()],
  ["4401020304", new Uint8Array([1, 2, 3, 4])],
  ["60", ""],
  ["6161", "a"],
  ["62c3bc", "ü"],
  ["64f0908591", "𐅑"],
  ["80", []],
  ["83010203", [1, 2, 3]],
  ["8301820203820405", [1, [2, 3], [4, 5]]],
  ["a0", new Map()],
  ["a201020304", new Map([[1, 2], [3, 4]])],
  ["a26161016162820203", new Map<unknown, unknown>([["a", 1], ["b", [2, 3]]])],
];

for (const [hex, value] of valid) {
  Deno.test(`decodeCBORPrefix() decodes ${hex}`, () => {
    const bytes = bytesOf(hex);
    assertEquals(decodeCBORPrefix(bytes), { value, length: bytes.length });
    const longer = new Uint8Array([...bytes, 0xff]);
    assertEquals(decodeCBORPrefix(longer)?.length, bytes.length);
  });
}

const invalid: [name: string, hex: string][] = [
  ["nothing", ""],
  ["a long form of a small number", "1817"],
  ["two bytes for one", "1900ff"],
  ["four bytes for two", "1a0000ffff"],
  ["eight bytes", "1b000000e8d4a51000"],
  ["reserved information", "1c"],
  ["an endless byte string", "5f42010243030405ff"],
  ["an endless string", "7f657374726561646d696e67ff"],
  ["an endless array", "9fff"],
  ["an endless map", "bfff"],
  ["a tag", "c074"],
  ["a float", "f93c00"],
  ["undefined", "f7"],
  ["another simple value", "f0"],
  ["a simple value of one byte", "f8ff"],
  ["a break", "ff"],
  ["a short byte string", "44010203"],
  ["a huge byte string", "5affffffff"],
  ["a string that is not UTF-8", "61ff"],
  ["half a surrogate", "63eda080"],
  ["a short array", "8301"],
  ["a huge array", "9affffffff"],
  ["a map without its last value", "a2010203"],
  ["a huge map", "baffffffff"],
  ["duplicate numbers", "a201020103"],
  ["duplicate strings", "a2616101616102"],
  ["a byte string as key", "a1410100"],
  ["an array as key", "a18000"],
  ["a boolean as key", "a1f500"],
];

for (const [name, hex] of invalid) {
  Deno.test(`decodeCBORPrefix() refuses ${name}`, () => {
    assertEquals(decodeCBORPrefix(bytesOf(hex)), null);
  });
}

Deno.test("decodeCBORPrefix() limits nesting and size", () => {
  const nested = (depth: number) =>
    new Uint8Array([...Array(depth).fill(0x81), 0]);
  assert(decodeCBORPrefix(nested(8)) !== null);
  assertEquals(decodeCBORPrefix(nested(9)), null);
  assertEquals(decodeCBORPrefix(nested(30_000)), null);
  assertEquals(decodeCBORPrefix(new Uint8Array(32_769)), null);
});

Deno.test("decodeCBORMap() refuses trailing bytes and other types", () => {
  assertEquals(decodeCBORMap(bytesOf("a10102"))?.get(1), 2);
  assertEquals(decodeCBORMap(bytesOf("a1010200")), null);
  assertEquals(decodeCBORMap(bytesOf("80")), null);
});

Deno.test("decodeCBORPrefix() reads no byte beyond the end of its view", () => {
  const whole = bytesOf("4401020304");
  assertEquals(decodeCBORPrefix(whole.subarray(0, 3)), null);
});

Deno.test("decodeCBORPrefix() decodes random values and bytes as tiny-cbor does", () => {
  let decoded = 0;
  for (let round = 0; round < 20_000; round++) {
    const bytes = round % 2 === 0
      ? new Uint8Array(encodeCBOR(randomValue(3)))
      : crypto.getRandomValues(new Uint8Array(1 + round % 12));
    if (round % 4 === 2) bytes[Math.floor(Math.random() * bytes.length)]! ^= 1;
    const ours = decodeCBORPrefix(bytes);
    if (ours === null) continue;
    decoded++;
    const [value, length] = decodePartialCBOR(bytes, 0);
    assertEquals(ours, { value, length });
  }
  assert(decoded > 8_000, `${decoded}`);
});

type Value =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | Value[]
  | Map<
    string | number,
    Value
  >;

function randomValue(depth: number): Value {
  const kind = Math.floor(Math.random() * (depth > 0 ? 7 : 5));
  const size = Math.floor(Math.random() * 5);
  switch (kind) {
    case 0:
      return Math.floor(Math.random() * 2 ** (1 + Math.random() * 31));
    case 1:
      return -1 - Math.floor(Math.random() * 2 ** (1 + Math.random() * 31));
    case 2:
      return crypto.getRandomValues(new Uint8Array(size * 70));
    case 3:
      return "aé🔑".repeat(size * 5);
    case 4:
      return [true, false, null][size % 3]!;
    case 5:
      return Array.from({ length: size }, () => randomValue(depth - 1));
    default:
      return new Map(
        Array.from({ length: size }, (_value, index) => [
          index % 2 === 0 ? index * 7 : `key ${index}`,
          randomValue(depth - 1),
        ]),
      );
  }
}
