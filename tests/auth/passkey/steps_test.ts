import type { PasskeyAttestation } from "@gatehouse/web/auth/passkey";
import {
  createTestAuthenticator,
  type TestPasskeyChanges,
} from "@gatehouse/web/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  createPasskeyApp,
  type Loose,
  type PasskeyAppOptions,
  withPasskey,
} from "../_passkey_app.ts";

/** Changes the flags: 1 UP, 4 UV, 8 BE, 16 BS, 64 AT, 128 ED. */
function flags(change: (flags: number) => number): TestPasskeyChanges {
  return {
    authenticatorData(data) {
      data[32] = change(data[32]!);
      return data;
    },
  };
}

/** Replaces the RP ID hash with zeros. */
const otherRpId: TestPasskeyChanges = {
  authenticatorData: (data) => data.fill(0, 0, 32),
};

/** Changes a byte of a member of the response, counted from its end. */
function flip(member: string, fromEnd = 1) {
  return (response: Loose) => {
    const bytes = decode(response.response[member]);
    bytes[bytes.length - fromEnd]! ^= 1;
    response.response[member] = encode(bytes);
    return response;
  };
}

function decode(base64url: string): Uint8Array {
  const base64 = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-")
    .replaceAll("/", "_").replaceAll("=", "");
}

interface Step {
  readonly step: string;
  readonly name: string;
  readonly reason: string | undefined;
  readonly changes?: TestPasskeyChanges;
  readonly tamper?: (response: Loose) => Loose;
  readonly options?: PasskeyAppOptions;
  readonly device?: Parameters<typeof createTestAuthenticator>[0];
}

const frame = "https://frame.example";

const android = `android:apk-key-hash:${"A".repeat(43)}`;

