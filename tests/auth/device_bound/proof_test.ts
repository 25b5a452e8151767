/** Forged and replayed proofs. None of them may bind a session or renew a cookie. */
import { assert, assertEquals } from "@std/assert";
import {
  createBoundApp,
  createKeyPair,
  Device,
  encode,
  IN_FLIGHT,
  LIFETIME,
  type ProofParts,
  RESPONSE,
  SESSION_ID,
  signProof,
} from "../_bound_app.ts";

type Forge = (device: Device) => string | Promise<string>;

/** Creates a proof that is valid except for some parts. */
function withParts(parts: ProofParts): Forge {
  return (device) =>
    device.id === ""
      ? device.registrationProof(parts)
      : device.refreshProof(parts);
}

/** Changes the three parts of a valid proof. */
function edit(change: (parts: string[]) => string): Forge {
  return async (device) => change((await withParts({})(device)).split("."));
}

const PUBLIC_POINT = {
  kty: "EC",
  crv: "P-256",
  x: "6_GB2voQ0qroMh6OlDFCFS_SJriQi1PTvvBOhGZ3bHI",
  y: "IegOJULyE7SxH_Cd1KCER7lWBvGFHQ-h0xyjzUjEIWE",
};

/** Proofs that neither the registration nor the refresh accepts. */
const FORGED: Record<string, Forge> = {
  "nothing": () => "",
  "quotes only": () => '""',
  "no JWS": () => "abc",
  "two parts": edit(([header, payload]) => `${header}.${payload}`),
  "four parts": edit((parts) => `${parts.join(".")}.AAAA`),
  "an empty signature": edit(([header, payload]) => `${header}.${payload}.`),
  "a zero signature": edit(([header, payload]) =>
    `${header}.${payload}.${encode(new Uint8Array(64))}`
  ),
  "a short signature": edit(([header, payload, signature]) =>
    `${header}.${payload}.${signature!.slice(0, -2)}`
  ),
  "a changed signature": edit(([header, payload, signature]) =>
    `${header}.${payload}.${flip(signature!)}`
  ),
  "a changed payload": edit(([header, payload, signature]) =>
    `${header}.${flip(payload!)}.${signature}`
  ),
  "an unsigned payload": edit(([header, , signature]) =>
    `${header}.${encode('{"jti":"other"}')}.${signature}`
  ),
  "padding": edit((parts) => `${parts.join(".")}==`),
  "JSON instead of a JWS": () => '{"payload":"","signatures":[]}',
  "a header of 5,000 characters": withParts({
    claims: { more: "x".repeat(5_000) },
  }),
  "the algorithm none": (device) =>
    `${encode(JSON.stringify({ alg: "none", typ: "dbsc+jwt" }))}.${
      encode(JSON.stringify({ jti: device.challenge }))
    }.`,
  "the algorithm none with a signature": withParts({ header: { alg: "none" } }),
  "the algorithm HS256": withParts({ header: { alg: "HS256" } }),
  "an HMAC by the public key": hmacByPublicKey,
  "the algorithm RS256 for an EC key": withParts({ header: { alg: "RS256" } }),
  "the algorithm ES384": withParts({ header: { alg: "ES384" } }),
  "no algorithm": withParts({ header: { alg: undefined } }),
  "an algorithm that is a number": withParts({ header: { alg: 256 } }),
  "no type": withParts({ header: { typ: undefined } }),
  "the type JWT": withParts({ header: { typ: "JWT" } }),
  "the type of a DPoP proof": withParts({ header: { typ: "dpop+jwt" } }),
  "a type that is an array": withParts({ header: { typ: ["dbsc+jwt"] } }),
  "a critical extension": withParts({ header: { crit: ["x"], x: 1 } }),
  "an unencoded payload": withParts({ header: { b64: false, crit: ["b64"] } }),
  "the key of another device": async (device) => {
    const { privateKey } = await createKeyPair();
    return withParts({ key: privateKey })(device);
  },
  "no challenge": withParts({ claims: { jti: undefined } }),
  "an empty challenge": withParts({ claims: { jti: "" } }),
  "a challenge that is an array": withParts({ claims: { jti: ["x"] } }),
  "a challenge that is a number": withParts({ claims: { jti: 1 } }),
  "a made-up challenge": withParts({
    claims: { jti: `zzzzzzzz.${"A".repeat(43)}` },
  }),
  "a challenge with another time": async (device) => {
    const [, mac] = device.challenge.split(".");
    return await withParts({ claims: { jti: `zzzzzzzz.${mac}` } })(device);
  },
  "a challenge with a changed MAC": (device) =>
    withParts({ claims: { jti: flip(device.challenge) } })(device),
  "a challenge of another session": async (device) => {
    const other = new Device(device.router);
    await other.logIn("9");
    return await withParts({ claims: { jti: other.challenge } })(device);
  },
  "the bound cookie as the challenge": (device) =>
    withParts({
      claims: { jti: device.client.cookies.get(boundCookie(device)) ?? "" },
    })(device),
  "a payload that is null": (device) =>
    signProof(device.keys!.privateKey, headerOf(device), null),
  "a payload that is an array": (device) =>
    signProof(device.keys!.privateKey, headerOf(device), [device.challenge]),
};

