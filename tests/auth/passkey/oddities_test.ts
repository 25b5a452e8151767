import type {
  PasskeyAuthResult,
  PasskeyFailureReason,
  PasskeyPurpose,
} from "@gatehouse/web/auth/passkey";
import {
  createTestAuthenticator,
  type TestAuthenticatorOptions,
  type TestPasskeyChanges,
} from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import { decodeCBOR, encodeCBOR } from "npm:@levischuck/tiny-cbor@0.3.6";
import {
  createPasskeyApp,
  type Loose,
  type PasskeyAppOptions,
} from "../_passkey_app.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A registration or a login with an oddity. */
interface Step {
  readonly purpose: "register" | PasskeyPurpose;
  /** The user of a registration. */
  readonly user?: number;
  readonly changes?: TestPasskeyChanges;
  readonly tamper?: (response: Loose) => Loose;
}

interface Oddity {
  readonly name: string;
  /** A section, a bug report or a vendor. */
  readonly source: string;
  /** The result of the last step. The steps before it succeed. */
  readonly expected: "accepted" | PasskeyFailureReason;
  readonly steps: readonly Step[];
  readonly device?: TestAuthenticatorOptions;
  readonly options?: PasskeyAppOptions;
}

const FLAG = { up: 1, rfu1: 2, uv: 4, be: 8, bs: 16, rfu2: 32, ed: 128 };

const ANDROID = `android:apk-key-hash:${"A".repeat(43)}`;

const KEEPASSIUM = "keepassium/KeePassium#444";

function decode(base64url: string): Bytes {
  const base64 = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

function encode(bytes: Iterable<number>): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-")
    .replaceAll("/", "_").replaceAll("=", "");
}

/** Changes the authenticator data. */
function data(change: (data: Bytes) => Iterable<number>): TestPasskeyChanges {
  return { authenticatorData: (data) => new Uint8Array(change(data)) };
}

/** Sets some flags and clears others. */
function flags(set: number, clear = 0): TestPasskeyChanges {
  return data((data) => {
    data[32] = data[32]! & ~clear | set;
    return data;
  });
}

function counter(value: number): TestPasskeyChanges {
  return data((data) => {
    new DataView(data.buffer).setUint32(33, value);
    return data;
  });
}

/** Adds the outputs of extensions. */
function extensions(outputs: Iterable<number>): TestPasskeyChanges {
  return data((data) => {
    data[32]! |= FLAG.ed;
    return [...data, ...outputs];
  });
}

/** Replaces the credential id of 32 bytes. */
function credentialId(id: Bytes): TestPasskeyChanges {
  return data((data) => [
    ...data.subarray(0, 53),
    id.length >> 8,
    id.length & 255,
    ...id,
    ...data.subarray(87),
  ]);
}

/** Changes the public key. */
function publicKey(change: (key: Map<Loose, Loose>) => void) {
  return data((data) => {
    const key = decodeCBOR(data.slice(87)) as Map<Loose, Loose>;
    change(key);
    return [...data.subarray(0, 87), ...encodeCBOR(key)];
  });
}

function clientData(members: Record<string, unknown>): TestPasskeyChanges {
  return { clientData: members };
}

/** Changes a member of the response. */
function member(
  name: string,
  change: (value: Loose) => unknown,
): (response: Loose) => Loose {
  return (response) => {
    response.response[name] = change(response.response[name]);
    return response;
  };
}

/** Changes the attestation object. */
function attestation(change: (object: Map<Loose, Loose>) => Loose) {
  return member("attestationObject", (value) => {
    const object = decodeCBOR(decode(value)) as Map<Loose, Loose>;
    return encode(encodeCBOR(change(object)));
  });
}

const register = (
  changes?: TestPasskeyChanges,
  tamper?: Step["tamper"],
): Step => ({ purpose: "register", changes, tamper });

const logIn = (
  changes?: TestPasskeyChanges,
  tamper?: Step["tamper"],
  purpose: PasskeyPurpose = "login",
): Step => ({ purpose, changes, tamper });

