import { html, type Markup } from "../../router/content/mod.ts";
import { encodeBytes, withCorrection } from "./qr_bytes.ts";

/**
 * The error correction of level L by version, as the number of blocks and the number
 * of bytes that each block adds (ISO/IEC 18004, table 9). A screen has no scratches,
 * and larger modules are easier to scan. Modules of longer codes are too small.
 */
const CORRECTION = [
  [1, 7],
  [1, 10],
  [1, 15],
  [1, 20],
  [1, 26],
  [2, 18],
  [2, 20],
  [2, 24],
  [2, 30],
  [4, 18],
  [4, 20],
  [4, 24],
  [4, 26],
  [4, 30],
  [6, 22],
  [6, 24],
  [6, 28],
  [6, 30],
  [7, 28],
  [8, 28],
] as const;

/** The light modules around a code, as scanners expect them. */
const MARGIN = 4;

/**
 * Creates an image of a QR code as SVG, which needs no file and no style.
 *
 * @param text The text.
 * @param label The name of the image, for screen readers.
 * @returns The image; `null` if the text has more than 858 bytes.
 */
export function qrImage(text: string, label: string): Markup | null {
  const code = createQRCode(text);
  if (code === null) return null;
  const size = code.length + 2 * MARGIN;
  const lines = code.flatMap((row, y) =>
    [...row.map(Number).join("").matchAll(/1+/g)].map(({ 0: run, index }) =>
      `M${index + MARGIN} ${y + MARGIN}.5h${run.length}`
    )
  );
  // Scanners need dark modules on a light ground, also on dark pages.
  return html`
    <svg class="qr" role="img" aria-label="${label}"
      viewBox="0 0 ${size} ${size}"
      shape-rendering="crispEdges">
      <path fill="#fff"
        d="M0 0h${size}v${size}H0z" />
      <path stroke="#000" d="${lines.join(
        "",
      )}" />
    </svg>
  `;
}

/**
 * Creates a QR code (ISO/IEC 18004) in byte mode, with error correction of level L.
 *
 * @param text The text.
 * @returns The rows of modules, `true` for dark ones; `null` if the text has more than
 * 858 bytes.
 */
export function createQRCode(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  for (const [index, [blocks, added]] of CORRECTION.entries()) {
    const version = index + 1;
    const frame = createFrame(version);
    const free = frame.flat().filter((module) => module === undefined).length;
    const room = (free >> 3) - blocks * added;
    // The mode takes 4 bits, and the number of bytes 8 or 16.
    if (bytes.length > room - (version < 10 ? 2 : 3)) continue;
    const data = encodeBytes(bytes, version, room);
    const filled = fill(frame, withCorrection(data, blocks, added));
    const masked = MASKS.map((_, mask) => applyMask(filled, frame, mask));
    const penalties = masked.map(penaltyOf);
    return masked[penalties.indexOf(Math.min(...penalties))]!;
  }
  return null;
}

/** The modules of a code. `undefined` is a module for data. */
type Frame = (boolean | undefined)[][];

/** Creates the modules that are the same for all codes of a version. */
function createFrame(version: number): Frame {
  const size = 4 * version + 17;
  const frame: Frame = Array.from(
    { length: size },
    () => Array(size).fill(undefined),
  );
  const end = size - 7;
  const centers = alignmentOf(version, end);
  for (const y of centers) {
    for (const x of centers) {
      // The other corners have finder patterns.
      const isCorner = [[6, 6], [6, end], [end, 6]]
        .some(([a, b]) => a === x && b === y);
      if (!isCorner) drawSquares(frame, x, y, 2);
    }
  }
  for (let i = 8; i < size - 8; i++) {
    frame[6]![i] = frame[i]![6] = i % 2 === 0;
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    drawSquares(frame, x, y, 4);
  }
  drawVersion(frame, version);
  // The mask decides these modules, which are reserved until then.
  drawFormat(frame, 0);
  return frame;
}

/** Returns the coordinates of the centers of alignment patterns (annex E). */
function alignmentOf(version: number, end: number): number[] {
  if (version === 1) return [];
  const gaps = Math.floor(version / 7) + 1;
  const step = 2 * Math.ceil((end - 6) / gaps / 2);
  const centers = Array.from({ length: gaps }, (_, i) => end - i * step);
  return [...centers, 6];
}

