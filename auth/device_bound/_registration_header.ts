import { MountPrefix } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import {
  BINDING_KEY,
  type DeviceBinding,
  readBinding,
  setResponseHeader,
} from "../../session/internal.ts";
import { SessionConflictError } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { createChallenge } from "./_binding.ts";
import { ALGORITHMS } from "./_proof.ts";
import type { RouteRequest } from "./_routes.ts";

/**
 * The milliseconds after a login in which a later response asks the browser for
 * a key, if the response to the login could not.
 */
const ASK_TIME = 60_000;

/** Returns `true` while a response may still ask after a login. */
export function isRecent(time: number | null, now: number): boolean {
  return time !== null && now < time + ASK_TIME;
}

/** Asks the browser to register a key after a login. */
export async function offer(request: RouteRequest): Promise<void> {
  const { context, session, settings: { now } } = request;
  const time = now();
  const binding = createOffer(time);
  // If another site caused the request, browsers send the registration without
  // `SameSite=Lax` cookies. A later response has to ask instead.
  const askUntil = isForeign(context) ? time + ASK_TIME : undefined;
  session.set(BINDING_KEY, { ...binding, askUntil });
  if (askUntil === undefined) await ask(request, binding);
}

/**
 * Asks the browser to register a key in a request after the login, unless
 * another request has already asked.
 */
export async function offerLater(request: RouteRequest): Promise<void> {
  const { session, settings: { now } } = request;
  // The handler's changes are saved first, so that a conflict in them is not
  // mistaken for one in the changes below.
  await session.commit();
  const binding = createOffer(now());
  session.update(BINDING_KEY, (value) => value ?? binding);
  try {
    await session.commit();
  } catch (error) {
    if (error instanceof SessionConflictError) return;
    throw error;
  }
  const isFirst = readBinding(session)?.secret === binding.secret;
  if (isFirst) await ask(request, binding);
}

function createOffer(time: number): DeviceBinding {
  return { secret: randomToken(), usedAt: time - 1 };
}

/**
 * Adds a challenge for the registration. Later requests get none, so that a copied
 * cookie is not enough to register the key of another device.
 */
export async function ask(
  { context, session, settings: { now, registrationPath } }: RouteRequest,
  binding: DeviceBinding,
): Promise<void> {
  const path = context.get(MountPrefix) + registrationPath;
  const challenge = await createChallenge(binding, now());
  setResponseHeader(
    session,
    "Secure-Session-Registration",
    `(${ALGORITHMS.join(" ")});path="${path}";challenge="${challenge}"`,
  );
}

/** Returns `true` if a page of another origin caused the request. */
export function isForeign({ request: { headers } }: RequestContext): boolean {
  return /^(?:cross|same)-site$/.test(headers.get("Sec-Fetch-Site") ?? "");
}
