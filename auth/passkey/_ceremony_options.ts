import type { RequestContext } from "../../router/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { ownSession } from "../login/own_account.ts";
import { StepUp } from "../middleware/device_changes.ts";
import { createChallenge, TIMEOUT } from "./_challenges.ts";
import type {
  PasskeyCreationOptions,
  PasskeyDescriptor,
  PasskeyRequestOptions,
} from "./json.ts";
import type { PasskeySettings } from "./options.ts";
import type { Passkey } from "./store.ts";
import type { PasskeyRequest, PasskeySignal, PasskeyUser } from "./user.ts";

/** Milliseconds after a login in which the browser may create a passkey. */
const UPGRADE_TIME = 300_000;

/** Creates options if the user recently logged in with the password. */
export async function upgradeOptions(
  settings: PasskeySettings,
  context: RequestContext,
  user: PasskeyUser,
): Promise<PasskeyCreationOptions | null> {
  const session = await ownSession(context, "create the passkey options");
  const { pwd = -Infinity } = session.authMethods ?? {};
  const isFresh = session.userId === user.id && !context.get(StepUp) &&
    settings.now() - pwd <= UPGRADE_TIME;
  return isFresh ? await creationOptions(settings, context, user, true) : null;
}

/** Creates the options of a registration. */
export async function creationOptions(
  settings: PasskeySettings,
  context: RequestContext,
  user: PasskeyUser,
  isConditional = false,
): Promise<PasskeyCreationOptions> {
  const { algorithms, hints, rpId, rpName } = settings;
  // If the browser does not ask, it can neither see nor verify the user.
  const userVerification = isConditional
    ? "preferred"
    : settings.userVerification;
  const passkeys = await settings.store.list(user.id);
  const userHandle = await userHandleOf(settings, user, passkeys);
  const challenge = await createChallenge(settings, context, {
    purpose: "registration",
    userId: user.id,
    userHandle,
    userVerification,
    ...isConditional && { isConditional },
  });
  const { name, displayName = name } = user;
  return {
    rp: { id: rpId, name: rpName },
    user: { id: userHandle, name, displayName },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification,
    },
    hints,
    attestation: settings.verifyAttestation === undefined ? "none" : "direct",
  };
}

/** Creates the options of a login. */
export async function requestOptions(
  settings: PasskeySettings,
  context: RequestContext,
  request: PasskeyRequest,
): Promise<PasskeyRequestOptions> {
  const { hints, rpId, store } = settings;
  const { purpose } = request;
  const userId = request.purpose === "login" ? undefined : request.userId;
  const userVerification = purpose === "second-factor"
    ? "discouraged"
    : settings.userVerification;
  const challenge = await createChallenge(settings, context, {
    purpose,
    userVerification,
    ...userId !== undefined && { userId },
  });
  const passkeys = userId === undefined ? [] : await store.list(userId);
  const allowCredentials = passkeys.map(descriptorOf);
  const timeout = TIMEOUT;
  return {
    challenge,
    timeout,
    rpId,
    allowCredentials,
    userVerification,
    hints,
  };
}

/**
 * Returns the user handle. An authenticator keeps one passkey for each user
 * handle, so a user's handle never changes. A hash keeps the id of the user
 * from other people who look at the authenticator (section 14.6.1).
 */
async function userHandleOf(
  { rpId }: PasskeySettings,
  { id }: PasskeyUser,
  passkeys: readonly Passkey[],
): Promise<string> {
  // The handle of an imported passkey may be unknown.
  return passkeys.find(({ userHandle }) => userHandle !== "")?.userHandle ??
    await sha256Base64Url(JSON.stringify([rpId, id]));
}

function descriptorOf({ id, transports }: Passkey): PasskeyDescriptor {
  return { type: "public-key", id, transports };
}

/** Returns the current passkeys and names of a user. */
export async function createSignal(
  settings: PasskeySettings,
  user: PasskeyUser,
): Promise<PasskeySignal> {
  const { name, displayName = name } = user;
  const passkeys = await settings.store.list(user.id);
  return {
    rpId: settings.rpId,
    userId: await userHandleOf(settings, user, passkeys),
    allAcceptedCredentialIds: passkeys.map(({ id }) => id),
    name,
    displayName,
  };
}
