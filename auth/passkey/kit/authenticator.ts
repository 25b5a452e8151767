import { encodeBase64Url, sha256 } from "../../../session/secrets.ts";
import type { PasskeyAlgorithm } from "../options.ts";
import { encodeCBOR } from "./cbor.ts";
import { createTestKey, type TestKey } from "./keys.ts";
import type {
  PasskeyAssertionJSON,
  PasskeyCreationOptions,
  PasskeyRegistrationJSON,
  PasskeyRequestOptions,
} from "../json.ts";

/** Options for {@linkcode createTestAuthenticator}. */
export interface TestAuthenticatorOptions {
  /**
   * The origin of the page.
   *
   * @default {"https://test.example"}
   */
  readonly origin?: string;
  /**
   * The algorithm of new passkeys.
   *
   * @default {"ES256"}
   */
  readonly algorithm?: PasskeyAlgorithm;
  /**
   * `true` if the user enters a PIN or uses biometrics.
   *
   * @default {true}
   */
  readonly userVerified?: boolean;
  /**
   * `true` if passkeys are synced to other devices.
   *
   * @default {false}
   */
  readonly backedUp?: boolean;
  /**
   * `true` if the authenticator counts its signatures.
   *
   * @default {false}
   */
  readonly counts?: boolean;
}

/** Changes to a response before it is signed, to test that it is refused. */
export interface TestPasskeyChanges {
  /**
   * Replaces members of the client data, such as `origin`. A member that is
   * `undefined` is removed.
   *
   * @default {undefined}
   */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /**
   * Changes the authenticator data.
   *
   * @param data The data.
   * @returns The new data.
   * @default {(data) => data}
   */
  readonly authenticatorData?: (
    data: Uint8Array<ArrayBuffer>,
  ) => Uint8Array<ArrayBuffer>;
  /**
   * `true` to sign a registration with the new key.
   *
   * @default {false}
   */
  readonly selfAttestation?: boolean;
}

/** An authenticator for tests, with the passkeys that were registered in it. */
export interface TestAuthenticator {
  /**
   * Creates a passkey, like `navigator.credentials.create()`.
   *
   * @param options The options of the application.
   * @param changes Changes to the response.
   * @returns The response, as JSON.
   * @throws {Error} If the user has a passkey in this authenticator already.
   */
  register(
    options: PasskeyCreationOptions,
    changes?: TestPasskeyChanges,
  ): Promise<PasskeyRegistrationJSON>;
  /**
   * Logs in with the newest passkey, like `navigator.credentials.get()`.
   *
   * @param options The options of the application.
   * @param changes Changes to the response.
   * @returns The response, as JSON.
   * @throws {Error} If there is no such passkey.
   */
  authenticate(
    options: PasskeyRequestOptions,
    changes?: TestPasskeyChanges,
  ): Promise<PasskeyAssertionJSON>;
}

/** A passkey with its private key. */
interface TestPasskey {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly key: TestKey;
  counter: number;
}

/**
 * Creates an authenticator for tests, with real keys and signatures.
 *
 * @example The data that it signs
 * ```ts
 * import { createPasskeys } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import {
 *   createMemoryPasskeyStore,
 *   createTestAuthenticator,
 * } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const passkeys = createPasskeys({
 *   rpId: "test.example",
 *   rpName: "Test",
 *   store: createMemoryPasskeyStore(),
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.post("/options", async (context) =>
 *   Response.json(
 *     await passkeys.registrationOptions(context, { id: 7, name: "Ada" }),
 *   ));
 * const response = await router.fetch("https://test.example/options", {
 *   method: "POST",
 * });
 *
 * const authenticator = createTestAuthenticator();
 * const { type } = await authenticator.register(await response.json());
 * assertEquals(type, "public-key");
 * ```
 *
 * @param options The origin, the algorithm and the flags.
 * @returns The authenticator.
 */
export function createTestAuthenticator(
  options: TestAuthenticatorOptions = {},
): TestAuthenticator {
  return new SoftwareAuthenticator(options);
}

class SoftwareAuthenticator implements TestAuthenticator {
  readonly #options: TestAuthenticatorOptions;
  readonly #passkeys: TestPasskey[] = [];

  constructor(options: TestAuthenticatorOptions) {
    this.#options = options;
  }

