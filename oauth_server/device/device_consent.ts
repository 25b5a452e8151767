import {
  addPendingStep,
  findPendingStep,
  isExpired,
  type PendingStep,
  withinBounds,
} from "../../auth/internal.ts";
import { Auth, type AuthenticatedUser } from "../../auth/middleware/mod.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { makeRoom, surplusGrants, tellOf } from "../authorize/approve.ts";
import { allowedScopes } from "../authorize/authorization_request.ts";
import { sessionOf } from "../authorize/user_request.ts";
import { approvedScopes, formOf, refuse } from "../authorize/consent.ts";
import { isFreshLogin, redirectToLogin } from "../authorize/recent_login.ts";
import type { Client } from "../clients/client.ts";
import { report } from "../events.ts";
import { validGrants } from "../grants/connected_apps.ts";
import type { GrantRow } from "../grants/grant_store.ts";
import { loggedInUser, versionOf } from "../grants/users.ts";
import {
  decidedPage,
  deviceCodePage,
  deviceConsentPage,
} from "../pages/device_page.ts";
import type { Resource, Settings } from "../settings.ts";
import { countTry, type DeviceLimits } from "./limits.ts";
import {
  displayedUserCode,
  namesOfUserCode,
  readUserCode,
} from "./user_code.ts";
import { findWaitingDevice } from "./waiting_device.ts";

/** A device that waits for the decision of its user, in the session. */
interface PendingDevice extends PendingStep {
  /** The key of the grant. */
  readonly key: string;
  /** The code, as the user sees it. */
  readonly code: string;
  /** `true` if grants must end before the user gets another one. */
  readonly isFull: boolean;
}

/** The key in the session. A login removes its value. */
const KEY = "__auth.oauth-device";

/** The maximum number and size of the devices in a session. */
const BOUNDS = { count: 5, bytes: 2_000 };

/** A device that waits, with what it asks for. */
export interface WaitingDevice {
  readonly context: RequestContext;
  readonly user: AuthenticatedUser;
  readonly row: GrantRow;
  readonly request: {
    readonly client: Client;
    readonly resource: Resource;
    readonly scopes: readonly string[];
  };
}

/**
 * Shows the page on which users type the code of a device. A code in the URL is only
 * filled in: a link of another site must not use up the tries of its user.
 */
export async function showDevice(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  await sessionOf(context);
  const text = context.url.searchParams.get("user_code") ?? "";
  const code = readUserCode(text);
  if (loggedInUser(settings, context) === null) {
    return refuseAnonymous(settings, context, code);
  }
  const displayed = code === null ? text : displayedUserCode(code);
  return deviceCodePage(settings, context, {
    status: 200,
    text: displayed,
  });
}

/**
 * Answers the forms of the pages: the code of a device, and the decision about it, of
 * which the first one counts.
 */
export async function decideDevice(
  settings: Settings,
  limits: DeviceLimits,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const user = loggedInUser(settings, context);
  const form = await formOf(context);
  if (typeof form === "number") return refuse(settings, context, form);
  if (!form.has("request")) {
    const text = form.getAll("user_code").join();
    return user === null
      ? refuseAnonymous(settings, context, readUserCode(text))
      : await answerCode(settings, limits, { context, session, user, text });
  }
  if (user === null) return refuse(settings, context, 403);
  const [secret = "", ...others] = form.getAll("request");
  const pending = others.length > 0
    ? null
    : await findPendingStep<PendingDevice>(session, KEY, secret);
  if (pending === null || isExpired(pending, settings.now())) {
    return refuse(settings, context, 400);
  }
  return await settle(settings, { context, user, form, pending });
}

/** Answers the code that a user has typed. */
async function answerCode(
  settings: Settings,
  limits: DeviceLimits,
  { context, session, text, user }: {
    readonly context: RequestContext;
    readonly session: Session;
    readonly text: string;
    readonly user: AuthenticatedUser;
  },
): Promise<Response> {
  const limit = await countTry(limits, context);
  if (limit !== null) {
    reportSecurityEvent(context, {
      action: "lockout",
      outcome: "failure",
      reason: "oauth-user-code",
      userId: user.id,
    });
    const page = deviceCodePage(settings, context, { status: 429, text });
    page.headers.set("Retry-After", limit.headers.get("Retry-After") ?? "600");
    return page;
  }
  const code = readUserCode(text);
  const found = code && await findDevice(settings, { context, user }, code);
  if (!found) {
    return deviceCodePage(settings, context, { status: 400, text });
  }
  if (!isFreshLogin(settings, context, found.request, found.row.scopes)) {
    return toLogin(settings, settings.confirmPath, code);
  }
  return await showConsent(settings, session, found);
}

