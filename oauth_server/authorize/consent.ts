import {
  addPendingStep,
  isExpired,
  type PendingStep,
  takePendingStep,
  withinBounds,
} from "../../auth/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { approve, surplusGrants } from "./approve.ts";
import { readAuthorizationRequest } from "./authorization_request.ts";
import { responseLocation } from "./authorization_response.ts";
import { sessionOf, type UserRequest } from "./authorize.ts";
import { consentPage } from "../pages/consent_page.ts";
import { finalPage } from "../pages/final_page.ts";
import { validGrants } from "../grants/connected_apps.ts";
import { errorPage } from "../pages/error_page.ts";
import { report } from "../events.ts";
import { readForm } from "../form.ts";
import { isFreshLogin, redirectToLogin } from "./recent_login.ts";
import type { Settings } from "../settings.ts";
import { loggedInUser } from "../grants/users.ts";

/** A request that waits for the decision of its user, in the session. */
interface PendingRequest extends PendingStep {
  /** The query. It is read again after the decision, so the form decides nothing. */
  readonly search: string;
  /** `true` if grants must end before the user gets another one. */
  readonly isFull: boolean;
}

/** The key in the session. A login removes its value. */
const KEY = "__auth.oauth-server";

/** The maximum number and size of the requests in a session. */
const BOUNDS = { count: 5, bytes: 6_000 };

/** Shows the consent page, and remembers its request in the session. */
export async function showConsent(
  settings: Settings,
  asked: UserRequest,
): Promise<Response> {
  const { context, request, session, user } = asked;
  const grants = await validGrants(settings, String(user.id));
  const secret = randomToken();
  const now = settings.now();
  const step: PendingRequest = {
    startedAt: now,
    search: context.url.search,
    isFull: surplusGrants(grants, request.client.id).length > 0,
  };
  await addPendingStep(
    session,
    KEY,
    { now, secret, step },
    (steps) => withinBounds(steps, BOUNDS),
  );
  return await consentPage(settings, asked, { grants, secret });
}

/**
 * Answers the form of the consent page. The form names a request of this session and
 * this user, once, and the scopes that the user has ticked.
 */
export async function decide(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const user = loggedInUser(settings, context);
  if (user === null) return await refuse(settings, context, 403);
  const form = await formOf(context);
  if (typeof form === "number") return await refuse(settings, context, form);
  const pending = await take(settings, session, form);
  if (pending === null) return await refuse(settings, context, 400);
  const request = await readAuthorizationRequest(settings, pending.search);
  if ("error" in request) return await refuse(settings, context, 400);
  const scopes = tickedScopes(form, request.scopes);
  const asked = { context, request, session, user };
  if (form.getAll("decision").join() !== "approve" || scopes.length === 0) {
    return await deny(settings, asked);
  }
  if (!isFreshLogin(settings, context, request, scopes)) {
    return redirectToLogin(settings, settings.confirmPath, pending.search);
  }
  if (pending.isFull) await makeRoom(settings, asked);
  const location = await approve(settings, asked, scopes);
  return await finalPage(request.client, location);
}

async function take(
  { now }: Settings,
  session: Session,
  form: URLSearchParams,
): Promise<PendingRequest | null> {
  const [secret = "", ...others] = form.getAll("request");
  if (others.length > 0) return null;
  const pending = await takePendingStep<PendingRequest>(session, KEY, secret);
  return pending === null || isExpired(pending, now()) ? null : pending;
}

/**
 * Reads the form, or takes it from the form-data middleware if that ran before.
 *
 * @returns The form, or the status of the error.
 */
async function formOf(
  context: RequestContext,
): Promise<URLSearchParams | 400 | 408 | 413> {
  if (!context.has(FormData)) return await readForm(context);
  const pairs = [...context.get(FormData)]
    .filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return new URLSearchParams(pairs);
}

/** Returns the scopes that the user has ticked, all of them of the request. */
function tickedScopes(
  form: URLSearchParams,
  requested: readonly string[],
): readonly string[] {
  const ticked = form.getAll("scope");
  return requested.filter((scope) => ticked.includes(scope));
}

async function deny(
  settings: Settings,
  asked: UserRequest,
): Promise<Response> {
  const { context, request, user } = asked;
  const { client } = request;
  const row = { client, userId: String(user.id) };
  await report(settings, "denied", row, "", context);
  const location = responseLocation(settings.issuer, request, {
    error: "access_denied",
    error_description: "The user has refused the request",
  });
  return await finalPage(request.client, location);
}

async function makeRoom(
  settings: Settings,
  { context, request, user }: UserRequest,
): Promise<void> {
  const grants = await settings.grants.ofUser(String(user.id));
  const surplus = surplusGrants(grants, request.client.id);
  await settings.grants.endAll(surplus);
  for (const { key, row } of grants) {
    if (!surplus.includes(key)) continue;
    await report(settings, "revoked", row, key, context);
  }
}

async function refuse(
  settings: Settings,
  context: RequestContext,
  status: number,
): Promise<Response> {
  const text = status === 403
    ? "Only users who are logged in themselves can connect applications."
    : "This request has expired or was answered before. Start again in the application.";
  return await errorPage(settings, context, { text, status });
}
