import { MountPrefix, reportDenied } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import {
  BINDING_KEY,
  type DeviceBinding,
  type HostCookie,
} from "../../session/internal.ts";
import { type Session, SessionConflictError } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { createChallenge, createCookie, readChallenge } from "./_binding.ts";
import { verifyProof } from "./_proof.ts";

/** The checked options of the middleware. */
export interface Settings {
  readonly registrationPath: string;
  readonly refreshPath: string;
  /** The lifetime of the bound cookie in milliseconds. */
  readonly lifetime: number;
  /** The name of the bound cookie, without its prefix. */
  readonly cookie: string;
  readonly now: () => number;
}

/** A request to one of the two routes. */
export interface RouteRequest {
  readonly context: RequestContext;
  readonly session: Session;
  readonly cookie: HostCookie;
  readonly settings: Settings;
}

/** The browser sends the refresh itself, so a cross-site page learns nothing. */
const HEADERS = {
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** A string of a structured field, with optional quotes and parameters. */
const STRING = /^ *("?)([\w-]{1,64})\1 *(?:;.*)?$/;

/**
 * Answers the registration of a key.
 *
 * @see {@link https://w3c.github.io/webappsec-dbsc/#server-considerations | DBSC, Server Considerations}
 */
export async function register(
  request: RouteRequest,
  offer: DeviceBinding | null,
): Promise<Response> {
  const { context, settings: { lifetime, now } } = request;
  // The key of a bound session never changes.
  if (offer === null || offer.key !== undefined) return refuse(request);
  const header = context.request.headers.get("Secure-Session-Response");
  const proof = header === null ? null : await verifyProof(header);
  if (proof === null) return refuse(request);
  const usedAt = await readChallenge(offer, proof.challenge, now(), lifetime);
  if (usedAt === null) return refuse(request);
  const id = randomToken();
  const binding = { ...offer, usedAt, id, key: proof.key, askUntil: undefined };
  return await replace(request, binding)
    ? await instruct(request, binding, {})
    : refuse(request);
}

/** Answers the refresh of the bound cookie. */
export async function refresh(
  request: RouteRequest,
  binding: DeviceBinding | null,
): Promise<Response> {
  const { context, settings: { lifetime, now } } = request;
  const { headers } = context.request;
  // No script can set this header, so the browser sent the request.
  const [, , id] = STRING.exec(headers.get("Sec-Secure-Session-Id") ?? "") ??
    [];
  // The browser forgets its session when it gets this response.
  if (binding?.key === undefined || id !== binding.id) return refuse(request);
  const header = headers.get("Secure-Session-Response");
  if (header === null) return await challenge(request, binding);
  const proof = await verifyProof(header, binding.key);
  if (proof === null) return refuse(request);
  const time = now();
  const usedAt = await readChallenge(binding, proof.challenge, time, lifetime);
  // The device signed it, so a new challenge helps.
  if (usedAt === null) return await challenge(request, binding);
  const next = { ...binding, usedAt, boundAt: binding.boundAt ?? time };
  if (!await replace(request, next)) return await challenge(request, binding);
  return await instruct(request, next, await challengeHeader(next, time));
}

/**
 * Replaces the binding unless another request won the race, so that a challenge
 * works only once.
 *
 * @returns `false` if another request has changed it, or ended the session.
 */
export async function replace(
  { session }: Pick<RouteRequest, "session">,
  binding: DeviceBinding,
): Promise<boolean> {
  session.take(BINDING_KEY);
  session.set(BINDING_KEY, binding);
  try {
    await session.commit();
    return true;
  } catch (error) {
    if (error instanceof SessionConflictError) return false;
    throw error;
  }
}

/** Sets the bound cookie, and tells the browser which requests need it. */
async function instruct(
  { context, cookie, settings }: RouteRequest,
  binding: DeviceBinding,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { lifetime, now, refreshPath } = settings;
  const value = await createCookie(binding, now() + lifetime);
  cookie.set(value, Math.max(1, lifetime / 1_000));
  const instructions = {
    "session_identifier": binding.id,
    "refresh_url": context.get(MountPrefix) + refreshPath,
    scope: { "include_site": false },
    credentials: [{
      type: "cookie",
      name: cookie.name,
      attributes: cookie.attributes,
    }],
  };
  return Response.json(instructions, { headers: { ...HEADERS, ...headers } });
}

/** Asks the browser for another proof. */
async function challenge(
  { context, settings: { now } }: RouteRequest,
  binding: DeviceBinding,
): Promise<Response> {
  const headers = {
    ...HEADERS,
    ...await challengeHeader(binding, now()),
  };
  return context.createErrorResponse({ status: 403 }, headers);
}

/** Returns the header with a challenge for the next refresh. */
export async function challengeHeader(
  binding: DeviceBinding,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const challenge = await createChallenge(binding, now);
  return { [CHALLENGE]: `"${challenge}";id="${binding.id}"` };
}

/** The header with a challenge. */
export const CHALLENGE = "Secure-Session-Challenge";

function refuse({ context, session }: RouteRequest):
  | Response
  | Promise<
    Response
  > {
  reportDenied(context, "device-proof", session.userId);
  return context.createErrorResponse({ status: 400 }, HEADERS);
}
