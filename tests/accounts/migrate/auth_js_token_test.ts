/** Encrypted cookies of Auth.js and NextAuth 4, as RFC 7516 and RFC 7518 define them. */
import { assertEquals } from "@std/assert";
import {
  type AuthJSTokenOptions,
  takeAuthJSToken,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";

const NOW = Date.UTC(2026, 10, 28, 12);
const COOKIE = "authjs.session-token";
const secret = "AUTH_SECRET of the old application";
const GCM = { alg: "dir", enc: "A256GCM" };
const CBC = { alg: "dir", enc: "A256CBC-HS512" };
const CLAIMS = { sub: "ada", exp: NOW / 1_000 + 1 };

const encoder = new TextEncoder();

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-")
    .replaceAll("/", "_").replaceAll("=", "");
}

/** Derives the bytes of a key (HKDF, RFC 5869). */
async function derive(salt: string, info: string, bits: number) {
  const bytes = encoder.encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, "HKDF", false, [
    "deriveBits",
  ]);
  const algorithm = {
    name: "HKDF",
    hash: "SHA-256",
    salt: encoder.encode(salt),
    info: encoder.encode(info),
  };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, bits));
}

async function aes(
  algorithm: AesGcmParams | AesCbcParams,
  key: Uint8Array<ArrayBuffer>,
  text: string,
) {
  const { name } = algorithm;
  const imported = await crypto.subtle.importKey("raw", key, name, false, [
    "encrypt",
  ]);
  const data = encoder.encode(text);
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, data));
}