/** Returns the checks that both ceremonies have, with the step of each. */
function shared(section: 1 | 2, type: string): Step[] {
  const at = (registration: number, login: number) =>
    `7.${section}, step ${section === 1 ? registration : login}`;
  const data = (clientData: Record<string, unknown>) => ({ clientData });
  const step = {
    json: at(6, 9),
    type: at(7, 10),
    challenge: at(8, 11),
    origin: at(9, 12),
    cross: at(10, 13),
    top: at(11, 14),
    rpId: at(14, 15),
    present: at(15, 16),
    verified: at(16, 17),
    backup: at(17, 18),
  };
  const other = type === "webauthn.get" ? "webauthn.create" : "webauthn.get";
  return [
    {
      step: at(5, 8),
      name: "a byte order mark is removed",
      tamper: (response) => {
        const json = decode(response.response.clientDataJSON);
        const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...json]);
        response.response.clientDataJSON = encode(marked);
        return response;
      },
      // The hash covers the mark, so only the signature fails.
      reason: section === 1 ? undefined : "signature_invalid",
    },
    {
      step: step.json,
      name: "client data that is not JSON",
      tamper: (response) => {
        response.response.clientDataJSON = encode(new Uint8Array([123]));
        return response;
      },
      reason: "response_malformed",
    },
    {
      step: step.type,
      name: "the type of the other ceremony",
      changes: data({ type: other }),
      reason: "type_mismatch",
    },
    {
      step: step.type,
      name: "the type of a payment",
      changes: data({ type: "payment.get" }),
      reason: "type_mismatch",
    },
    {
      step: step.challenge,
      name: "another challenge",
      changes: data({ challenge: "A".repeat(43) }),
      reason: "challenge_unknown",
    },
    ...[
      "https://evil.example",
      "https://test.example:444",
      "http://test.example",
      "https://sub.test.example",
      "https://test.example/",
      "https://test.example.evil.example",
      "HTTPS://test.example",
      "null",
      "",
    ].map((origin) => ({
      step: step.origin,
      name: `the origin "${origin}"`,
      changes: data({ origin }),
      reason: "origin_mismatch",
    })),
    {
      step: step.origin,
      name: "a related origin",
      options: { origins: ["https://test.example", frame] },
      device: { origin: frame },
      reason: undefined,
    },
    {
      step: step.origin,
      name: "an Android application",
      options: { origins: ["https://test.example", android] },
      device: { origin: android },
      reason: undefined,
    },
    {
      step: step.cross,
      name: "a frame of another origin",
      changes: data({ crossOrigin: true }),
      reason: "cross_origin",
    },
    {
      step: step.top,
      name: "a frame of a page that is not allowed",
      changes: data({ crossOrigin: true, topOrigin: "https://evil.example" }),
      options: { topOrigins: [frame] },
      reason: "cross_origin",
    },
    {
      step: step.top,
      name: "a top origin without crossOrigin",
      changes: data({ crossOrigin: false, topOrigin: "https://evil.example" }),
      reason: "cross_origin",
    },
    {
      step: step.top,
      name: "a frame without the name of the page",
      changes: data({ crossOrigin: true }),
      options: { topOrigins: [frame] },
      reason: "cross_origin",
    },
    {
      step: step.top,
      name: "a frame without the name of the page, which is allowed",
      changes: data({ crossOrigin: true }),
      options: { topOrigins: [frame], allowUnknownTopOrigin: true },
      reason: undefined,
    },
    {
      step: step.top,
      name: "a frame of another page although unnamed ones are allowed",
      changes: data({ crossOrigin: true, topOrigin: "https://evil.example" }),
      options: { topOrigins: [frame], allowUnknownTopOrigin: true },
      reason: "cross_origin",
    },
    {
      step: step.top,
      name: "a frame of an allowed page",
      changes: data({ crossOrigin: true, topOrigin: frame }),
      options: { topOrigins: [frame] },
      reason: undefined,
    },
    {
      step: step.rpId,
      name: "another RP ID",
      changes: otherRpId,
      reason: "rp_id_mismatch",
    },
    {
      step: step.present,
      name: "an absent user",
      changes: flags((flags) => flags & ~1),
      reason: "user_not_present",
    },
    {
      step: step.verified,
      name: "no PIN or biometrics",
      changes: flags((flags) => flags & ~4),
      reason: "user_not_verified",
    },
    {
      step: step.verified,
      name: "no PIN or biometrics, which are only preferred",
      changes: flags((flags) => flags & ~4),
      options: { userVerification: "preferred" },
      reason: undefined,
    },
    {
      step: step.backup,
      name: "a backup of a passkey that can have none",
      changes: flags((flags) => flags | 16),
      reason: "backup_state_invalid",
    },
    {
      step: at(28, 23),
      name: "extensions that the library does not know",
      changes: {
        authenticatorData(data) {
          data[32]! |= 128;
          // {"x": true}
          return new Uint8Array([...data, 0xa1, 0x61, 0x78, 0xf5]);
        },
      },
      tamper: (response) => {
        response.clientExtensionResults = { unknown: { results: [1] } };
        return response;
      },
      reason: undefined,
    },
  ];
}

const registration: Step[] = [
  ...shared(1, "webauthn.create"),
  {
    step: "7.1, step 13",
    name: "an attestation object that is not CBOR",
    tamper: (response) => {
      response.response.attestationObject = "_w";
      return response;
    },
    reason: "response_malformed",
  },
  {
    step: "7.1, steps 18 and 19",
    name: "a passkey with a backup",
    device: { backedUp: true },
    reason: undefined,
  },
  {
    step: "7.1, step 20",
    name: "an algorithm that was not offered",
    device: { algorithm: "ES384" },
    reason: "algorithm_unsupported",
  },
  {
    step: "7.1, step 22",
    name: "a valid self attestation",
    changes: { selfAttestation: true },
    reason: undefined,
  },
  {
    step: "7.1, step 25",
    name: "an id of 1,024 bytes",
    changes: { authenticatorData: (data) => withId(data, 1024) },
    tamper: (response) => ({ ...response, ...idOf(1024) }),
    reason: "response_malformed",
  },
  {
    step: "7.1, step 25",
    name: "an id of 1,023 bytes",
    changes: { authenticatorData: (data) => withId(data, 1023) },
    tamper: (response) => ({ ...response, ...idOf(1023) }),
    reason: undefined,
  },
];

/** Replaces the credential id in the authenticator data. */
function withId(
  data: Uint8Array<ArrayBuffer>,
  length: number,
): Uint8Array<ArrayBuffer> {
  return new Uint8Array([
    ...data.subarray(0, 53),
    length >> 8,
    length & 255,
    ...new Uint8Array(length),
    ...data.subarray(55 + 32),
  ]);
}

