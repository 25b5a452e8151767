import type { RequestContext } from "../../router/mod.ts";
import { allowNewSession } from "../../session/internal.ts";
import type { Session } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { currentSession } from "../login/current_session.ts";
import { ownSession } from "../login/own_account.ts";
import {
  addPendingStep,
  isExpired,
  type PendingBounds,
  type PendingStep,
  takePendingStep,
  withinBounds,
} from "../login/pending_steps.ts";
import type { UserVerification } from "./json.ts";
import type { PasskeySettings } from "./options.ts";

/** The purpose of a login with a passkey. */
export type PasskeyPurpose = "login" | "second-factor" | "confirm";

/** A registration or a login that waits for the authenticator. */
export interface Ceremony extends PendingStep {
  readonly purpose: "registration" | PasskeyPurpose;
  readonly rpId: string;
  readonly userVerification: UserVerification;
  /** The user, if it is known before. */
  readonly userId?: string | number;
  /** The user handle of a new passkey. */
  readonly userHandle?: string;
  /** `true` if the browser may create the passkey without asking. */
  readonly isConditional?: true;
}

/** The session key of pending ceremonies. `completeAuth` removes this prefix. */
const KEY = "__auth.passkey";

/** The limits of pending ceremonies. A session may have 32 kB, a cookie 4 kB. */
const BOUNDS: PendingBounds = { count: 8, bytes: 2_400 };

/** Milliseconds for the user to answer. */
export const TIMEOUT = 300_000;

/** Saves a ceremony in the session and returns its challenge. */
export async function createChallenge(
  { now, rpId }: PasskeySettings,
  context: RequestContext,
  ceremony: Omit<Ceremony, "rpId" | "startedAt">,
): Promise<string> {
  const doing = "create the passkey options";
  const session = await sessionFor(context, ceremony.purpose, doing);
  const challenge = randomToken();
  const startedAt = now();
  const step: Ceremony = { ...ceremony, rpId, startedAt };
  await addPendingStep(
    session,
    KEY,
    { now: startedAt, secret: challenge, step },
    (steps) => withinBounds(steps, BOUNDS),
  );
  allowNewSession(session);
  return challenge;
}

/**
 * Removes a ceremony from the session and returns it, or `null` if none of this
 * purpose has the challenge.
 */
export async function takeChallenge(
  { now, rpId }: PasskeySettings,
  context: RequestContext,
  challenge: string,
  purpose: Ceremony["purpose"],
): Promise<Ceremony | null> {
  const session = await sessionFor(context, purpose, "verify the passkey");
  const ceremony = await takePendingStep<Ceremony>(session, KEY, challenge);
  return ceremony !== null && ceremony.purpose === purpose &&
      ceremony.rpId === rpId && !isExpired(ceremony, now())
    ? ceremony
    : null;
}

/** Returns the session. Only a login may run while a user acts as another one. */
function sessionFor(
  context: RequestContext,
  purpose: Ceremony["purpose"],
  doing: string,
): Promise<Session> {
  return purpose === "login"
    ? currentSession(context, doing).load()
    : ownSession(context, doing);
}
