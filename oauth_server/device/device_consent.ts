import {
  addPendingStep,
  findPendingStep,
  isExpired,
  type PendingStep,
  withinBounds,
} from "../../auth/internal.ts";
import { Auth, type AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { makeRoom, surplusGrants, tellOf } from "../authorize/approve.ts";
import { sessionOf } from "../authorize/authorize.ts";
import { formOf, refuse } from "../authorize/consent.ts";
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
import { errorPage } from "../pages/error_page.ts";
import type { Resource, Settings } from "../settings.ts";
import { type DeviceLimits, exceeded } from "./limits.ts";
import { displayedUserCode, readUserCode } from "./user_code.ts";

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

/** Shows the page on which users type the code of a device, or approve it. */
export async function showDevice(
  settings: Settings,
  { tries }: DeviceLimits,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const text = context.url.searchParams.get("user_code") ?? "";
  const code = readUserCode(text);
  const user = loggedInUser(settings, context);
  if (user === null) {
    if (context.get(Auth) !== null) return await refuse(settings, context, 403);
    return toLogin(settings, settings.loginPath, code);
  }
  if (text === "") return await deviceCodePage(settings, { status: 200 });
  const limit = await exceeded(tries, context);
  if (limit !== null) {
    const text = "You have tried too many codes. Wait a few minutes.";
    const page = await errorPage(settings, context, { text, status: 429 });
    page.headers.set("Retry-After", limit.headers.get("Retry-After") ?? "600");
    return page;
  }
  const found = code && await findDevice(settings, { context, user }, code);
  if (!found) return await deviceCodePage(settings, { status: 400, text });
  if (!isFreshLogin(settings, context, found.request, found.row.scopes)) {
    return toLogin(settings, settings.confirmPath, code);
  }
  return await showConsent(settings, session, found);
}

/** Answers the form of the page. The first decision counts. */
export async function decideDevice(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const user = loggedInUser(settings, context);
  if (user === null) return await refuse(settings, context, 403);
  const form = await formOf(context);
  if (typeof form === "number") return await refuse(settings, context, form);
  const [secret = "", ...others] = form.getAll("request");
  const pending = others.length > 0
    ? null
    : await findPendingStep<PendingDevice>(session, KEY, secret);
  if (pending === null || isExpired(pending, settings.now())) {
    return await refuse(settings, context, 400);
  }
  return await settle(settings, { context, user, form, pending });
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
  for (const key of await settings.tokens.grantKeysOf(code)) {
    const found = await readDevice(settings, asked, {
      key,
      code: displayedUserCode(code),
    });
    if (found?.row.device?.status === "waiting") return found;
  }
  return null;
}

/** Reads a device, with the client and the resource as they are now. */
async function readDevice(
  { clients, grants, resources }: Settings,
  asked: Pick<WaitingDevice, "context" | "user">,
  { code, key }: Pick<PendingDevice, "code" | "key">,
): Promise<FoundDevice | null> {
  const found = await grants.read(key);
  if (found?.row.device === undefined) return null;
  const { row, version } = found;
  const client = await clients.find(row.client.id);
  const resource = resources.get(row.resource);
  if (!client?.grants.includes("device") || resource === undefined) return null;
  const scopes = row.scopes.filter((scope) => resource.scopes.has(scope));
  const request = { client, resource, scopes };
  return { ...asked, key, code, row, version, request };
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
  return await deviceConsentPage(settings, device, { code, grants, secret });
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
  const device = await readDevice(settings, { context, user }, pending);
  if (device === null) return await refuse(settings, context, 400);
  const { key, request, row, version } = device;
  if (row.device?.status !== "waiting") {
    return row.userId === String(user.id)
      ? await decidedPage(request.client, row)
      : await refuse(settings, context, 400);
  }
  const ticked = form.getAll("scope");
  const scopes = request.scopes.filter((scope) => ticked.includes(scope));
  const isApproved = form.getAll("decision").join() === "approve" &&
    scopes.length > 0;
  if (isApproved && !isFreshLogin(settings, context, request, scopes)) {
    return toLogin(settings, settings.confirmPath, readUserCode(pending.code));
  }
  const next = decidedRow(settings, device, isApproved ? scopes : null);
  if (!await settings.grants.replace(key, next, version)) {
    return await refuse(settings, context, 400);
  }
  await afterDecision(settings, { ...device, row: next }, pending.isFull);
  return await decidedPage(request.client, next);
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
    device: { ...row.device, status: scopes === null ? "denied" : "approved" },
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
