/**
 * Gives tests RSA keys from known primes. Deno needs half a second to find new
 * primes, and other runtimes a tenth of a second.
 */

/** Prime numbers of 1,024 bits. Each pair of them makes a different key. */
const PRIMES = [
  "0xdfe56c14bf51b1964d5df2ac68d1ab1a04386991d2e304a082931f6585c17a31bc4321196e3ee12df3b7d5851564ba6c7ef4a7abf4bfd11d782db0727f18234e0d6762350bb3c209972c8554d27a63f7e36cc8eb502081a28e0529a0da0a9ec204e85745c4a6700fee10eec0f0c4e0008dcb6600409a547c2140b6ee7bef9893",
  "0xebde8d682c06b394a34984adbecdf666bb456ecdc10d4e86ba624a82a2c597e60df213de0ce7d7389e0935723a37aa971b4018331a0eee3f92d0760fd833dc2a842adfc626f2cc6efcd6e2fd2573ed342bf9d71ed7169783dfc603d5b30d48d1b03d70dfaadf2b7621dd4aabfc61b8257c583547af4aaf3baf9a6e0a224033cf",
  "0xcdf7eb6a8c2561a15de8a720de3582a2e4f776b2aeb7f07e366f852138eb228dee1c6ed4c0c5ce22201d062289b6044f0f917732fb87d8ad863414f5c89bfea374161b161ba08029cad75c43de8ec8e9a64e4ab1484d1d6797cb62d168bfe9a367119bdfab1b7710612e5f17550a612e60b2f41c2e07f3ab84db1f08bcf16557",
  "0xfe1107c39f0c8252d37c85203d074612db46835d01d683f08365e5220600ece219ff0e94498989ebf4cafe64faf6be806b8cd469880b77c9b443c30cc801635821697b05e048f0abafb7f902f824ee4ea638bc92f9f7bdd372973e11c91ad0f66afaaefdb5535ae19b74f79d7b2a6c44a55ed512dbb174ec5c76cc7c2fb76af5",
  "0xcfeadf2a734b7f5e9af5b70a844b4f1e5cf127317b38eca15b98b78011d2dca7ace8d424b22646f660f0591f55132c2940f9f8140a6f038fa103e96130435c1997aef079b1755762d597a154974aa8986af3bc82680473f699da980df0faaa2dd9eba631602680d3e72b39580bbb778a826279120e67fa30627af3eb484a8043",
  "0xd525002c2a6c84dc14d04b5f497df6a85456e870e6cf01d3253047efbccf99d2184924a10a8f2c4281b417b04d961dfd24a6b83285ce2e46609312928f459ed39192946a3ad5688e4a2f3feb6c05ef2cf49768d92eccff3d6d03414078366bae1c5b56611cc78626abd7a288e6cde2dc2766ad3fc91573b5a388c1fd0a4b9c91",
  "0xe3ac69de6b788ef3b72cbdb780c333e3d87d593d158a8a152a506293fa794378116801ffe31650451af00ca00746580fd67bf0ea32103c71ceb72482071eeba32b63db0ce47720ef61eda692565d748ffd68c9f0d3ccfc36d1964fba52d93f654ebce18d33f9ebc7684dad34cd412e00f1e27cc61b8958071593f216d3dd6abb",
  "0xed51a1934a658c04050b79317b254e2e16e8a0e197371c956adefaf69c17cf7bd60662b40dc624af2e606b875e1b9d6c0dc686d981ca5ac1030a990fa0c4e719e9c1bc9b1afe014acb478a37982c3920ee2e2e31e4e7ea591437bd9906fa2c7a39db408a1fe4a7cf09e6a55f04e14bbec4153998afe94dc1b6785ea89b761ffb",
  "0xc2e72e152b155bca92a77892cb034df3e67f3cb136f2ba05d1fa5ae2758975d8aa240b79087357e54f15d0ce4ac6e8b14335f930012fb00d9d8940191ed91ee0a2699c26dfee2c9eac2b1ad4fe94400f209b2062db7e5d21dc596006e508bd166fbb7760de89f4b2faaa17ebe70ace2f10a72b8c27268f73249a78b99a7a0d7d",
  "0xc286faa22d92f03d4b4abe989de0d1d1a7bfe30e95214fb73b178f2df04238d5cb2632a451e1f4b2a6ba67f4bbe1fa8347acb3167025b0858ad403510d395bfb90399d88c07847564dfe222acc16aa935d3f7f99c5920828d993f891c1fa9c1df6679ff0d1474738275f1cb1c9ff1f26fa17dc1f34de4f0c59e80df7c872e6ed",
  "0xc2bb5f80808ef555d7858c23a243e2a94817b0c4e75d227d9245ca82fd6721b010bacffb1f18166c99e4dbe8817667c907cc13de6e6e23bb046a5605048b2efb66f2b933572a5b3b0d4c84f6bdbb95064fddd1b4d996ea19054a72c5c2b3f1780c4702d0f93a6bc630834453e4e5b44be89cc80b2eed969cbdcba2f291e736f1",
  "0xcb3e472b8c7a5547caf3175300f88a2ee58ce18d595f09ef330bed4df470a49bc04dfca68434c7d62bc1afd9f4cde2ebc8bfb222dada1da30946e73c310f271242e165d5b61c34da81287f2e142e2f7b9768b2cd2e8f67a80cecaf919d69c3b3d779666a7d3c3aef6553212196b597580b10f686d4672e7858a44376f4f14721",
  "0xf64788af27d0838f115765168921153e13191deab88525121b908574070dc522d7883eb9b6d956fb797a6f58733004c871111a2d87141ae8de2341eeeb33281f97e477935ed7af6c44f4a269df5a293def701b4217da9cf0766b5f654f07698ee41fb2c43f67c4553228e5aebf9d5a8d35be218f9b3f587d31460e669f68c15f",
  "0xf4e5adcddb8a4bc02de4605648cc74ecb189fdbf6940f461941842053a8a76932396bbb4faca30a06204150c553b72555b39f45d10d7d6af6931a5e410d94c9b84009b3f1689424d7233629562ead96ab0239f207965eb901dae8b00657e6a354187ea3ec86db2ac5ebe0ca305c88931bba3c2ccaeff64930d5ca41bdefc0165",
].map(BigInt);