function refuseAnonymous(
  settings: Settings,
  context: RequestContext,
  code: string | null,
): Response {
  return context.get(Auth) === null
    ? toLogin(settings, settings.loginPath, code)
    : refuse(settings, context, 403);
}

function toLogin(
  settings: Settings,
  page: string,
  code: string | null,
): Response {
  const search = code === null ? "" : `?user_code=${displayedUserCode(code)}`;
  return redirectToLogin(settings, page, search, settings.paths.device);
}

/** A device with its place in the store. */
interface FoundDevice extends WaitingDevice {
  readonly key: string;
  readonly version: string;
  readonly code: string;
}

/** Returns the device that shows a code, or `null`. */
async function findDevice(
  settings: Settings,
  asked: Pick<WaitingDevice, "context" | "user">,
  code: string,
): Promise<FoundDevice | null> {
  for (const name of await namesOfUserCode(settings.tokens, code)) {
    const found = await findWaitingDevice(settings.grants, name);
    if (found === null) continue;
    const request = await requestOf(settings, found.row);
    const shown = displayedUserCode(code);
    return request && { ...asked, ...found, code: shown, request };
  }
  return null;
}

/** Returns the client and the resource of a device as they are now, or `null`. */
async function requestOf(
  { clients, resources }: Settings,
  row: GrantRow,
): Promise<WaitingDevice["request"] | null> {
  const client = await clients.find(row.client.id);
  const resource = resources.get(row.resource);
  if (!client?.grants.includes("device") || resource === undefined) return null;
  const allowed = allowedScopes(resource, client);
  const scopes = row.scopes.filter((scope) => allowed.includes(scope));
  return scopes.length === 0 ? null : { client, resource, scopes };
}

async function showConsent(
  settings: Settings,
  session: Session,
  device: FoundDevice,
): Promise<Response> {
  const { code, key } = device;
  const grants = await validGrants(settings, String(device.user.id));
  const secret = randomToken();
  const now = settings.now();
  const isFull = surplusGrants(grants, device.request.client.id).length > 0;
  const step: PendingDevice = { startedAt: now, key, code, isFull };
  await addPendingStep(
    session,
    KEY,
    { now, secret, step },
    (steps) => withinBounds(steps, BOUNDS),
  );
  return deviceConsentPage(settings, device, { code, grants, secret });
}

/**
 * Carries out a decision. The row changes once, so a second click, or the form of
 * another browser, gets the page of the first decision.
 */
async function settle(
  settings: Settings,
  { context, form, pending, user }: {
    readonly context: RequestContext;
    readonly form: URLSearchParams;
    readonly pending: PendingDevice;
    readonly user: AuthenticatedUser;
  },
): Promise<Response> {
  const { code, key } = pending;
  const found = await settings.grants.read(key);
  const request = found && await requestOf(settings, found.row);
  if (!found || !request) return refuse(settings, context, 400);
  const { row, version } = found;
  const device = { context, user, key, code, request, row, version };
  // The row of a device that has its tokens has no request of a device any more.
  if (row.device?.status !== "waiting") {
    return row.userId === String(user.id)
      ? decidedPage(settings, device)
      : refuse(settings, context, 400);
  }
  const scopes = approvedScopes(form, request.scopes);
  const isApproved = scopes.length > 0;
  if (isApproved && !isFreshLogin(settings, context, request, scopes)) {
    return toLogin(settings, settings.confirmPath, readUserCode(code));
  }
  const next = decidedRow(settings, device, isApproved ? scopes : null);
  if (!await settings.grants.replace(key, next, version)) {
    return refuse(settings, context, 400);
  }
  await afterDecision(settings, { ...device, row: next }, pending.isFull);
  return decidedPage(settings, { ...device, row: next });
}

/** Returns the row after a decision. The user is also that of a refusal. */
function decidedRow(
  settings: Settings,
  { context, row, user }: WaitingDevice,
  scopes: readonly string[] | null,
): GrantRow {
  const now = settings.now();
  return {
    ...row,
    userId: String(user.id),
    version: versionOf(settings, user),
    scopes: scopes ?? row.scopes,
    authenticatedAt: context.get(Session).authenticatedAt ?? null,
    createdAt: now,
    rotatedAt: now,
    device: { status: scopes === null ? "denied" : "approved" },
  };
}

async function afterDecision(
  settings: Settings,
  { context, key, request, row, user }: FoundDevice,
  isFull: boolean,
): Promise<void> {
  if (row.device?.status === "denied") {
    await report(settings, "denied", row, "", context);
    return;
  }
  await report(settings, "granted", row, key, context);
  await tellOf(settings, { context, user }, { key, row });
  if (isFull) await makeRoom(settings, { context, request, user });
}
