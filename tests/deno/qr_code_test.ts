/** QR codes, compared with two other programs: one creates codes, one reads them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import jsqr from "npm:jsqr@1.4.0";
import { encode } from "npm:uqr@0.1.3";
import { createQRCode, qrImage } from "../../accounts/pages/qr_code.ts";

// The package has types of another kind of module than its code.
const decode = jsqr as unknown as typeof jsqr.default;

/** The maximum number of bytes in a code of each version. */
const ROOM = [
  ...[17, 32, 53, 78, 106, 134, 154, 192, 230, 271],
  ...[321, 367, 425, 458, 520, 586, 644, 718, 792, 858],
];

Deno.test("createQRCode() creates the modules of another program, in each version (ISO/IEC 18004)", () => {
  for (const [index, room] of ROOM.entries()) {
    for (const count of [(ROOM[index - 1] ?? 0) + 1, room]) {
      const text = textOf(count);
      const code = createQRCode(text);
      const others = Array.from(
        { length: 8 },
        (_, maskPattern) =>
          encode(text, { ecc: "L", boostEcc: false, border: 0, maskPattern })
            .data.join(),
      );
      assert(others.includes(code!.join()), `${count} bytes`);
      assertEquals(code!.length, 4 * (index + 1) + 17, `${count} bytes`);
    }
  }
});

Deno.test("createQRCode() creates codes that a scanner reads", () => {
  const uri =
    "otpauth://totp/Rechnungen%20M%C3%BCller:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Rechnungen%20M%C3%BCller";
  for (const text of [uri, "ä😀", "x", "0".repeat(858), textOf(300)]) {
    assertEquals(read(createQRCode(text)!), text);
  }
});

Deno.test("createQRCode() prefers a mask without large areas of one color", () => {
  const code = createQRCode("\0".repeat(100))!;
  const dark = code.flat().filter(Boolean).length / code.length ** 2;
  assert(dark > 0.4 && dark < 0.6, String(dark));
  const rows = code.map((row) => row.map(Number).join(""));
  const longest = rows.flatMap((row) => row.match(/0+|1+/g) ?? [])
    .reduce((most, run) => Math.max(most, run.length), 0);
  assert(longest < 12, String(longest));
});

Deno.test("createQRCode() chooses the first mask with the lowest penalty (section 7.8.3)", () => {
  const chosen = new Set<number>();
  for (let length = 1; length <= 60; length++) {
    const text = textOf(length);
    const masked = Array.from(
      { length: 8 },
      (_, maskPattern) =>
        encode(text, { ecc: "L", boostEcc: false, border: 0, maskPattern })
          .data,
    );
    const penalties = masked.map(penaltyOf);
    const best = penalties.indexOf(Math.min(...penalties));
    chosen.add(best);
    assertEquals(createQRCode(text), masked[best], `${length} bytes`);
  }
  assertEquals(chosen.size, 8);
});

Deno.test("qrImage() has the modules of the code, a margin, and an escaped name", () => {
  const image = String(qrImage("otpauth://totp/x", 'The "key"'));
  assertStringIncludes(image, 'role="img" aria-label="The &quot;key&quot;"');
  assertStringIncludes(image, 'viewBox="0 0 29 29"');
  const code = createQRCode("otpauth://totp/x")!;
  const drawn = code.map((row) => row.map(() => false));
  for (const [, x, y, width] of image.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)) {
    for (let i = 0; i < Number(width); i++) {
      drawn[Number(y) - 4]![Number(x) - 4 + i] = true;
    }
  }
  assertEquals(drawn, code);
});

Deno.test("createQRCode() and qrImage() return null for a text that is too long", () => {
  assertEquals(createQRCode("x".repeat(859)), null);
  assertEquals(createQRCode("ä".repeat(430)), null);
  assertEquals(qrImage("x".repeat(10_000), "Key"), null);
});

/** Returns a text of the length that looks like a URI. */
function textOf(length: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz:/?&%";
  return Array.from({ length }, (_, i) => letters[(i * 7 + length) % 31])
    .join("");
}

/** Reads a code as a scanner does, from an image with four pixels per module. */
function read(code: readonly boolean[][]): string | undefined {
  const size = (code.length + 8) * 4;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!code[(y >> 2) - 4]?.[(x >> 2) - 4]) continue;
      pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  }
  const found = decode(pixels, size, size);
  return found === null
    ? undefined
    : new TextDecoder().decode(new Uint8Array(found.binaryData));
}

/** Rates a code by the four features of the standard, one position at a time. */
function penaltyOf(code: readonly boolean[][]): number {
  const columns = code.map((_, x) => code.map((row) => row[x]!));
  const lines = [...code, ...columns]
    .map((line) => line.map((dark) => dark ? "#" : ".").join(""));
  let penalty = 0;
  for (const line of lines) {
    for (const { length } of line.match(/#+|\.+/g) ?? []) {
      if (length >= 5) penalty += 3 + length - 5;
    }
    for (let start = 0; start < line.length; start++) {
      const part = line.slice(start, start + 11);
      if (part === "#.###.#....") penalty += 40;
      if (part === "....#.###.#") penalty += 40;
    }
  }
  for (let y = 0; y + 1 < code.length; y++) {
    for (let x = 0; x + 1 < code.length; x++) {
      const others = [code[y]![x + 1], code[y + 1]![x], code[y + 1]![x + 1]];
      if (others.every((one) => one === code[y]![x])) penalty += 3;
    }
  }
  const dark = code.flat().filter(Boolean).length;
  const percent = 100 * dark / code.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(percent - 50) / 5);
}