const map = (entries: Record<string, Loose>) =>
  new Uint8Array(encodeCBOR(new Map(Object.entries(entries))));

const handle = (value: unknown) => member("userHandle", () => value);

const withId = (id: Bytes) => (response: Loose) => ({
  ...response,
  id: encode(id),
  rawId: encode(id),
});

const LONG_ID = crypto.getRandomValues(new Uint8Array(1023));

const SHARED_ID = crypto.getRandomValues(new Uint8Array(32));

const withCertificate = attestation((object) =>
  object.set("fmt", "packed").set(
    "attStmt",
    new Map<Loose, Loose>([["alg", -7], ["sig", new Uint8Array(70)], [
      "x5c",
      [new Uint8Array(500)],
    ]]),
  )
);

const compound = attestation((object) =>
  object.set("fmt", "compound").set(
    "attStmt",
    ["packed", "tpm"].map((fmt) =>
      new Map<Loose, Loose>([["fmt", fmt], ["attStmt", new Map()]])
    ),
  )
);

const preferred: PasskeyAppOptions = { userVerification: "preferred" };

const synced: TestAuthenticatorOptions = { backedUp: true };

const userHandles: Oddity[] = [
  ...(["second-factor", "confirm"] as const).flatMap((purpose): Oddity[] => [
    {
      name: `a user handle of null (${purpose})`,
      source: "2.2.1, U2F keys store none",
      expected: "accepted",
      steps: [register(), logIn({}, handle(null), purpose)],
    },
    {
      name: `no user handle (${purpose})`,
      source: "7.2, step 6; web-auth/webauthn-framework#362, YubiKey",
      expected: "accepted",
      steps: [register(), logIn({}, handle(undefined), purpose)],
    },
    {
      name: `an empty user handle (${purpose})`,
      source: "Safari: WebKit bug 239737, Yubico/java-webauthn-server#327",
      expected: "accepted",
      steps: [register(), logIn({}, handle(""), purpose)],
    },
    {
      name: `another user handle (${purpose})`,
      source: "7.2, step 6",
      expected: "user_mismatch",
      steps: [register(), logIn({}, handle("AAAA"), purpose)],
    },
  ]),
  {
    name: "an empty user handle, and no known user",
    source: "7.2, step 6; w3c/webauthn#1892",
    expected: "user_mismatch",
    steps: [register(), logIn({}, handle(""))],
  },
  {
    name: "a user handle of null, and no known user",
    source: "7.2, step 6; w3c/webauthn#1892",
    expected: "user_mismatch",
    steps: [register(), logIn({}, handle(null))],
  },
];

const counters: Oddity[] = [
  {
    name: "a counter that stays 0",
    source: "6.1.1; Apple, KeePassXC",
    expected: "accepted",
    steps: [register(), logIn(), logIn()],
  },
  {
    name: "a counter with gaps",
    source: "6.1.1, a counter that passkeys share",
    expected: "accepted",
    steps: [register(counter(5)), logIn(counter(5000))],
  },
  {
    name: "a counter that jumps back",
    source: "7.2, step 22, single-device",
    expected: "counter_not_increased",
    steps: [register(), logIn(counter(9)), logIn(counter(3))],
  },
  {
    name: "a counter that falls to 0",
    source: "7.2, step 22, single-device",
    expected: "counter_not_increased",
    steps: [register(), logIn(counter(9)), logIn(counter(0))],
  },
  {
    name: "a synced passkey whose devices count for themselves",
    source: "7.2, step 22; Bitwarden and Password Safe, exactly/exa#1037",
    expected: "accepted",
    steps: [register(), logIn(counter(9)), logIn(counter(9))],
    device: synced,
  },
  {
    name: "a synced passkey that an app without a counter uses",
    source: "Bitwarden passkeys in Keyguard: AChep/keyguard-app#635",
    expected: "accepted",
    steps: [register(counter(50)), logIn(counter(0)), logIn(counter(51))],
    device: synced,
  },
];

