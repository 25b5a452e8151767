/** Mutations of valid responses, each of which must be refused. */
import type { PasskeyAlgorithm } from "@gatehouse/web/auth/passkey";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import { assert, assertEquals, assertGreater } from "@std/assert";
import { decodeCBOR, encodeCBOR } from "npm:@levischuck/tiny-cbor@0.3.6";
import { createPasskeyApp, type Loose, withPasskey } from "../_passkey_app.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A mutation: its name, and the change of the response. */
type Mutation = readonly [name: string, (response: Loose) => Loose];

function decode(base64url: string): Bytes {
  const base64 = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

function encode(bytes: Iterable<number>): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-")
    .replaceAll("/", "_").replaceAll("=", "");
}

/** Changes the bytes of a member of the response. */
function bytes(
  member: string,
  change: (bytes: Bytes) => Iterable<number>,
): Mutation[1] {
  return (response) => {
    response.response[member] = encode(
      change(decode(response.response[member])),
    );
    return response;
  };
}

/** Changes the text of the client data. */
function text(change: (json: string) => string): Mutation[1] {
  return bytes(
    "clientDataJSON",
    (json) => new TextEncoder().encode(change(new TextDecoder().decode(json))),
  );
}

/** Replaces bytes at an index. */
function at(index: number, ...values: number[]) {
  return (bytes: Bytes) => {
    bytes.set(values, index < 0 ? bytes.length + index : index);
    return bytes;
  };
}

const append = (...values: number[]) => (bytes: Bytes) => [...bytes, ...values];
const cut = (count: number) => (bytes: Bytes) => bytes.subarray(0, -count);

/** Mutations of the outer form, which both ceremonies have. */
function outer(members: readonly string[]): Mutation[] {
  return [
    ["no id", ({ id: _, ...others }) => others],
    ["an empty id", (response) => ({ ...response, id: "", rawId: "" })],
    ["a number as id", (response) => ({ ...response, id: 7, rawId: 7 })],
    ["an id with padding", (response) => ({
      ...response,
      id: `${response.id}=`,
      rawId: `${response.id}=`,
    })],
    ["an id in base64", (response) => ({ ...response, id: "+/", rawId: "+/" })],
    ["another id", (response) => ({ ...response, id: "AAAA", rawId: "AAAA" })],
    ["another rawId", (response) => ({ ...response, rawId: "AAAA" })],
    ["rawId null", (response) => ({ ...response, rawId: null })],
    ["another type", (response) => ({ ...response, type: "password" })],
    ["no type", ({ type: _, ...others }) => others],
    ["no response", ({ response: _, ...others }) => others],
    ["a string as response", (response) => ({ ...response, response: "x" })],
    ["an array as response", (response) => ({ ...response, response: [] })],
    ["an array", (response) => [response]],
    ["null", () => null],
    ["a string", () => "x"],
    ["a number", () => 7],
    ["an inherited response", (response) => ({
      ...response,
      response: undefined,
      ["__proto__"]: { response: response.response },
    })],
    ...members.flatMap((member): Mutation[] => [
      [`no ${member}`, (response) => {
        delete response.response[member];
        return response;
      }],
      [`${member} null`, (response) => {
        response.response[member] = null;
        return response;
      }],
      [`${member} as an array`, (response) => {
        response.response[member] = [response.response[member]];
        return response;
      }],
      [`${member} as bytes`, (response) => {
        response.response[member] = [...decode(response.response[member])];
        return response;
      }],
      [`${member} empty`, bytes(member, () => [])],
      [`${member} with padding`, (response) => {
        response.response[member] += "=";
        return response;
      }],
      [`${member} with white space`, (response) => {
        response.response[member] += "\n";
        return response;
      }],
      [`${member} without its last byte`, bytes(member, cut(1))],
      [`${member} with another byte`, bytes(member, append(0))],
    ]),
  ];
}

