import {
  addPendingStep,
  changePendingStep,
  findPendingStep,
  isExpired,
  type PendingStep,
  withinBounds,
} from "../../auth/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { approve, codeLocation, makeRoom, surplusGrants } from "./approve.ts";
import { readAuthorizationRequest } from "./authorization_request.ts";
import { responseLocation } from "./authorization_response.ts";
import { sessionOf, type UserRequest } from "./user_request.ts";
import { consentPage } from "../pages/consent_page.ts";
import { finalPage } from "../pages/final_page.ts";
import { validGrants } from "../grants/connected_apps.ts";
import { errorPage } from "../pages/error_page.ts";
import { report } from "../events.ts";
import { readForm } from "../form.ts";
import { isFreshLogin, redirectToLogin } from "./recent_login.ts";
import type { Settings } from "../settings.ts";
import { randomGrantKey } from "../grants/tokens.ts";
import { loggedInUser } from "../grants/users.ts";

/** A request that waits for the decision of its user, in the session. */
interface PendingRequest extends PendingStep {
  /** The query. It is read again after the decision, so the form decides nothing. */
  readonly search: string;
  /** `true` if grants must end before the user gets another one. */
  readonly isFull: boolean;
  /** The decision, which a second click on the button repeats. */
  readonly decision?: Decision;
}

/** The decision of a user. */
interface Decision {
  /** The key of the new grant, or `""` for a refusal. */
  readonly key: string;
  readonly scopes: readonly string[];
  readonly decidedAt: number;
}

/** Milliseconds for which a decision is repeated: the lifetime of its code. */
const REPEATED = 60_000;

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
  return consentPage(settings, asked, { grants, secret });
}

/**
 * Answers the form of the consent page. The form names a request of this session and
 * this user, and the scopes that the user has ticked. The first decision counts.
 */
export async function decide(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const user = loggedInUser(settings, context);
  if (user === null) return refuse(settings, context, 403);
  const form = await formOf(context);
  if (typeof form === "number") return refuse(settings, context, form);
  const [secret = "", ...others] = form.getAll("request");
  const pending = others.length > 0
    ? null
    : await findPendingStep<PendingRequest>(session, KEY, secret);
  if (pending === null || isOver(pending, settings.now())) {
    return refuse(settings, context, 400);
  }
  const request = await readAuthorizationRequest(
    settings,
    pending.search,
    user,
  );
  if (!("client" in request)) return refuse(settings, context, 400);
  const wanted = decisionOf(settings, form, request.scopes);
  const isRepeated = pending.decision !== undefined;
  if (
    wanted.key !== "" && !isRepeated &&
    !isFreshLogin(settings, context, request, wanted.scopes)
  ) {
    return redirectToLogin(settings, settings.confirmPath, pending.search);
  }
  const asked = { context, request, session, user };
  return await settle(settings, asked, { secret, wanted });
}

/** Returns `true` if a request has expired, or its decision is not repeated. */
function isOver(pending: PendingRequest, now: number): boolean {
  const { decidedAt = now } = pending.decision ?? {};
  return isExpired(pending, now) || now - decidedAt >= REPEATED;
}

/** Returns the decision of a form. It has only scopes of the request. */
function decisionOf(
  { now }: Settings,
  form: URLSearchParams,
  requested: readonly string[],
): Decision {
  const scopes = approvedScopes(form, requested);
  const key = scopes.length > 0 ? randomGrantKey() : "";
  return { key, scopes, decidedAt: now() };
}

/** Returns the scopes that the user has approved. A denial has none. */
export function approvedScopes(
  form: URLSearchParams,
  requested: readonly string[],
): readonly string[] {
  const ticked = form.getAll("scope");
  return form.getAll("decision").join() === "approve"
    ? requested.filter((scope) => ticked.includes(scope))
    : [];
}

/**
 * Carries out a decision, once. A second click sends the form again, and the browser
 * shows only its response, which is therefore that of the first one.
 */
async function settle(
  settings: Settings,
  asked: UserRequest,
  { secret, wanted }: { readonly secret: string; readonly wanted: Decision },
): Promise<Response> {
  const { context, request, session } = asked;
  const settled = await changePendingStep<PendingRequest>(
    session,
    KEY,
    secret,
    (step) =>
      step.decision === undefined ? { ...step, decision: wanted } : step,
  );
  if (settled?.decision === undefined) {
    return refuse(settings, context, 400);
  }
  const { decision, isFull } = settled;
  const isFirst = decision === wanted;
  if (isFirst && isFull && wanted.key !== "") await makeRoom(settings, asked);
  const location = decision.key === ""
    ? await deny(settings, asked, isFirst)
    : isFirst
    ? await approve(settings, asked, wanted.scopes, wanted.key)
    : await codeLocation(settings, request, decision.key);
  return finalPage(settings, context, { ...request, location });
}

/**
 * Reads the form, or takes it from the form-data middleware if that ran before.
 *
 * @returns The form, or the status of the error.
 */
export async function formOf(
  context: RequestContext,
): Promise<URLSearchParams | 400 | 408 | 413> {
  if (!context.has(FormData)) return await readForm(context);
  const pairs = [...context.get(FormData)]
    .filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return new URLSearchParams(pairs);
}

async function deny(
  settings: Settings,
  { context, request, user }: UserRequest,
  isFirst: boolean,
): Promise<string> {
  const row = { client: request.client, userId: String(user.id) };
  if (isFirst) await report(settings, "denied", row, "", context);
  return responseLocation(settings.issuer, request, {
    error: "access_denied",
    error_description: "The user has refused the request",
  });
}

export function refuse(
  settings: Settings,
  context: RequestContext,
  status: number,
): Response {
  const reason = status === 403 ? "notUser" : "expired";
  return errorPage(settings, context, { reason, status });
}
