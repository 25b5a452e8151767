import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import {
  type AttestedCredential,
  type AuthenticatorData,
  parseAuthenticatorData,
} from "./_authenticator_data.ts";
import { type Ceremony, takeChallenge } from "./_challenges.ts";
import { decodeCBORMap } from "./_cbor.ts";
import {
  checkClientData,
  type ClientData,
  parseClientData,
} from "./_client_data.ts";
import { importCOSEKey, type VerifyKey } from "./_cose_key.ts";
import {
  decodeMembers,
  parseResponse,
  type PasskeyResponse,
  readResponse,
} from "./_response.ts";
import { checkAuthenticatorData } from "./_checks.ts";
import type { PasskeySettings } from "./options.ts";
import {
  failure,
  type PasskeyFailure,
  type PasskeyFailureReason,
  type PasskeyRegistrationResult,
} from "./result.ts";
import type { Passkey } from "./store.ts";
import type { PasskeyOwner } from "./user.ts";

/** A new credential with the data that came with it. */
interface NewCredential {
  readonly response: PasskeyResponse;
  readonly clientData: ClientData;
  readonly clientDataHash: Uint8Array<ArrayBuffer>;
  readonly format: string;
  /** A map, or an array of statements in the format `compound`. */
  readonly statement: Map<unknown, unknown> | readonly unknown[];
  readonly data: Uint8Array<ArrayBuffer>;
  readonly authenticator: AuthenticatorData;
  readonly credential: AttestedCredential;
}

/**
 * Verifies a registration and stores the passkey. The comments name the steps of
 * section 7.1.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential | Web Authentication Level 3, section 7.1}
 */
export async function register(
  settings: PasskeySettings,
  context: RequestContext,
  name: string,
  owner?: PasskeyOwner,
): Promise<PasskeyRegistrationResult> {
  const json = await readResponse(context);
  if (json === null) return failure("response_missing");
  const created = await parseRegistration(json);
  if (created === null) return failure("response_malformed");
  const { authenticator, clientData, credential } = created;

  // Step 8.
  const ceremony = await takeChallenge(
    settings,
    context,
    clientData.challenge,
    "registration",
  );
  if (ceremony === null) return failure("challenge_unknown");
  const problem = checkOwner(ceremony, owner) ??
    checkClientData(settings, clientData, "webauthn.create") ??
    await checkAuthenticatorData(settings, ceremony, authenticator);
  if (problem !== null) return failure(problem);

  // Step 20.
  const key = await importCOSEKey(credential.publicKey);
  const isOffered = key !== null && settings.algorithms.includes(key.alg);
  if (!isOffered || !await key.isUsable()) {
    return failure("algorithm_unsupported");
  }
  // Steps 21 to 24.
  const refused = await checkAttestation(settings, created, key);
  if (refused !== null) return refused;

  const passkey = createPasskey(created, ceremony, settings.now(), name);
  const { version } = owner ?? context.get(Session);
  return await storePasskey(settings, passkey, version);
}

/** Checks the user: a session may have challenges of another user's login. */
function checkOwner(
  { userId }: Ceremony,
  owner: PasskeyOwner | undefined,
): PasskeyFailureReason | null {
  return owner === undefined || owner.id === userId ? null : "user_mismatch";
}

/** Stores a passkey: step 26. */
async function storePasskey(
  { store }: PasskeySettings,
  passkey: Passkey,
  version: number | undefined,
): Promise<PasskeyRegistrationResult> {
  if (await store.create(passkey, version)) return { ok: true, passkey };
  const isTaken = await store.get(passkey.id) !== null;
  return failure(isTaken ? "passkey_exists" : "access_ended");
}

/** Decodes a response: steps 5, 6, 12, 13 and 25. */
async function parseRegistration(json: string): Promise<NewCredential | null> {
  const response = parseResponse(json);
  const members = response &&
    decodeMembers(response, ["clientDataJSON", "attestationObject"]);
  if (response === null || members === null) return null;
  const clientData = parseClientData(members.clientDataJSON);
  const object = decodeCBORMap(members.attestationObject);
  if (clientData === null || object?.size !== 3) return null;

  const format = object.get("fmt");
  const statement = object.get("attStmt");
  const data = object.get("authData");
  const isStatement = statement instanceof Map || Array.isArray(statement);
  if (typeof format !== "string" || !isStatement) return null;
  if (!(data instanceof Uint8Array)) return null;
  const bytes = new Uint8Array(data);
  const authenticator = parseAuthenticatorData(bytes);
  const credential = authenticator?.credential;
  if (!authenticator || !credential) return null;
  if (encodeBase64Url(credential.id) !== response.id) return null;
  const clientDataHash = await sha256(members.clientDataJSON);
  return {
    response,
    clientData,
    clientDataHash,
    format,
    statement,
    data: bytes,
    authenticator,
    credential,
  };
}

/**
 * Checks the attestation. Browsers that are asked for no attestation send the
 * format `none`, or a signature with the new key itself (section 5.1.3).
 */
async function checkAttestation(
  { rpId, verifyAttestation }: PasskeySettings,
  created: NewCredential,
  key: VerifyKey,
): Promise<PasskeyFailure | null> {
  const { clientData, format, response, statement } = created;
  if (verifyAttestation === undefined) {
    const isValid = format === "none"
      ? statement instanceof Map && statement.size === 0
      : format === "packed" && await isSelfAttested(created, key);
    return isValid ? null : failure("attestation_invalid");
  }
  try {
    const isAccepted = await verifyAttestation({
      format,
      response: toRegistrationJSON(response),
      challenge: clientData.challenge,
      origin: clientData.origin,
      rpId,
    });
    return isAccepted === true ? null : failure("attestation_invalid");
  } catch (cause) {
    return failure("attestation_invalid", { cause });
  }
}

/** Verifies a self attestation (section 8.2). */
async function isSelfAttested(
  { clientDataHash, data, statement }: NewCredential,
  { alg, verify }: VerifyKey,
): Promise<boolean> {
  if (!(statement instanceof Map)) return false;
  const signature = statement.get("sig");
  return statement.size === 2 && statement.get("alg") === alg &&
    signature instanceof Uint8Array &&
    await verify(
      new Uint8Array(signature),
      new Uint8Array([...data, ...clientDataHash]),
    );
}

function toRegistrationJSON({ id, members }: PasskeyResponse) {
  const { attestationObject, clientDataJSON } = members;
  const transports = transportsOf(members.transports);
  return {
    id,
    rawId: id,
    type: "public-key",
    response: {
      clientDataJSON: String(clientDataJSON),
      attestationObject: String(attestationObject),
      transports,
    },
    clientExtensionResults: {},
  } as const;
}

function createPasskey(
  { authenticator, credential, response }: NewCredential,
  { userHandle, userId }: Ceremony,
  now: number,
  name: string,
): Passkey {
  return {
    id: response.id,
    // The options of a registration always name the user.
    userId: userId!,
    userHandle: userHandle!,
    publicKey: encodeBase64Url(credential.publicKey),
    counter: authenticator.counter,
    transports: transportsOf(response.members.transports),
    backupEligible: authenticator.backupEligible,
    backedUp: authenticator.backedUp,
    aaguid: credential.aaguid,
    name,
    createdAt: now,
    usedAt: null,
  };
}

/** Returns the transports, of which browsers may have new ones. */
function transportsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 8).filter((transport) =>
    typeof transport === "string" && /^[a-z-]{1,32}$/.test(transport)
  );
}
