import type { RequestContext } from "../../router/mod.ts";
import { decodeBase64Url, sha256 } from "../../session/secrets.ts";
import {
  type AuthenticatorData,
  parseAuthenticatorData,
} from "./_authenticator_data.ts";
import {
  type Ceremony,
  type PasskeyPurpose,
  takeChallenge,
} from "./_challenges.ts";
import { checkAuthenticatorData } from "./_checks.ts";
import {
  checkClientData,
  type ClientData,
  parseClientData,
} from "./_client_data.ts";
import { importCOSEKey } from "./_cose_key.ts";
import { decodeMembers, parseResponse, readResponse } from "./_response.ts";
import type { PasskeySettings } from "./options.ts";
import {
  failure,
  type PasskeyAuthResult,
  type PasskeyFailureReason,
} from "./result.ts";
import type { Passkey, PasskeyUse } from "./store.ts";

/** The number of attempts to store a counter that other requests change too. */
const MAX_UPDATES = 4;

/** An assertion: the proof that the authenticator has the private key. */
interface Assertion {
  /** The credential id. */
  readonly id: string;
  readonly clientData: ClientData;
  readonly authenticator: AuthenticatorData;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The signed data. */
  readonly signed: Uint8Array<ArrayBuffer>;
  /** The user handle. It is `null` or empty if the authenticator sent none. */
  readonly userHandle: unknown;
}

/**
 * Verifies an assertion and stores the use of the passkey. The comments name the
 * steps of section 7.2.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion | Web Authentication Level 3, section 7.2}
 */
export async function authenticate(
  settings: PasskeySettings,
  context: RequestContext,
  purpose: PasskeyPurpose,
): Promise<PasskeyAuthResult> {
  const json = await readResponse(context);
  if (json === null) return failure("response_missing");
  const assertion = await parseAssertion(json);
  if (assertion === null) return failure("response_malformed");
  const { authenticator, clientData, id } = assertion;

  // Step 11.
  const { challenge } = clientData;
  const ceremony = await takeChallenge(settings, context, challenge, purpose);
  if (ceremony === null) return failure("challenge_unknown");

  // Steps 5 and 6.
  const found = await settings.store.get(id);
  if (found === null) return failure("passkey_unknown", { credentialId: id });
  const { version, ...passkey } = found;
  const problem = checkUser(ceremony, passkey, assertion.userHandle) ??
    checkClientData(settings, clientData, "webauthn.get") ??
    await checkAuthenticatorData(settings, ceremony, authenticator) ??
    await checkPasskey(passkey, assertion);
  if (problem !== null) return failure(problem);

  // Steps 22 and 24.
  const { backedUp, counter } = authenticator;
  const use: PasskeyUse = { counter, backedUp, usedAt: settings.now() };
  if (!await storeUse(settings, passkey, use)) {
    return failure("counter_not_increased");
  }
  const userVerified = authenticator.isUserVerified;
  const methods = methodsOf(passkey, userVerified, purpose);
  return {
    ok: true,
    userId: passkey.userId,
    passkey: { ...passkey, ...use },
    ...version !== undefined && { version },
    userVerified,
    methods,
  };
}

/** Returns the authentication methods (RFC 8176). */
function methodsOf(
  { backupEligible }: Passkey,
  userVerified: boolean,
  purpose: PasskeyPurpose,
): string[] {
  const isSecond = userVerified || purpose === "second-factor";
  const kind = backupEligible ? "swk" : "hwk";
  return [kind, "user", ...isSecond ? ["mfa"] : []];
}

/** Decodes a response: steps 7, 8, 9 and 20. */
async function parseAssertion(json: string): Promise<Assertion | null> {
  const response = parseResponse(json);
  const members = response && decodeMembers(response, [
    "clientDataJSON",
    "authenticatorData",
    "signature",
  ]);
  if (response === null || members === null) return null;
  const { authenticatorData, clientDataJSON, signature } = members;
  const clientData = parseClientData(clientDataJSON);
  const authenticator = parseAuthenticatorData(authenticatorData);
  // Only a registration has credential data (section 6.1).
  if (clientData === null || authenticator?.credential !== null) return null;

  const hash = await sha256(clientDataJSON);
  const signed = new Uint8Array([...authenticatorData, ...hash]);
  const { userHandle = null } = response.members;
  const { id } = response;
  return { id, clientData, authenticator, signature, signed, userHandle };
}

/** Checks that the passkey belongs to the user. */
function checkUser(
  { userId }: Ceremony,
  passkey: Passkey,
  userHandle: unknown,
): PasskeyFailureReason | null {
  // Safari sends an empty string if a security key has none: WebKit bug 239737.
  const isMissing = userHandle === null || userHandle === "";
  const isOwner = isMissing
    ? userId !== undefined
    // The signature still proves that the passkey is the one of its id.
    : passkey.userHandle === "" || userHandle === passkey.userHandle;
  return isOwner && passkey.userId === (userId ?? passkey.userId)
    ? null
    : "user_mismatch";
}

/** Verifies the backup state and the signature. */
async function checkPasskey(
  { backupEligible, publicKey }: Passkey,
  { authenticator, signature, signed }: Assertion,
): Promise<PasskeyFailureReason | null> {
  // Step 19: a passkey keeps its eligibility.
  if (authenticator.backupEligible !== backupEligible) {
    return "backup_state_invalid";
  }
  const bytes = decodeBase64Url(publicKey);
  const key = bytes && await importCOSEKey(bytes);
  if (key === null) return "algorithm_unsupported";
  // Step 21.
  return await key.verify(signature, signed) ? null : "signature_invalid";
}

/**
 * Stores the use of a passkey. Returns `false` if the counter did not increase,
 * even compared with a concurrent request: the passkey may be a copy. The
 * devices that share a synced passkey are copies, and each may count for
 * itself.
 */
async function storeUse(
  { store }: PasskeySettings,
  passkey: Passkey,
  use: PasskeyUse,
): Promise<boolean> {
  let stored: Passkey | null = passkey;
  for (let count = 0; stored !== null && count < MAX_UPDATES; count++) {
    const counts = !passkey.backupEligible &&
      (use.counter !== 0 || stored.counter !== 0);
    if (counts && use.counter <= stored.counter) return false;
    if (await store.update(passkey.id, use, stored.counter)) return true;
    stored = await store.get(passkey.id);
  }
  return false;
}