  async register(
    { challenge, excludeCredentials, rp, user }: PasskeyCreationOptions,
    changes: TestPasskeyChanges = {},
  ): Promise<PasskeyRegistrationJSON> {
    const excluded = excludeCredentials.map(({ id }) => id);
    if (this.#passkeys.some(({ id }) => excluded.includes(id))) {
      throw new Error("Cannot register: the user has a passkey already");
    }
    const id = crypto.getRandomValues(new Uint8Array(32));
    const passkey: TestPasskey = {
      id: encodeBase64Url(id),
      rpId: rp.id,
      userHandle: user.id,
      key: await createTestKey(this.#options.algorithm ?? "ES256"),
      counter: 0,
    };
    this.#passkeys.push(passkey);
    const attested = [...new Uint8Array(16), 0, 32, ...id];
    const data = await createData(passkey, this.#options, changes, [
      ...attested,
      ...passkey.key.publicKey,
    ]);
    const clientData = this.#clientData("webauthn.create", challenge, changes);
    const object = await attest(passkey.key, data, clientData, changes);
    return credentialOf(passkey, {
      clientDataJSON: encodeBase64Url(clientData),
      attestationObject: encodeBase64Url(object),
      transports: ["internal"],
    });
  }

  async authenticate(
    { allowCredentials, challenge, rpId }: PasskeyRequestOptions,
    changes: TestPasskeyChanges = {},
  ): Promise<PasskeyAssertionJSON> {
    const allowed = allowCredentials.map(({ id }) => id);
    const passkey = this.#passkeys.findLast((passkey) =>
      passkey.rpId === rpId &&
      (allowed.length === 0 || allowed.includes(passkey.id))
    );
    if (passkey === undefined) {
      throw new Error("Cannot authenticate: there is no such passkey");
    }
    if (this.#options.counts) passkey.counter++;
    const data = await createData(passkey, this.#options, changes);
    const clientData = this.#clientData("webauthn.get", challenge, changes);
    const signed = await signedBytes(data, clientData);
    return credentialOf(passkey, {
      clientDataJSON: encodeBase64Url(clientData),
      authenticatorData: encodeBase64Url(data),
      signature: encodeBase64Url(await passkey.key.sign(signed)),
      userHandle: passkey.userHandle,
    });
  }

  #clientData(
    type: string,
    challenge: string,
    changes: TestPasskeyChanges,
  ): Uint8Array<ArrayBuffer> {
    const { origin = "https://test.example" } = this.#options;
    const data = { type, challenge, origin, crossOrigin: false };
    return new TextEncoder().encode(
      JSON.stringify({ ...data, ...changes.clientData }),
    );
  }
}

/** Creates the attestation object of a new credential. */
async function attest(
  { alg, sign }: TestKey,
  data: Uint8Array<ArrayBuffer>,
  clientData: Uint8Array<ArrayBuffer>,
  { selfAttestation }: TestPasskeyChanges,
): Promise<Uint8Array<ArrayBuffer>> {
  const statement = new Map<string, number | Uint8Array>();
  if (selfAttestation) {
    statement.set("alg", alg);
    statement.set("sig", await sign(await signedBytes(data, clientData)));
  }
  return encodeCBOR(
    new Map<string, string | Uint8Array | typeof statement>([
      ["fmt", selfAttestation ? "packed" : "none"],
      ["attStmt", statement],
      ["authData", data],
    ]),
  );
}

function credentialOf<Response>({ id }: TestPasskey, response: Response) {
  const clientExtensionResults = {};
  const type = "public-key" as const;
  return { id, rawId: id, type, response, clientExtensionResults };
}

/** Creates the authenticator data, with a new credential in a registration. */
async function createData(
  { counter, rpId }: TestPasskey,
  { backedUp = false, userVerified = true }: TestAuthenticatorOptions,
  { authenticatorData = (data) => data }: TestPasskeyChanges,
  attested: readonly number[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const flags = 1 | (userVerified ? 4 : 0) | (backedUp ? 24 : 0) |
    (attested.length > 0 ? 64 : 0);
  const count = [24, 16, 8, 0].map((shift) => counter >> shift & 255);
  const hash = await sha256(rpId);
  return authenticatorData(
    new Uint8Array([...hash, flags, ...count, ...attested]),
  );
}

async function signedBytes(
  data: Uint8Array<ArrayBuffer>,
  clientData: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array([...data, ...await sha256(clientData)]);
}