const flagRows: Oddity[] = [
  {
    name: "BE without BS",
    source: "6.1.3, not yet synced",
    expected: "accepted",
    steps: [register(flags(FLAG.be)), logIn(flags(FLAG.be))],
  },
  {
    name: "BS that appears later",
    source: "6.1.3",
    expected: "accepted",
    steps: [register(flags(FLAG.be)), logIn(flags(FLAG.be | FLAG.bs))],
  },
  {
    name: "BS that disappears",
    source: "6.1.3, sync was turned off",
    expected: "accepted",
    steps: [register(), logIn(flags(0, FLAG.bs))],
    device: synced,
  },
  {
    name: "BS without BE",
    source: "7.1, step 17",
    expected: "backup_state_invalid",
    steps: [register(flags(FLAG.bs))],
  },
  {
    name: "BE and BS that appear later",
    source: "7.2, step 19; KeePassXC 2.7.12: keepassxreboot/keepassxc#13239",
    expected: "backup_state_invalid",
    steps: [register(), logIn(flags(FLAG.be | FLAG.bs))],
  },
  {
    name: "BE that disappears",
    source: `7.2, step 19; ${KEEPASSIUM}`,
    expected: "backup_state_invalid",
    steps: [register(), logIn(flags(0, FLAG.be | FLAG.bs))],
    device: synced,
  },
  {
    name: "no UV at a login that requires it",
    source: "7.2, step 17; a security key without a PIN",
    expected: "user_not_verified",
    steps: [register(), logIn(flags(0, FLAG.uv))],
  },
  {
    name: "no UV as a second factor",
    source: "7.2, step 17",
    expected: "accepted",
    steps: [register(), logIn(flags(0, FLAG.uv), undefined, "second-factor")],
  },
  {
    name: "UV that disappears, if it is preferred",
    source: "7.2, step 17; a device without a sensor",
    expected: "accepted",
    steps: [register(), logIn(flags(0, FLAG.uv))],
    options: preferred,
  },
  {
    name: "UV that appears, if it is preferred",
    source: "7.2, step 24; a PIN that was set later",
    expected: "accepted",
    steps: [register(flags(0, FLAG.uv)), logIn()],
    options: preferred,
  },
  {
    name: "no UP",
    source: "7.2, step 16; CTAP2 option up=false",
    expected: "user_not_present",
    steps: [register(), logIn(flags(0, FLAG.up))],
  },
  {
    name: "reserved flags",
    source: "6.1, bits 1 and 5 are for future use",
    expected: "accepted",
    steps: [
      register(flags(FLAG.rfu1 | FLAG.rfu2)),
      logIn(flags(FLAG.rfu1 | FLAG.rfu2)),
    ],
  },
];

const transports: Oddity[] = [
  ["no transports", undefined, "Safari before 16, no getTransports()"],
  ["empty transports", [], "5.2.1, the client does not know them"],
  ["the transport hybrid", ["hybrid", "internal"], "kanidm/webauthn-rs#219"],
  ["the transport cable", ["cable"], "MasterKale/SimpleWebAuthn#222"],
  ["the transport smart-card", ["smart-card"], "5.8.4"],
  ["unknown transports", ["quantum-link"], "5.2.1, unknown values are kept"],
].map(([name, value, source]): Oddity => ({
  name: String(name),
  source: String(source),
  expected: "accepted",
  steps: [register({}, member("transports", () => value)), logIn()],
}));

