import { decodeCBOR } from "npm:@levischuck/tiny-cbor@0.3.6";
import { verifyAuthenticationResponse } from "npm:@simplewebauthn/server@14.0.3";
import {
  createPasskeys,
  type Passkey,
  type PasskeyAssertionJSON,
} from "@gatehouse/web/auth/passkey";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  createTestClient,
} from "@gatehouse/web/testing";
import { measure, printTable } from "./_measure.ts";

// deno-lint-ignore no-explicit-any -- both libraries take it, with other types
type Loose = any;

/** The most that a login may take, as a multiple of SimpleWebAuthn's time. */
const BOUND = 2;

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures logins on this runtime; tells whether the bounds hold. */
export async function racePasskeys(quick: boolean): Promise<boolean> {
  let holds = true;
  for (const algorithm of ["ES256", "EdDSA"] as const) {
    holds = await race(algorithm, quick) && holds;
  }
  return holds;
}

async function race(
  algorithm: "ES256" | "EdDSA",
  quick: boolean,
): Promise<boolean> {
  const effort = quick ? { rounds: 20, turns: 20 } : { rounds: 100, turns: 40 };
  const { passkey, requests, responses, router } = await prepare(
    algorithm,
    // The warm-up, and some more.
    effort.rounds * effort.turns * 1.25 + effort.turns,
  );
  const credential = {
    id: passkey.id,
    publicKey: bytesOf(passkey.publicKey),
    counter: 0,
  };
  const verifyOnly = createVerify(passkey, responses[0]!.response);
  let next = 0;
  const theirs = "SimpleWebAuthn, verifyAuthenticationResponse";
  const floor = "only Web Crypto: key, hash and signature";
  const ours = "the whole request of a login";
  const medians = await measure([
    {
      name: theirs,
      async run(turn) {
        const { challenge, response } = responses[turn]!;
        const { verified } = await verifyAuthenticationResponse({
          response,
          expectedChallenge: challenge,
          expectedOrigin: "https://test.example",
          expectedRPID: "test.example",
          credential,
        });
        if (!verified) throw new Error("The assertion was refused");
      },
    },
    { name: floor, run: verifyOnly },
    {
      name: ours,
      async run() {
        const { status } = await router.fetch(requests[next++]!);
        if (status !== 200) throw new Error("The login was refused");
      },
    },
  ], effort);
  return printTable(`Passkey, ${algorithm} on ${runtime}`, medians, [
    { of: ours, to: theirs, most: BOUND },
  ]);
}

/** Registers a passkey, and signs the responses of many logins. */
async function prepare(algorithm: "ES256" | "EdDSA", count: number) {
  const store = createMemoryPasskeyStore();
  const passkeys = createPasskeys({
    rpId: "test.example",
    rpName: "Test",
    store,
  });
  const router = createRouter({
    middleware: [session({ anonymousLimit: { total: 1_000_000 } })],
  });
  const user = { id: 7, name: "Ada" };
  router.post(
    "/register/options",
    async (context) =>
      Response.json(await passkeys.registrationOptions(context, user)),
  );
  router.post(
    "/register",
    async (context) =>
      Response.json(await passkeys.finishRegistration(context)),
  );
  router.post(
    "/options",
    async (context) =>
      Response.json(await passkeys.authenticationOptions(context)),
  );
  router.post("/login", async (context) => {
    const { ok } = await passkeys.finishAuthentication(context);
    return new Response(null, { status: ok ? 200 : 422 });
  });

  const browser = createTestClient(router);
  const device = createTestAuthenticator({ algorithm });
  const post = async (path: string, body?: unknown) =>
    await (await browser.fetch(path, jsonRequest(body))).json();
  await post(
    "/register",
    await device.register(await post("/register/options")),
  );
  const [passkey] = await store.list(7) as [Passkey];

  const requests: Request[] = [];
  const responses = [];
  for (let index = 0; index < count; index++) {
    const answer = await router.fetch("https://test.example/options", {
      method: "POST",
    });
    const [cookie] = answer.headers.getSetCookie()[0]!.split(";");
    const options = await answer.json();
    const response = await device.authenticate(options);
    const init = jsonRequest(response);
    const headers = { ...init.headers, cookie: cookie! };
    requests.push(
      new Request("https://test.example/login", { ...init, headers }),
    );
    if (responses.length < 50) {
      responses.push({ challenge: options.challenge as string, response });
    }
  }
  return { passkey, requests, responses, router };
}

function jsonRequest(body: unknown) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  };
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const base64 = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

/** Returns a function that does the cryptography of one login. */
function createVerify(
  { publicKey }: Passkey,
  { response }: PasskeyAssertionJSON,
): () => Promise<boolean> {
  const cose = decodeCBOR(bytesOf(publicKey)) as Map<number, Loose>;
  const isEd = cose.get(3) === -8;
  const raw = isEd
    ? cose.get(-2)
    : new Uint8Array([4, ...cose.get(-2), ...cose.get(-3)]);
  const params = isEd
    ? { name: "Ed25519" }
    : { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const clientData = bytesOf(response.clientDataJSON);
  const data = bytesOf(response.authenticatorData);
  const signature = isEd
    ? bytesOf(response.signature)
    : new Uint8Array(64).fill(1);
  return async () => {
    const key = await crypto.subtle
      .importKey("raw", raw, params, false, ["verify"]);
    const hash = await crypto.subtle.digest("SHA-256", clientData);
    const signed = new Uint8Array([...data, ...new Uint8Array(hash)]);
    return await crypto.subtle.verify(params, key, signature, signed);
  };
}
