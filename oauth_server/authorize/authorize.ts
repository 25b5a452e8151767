import { Auth } from "../../auth/middleware/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { approve, makeRoom } from "./approve.ts";
import {
  readAuthorizationRequest,
  type RefusedRequest,
} from "./authorization_request.ts";
import { responseLocation } from "./authorization_response.ts";
import { showConsent } from "./consent.ts";
import { errorPage } from "../pages/error_page.ts";
import { returnToClient } from "../pages/final_page.ts";
import {
  isFreshLogin,
  isWantedLogin,
  redirectToLogin,
  returnPathOf,
} from "./recent_login.ts";
import type { Settings } from "../settings.ts";
import { loggedInUser } from "../grants/users.ts";
import { sessionOf, type UserRequest } from "./user_request.ts";

/**
 * The longest path that returns to a request, in characters. The login page gets it
 * in a parameter, and loses longer ones.
 */
const MAX_URL = 2_000;

/**
 * Answers the authorization endpoint. A request without a login writes nothing and
 * makes no request: it goes to the login page, and returns from there.
 */
export async function authorize(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  const session = await sessionOf(context);
  const { search } = context.url;
  if (returnPathOf(settings, search).length > MAX_URL) {
    return errorPage(settings, context, { reason: "tooLong", status: 414 });
  }
  const user = loggedInUser(settings, context);
  if (user === null) return refuseAnonymous(settings, context);
  const request = await readAuthorizationRequest(settings, search, user);
  if (!("client" in request)) return refuse(settings, context, request);
  return await answer(settings, { context, request, session, user });
}

function refuseAnonymous(
  settings: Settings,
  context: RequestContext,
): Response {
  const isToken = context.get(Auth) !== null;
  // The redirect URI of a client with a document is not known before a login.
  if (isToken || context.url.searchParams.get("prompt") === "none") {
    const status = isToken ? 403 : 401;
    return errorPage(settings, context, { reason: "notUser", status });
  }
  return redirectToLogin(settings, settings.loginPath, context.url.search);
}

function refuse(
  settings: Settings,
  context: RequestContext,
  refused: RefusedRequest,
): Response {
  if ("reason" in refused) {
    return errorPage(settings, context, { ...refused, status: 400 });
  }
  const { description, error, target } = refused;
  const params = { error, error_description: description };
  const location = responseLocation(settings.issuer, target, params);
  return returnToClient(settings, context, { ...target, location });
}

async function answer(
  settings: Settings,
  asked: UserRequest,
): Promise<Response> {
  const { context, request } = asked;
  const isSilent = request.prompt.has("none");
  const fail = (error: string, description: string) =>
    refuse(settings, context, { target: request, error, description });
  const isRecent = isWantedLogin(settings, context, request) &&
    isFreshLogin(settings, context, request, request.scopes);
  if (!isRecent) {
    return isSilent
      ? fail("login_required", "The user must log in again")
      : redirectToLogin(settings, settings.confirmPath, context.url.search);
  }
  if (request.client.trusted && !request.prompt.has("consent")) {
    await makeRoom(settings, asked);
    const location = await approve(settings, asked, request.scopes);
    return returnToClient(settings, context, { ...request, location });
  }
  return isSilent
    ? fail("consent_required", "The user must consent")
    : await showConsent(settings, asked);
}