const attestations: Oddity[] = [
  {
    name: "an AAGUID of zeros",
    source: "6.5.1; security keys without attestation",
    expected: "accepted",
    steps: [register(data((data) => data.fill(0, 37, 53))), logIn()],
  },
  {
    name: "an AAGUID with the format none",
    source: "5.1.3, password managers",
    expected: "accepted",
    steps: [register(data((data) => data.fill(7, 37, 53))), logIn()],
  },
  {
    name: "an unsolicited self attestation",
    source: "5.1.3, Touch ID in Chrome: koesie10/webauthn-demo#1",
    expected: "accepted",
    steps: [register({ selfAttestation: true }), logIn()],
  },
  {
    name: "an unsolicited certificate",
    source: "Firefox on Windows 10 in 2021: w3c/webauthn#1485",
    expected: "attestation_invalid",
    steps: [register({}, withCertificate)],
  },
  {
    name: "a certificate, if the application verifies it",
    source: "6.5.4",
    expected: "accepted",
    steps: [register({}, withCertificate)],
    options: { verifyAttestation: ({ format }) => format === "packed" },
  },
  {
    name: "attestations of several kinds, if the application verifies them",
    source: "8.9, compound: an array of statements",
    expected: "accepted",
    steps: [register({}, compound)],
    options: { verifyAttestation: ({ format }) => format === "compound" },
  },
  {
    name: "unsolicited attestations of several kinds",
    source: "8.9, compound",
    expected: "attestation_invalid",
    steps: [register({}, compound)],
  },
  {
    name: "the members of the attestation object in another order",
    source: "2.4, unsorted maps of older clients",
    expected: "accepted",
    steps: [
      register(
        {},
        attestation((object) => new Map([...object].reverse())),
      ),
      logIn(),
    ],
  },
  {
    name: "a map with a longer length than needed",
    source: "2.4; encoders such as cbor-x",
    expected: "response_malformed",
    steps: [
      register(
        {},
        member(
          "attestationObject",
          (value) => encode([0xb9, 0, 3, ...decode(value).subarray(1)]),
        ),
      ),
    ],
  },
  {
    name: "a map of indefinite length",
    source: "2.4; CTAP 2.2, section 8",
    expected: "response_malformed",
    steps: [
      register(
        {},
        member(
          "attestationObject",
          (value) => encode([0xbf, ...decode(value).subarray(1), 0xff]),
        ),
      ),
    ],
  },
  {
    name: "more members in the attestation object",
    source: "6.5.4; epAtt and largeBlobKey of CTAP2",
    expected: "response_malformed",
    steps: [register({}, attestation((object) => object.set("epAtt", false)))],
  },
];

const extensionRows: Oddity[] = [
  {
    name: "unsolicited outputs of extensions",
    source: "9, OFFPAD+: linux-credentials/libwebauthn#135",
    expected: "accepted",
    steps: [
      register(
        extensions(map({
          credBlob: true,
          credProtect: 3,
          "hmac-secret": true,
        })),
      ),
      logIn(extensions(map({ "hmac-secret": new Uint8Array(48) }))),
    ],
  },
  {
    name: "outputs of an unknown extension",
    source: "9, unknown extensions are ignored",
    expected: "accepted",
    steps: [
      register(extensions(map({ "example.future": [1, "x", null] }))),
      logIn(extensions(map({ "example.future": [[2, 4, 2]] }))),
    ],
  },
  {
    name: "an empty map of extensions",
    source: "6.1, flag ED",
    expected: "accepted",
    steps: [register(extensions(map({}))), logIn(extensions(map({})))],
  },
  {
    name: "the flag ED without outputs",
    source: "6.1",
    expected: "response_malformed",
    steps: [register(), logIn(flags(FLAG.ed))],
  },
  {
    name: "outputs without the flag ED",
    source: "6.1; brokenhandsio/swift-webauthn#37",
    expected: "response_malformed",
    steps: [register(data((data) => [...data, ...map({ credProtect: 2 })]))],
  },
  {
    name: "trailing bytes in the authenticator data",
    source: "6.1",
    expected: "response_malformed",
    steps: [register(), logIn(data((data) => [...data, 0]))],
  },
  {
    name: "outputs of the client, such as credProps without rk",
    source: "10.1.3, rk is optional",
    expected: "accepted",
    steps: [
      register({}, (response) => ({
        ...response,
        clientExtensionResults: { credProps: {}, appid: false, prf: null },
      })),
      logIn({}, ({ clientExtensionResults: _, ...others }) => others),
    ],
  },
];