function idOf(length: number) {
  const id = encode(new Uint8Array(length));
  return { id, rawId: id };
}

for (
  const { changes, device, name, options, reason, step, tamper } of registration
) {
  Deno.test(`finishRegistration() ${reason ? "refuses" : "accepts"} ${name} (WebAuthn ${step})`, async () => {
    const app = createPasskeyApp(options);
    const result = await app.register(
      createTestAuthenticator(device),
      changes,
      tamper,
    );
    assertEquals(result.ok ? undefined : result.reason, reason);
    assertEquals((await app.store.list(7)).length, result.ok ? 1 : 0);
  });
}

const login: Step[] = [
  ...shared(2, "webauthn.get"),
  {
    step: "7.2, step 6",
    name: "no user handle",
    tamper: (response) => {
      delete response.response.userHandle;
      return response;
    },
    reason: "user_mismatch",
  },
  {
    step: "7.2, step 6",
    name: "the handle of another user",
    tamper: (response) => {
      response.response.userHandle = "A".repeat(43);
      return response;
    },
    reason: "user_mismatch",
  },
  {
    step: "7.2, step 19",
    name: "a passkey that became eligible for backups",
    changes: flags((flags) => flags | 8),
    reason: "backup_state_invalid",
  },
  {
    step: "7.2, step 19",
    name: "a passkey that is no longer eligible for backups",
    device: { backedUp: true },
    changes: flags((flags) => flags & ~24),
    reason: "backup_state_invalid",
  },
  {
    step: "7.2, step 19",
    name: "a passkey that lost its backup",
    device: { backedUp: true },
    changes: flags((flags) => flags & ~16),
    reason: undefined,
  },
  {
    step: "7.2, step 20",
    name: "client data that was changed after the signature",
    tamper: flip("clientDataJSON", 2),
    reason: "response_malformed",
  },
  {
    step: "7.2, step 21",
    name: "another signature",
    tamper: flip("signature"),
    reason: "signature_invalid",
  },
  {
    step: "7.2, step 21",
    name: "authenticator data that was changed after the signature",
    tamper: flip("authenticatorData"),
    reason: "signature_invalid",
  },
  {
    step: "7.2, step 22",
    name: "a counter that increases",
    device: { counts: true },
    reason: undefined,
  },
];

for (const { changes, device, name, options, reason, step, tamper } of login) {
  Deno.test(`finishAuthentication() ${reason ? "refuses" : "accepts"} ${name} (WebAuthn ${step})`, async () => {
    const { app, authenticator, id } = await withPasskey(options, device);
    const result = await app.logIn(authenticator, changes, tamper);
    assertEquals(result.ok ? undefined : result.reason, reason);
    assertEquals((await app.store.get(id))!.usedAt !== null, result.ok);
  });
}

Deno.test("finishAuthentication() refuses a signature with a number that DER reads as negative (RFC 3279, section 2.2.3)", async () => {
  // The counter makes each signature another one.
  const { app, authenticator } = await withPasskey({}, { counts: true });
  const options = await app.post("/login/options");
  // One of about 128 signatures has a number whose first byte is 0x80.
  for (let tries = 0; tries < 10_000; tries++) {
    const response: Loose = await authenticator.authenticate(options);
    const der = [...decode(response.response.signature)];
    const second = 4 + der[3]!;
    const at = [2, second].find((at) =>
      der[at + 2] === 0 && der[at + 3] === 0x80
    );
    if (at === undefined) continue;
    // The number is negative if the zero before it is missing.
    der.splice(at + 2, 1);
    der[at + 1]!--;
    der[1]!--;
    response.response.signature = encode(new Uint8Array(der));
    assertEquals(
      (await app.post("/login", response)).reason,
      "signature_invalid",
    );
    return;
  }
  assert(false, "no signature has such a number");
});

Deno.test("finishAuthentication() refuses a counter that does not increase, and keeps the stored one (WebAuthn 7.2, step 22)", async () => {
  const { app, authenticator, id } = await withPasskey({}, { counts: true });
  const setCounter = (counter: number): TestPasskeyChanges => ({
    authenticatorData(data) {
      new DataView(data.buffer).setUint32(33, counter);
      return data;
    },
  });
  for (
    const [counter, reason] of [
      [0xffff_0000, undefined],
      [0xffff_0000, "counter_not_increased"],
      [5, "counter_not_increased"],
      [0, "counter_not_increased"],
      [0xffff_ffff, undefined],
    ] as const
  ) {
    const result = await app.logIn(authenticator, setCounter(counter));
    assertEquals(result.ok ? undefined : result.reason, reason);
  }
  assertEquals((await app.store.get(id))?.counter, 0xffff_ffff);
});