/** The pairs of primes that no key has yet. */
const unused = PRIMES.flatMap((p, index) =>
  PRIMES.slice(index + 1).map((q) => [p, q] as const)
);

const generateKey = SubtleCrypto.prototype.generateKey as (
  this: SubtleCrypto,
  params: RsaHashedKeyGenParams,
  extractable: boolean,
  usages: KeyUsage[],
) => Promise<CryptoKeyPair>;

Object.assign(SubtleCrypto.prototype, { generateKey: makeKeys });

/** Makes a usual RSA key pair from two primes, and generates all other keys. */
async function makeKeys(
  this: SubtleCrypto,
  params: RsaHashedKeyGenParams,
  extractable: boolean,
  usages: KeyUsage[],
): Promise<CryptoKeyPair> {
  const jwk = isUsual(params, usages) && createJWK(params.publicExponent);
  if (!jwk) return await generateKey.call(this, params, extractable, usages);
  const { kty, n, e } = jwk;
  const [publicKey, privateKey] = await Promise.all([
    this.importKey("jwk", { kty, n, e }, params, true, ["verify"]),
    this.importKey("jwk", jwk, params, extractable, ["sign"]),
  ]);
  return { publicKey, privateKey };
}

/** Returns `true` for signatures with keys of 2,048 bits. */
function isUsual(params: RsaHashedKeyGenParams, usages: KeyUsage[]): boolean {
  return ["RSASSA-PKCS1-v1_5", "RSA-PSS"].includes(params.name) &&
    params.modulusLength === 2048 &&
    [...usages].sort().join() === "sign,verify";
}

/** Creates a private key from two unused primes. Its exponent is a prime, too. */
function createJWK(exponent: Uint8Array): JsonWebKey | null {
  const e = exponent.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const index = unused.findIndex((pair) => pair.every((p) => p % e !== 1n));
  const [pair] = index < 0 ? [] : unused.splice(index, 1);
  return pair ? toJWK(...pair, e) : null;
}

/** Returns the private key of two primes (RFC 8017, section 3.2). */
function toJWK(p: bigint, q: bigint, e: bigint): JsonWebKey {
  const d = inverse(e, (p - 1n) * (q - 1n));
  const [dp, dq] = [d % (p - 1n), d % (q - 1n)];
  const numbers = { n: p * q, e, d, p, q, dp, dq, qi: inverse(q, p) };
  const parts = Object.entries(numbers)
    .map(([name, number]) => [name, encode(number)]);
  return { kty: "RSA", ...Object.fromEntries(parts) };
}

/** Computes the inverse of a number with the algorithm of Euclid. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulus, number, 0n, 1n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - a / b * y];
  return x < 0n ? x + modulus : x;
}

function encode(number: bigint): string {
  let bytes = "";
  for (let rest = number; rest > 0n; rest >>= 8n) {
    bytes = String.fromCharCode(Number(rest & 255n)) + bytes;
  }
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}