/** Mutations of the client data. */
const clientData: Mutation[] = [
  ["client data null", text(() => "null")],
  ["client data as an array", text((json) => `[${json}]`)],
  ["client data as a string", text((json) => JSON.stringify(json))],
  ["client data in two parts", text((json) => json + json)],
  [
    "client data in UTF-16",
    bytes("clientDataJSON", (json) => [...json].flatMap((byte) => [byte, 0])),
  ],
  [
    "a challenge in upper case",
    text((json) =>
      json.replace(/"challenge":"[^"]+"/, (found) => found.toUpperCase())
    ),
  ],
  [
    "a challenge with padding",
    text((json) => json.replace(/("challenge":"[^"]+)/, "$1=")),
  ],
  [
    "a challenge as an array",
    text((json) => json.replace(/("challenge":)("[^"]+")/, "$1[$2]")),
  ],
  [
    "a challenge of a prototype",
    text((json) => json.replace(/("challenge":)"[^"]+"/, '$1"__proto__"')),
  ],
  [
    "an origin as an array",
    text((json) => json.replace(/("origin":)("[^"]+")/, "$1[$2]")),
  ],
  [
    "two origins",
    text((json) => json.replace("}", ',"origin":"https://evil.example"}')),
  ],
  ["two types", text((json) => json.replace("}", ',"type":"x"}'))],
  ["two challenges", text((json) => json.replace("}", ',"challenge":"x"}'))],
  [
    "crossOrigin as a string",
    text((json) =>
      json.replace('"crossOrigin":false', '"crossOrigin":"false"')
    ),
  ],
  [
    "crossOrigin null",
    text((json) => json.replace('"crossOrigin":false', '"crossOrigin":null')),
  ],
  ["topOrigin null", text((json) => json.replace("}", ',"topOrigin":null}'))],
  ["topOrigin empty", text((json) => json.replace("}", ',"topOrigin":""}'))],
  [
    "topOrigin of this site",
    text((json) => json.replace("}", ',"topOrigin":"https://test.example"}')),
  ],
];

/** Returns the DER of two numbers. */
function der(...numbers: readonly (readonly number[])[]): number[] {
  const content = numbers.flatMap((bytes) => [2, bytes.length, ...bytes]);
  return [0x30, content.length, ...content];
}

/** Reads the two numbers of an ECDSA signature. */
function numbersOf(signature: Bytes): [number[], number[]] {
  const r = signature.subarray(4, 4 + signature[3]!);
  return [[...r], [...signature.subarray(6 + r.length)]];
}

/** Mutations of an assertion. */
const assertion: Mutation[] = [
  ...outer(["clientDataJSON", "authenticatorData", "signature"]),
  ...clientData,
  ["client data with a space", text((json) => json.replace(":", ": "))],
  [
    "client data with another member",
    text((json) => json.replace("}", ',"x":1}')),
  ],
  ["UP cleared after the signature", bytes("authenticatorData", at(32, 4))],
  ["UV cleared after the signature", bytes("authenticatorData", at(32, 1))],
  ["a reserved flag", bytes("authenticatorData", at(32, 7))],
  ["BS without BE", bytes("authenticatorData", at(32, 21))],
  ["BE and BS", bytes("authenticatorData", at(32, 29))],
  ["AT without a credential", bytes("authenticatorData", at(32, 69))],
  ["ED without extensions", bytes("authenticatorData", at(32, 133))],
  ["a counter after the signature", bytes("authenticatorData", at(33, 1))],
  ["another RP ID hash", bytes("authenticatorData", at(0, 1, 2, 3))],
  [
    "authenticator data of 36 bytes",
    bytes("authenticatorData", (data) => data.subarray(0, 36)),
  ],
  [
    "authenticator data twice",
    bytes("authenticatorData", (data) => [...data, ...data]),
  ],
  [
    "extensions that are not a map",
    bytes("authenticatorData", (data) => [...at(32, 133)(data), 0x80]),
  ],
  [
    "extensions with trailing bytes",
    bytes("authenticatorData", (data) => [...at(32, 133)(data), 0xa0, 0]),
  ],
  [
    "extensions with duplicate keys",
    bytes(
      "authenticatorData",
      (data) => [...at(32, 133)(data), 0xa2, 1, 1, 1, 2],
    ),
  ],
  [
    "extensions of endless length",
    bytes("authenticatorData", (data) => [...at(32, 133)(data), 0xbf, 0xff]),
  ],
  [
    "extensions of a huge length",
    bytes(
      "authenticatorData",
      (
        data,
      ) => [...at(32, 133)(data), 0xbb, 255, 255, 255, 255, 255, 255, 255, 255],
    ),
  ],
  [
    "extensions with a string beyond the end",
    bytes(
      "authenticatorData",
      (data) => [...at(32, 133)(data), 0xa1, 1, 0x5a, 0, 255, 255, 255],
    ),
  ],
  [
    "a credential in a login",
    bytes(
      "authenticatorData",
      (data) => [...at(32, 69)(data), ...new Uint8Array(16), 0, 1, 7, 0xa0],
    ),
  ],
  ["the user handle of another user", (response) => {
    response.response.userHandle = "B".repeat(43);
    return response;
  }],
  ["the user handle as an array", (response) => {
    response.response.userHandle = [response.response.userHandle];
    return response;
  }],
  ["the user handle null", (response) => {
    response.response.userHandle = null;
    return response;
  }],
  ["the user handle empty", (response) => {
    response.response.userHandle = "";
    return response;
  }],
  [
    "a signature of zeros",
    bytes("signature", (signature) => new Uint8Array(signature.length)),
  ],
];

/** Mutations of an ECDSA signature, of which many are the same numbers. */
const signatures: Mutation[] = [
  [
    "the numbers without DER",
    bytes(
      "signature",
      (signature) =>
        numbersOf(signature).flatMap((digits) =>
          [...new Uint8Array(32), ...digits].slice(-32)
        ),
    ),
  ],
  [
    "swapped numbers",
    bytes("signature", (signature) => {
      const [r, s] = numbersOf(signature);
      return der(s, r);
    }),
  ],
  [
    "a number with a leading zero",
    bytes("signature", (signature) => {
      const [r, s] = numbersOf(signature);
      return der([0, ...r], s);
    }),
  ],
  [
    "two leading zeros",
    bytes("signature", (signature) => {
      const [r, s] = numbersOf(signature);
      return der(r, [0, 0, ...s]);
    }),
  ],
  [
    "a negative number",
    bytes("signature", (signature) => {
      const [r, s] = numbersOf(signature);
      return der([r[0]! | 128, ...r.slice(1)], s);
    }),
  ],
  [
    "r = 0",
    bytes("signature", (signature) => der([0], numbersOf(signature)[1])),
  ],
  [
    "s = 0",
    bytes("signature", (signature) => der(numbersOf(signature)[0], [0])),
  ],
  ["r and s = 0", bytes("signature", () => der([0], [0]))],
  ["r and s = 1", bytes("signature", () => der([1], [1]))],
  [
    "an empty number",
    bytes("signature", (signature) => der([], numbersOf(signature)[1])),
  ],
  [
    "one number",
    bytes("signature", (signature) => der(numbersOf(signature)[0])),
  ],
  [
    "three numbers",
    bytes("signature", (signature) => der(...numbersOf(signature), [1])),
  ],
  [
    "a number of 34 bytes",
    bytes(
      "signature",
      (signature) => der([1, ...new Uint8Array(33)], numbersOf(signature)[1]),
    ),
  ],
  [
    "a long length",
    bytes(
      "signature",
      ([tag, length, ...others]) => [tag!, 0x81, length!, ...others],
    ),
  ],
  [
    "an indefinite length",
    bytes("signature", ([tag, , ...others]) => [tag!, 0x80, ...others, 0, 0]),
  ],
  ["a set instead of a sequence", bytes("signature", at(0, 0x31))],
  ["a bit string instead of a number", bytes("signature", at(2, 3))],
  [
    "a trailing byte inside",
    bytes(
      "signature",
      ([tag, length, ...others]) => [tag!, length! + 1, ...others, 0],
    ),
  ],
];

/** Changes the attestation object, whose parts are CBOR. */
function attestation(
  change: (object: Map<string, Loose>) => Loose,
): Mutation[1] {
  return bytes("attestationObject", (object) => {
    const map = decodeCBOR(object) as Map<string, Loose>;
    return encodeCBOR(change(map) ?? map);
  });
}

/** Changes the authenticator data of a registration. */
function data(change: (data: Bytes) => Iterable<number>): Mutation[1] {
  return attestation((object) => {
    const bytes = new Uint8Array(
      change(new Uint8Array(object.get("authData"))),
    );
    object.set("authData", bytes);
  });
}

/** Changes the public key. It begins after 87 bytes, if the id has 32. */
function key(change: (key: Map<number, Loose>) => Loose): Mutation[1] {
  return data((data) => {
    const map = decodeCBOR(data.subarray(87)) as Map<number, Loose>;
    const bytes = change(map) ?? encodeCBOR(map);
    return [...data.subarray(0, 87), ...bytes];
  });
}

/** Sets an entry of the public key. */
function entry(name: number, value: Loose): Mutation[1] {
  return key((key) => void key.set(name, value));
}

const registration: Mutation[] = [
  ...outer(["clientDataJSON", "attestationObject"]),
  ...clientData,
  ["no format", attestation((object) => void object.delete("fmt"))],
  ["another member", attestation((object) => void object.set("x", 1))],
  ["an unknown format", attestation((object) => void object.set("fmt", "x"))],
  [
    "a format in upper case",
    attestation((object) => void object.set("fmt", "NONE")),
  ],
  ["a number as format", attestation((object) => void object.set("fmt", 1))],
  [
    "a format with certificates",
    attestation((object) => void object.set("fmt", "fido-u2f")),
  ],
  [
    "the format packed without a signature",
    attestation((object) => void object.set("fmt", "packed")),
  ],
  [
    "the format none with a statement",
    attestation((object) => void object.set("attStmt", new Map([["x", 1]]))),
  ],
  [
    "a statement that is not a map",
    attestation((object) => void object.set("attStmt", [])),
  ],
  [
    "no authenticator data",
    attestation((object) => void object.delete("authData")),
  ],
  [
    "authenticator data as a string",
    attestation((object) => void object.set("authData", "x")),
  ],
  [
    "an attestation object as an array",
    attestation((object) => [...object.values()]),
  ],
  [
    "duplicate formats",
    bytes(
      "attestationObject",
      (
        [, ...others],
      ) => [
        0xa4,
        ...others,
        0x63,
        0x66,
        0x6d,
        0x74,
        0x64,
        0x6e,
        0x6f,
        0x6e,
        0x65,
      ],
    ),
  ],
  ["trailing CBOR", bytes("attestationObject", append(0xa0))],
  [
    "deep nesting",
    bytes("attestationObject", () => new Uint8Array(30_000).fill(0x81)),
  ],
  [
    "deep nesting of tags",
    bytes("attestationObject", () => new Uint8Array(30_000).fill(0xc1)),
  ],
  [
    "more than 32 kB",
    bytes(
      "attestationObject",
      (object) => [...object, ...new Uint8Array(32_768)],
    ),
  ],
  ["AT cleared", data(at(32, 5))],
  ["ED without extensions", data(at(32, 197))],
  ["trailing authenticator data", data(append(0xa0))],
  ["authenticator data without a key", data((data) => data.subarray(0, 87))],
  ["authenticator data without an id", data((data) => data.subarray(0, 54))],
  [
    "an id of length 0",
    data((data) => [...data.subarray(0, 53), 0, 0, ...data.subarray(87)]),
  ],
  ["an id longer than the data", data(at(53, 255, 255))],
  ["another id than the response", data(at(55, 1, 2, 3, 4))],
  ["UP cleared", data(at(32, 68))],
  ["UV cleared", data(at(32, 65))],
  ["BS without BE", data(at(32, 85))],
  ["another RP ID hash", data(at(0, 1, 2, 3, 4))],
  ["no algorithm", key((key) => void key.delete(3))],
  ["the algorithm of another key type", entry(3, -257)],
  ["the algorithm of another curve", entry(3, -35)],
  ["the algorithm EdDSA for an EC key", entry(3, -8)],
  ["a symmetric algorithm", entry(3, 5)],
  ["no signature algorithm", entry(3, 0)],
  ["the algorithm as a string", entry(3, "ES256")],
  ["a symmetric key type", entry(1, 4)],
  ["the key type of RSA", entry(1, 3)],
  ["the key type of OKP", entry(1, 1)],
  ["no key type", key((key) => void key.delete(1))],
  ["another curve", entry(-1, 2)],
  ["the curve secp256k1", entry(-1, 8)],
  ["the curve as a string", entry(-1, "P-256")],
  ["x too short", key((key) => void key.set(-2, key.get(-2).subarray(1)))],
  [
    "x too long",
    key((key) => void key.set(-2, new Uint8Array([0, ...key.get(-2)]))),
  ],
  ["a point that is not on the curve", entry(-3, new Uint8Array(32).fill(1))],
  [
    "the point at infinity",
    key((key) => {
      key.set(-2, new Uint8Array(32)).set(-3, new Uint8Array(32));
    }),
  ],
  ["a compressed point", entry(-3, true)],
  ["y as a string", entry(-3, "x")],
  ["no y", key((key) => void key.delete(-3))],
  ["a private key", entry(-4, new Uint8Array(32))],
  ["an optional parameter", entry(2, new Uint8Array(4))],
  [
    "duplicate entries of the key",
    key((key) => {
      const [, ...entries] = encodeCBOR(key);
      return [0xa6, ...entries, 3, 0x26];
    }),
  ],
  ["a key that is not a map", key(() => encodeCBOR([1, 2]))],
];

/** Mutations of a self attestation. */
const selfAttestation: Mutation[] = [
  [
    "no algorithm",
    attestation((object) => void object.get("attStmt").delete("alg")),
  ],
  [
    "another algorithm",
    attestation((object) => void object.get("attStmt").set("alg", -257)),
  ],
  [
    "no signature",
    attestation((object) => void object.get("attStmt").delete("sig")),
  ],
  [
    "a signature as a string",
    attestation((object) => void object.get("attStmt").set("sig", "x")),
  ],
  [
    "another signature",
    attestation((object) => {
      object.get("attStmt").get("sig")[20] ^= 1;
    }),
  ],
  [
    "certificates",
    attestation((object) => void object.get("attStmt").set("x5c", [])),
  ],
  [
    "an ECDAA key",
    attestation((object) =>
      void object.get("attStmt").set("ecdaaKeyId", new Uint8Array(2))
    ),
  ],
  ["a model after the signature", data(at(37, 1, 2, 3))],
  [
    "the key of another authenticator",
    key((key) => {
      const [x, y] = [key.get(-2), key.get(-3)];
      key.set(-2, y).set(-3, x);
    }),
  ],
];

/** Mutations of RSA and Ed25519 keys. */
const otherKeys: Record<"EdDSA" | "RS256", Mutation[]> = {
  EdDSA: [
    ["the curve X25519", entry(-1, 4)],
    ["the curve Ed448", entry(-1, 7)],
    ["x of 31 bytes", entry(-2, new Uint8Array(31))],
    ["y", entry(-3, new Uint8Array(32))],
    ["the algorithm ES256", entry(3, -7)],
    ["the key type of EC", entry(1, 2)],
  ],
  RS256: [
    [
      "a modulus of 1,024 bits",
      key((key) => void key.set(-1, key.get(-1).subarray(0, 128))),
    ],
    ["a modulus of 16,384 bits", entry(-1, new Uint8Array(2048).fill(255))],
    [
      "a modulus with a leading zero",
      key((key) => void key.set(-1, new Uint8Array([0, ...key.get(-1)]))),
    ],
    ["the exponent 1", entry(-2, new Uint8Array([1]))],
    ["an even exponent", entry(-2, new Uint8Array([1, 0, 2]))],
    ["an empty exponent", entry(-2, new Uint8Array())],
    ["a long exponent", entry(-2, new Uint8Array(9).fill(1))],
    ["a private exponent", entry(-3, new Uint8Array(256))],
    ["the algorithm ES256", entry(3, -7)],
    ["the algorithm RS1", entry(3, -65535)],
    ["the algorithm PS256", entry(3, -37)],
  ],
};

let count = 0;

for (const [name, mutate] of registration) refuseRegistration(name, mutate);
for (const [name, mutate] of selfAttestation) {
  refuseRegistration(`self attestation, ${name}`, mutate, { self: true });
}
for (const algorithm of ["EdDSA", "RS256"] as const) {
  for (const [name, mutate] of otherKeys[algorithm]) {
    refuseRegistration(`${algorithm}, ${name}`, mutate, { algorithm });
  }
}
for (const [name, mutate] of [...assertion, ...signatures]) {
  refuseLogin(name, mutate);
}
for (const algorithm of ["EdDSA", "RS256"] as const) {
  const short: Mutation[1] = bytes("signature", cut(1));
  refuseLogin(`${algorithm}, a short signature`, short, algorithm);
  const long: Mutation[1] = bytes("signature", append(0));
  refuseLogin(`${algorithm}, a long signature`, long, algorithm);
  refuseLogin(
    `${algorithm}, a DER signature`,
    bytes("signature", () => der([1], [1])),
    algorithm,
  );
}

Deno.test("more than 120 mutations are refused", () => {
  assertGreater(count, 200);
});

function refuseRegistration(
  name: string,
  mutate: Mutation[1],
  { algorithm = "ES256", self = false }: {
    readonly algorithm?: PasskeyAlgorithm;
    readonly self?: boolean;
  } = {},
): void {
  count++;
  Deno.test(`finishRegistration() refuses: ${name}`, async () => {
    const app = createPasskeyApp();
    const authenticator = createTestAuthenticator({ algorithm });
    const result = await app.register(
      authenticator,
      { selfAttestation: self },
      (response) => mutate(structuredClone(response)),
    );
    assertEquals(result.ok, false);
    assertEquals(await app.store.list(7), []);
  });
}

function refuseLogin(
  name: string,
  mutate: Mutation[1],
  algorithm: PasskeyAlgorithm = "ES256",
): void {
  count++;
  Deno.test(`finishAuthentication() refuses: ${name}`, async () => {
    const { app, authenticator, id } = await withPasskey({}, { algorithm });
    const result = await app.logIn(
      authenticator,
      {},
      (response) => mutate(structuredClone(response)),
    );
    assertEquals(result.ok, false);
    assertEquals((await app.store.get(id))?.usedAt, null);
    // The same response without the mutation is valid.
    assert((await app.logIn(authenticator)).ok);
  });
}