Deno.test("finishAuthentication() refuses the passkey of another user as second factor (WebAuthn 7.2, steps 5 and 6)", async () => {
  const { app, authenticator, id } = await withPasskey();
  for (const purpose of ["second-factor", "confirm"] as const) {
    const options = await app.post(`/${purpose}/options?user=8`);
    // The attacker's own authenticator ignores the list.
    const response: Loose = await authenticator.authenticate({
      ...options,
      allowCredentials: [{ type: "public-key", id }],
    });
    delete response.response.userHandle;
    const result = await app.post(`/${purpose}`, response);
    assertEquals(result.reason, "user_mismatch");
  }
});

Deno.test("finishAuthentication() needs no user handle if the user is known (WebAuthn 7.2, step 6)", async () => {
  const { app, authenticator } = await withPasskey();
  const without = (response: Loose) => {
    delete response.response.userHandle;
    return response;
  };
  const known = await app.logIn(authenticator, {}, without, "second-factor");
  assert(known.ok);
  const other = (response: Loose) => {
    response.response.userHandle = "A".repeat(43);
    return response;
  };
  const wrong = await app.logIn(authenticator, {}, other, "second-factor");
  assertEquals(wrong.ok ? undefined : wrong.reason, "user_mismatch");
});

Deno.test("finishAuthentication() accepts any user handle for an imported passkey whose handle is unknown, but not a missing one", async () => {
  const { app, authenticator, id } = await withPasskey();
  const { version: _, ...passkey } = (await app.store.get(id))!;
  await app.store.remove(id, passkey.userId);
  await app.store.create({ ...passkey, userHandle: "" }, undefined);
  assert((await app.logIn(authenticator)).ok);

  const missing = await app.logIn(authenticator, {}, (response: Loose) => {
    delete response.response.userHandle;
    return response;
  });
  assertEquals(missing.ok ? undefined : missing.reason, "user_mismatch");
  const options: Loose = await app.post("/register/options?user=7");
  assertMatch(options.user.id, /^[\w-]{43}$/);
});

Deno.test("finishRegistration() refuses an id that is registered, also for another user (WebAuthn 7.1, step 26)", async () => {
  const { app, id } = await withPasskey();
  const options = await app.post("/register/options?user=8");
  const bytes = decode(id);
  const response: Loose = await createTestAuthenticator().register(options, {
    authenticatorData(data) {
      data.set(bytes, 55);
      return data;
    },
  });
  const result = await app.post("/register", { ...response, id, rawId: id });
  assertEquals(result, { ok: false, reason: "passkey_exists" });
  assertEquals((await app.store.get(id))?.userId, 7);
});

Deno.test("verifyAttestation decides about every format (WebAuthn 7.1, steps 21 to 24)", async () => {
  const attestations: PasskeyAttestation[] = [];
  let isAccepted: unknown = true;
  const app = createPasskeyApp({
    verifyAttestation(attestation) {
      attestations.push(attestation);
      if (isAccepted instanceof Error) throw isAccepted;
      return isAccepted as boolean;
    },
  });
  const options = await app.post("/register/options");
  assertEquals(options.attestation, "direct");
  const response = await createTestAuthenticator().register(options);
  assertEquals((await app.post("/register", response)).ok, true);
  const [{ response: received, ...attestation }] = attestations as [
    PasskeyAttestation,
  ];
  assertEquals(attestation, {
    format: "none",
    challenge: options.challenge,
    origin: "https://test.example",
    rpId: "test.example",
  });
  assertEquals(received, response);

  for (const answer of [false, undefined, "yes", new Error("down")]) {
    isAccepted = answer;
    const result = await app.register(createTestAuthenticator(), {
      selfAttestation: true,
    });
    assertEquals(result.ok ? undefined : result.reason, "attestation_invalid");
  }
  assertEquals(attestations.at(-1)?.format, "packed");
  assertEquals((await app.store.list(7)).length, 1);
});