const clients: Oddity[] = [
  {
    name: "an extra member of the client data",
    source: "5.8.1; Chrome's other_keys_can_be_added_here",
    expected: "accepted",
    steps: [
      register(clientData({ other_keys_can_be_added_here: "do not compare" })),
      logIn(clientData({ other_keys_can_be_added_here: "do not compare" })),
    ],
  },
  {
    name: "members of Level 1 in the client data",
    source: "Level 1, 5.10.1",
    expected: "accepted",
    steps: [
      register(clientData({
        hashAlgorithm: "SHA-256",
        clientExtensions: {},
        tokenBinding: { status: "supported" },
      })),
      logIn(clientData({ tokenBinding: { status: "present", id: "AA" } })),
    ],
  },
  {
    name: "no crossOrigin",
    source: "7.1, step 10; Level 1 clients and native apps",
    expected: "accepted",
    steps: [
      register(clientData({ crossOrigin: undefined })),
      logIn(clientData({ crossOrigin: undefined })),
    ],
  },
  {
    name: "crossOrigin null",
    source: "5.8.1, a boolean",
    expected: "response_malformed",
    steps: [register(clientData({ crossOrigin: null }))],
  },
  {
    name: "a topOrigin, and crossOrigin false",
    source: "5.8.1; MasterKale/SimpleWebAuthn#759",
    expected: "cross_origin",
    steps: [
      register(clientData({ topOrigin: "https://frame.example" })),
    ],
  },
  {
    name: "a listed Android app",
    source: "lbuchs/WebAuthn#94, with androidPackageName",
    expected: "accepted",
    steps: [
      register(clientData({
        origin: ANDROID,
        androidPackageName: "com.example.app",
        crossOrigin: undefined,
      })),
      logIn(clientData({ origin: ANDROID })),
    ],
    options: { origins: ["https://test.example", ANDROID] },
  },
  {
    name: "an Android app that is not listed",
    source: "7.2, step 12; Yubico/java-webauthn-server#159",
    expected: "origin_mismatch",
    steps: [register(), logIn(clientData({ origin: ANDROID }))],
  },
  {
    name: "the RP ID hash of a U2F AppID",
    source: "10.1.1; the extension appid is not requested",
    expected: "rp_id_mismatch",
    steps: [register(), logIn(data((data) => data.fill(1, 0, 32)))],
  },
  {
    name: "authenticatorAttachment null",
    source: "5.1, nullable",
    expected: "accepted",
    steps: [
      register({}, (response) => ({
        ...response,
        authenticatorAttachment: null,
      })),
      logIn({}, (response) => ({ ...response, authenticatorAttachment: "x" })),
    ],
  },
  {
    name: "the members of toJSON()",
    source: "5.1, RegistrationResponseJSON",
    expected: "accepted",
    steps: [
      register({}, (response) => {
        Object.assign(response.response, {
          publicKey: null,
          publicKeyAlgorithm: -7,
          authenticatorData: "AA",
        });
        return response;
      }),
    ],
  },
  {
    name: "base64url with padding",
    source: "3, base64url has none; android/security-samples#71",
    expected: "response_malformed",
    steps: [
      register(),
      logIn({}, member("authenticatorData", (value) => `${value}=`)),
    ],
  },
];