/** Proofs that only the registration refuses because of their key. */
const BAD_KEYS: Record<string, ProofParts> = {
  "no key": { header: { jwk: undefined } },
  "null as the key": { header: { jwk: null } },
  "a string as the key": { header: { jwk: "key" } },
  "an array as the key": { header: { jwk: [PUBLIC_POINT] } },
  "an empty key": { header: { jwk: {} } },
  "the key of another user": { header: { jwk: PUBLIC_POINT } },
  "a point that is not on the curve": {
    header: { jwk: { ...PUBLIC_POINT, y: PUBLIC_POINT.x } },
  },
  "a point of zeros": {
    header: {
      jwk: { ...PUBLIC_POINT, x: "A".repeat(43), y: "A".repeat(43) },
    },
  },
  "another curve": { header: { jwk: { ...PUBLIC_POINT, crv: "P-384" } } },
  "a symmetric key": { header: { jwk: { kty: "oct", k: "AAAA" } } },
  "an Edwards key": {
    header: { jwk: { kty: "OKP", crv: "Ed25519", x: PUBLIC_POINT.x } },
  },
  "an RSA key of 1,024 bits": {
    header: {
      alg: "RS256",
      jwk: { kty: "RSA", n: `v${"A".repeat(170)}`, e: "AQAB" },
    },
  },
  "an RSA key with a huge exponent": {
    header: {
      alg: "RS256",
      jwk: { kty: "RSA", n: `v${"A".repeat(341)}`, e: "A".repeat(342) },
    },
  },
};

/** Keys that a valid signature does not make acceptable. */
const REFUSED_KEYS: Record<string, () => Promise<CryptoKeyPair>> = {
  "an RSA key of 1,024 bits": () => createRSAKey(1024, [1, 0, 1]),
  "an RSA key with the exponent 3": () => createRSAKey(2048, [3]),
};

for (const [name, create] of Object.entries(REFUSED_KEYS)) {
  Deno.test(`a registration with a proof by ${name} binds no session`, async () => {
    const { router } = createBoundApp();
    const device = new Device(router, "RS256");
    await device.logIn();
    device.keys = await create();
    await assertUnbound(device, await device.register());
  });
}

Deno.test("a registration with the private key binds no session", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const { kty, crv, x, y, d } = await crypto.subtle
    .exportKey("jwk", device.keys!.privateKey);
  const header = { jwk: { kty, crv, x, y, d } };
  await assertUnbound(device, await device.register({ header }));
});