/** The parts of a token before they are joined. */
interface Parts {
  readonly header: string;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** Encrypts with AES-GCM (RFC 7518, section 5.3). */
async function encryptGCM(
  header: object = GCM,
  text = JSON.stringify(CLAIMS),
  ivLength = 12,
): Promise<Parts> {
  const key = await derive("", "NextAuth.js Generated Encryption Key", 256);
  const encoded = base64Url(encoder.encode(JSON.stringify(header)));
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const additionalData = encoder.encode(encoded);
  const sealed = await aes({ name: "AES-GCM", iv, additionalData }, key, text);
  return {
    header: encoded,
    iv,
    ciphertext: sealed.slice(0, -16),
    tag: sealed.slice(-16),
  };
}

/** Encrypts with AES-CBC and HMAC (RFC 7518, section 5.2.2.1). */
async function encryptCBC(
  header: object = CBC,
  text = JSON.stringify(CLAIMS),
): Promise<Parts> {
  const info = `Auth.js Generated Encryption Key (${COOKIE})`;
  const key = await derive(COOKIE, info, 512);
  const encoded = base64Url(encoder.encode(JSON.stringify(header)));
  const iv = crypto.getRandomValues(new Uint8Array(16));
  const ciphertext = await aes({ name: "AES-CBC", iv }, key.slice(32), text);
  const length = new DataView(new ArrayBuffer(8));
  length.setUint32(4, encoded.length * 8);
  const signed = new Blob([
    encoded,
    iv,
    ciphertext,
    length.buffer,
  ]);
  const algorithm = { name: "HMAC", hash: "SHA-512" };
  const mac = await crypto.subtle.importKey(
    "raw",
    key.slice(0, 32),
    algorithm,
    false,
    ["sign"],
  );
  const tag = await crypto.subtle.sign("HMAC", mac, await signed.arrayBuffer());
  return {
    header: encoded,
    iv,
    ciphertext,
    tag: new Uint8Array(tag).slice(0, 32),
  };
}

function join({ ciphertext, header, iv, tag }: Parts, encryptedKey = "") {
  const others = [iv, ciphertext, tag].map(base64Url);
  return [header, encryptedKey, ...others].join(".");
}

/** Creates the function that takes tokens, with a new store. */
function start(options: Partial<AuthJSTokenOptions> = {}) {
  const { values } = createMemoryAccountStore({ now: () => NOW });
  const all = { secret, now: () => NOW, ...options };
  const takeFrom = takeAuthJSToken(values, all);
  return async (...cookies: readonly (readonly [string, string])[]) => {
    const Cookie = cookies.map((pair) => pair.join("=")).join("; ");
    const headers = { Cookie };
    return await takeFrom(new Request("https://test.example/", { headers }));
  };
}

const LOGIN = { userId: "ada", createdAt: 0 };

const headers: [changes: object, isValid: boolean][] = [
  [{}, true],
  [{ typ: "JWT" }, true],
  [{ alg: "RSA-OAEP" }, false],
  [{ alg: undefined }, false],
  [{ crit: ["exp"] }, false],
  [{ crit: null }, false],
  [{ zip: "DEF" }, false],
  [{ enc: "A128GCM" }, false],
  [{ enc: undefined }, false],
];

for (const [changes, isValid] of headers) {
  Deno.test(`takeAuthJSToken() ${isValid ? "accepts" : "refuses"} the header ${JSON.stringify(changes)}`, async () => {
    const tokens = [
      await encryptGCM({ ...GCM, ...changes }),
      await encryptCBC({ ...CBC, ...changes }),
    ];
    for (const token of tokens) {
      const login = await start()([COOKIE, join(token)]);
      assertEquals(login, isValid ? LOGIN : null);
    }
  });
}

Deno.test("takeAuthJSToken() accepts no vector, tag or key of another length", async () => {
  const gcm = await encryptGCM();
  const { ciphertext, tag } = gcm;
  const moved = {
    ...gcm,
    ciphertext: ciphertext.slice(0, -1),
    tag: new Uint8Array([...ciphertext.slice(-1), ...tag]),
  };
  const cbc = await encryptCBC();
  const longer = { ...cbc, tag: new Uint8Array([...cbc.tag, 0]) };
  const none = new Uint8Array();
  const refused = [
    join(await encryptGCM(GCM, JSON.stringify(CLAIMS), 16)),
    join(moved),
    join(longer),
    join({ ...cbc, tag: cbc.tag.slice(0, -1) }),
    join({ ...cbc, tag: none }),
    join({ ...gcm, tag: none }),
    join({ ...gcm, iv: none }),
    join({ ...gcm, ciphertext: none }),
    join({ ...gcm, header: "%" }),
    join({ ...gcm, header: "" }),
    join({ ...gcm, header: gcm.header.slice(1) }),
    join(gcm, "AAAA"),
    `${join(gcm)}.`,
    `${join(gcm)}.AAAA`,
    join(gcm).split(".").slice(0, 4).join("."),
    `.${join(gcm)}`,
    "....",
    "a",
  ];
  for (const token of refused) {
    assertEquals(await start()([COOKIE, token]), null, token);
  }
  for (const token of [join(gcm), join(cbc)]) {
    assertEquals(await start()([COOKIE, token]), LOGIN);
  }
});

const texts: [text: string, isValid: boolean][] = [
  [JSON.stringify({ sub: "ada", exp: NOW / 1_000 }), false],
  [JSON.stringify({ sub: "ada", exp: NOW / 1_000 + 0.001 }), true],
  [JSON.stringify({ sub: "ada", exp: "x" }), false],
  [JSON.stringify({ sub: "ada" }), false],
  [JSON.stringify({ exp: NOW }), false],
  [JSON.stringify({ sub: 7, exp: NOW }), false],
  ["null", false],
  ["{", false],
];

for (const [text, isValid] of texts) {
  Deno.test(`takeAuthJSToken() ${isValid ? "accepts" : "refuses"} the claims ${text}`, async () => {
    const token = join(await encryptGCM(GCM, text));
    assertEquals(await start()([COOKIE, token]), isValid ? LOGIN : null);
  });
}

Deno.test("takeAuthJSToken() takes each token once until it expires", async () => {
  const take = start();
  const token = join(await encryptGCM());
  assertEquals(await take([COOKIE, token]), LOGIN);
  assertEquals(await take([COOKIE, token]), null);
  // Another request of the same browser has another token.
  const other = join(
    await encryptGCM(GCM, JSON.stringify({ ...CLAIMS, jti: 1 })),
  );
  assertEquals(await take([COOKIE, token], [COOKIE, other]), LOGIN);
});

Deno.test("takeAuthJSToken() reads four cookies, one in chunks, and other claims and names", async () => {
  const token = join(await encryptGCM());
  const planted = [COOKIE, "x"] as const;
  const own = [COOKIE, token] as const;
  assertEquals(await start()(...Array(3).fill(planted), own), LOGIN);
  assertEquals(await start()(...Array(4).fill(planted), own), null);
  const middle = Math.floor(token.length / 2);
  const chunks = [token.slice(0, middle), token.slice(middle)];
  const [first, second] = chunks.map((one, n) =>
    [`${COOKIE}.${n}`, one] as const
  );
  assertEquals(await start()(planted, second!, first!), LOGIN);
  assertEquals(await start()(second!), null);
  const third = [`${COOKIE}.2`, chunks[1]!] as const;
  assertEquals(await start()(first!, third), null);
  const options = { cookie: "own", userId: () => "bob" };
  assertEquals(await start(options)(["__Host-own", token]), {
    ...LOGIN,
    userId: "bob",
  });
  assertEquals(await start(options)(own), null);
});

Deno.test("takeAuthJSToken() reads tokens of up to 32,768 characters", async () => {
  const empty = { ...CLAIMS, filler: "" };
  const shortest = join(await encryptGCM(GCM, JSON.stringify(empty))).length;
  for (const [added, isRead] of [[0, true], [1, false]] as const) {
    // Three bytes are four characters in base64.
    const count = Math.floor((32_768 - shortest) * 3 / 4);
    let filler = "x".repeat(count);
    let token = "";
    do {
      token = join(await encryptGCM(GCM, JSON.stringify({ ...empty, filler })));
      filler += "x";
    } while (token.length < 32_768 + added);
    assertEquals(await start()([COOKIE, token]), isRead ? LOGIN : null);
  }
});

Deno.test("takeAuthJSToken() remembers a token until it expires, and no longer", async () => {
  const { values } = createMemoryAccountStore({ now: () => NOW });
  const put = values.put.bind(values);
  const lifetimes: unknown[] = [];
  values.put = (key, value, options) => {
    lifetimes.push(options.ttl);
    return put(key, value, options);
  };
  const take = takeAuthJSToken(values, { secret, now: () => NOW });
  const headers = { Cookie: `${COOKIE}=${join(await encryptGCM())}` };
  const request = new Request("https://test.example/", { headers });
  assertEquals(await take(request), LOGIN);
  assertEquals(lifetimes, [1_000]);
});