const keys: Oddity[] = [
  ...(["EdDSA", "ES256", "RS256"] as const).map((algorithm): Oddity => ({
    name: `a key for ${algorithm}`,
    source: algorithm === "RS256" ? "Windows Hello with a TPM" : "5.8.5",
    expected: "accepted",
    steps: [register(), logIn()],
    device: { algorithm },
  })),
  {
    name: "an algorithm that was not offered",
    source: "7.1, step 20; a TPM that only has RS256",
    expected: "algorithm_unsupported",
    steps: [register()],
    device: { algorithm: "RS256" },
    options: { algorithms: ["ES256"] },
  },
  {
    name: "a key for ES256K",
    source: "RFC 8812; not offered",
    expected: "algorithm_unsupported",
    steps: [register(publicKey((key) => key.set(3, -47).set(-1, 8)))],
  },
  {
    name: "a key for ESP256",
    source: "RFC 9864; not offered",
    expected: "algorithm_unsupported",
    steps: [register(publicKey((key) => key.set(3, -9)))],
  },
  {
    name: "an optional parameter in the key",
    source: "6.5.1.1",
    expected: "algorithm_unsupported",
    steps: [register(publicKey((key) => key.set(2, new Uint8Array([1]))))],
  },
  {
    name: "a map of an Ed25519 key with a wrong size",
    source: "Firefox until 117: duo-labs/py_webauthn#160",
    expected: "response_malformed",
    steps: [
      register(data((data) => {
        data[87]!--;
        return data;
      })),
    ],
    device: { algorithm: "EdDSA" },
  },
  {
    name: "a signature with a superfluous zero",
    source: "6.5.5, DER; rare devices: go-webauthn/webauthn#408",
    expected: "signature_invalid",
    steps: [
      register(),
      logIn(
        {},
        member("signature", (value) => {
          const [tag, length, type, size, ...rest] = decode(value);
          const zero = [tag!, length! + 1, type!, size! + 1, 0];
          return encode([...zero, ...rest]);
        }),
      ),
    ],
  },
  {
    name: "a credential id of 1,023 bytes",
    source: "7.1, step 25; wrapped keys of security keys",
    expected: "accepted",
    steps: [
      register(credentialId(LONG_ID), withId(LONG_ID)),
      logIn({}, withId(LONG_ID)),
    ],
  },
  {
    name: "a credential id of 1,024 bytes",
    source: "7.1, step 25",
    expected: "response_malformed",
    steps: [
      register(
        credentialId(new Uint8Array(1024)),
        withId(new Uint8Array(1024)),
      ),
    ],
  },
  {
    name: "a credential of another account",
    source: "7.1, step 26",
    expected: "passkey_exists",
    steps: [
      register(credentialId(SHARED_ID), withId(SHARED_ID)),
      { ...register(credentialId(SHARED_ID), withId(SHARED_ID)), user: 8 },
    ],
  },
  {
    name: "a credential in a login",
    source: "6.1, the flag AT is for registrations",
    expected: "response_malformed",
    steps: [
      register(),
      logIn(data((data) => {
        data[32]! |= 64;
        return [...data, ...new Uint8Array(16), 0, 1, 7, 0xa0];
      })),
    ],
  },
];

const ODDITIES: readonly Oddity[] = [
  ...userHandles,
  ...counters,
  ...flagRows,
  ...transports,
  ...attestations,
  ...extensionRows,
  ...clients,
  ...keys,
];

for (const { name, source, expected, steps, device, options } of ODDITIES) {
  const result = expected === "accepted" ? "accepts" : `refuses (${expected})`;
  Deno.test(`createPasskeys() ${result} ${name} (${source})`, async () => {
    const app = createPasskeyApp(options);
    const authenticator = createTestAuthenticator(device);
    const results: PasskeyAuthResult[] = [];
    for (const { purpose, user = 7, changes, tamper } of steps) {
      const path = `/${purpose}/options?user=${user}`;
      const asked = await app.post(path);
      const response: Loose = purpose === "register"
        ? await authenticator.register(asked, changes)
        : await authenticator.authenticate(asked, changes);
      const sent = tamper === undefined ? response : tamper(response);
      results.push(await app.post(`/${purpose}`, sent));
    }
    const last = results.pop()!;
    assert(results.every(({ ok }) => ok), JSON.stringify(results));
    assertEquals(last.ok ? "accepted" : last.reason, expected);
  });
}

Deno.test("authenticationOptions() returns the transports as the browser sent them (WebAuthn 5.8.3)", async () => {
  for (const sent of [[], ["cable"], ["hybrid", "internal"], ["new-one"]]) {
    const app = createPasskeyApp();
    await app.register(
      createTestAuthenticator(),
      {},
      member("transports", () => sent),
    );
    const { allowCredentials } = await app.post("/second-factor/options");
    assertEquals(allowCredentials[0].transports, sent);
  }
});
