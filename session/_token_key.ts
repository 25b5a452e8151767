import { encodeBase64Url } from "./_bytes.ts";

/** What the rounds add (FIPS 180-4, section 4.2.2). */
const ROUNDS = /* @__PURE__ */ rootsOfPrimes(64, Math.cbrt);

/** What hashing begins with (section 5.3.3). */
const INITIAL = /* @__PURE__ */ rootsOfPrimes(8, Math.sqrt);

// One of each for all tokens: nothing waits in the middle.
const schedule = /* @__PURE__ */ new Int32Array(64);
const hash = /* @__PURE__ */ new Uint8Array(32);
const hashView = /* @__PURE__ */ new DataView(hash.buffer);

/** Where the text of a token ends: 43 characters, which make one block. */
const END = 43;

/**
 * Hashes a token with SHA-256, as the key that its session is stored under.
 *
 * In JavaScript, and at once: crypto.subtle takes ten times as long for so
 * little, most of it on the way to another thread and back. Nothing here
 * branches or looks up by the token, so that the time tells nothing of it.
 *
 * @see {@link https://doi.org/10.6028/NIST.FIPS.180-4 | FIPS 180-4, 6.2}
 */
export function tokenKey(token: string): string {
  schedule.fill(0, 0, 15);
  for (let at = 0; at < END; at++) {
    schedule[at >> 2]! |= token.charCodeAt(at) << shiftOf(at);
  }
  schedule[END >> 2]! |= 0x80 << shiftOf(END);
  schedule[15] = END * 8;
  for (let at = 16; at < 64; at++) {
    const early = schedule[at - 15]!;
    const late = schedule[at - 2]!;
    schedule[at] = schedule[at - 16]! + schedule[at - 7]! +
        (rotate(early, 7) ^ rotate(early, 18) ^ early >>> 3) +
        (rotate(late, 17) ^ rotate(late, 19) ^ late >>> 10) | 0;
  }
  compress();
  return encodeBase64Url(hash);
}

/** Runs the 64 rounds over the message schedule. */
function compress(): void {
  // Neither arrays nor destructuring: Bun takes 30 times as long for them.
  let a = INITIAL[0]!;
  let b = INITIAL[1]!;
  let c = INITIAL[2]!;
  let d = INITIAL[3]!;
  let e = INITIAL[4]!;
  let f = INITIAL[5]!;
  let g = INITIAL[6]!;
  let h = INITIAL[7]!;
  for (let round = 0; round < 64; round++) {
    const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        (e & f ^ ~e & g) + ROUNDS[round]! + schedule[round]! | 0;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
      (a & b ^ a & c ^ b & c);
    h = g;
    g = f;
    f = e;
    e = d + first | 0;
    d = c;
    c = b;
    b = a;
    a = first + second | 0;
  }
  hashView.setInt32(0, INITIAL[0]! + a);
  hashView.setInt32(4, INITIAL[1]! + b);
  hashView.setInt32(8, INITIAL[2]! + c);
  hashView.setInt32(12, INITIAL[3]! + d);
  hashView.setInt32(16, INITIAL[4]! + e);
  hashView.setInt32(20, INITIAL[5]! + f);
  hashView.setInt32(24, INITIAL[6]! + g);
  hashView.setInt32(28, INITIAL[7]! + h);
}

/** The first 32 bits behind the point of the first primes' roots. */
function rootsOfPrimes(
  count: number,
  root: (prime: number) => number,
): Int32Array {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  }
  return Int32Array.from(primes, (prime) => root(prime) % 1 * 2 ** 32);
}

function rotate(word: number, count: number): number {
  return word >>> count | word << 32 - count;
}

/** How far a character stands from the right end of its word. */
function shiftOf(at: number): number {
  return 24 - 8 * (at & 3);
}