/** Draws squares in each other, as far as they are on the code. */
function drawSquares(
  frame: Frame,
  centerX: number,
  centerY: number,
  reach: number,
): void {
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const row = frame[centerY + dy];
      const x = centerX + dx;
      if (row === undefined || x < 0 || x >= frame.length) continue;
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      row[x] = reach === 4 ? distance !== 2 && distance !== 4 : distance !== 1;
    }
  }
}

/** Draws the version, which codes have from version 7 (section 7.10). */
function drawVersion(frame: Frame, version: number): void {
  if (version < 7) return;
  const bits = withRemainder(version, 12, 0x1f25);
  for (let i = 0; i < 18; i++) {
    const [short, long] = [Math.floor(i / 3), frame.length - 11 + i % 3];
    frame[short]![long] = frame[long]![short] = (bits >> i & 1) === 1;
  }
}

/** Draws the level of error correction and the mask, twice (section 7.9). */
function drawFormat(frame: Frame, mask: number): void {
  const bits = withRemainder(1 << 3 | mask, 10, 0x537) ^ 0x5412;
  const last = frame.length - 1;
  for (let i = 0; i < 15; i++) {
    const isDark = (bits >> i & 1) === 1;
    const near = i + Number(i > 5);
    const y = i < 8 ? near : 8;
    const x = i < 8 ? 8 : i === 8 ? 7 : 14 - i;
    frame[y]![x] = isDark;
    if (i < 8) frame[8]![last - i] = isDark;
    else frame[last - 14 + i]![8] = isDark;
  }
  frame[last - 7]![8] = true;
}

/** Appends the remainder of a division of polynomials over two elements. */
function withRemainder(value: number, bits: number, divisor: number): number {
  let rest = value << bits;
  for (let i = 31 - Math.clz32(rest); i >= bits; i--) {
    if (rest >> i & 1) rest ^= divisor << i - bits;
  }
  return value << bits | rest;
}

/** Places the bits in columns of two, from right to left (section 7.7.3). */
function fill(frame: Frame, bytes: readonly number[]): boolean[][] {
  const filled = frame.map((row) => [...row]);
  const { length: size } = frame;
  let next = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    // The column 6 is a timing pattern.
    if (right === 6) right--;
    const isUp = (size - right >> 1) % 2 === 0 !== right < 6;
    for (let i = 0; i < size; i++) {
      const row = filled[isUp ? size - 1 - i : i]!;
      for (const x of [right, right - 1]) {
        if (row[x] !== undefined) continue;
        row[x] = ((bytes[next >> 3] ?? 0) >> 7 - next % 8 & 1) === 1;
        next++;
      }
    }
  }
  return filled as boolean[][];
}

/** The conditions under which a mask inverts a module (section 7.8.2). */
const MASKS: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + (y >> 1)) % 2,
  (x, y) => x * y % 2 + x * y % 3,
  (x, y) => (x * y % 2 + x * y % 3) % 2,
  (x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

function applyMask(
  filled: readonly boolean[][],
  frame: Frame,
  mask: number,
): boolean[][] {
  const masked = filled.map((row, y) =>
    row.map((module, x) =>
      frame[y]![x] === undefined && MASKS[mask]!(x, y) === 0 ? !module : module
    )
  );
  drawFormat(masked, mask);
  return masked;
}

/** Rates a code: a lower number is easier to scan (section 7.8.3). */
function penaltyOf(code: readonly boolean[][]): number {
  const columns = code.map((_, x) => code.map((row) => row[x]!));
  const lines = [...code, ...columns]
    .map((line) => line.map(Number).join(""));
  let penalty = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) {
      penalty += run.length - 2;
    }
    // Scanners could take these modules for a finder pattern.
    const finders = line.match(/0000(?=1011101)|1011101(?=0000)/g) ?? [];
    penalty += 40 * finders.length;
  }
  for (const [index, row] of code.slice(1).entries()) {
    const above = code[index]!;
    for (let x = 1; x < row.length; x++) {
      const isSquare = row[x] === row[x - 1] && row[x] === above[x] &&
        row[x] === above[x - 1];
      if (isSquare) penalty += 3;
    }
  }
  const dark = code.flat().filter(Boolean).length / code.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