for (const [name, forge] of Object.entries(FORGED)) {
  Deno.test(`a registration with ${name} binds no session`, async () => {
    const { router } = createBoundApp();
    const device = new Device(router);
    await device.logIn();
    const response = await device.post("/device-session/registration", {
      [RESPONSE]: await forge(device),
    });
    await assertUnbound(device, response);
  });

  Deno.test(`a refresh with ${name} renews no cookie`, async () => {
    const { clock, router } = createBoundApp();
    const device = await new Device(router).bind();
    device.challenge = "";
    clock.time += LIFETIME + IN_FLIGHT;
    await device.refresh();
    const response = await device.post("/device-session/refresh", {
      [SESSION_ID]: device.id,
      [RESPONSE]: await forge(device),
    });
    await assertExpired(device, response);
    // The attempt does not lock the owner out.
    assertEquals((await device.renew()).status, 200);
  });
}

for (const [name, parts] of Object.entries(BAD_KEYS)) {
  Deno.test(`a registration with ${name} binds no session`, async () => {
    const { router } = createBoundApp();
    const device = new Device(router);
    await device.logIn();
    await assertUnbound(device, await device.register(parts));
  });
}

Deno.test("a refresh ignores the key in the header", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  device.challenge = "";
  clock.time += LIFETIME + IN_FLIGHT;
  await device.refresh();
  const other = await createKeyPair();
  const { kty, crv, x, y } = await crypto.subtle
    .exportKey("jwk", other.publicKey);
  const header = { jwk: { kty, crv, x, y } };
  const response = await device.refresh({ header, key: other.privateKey });
  await assertExpired(device, response);
});

Deno.test("a challenge works once for a registration", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const proof = await device.registrationProof();
  const send = () =>
    device.post("/device-session/registration", { [RESPONSE]: proof });
  assertEquals((await send()).status, 200);
  assertEquals((await send()).status, 400);
});

Deno.test("a challenge works once for a refresh, also with an older cookie", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  const jar = device.jar;
  device.challenge = "";
  clock.time += LIFETIME + IN_FLIGHT;
  await device.refresh();
  const headers = {
    [SESSION_ID]: device.id,
    [RESPONSE]: await device.refreshProof(),
  };
  const send = (cookie = device.jar) =>
    router.fetch("https://example.com/device-session/refresh", {
      method: "POST",
      headers: { ...headers, Cookie: cookie },
    });
  assertEquals((await send()).status, 200);
  for (const cookie of [device.jar, jar]) {
    const response = await send(cookie);
    assertEquals(response.status, 403);
    assertEquals(response.headers.getSetCookie(), []);
  }
});

Deno.test("a refresh refuses the proof of the registration", async () => {
  const { clock, router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const proof = await device.registrationProof();
  await device.register();
  clock.time += LIFETIME;
  const response = await device.post("/device-session/refresh", {
    [SESSION_ID]: device.id,
    [RESPONSE]: proof,
  });
  assertEquals(response.status, 403);
});

Deno.test("a refresh makes older challenges invalid", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  device.challenge = "";
  await device.refresh();
  const older = await device.refreshProof();
  clock.time += 1;
  device.challenge = "";
  await device.refresh();
  assertEquals((await device.refresh()).status, 200);
  const response = await device.post("/device-session/refresh", {
    [SESSION_ID]: device.id,
    [RESPONSE]: older,
  });
  assertEquals(response.status, 403);
});

Deno.test("a challenge expires a minute after the lifetime of the cookie", async () => {
  for (const [wait, status] of [[59_999, 200], [60_000, 403]] as const) {
    const { clock, router } = createBoundApp();
    const device = await new Device(router).bind();
    device.challenge = "";
    clock.time += 1_000;
    await device.refresh();
    clock.time += LIFETIME + wait;
    assertEquals((await device.refresh()).status, status);
  }
});

Deno.test("the key of a bound session never changes", async () => {
  const { router } = createBoundApp();
  const device = await new Device(router).bind();
  device.challenge = "";
  await device.refresh();
  device.keys = await createKeyPair();
  assertEquals((await device.register()).status, 400);
});

