/** The test vectors of Web Authentication Level 3, section 16. */
import type { Loose } from "../auth/_passkey_app.ts";
import { assert, assertEquals } from "@std/assert";
import { createPasskeys } from "@gatehouse/web/auth/passkey";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestClient,
} from "@gatehouse/web/testing";
import { type CeremonyVector, readVectors } from "./_webauthn_vectors.ts";

const vectors = await readVectors();

/** The vectors that an application without further options refuses. */
const REFUSED: Readonly<Record<string, string>> = {
  // The frame has no name, so it cannot be an allowed one.
  'ES256 Credential with "crossOrigin": true in clientDataJSON': "cross_origin",
  // Its challenge has 128 bytes, and the library only creates 32.
  "Packed Attestation with ES512 Credential": "challenge_unknown",
  // Web Crypto lacks the curve.
  "Packed Attestation with Ed448 Credential": "algorithm_unsupported",
};

for (const { authentication, name, registration } of vectors) {
  Deno.test(`passkeys verify the vector "${name}" (WebAuthn, section 16)`, async () => {
    const app = createVectorApp();
    const result = await app.register(registration);
    assertEquals(result.reason, REFUSED[name]);
    if (!result.ok) return;
    assertEquals(result.passkey.aaguid.replaceAll("-", ""), hex(registration));
    const login = await app.logIn(authentication, result.passkey.id);
    assertEquals(login, { ...login, ok: true, userId: 7 });

    const signature = authentication.signature!.with(-1, 0);
    const forged = { ...authentication, signature };
    const refused = await app.logIn(forged, result.passkey.id);
    assertEquals(refused.reason, "signature_invalid");
  });

  Deno.test(`passkeys without verifyAttestation decide about "${name}" by its format`, async () => {
    const app = createVectorApp(false);
    const { ok, reason } = await app.register(registration);
    const isPlain = !/Attestation with/.test(name);
    assertEquals(
      reason,
      REFUSED[name] ?? (isPlain ? undefined : "attestation_invalid"),
    );
    assertEquals(ok, reason === undefined);
  });
}

Deno.test("the specification has its test vectors, if it was downloaded", () => {
  assert(vectors.length === 0 || vectors.length >= 15, `${vectors.length}`);
});

function hex({ aaguid }: CeremonyVector): string {
  return Array.from(aaguid!, (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Creates an application whose challenges the test chooses. */
function createVectorApp(acceptsAttestation = true) {
  const passkeys = createPasskeys({
    rpId: "example.org",
    rpName: "Example",
    topOrigins: ["https://example.com"],
    algorithms: ["EdDSA", "ES256", "ES384", "ES512", "RS256"],
    userVerification: "preferred",
    store: createMemoryPasskeyStore(),
    ...acceptsAttestation && { verifyAttestation: () => true },
  });
  const router = createRouter({ middleware: [session()] });
  router.post("/challenge/:purpose/:hash", (context) => {
    const { params } = context;
    const step = {
      purpose: params.purpose,
      rpId: "example.org",
      userVerification: "preferred",
      userId: 7,
      userHandle: "dXNlcg",
      startedAt: Date.now(),
    };
    context.get(Session).set("__auth.passkey", { [params.hash]: step });
    return new Response();
  });
  router.post(
    "/register",
    async (context) =>
      Response.json(await passkeys.finishRegistration(context)),
  );
  router.post(
    "/login",
    async (context) =>
      Response.json(await passkeys.finishAuthentication(context, "confirm")),
  );
  const browser = createTestClient(router, { origin: "https://example.org" });

  const answer = async (
    path: string,
    purpose: string,
    id: string,
    { challenge, ...vector }: CeremonyVector,
  ): Promise<Loose> => {
    const text = new TextEncoder().encode(encode(challenge!));
    const hash = await crypto.subtle.digest("SHA-256", text);
    const hashed = encode(new Uint8Array(hash));
    await browser.fetch(`/challenge/${purpose}/${hashed}`, { method: "POST" });
    const response = Object.fromEntries(
      Object.entries(vector).map(([name, bytes]) => [name, encode(bytes)]),
    );
    const body = { id, rawId: id, type: "public-key", response };
    const result = await browser.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return await result.json();
  };
  return {
    register: (vector: CeremonyVector) =>
      answer(
        "/register",
        "registration",
        encode(vector.credential_id!),
        vector,
      ),
    logIn: (vector: CeremonyVector, id: string) =>
      answer("/login", "confirm", id, vector),
  };
}

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
