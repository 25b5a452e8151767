/** Encodes bytes with their mode and number, and fills the room (section 7.4). */
export function encodeBytes(
  bytes: Uint8Array,
  version: number,
  room: number,
): number[] {
  const { length } = bytes;
  const count = version < 10 ? [length] : [length >> 8, length & 255];
  // The mode shifts all bytes by half a byte.
  const shifted = [4, ...count, ...bytes, 0].map((byte, index, all) =>
    ((index === 0 ? 0 : all[index - 1]!) << 4 | byte >> 4) & 255
  ).slice(1);
  const padding = Array.from(
    { length: room - shifted.length },
    (_, index) => index % 2 === 0 ? 0xec : 0x11,
  );
  return [...shifted, ...padding];
}

/** Splits the bytes into blocks with error correction (section 7.6). */
export function withCorrection(
  data: readonly number[],
  count: number,
  added: number,
): number[] {
  const divisor = divisorOf(added);
  const short = Math.floor(data.length / count);
  const firstLong = count - data.length % count;
  const blocks = Array.from({ length: count }, (_, index) => {
    const start = index * short + Math.max(0, index - firstLong);
    return data.slice(start, start + short + Number(index >= firstLong));
  });
  const corrections = blocks.map((block) => correctionOf(block, divisor));
  const columns = (rows: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, i) => rows.flatMap((row) => row[i] ?? []))
      .flat();
  return [...columns(blocks, short + 1), ...columns(corrections, added)];
}

/** Returns the coefficients of the generator polynomial, without the first. */
function divisorOf(degree: number): number[] {
  let result = [1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    result = [...result, 0].map((one, index) =>
      one ^ multiply(result[index - 1] ?? 0, root)
    );
    root = multiply(root, 2);
  }
  return result.slice(1);
}

function correctionOf(
  block: readonly number[],
  divisor: readonly number[],
): number[] {
  return block.reduce((rest: number[], byte) => {
    const factor = byte ^ rest[0]!;
    return divisor.map((one, index) =>
      (rest[index + 1] ?? 0) ^ multiply(one, factor)
    );
  }, Array(divisor.length).fill(0));
}

/** Multiplies in the field of 256 elements with the polynomial 0x11d. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = product << 1 ^ (product >> 7) * 0x11d ^ (b >> i & 1) * a;
  }
  return product;
}