Deno.test("a copied cookie cannot register a key without the login's response", async () => {
  const { router } = createBoundApp();
  const owner = new Device(router);
  await owner.logIn();
  const thief = new Device(router);
  thief.keys = await createKeyPair();
  const response = await router.fetch(
    "https://example.com/device-session/registration",
    {
      method: "POST",
      headers: {
        Cookie: owner.jar,
        [RESPONSE]: await thief.registrationProof(),
      },
    },
  );
  assertEquals(response.status, 400);
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("a refresh needs the name of the browser's session", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  device.challenge = "";
  clock.time += LIFETIME;
  await device.refresh();
  const proof = await device.refreshProof();
  const names = ["", '""', '"', "other", "A".repeat(43), "x".repeat(100_000)];
  for (const id of [...names, `"${device.id}`, `${device.id}, x`]) {
    const response = await device.post("/device-session/refresh", {
      [SESSION_ID]: id,
      [RESPONSE]: proof,
    });
    assertEquals(response.status, 400, id.slice(0, 50));
  }
  const response = await device.post("/device-session/refresh", {
    [RESPONSE]: proof,
  });
  assertEquals(response.status, 400);
});

Deno.test("a made-up bound cookie does not count", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  const name = boundCookie(device);
  const value = device.client.cookies.get(name)!;
  const [time, mac] = value.split(".");
  const other = await new Device(router).bind("8");
  clock.time += IN_FLIGHT;
  const values = [
    "",
    "x",
    ".",
    `${time}.`,
    `.${mac}`,
    `zzzzzzzz.${mac}`,
    `${time}.${flip(mac!)}`,
    `${value}.x`,
    value.toUpperCase(),
    `-1.${mac}`,
    `${"z".repeat(50_000)}.${mac}`,
    device.challenge,
    other.client.cookies.get(name)!,
  ];
  const session = device.jar.split("; ").find((pair) => !pair.startsWith(name));
  for (const value of values) {
    const response = await router.fetch("https://example.com/", {
      headers: { Cookie: `${session}; ${name}=${value}` },
    });
    assertEquals(await response.json(), null, value.slice(0, 50));
  }
});

async function createRSAKey(
  modulusLength: number,
  exponent: readonly number[],
): Promise<CryptoKeyPair> {
  const parameters = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength,
    publicExponent: new Uint8Array(exponent),
    hash: "SHA-256",
  };
  return await crypto.subtle
    .generateKey(parameters, true, ["sign", "verify"]) as CryptoKeyPair;
}

function headerOf({ algorithm }: Device) {
  return { alg: algorithm, typ: "dbsc+jwt" };
}

/** Changes the first character. */
function flip(text: string): string {
  return (text.startsWith("A") ? "B" : "A") + text.slice(1);
}

function boundCookie({ client }: Device): string {
  return [...client.cookies.keys()].find((name) => name.endsWith("bound")) ??
    "";
}

async function hmacByPublicKey(device: Device): Promise<string> {
  const raw = await crypto.subtle.exportKey("spki", device.keys!.publicKey);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle
    .importKey("raw", raw, algorithm, false, ["sign"]);
  const header = { ...headerOf(device), alg: "HS256" };
  return await signProof(key, header, { jti: device.challenge });
}

async function assertUnbound(device: Device, response: Response) {
  assertEquals(response.status, 400);
  assertEquals(response.headers.getSetCookie(), []);
  // The session continues as before.
  assertEquals(await (await device.get()).json(), "7");
  assertEquals(await (await device.get("/sessions")).json(), [false]);
  assertEquals((await device.get("/bound")).status, 403);
}

async function assertExpired(device: Device, response: Response) {
  assert([400, 403].includes(response.status), String(response.status));
  assertEquals(response.headers.getSetCookie(), []);
  assertEquals(await (await device.get()).json(), null);
}
