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
    const text = "The request of the application is too long.";
    return await errorPage(settings, context, { text, status: 414 });
  }
  const user = loggedInUser(settings, context);
  if (user === null) return await refuseAnonymous(settings, context);
  const request = await readAuthorizationRequest(settings, search, user);
  if ("error" in request) return await refuse(settings, context, request);
  return await answer(settings, { context, request, session, user });
}

async function refuseAnonymous(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  if (context.get(Auth) !== null) {
    const text =
      "Only users themselves can connect applications to their account.";
    return await errorPage(settings, context, { text, status: 403 });
  }
  if (context.url.searchParams.get("prompt") === "none") {
    // The redirect URI of a client with a document is not known before a login.
    const text = "You are not logged in.";
    return await errorPage(settings, context, { text, status: 401 });
  }
  return redirectToLogin(settings, settings.loginPath, context.url.search);
}

async function refuse(
  settings: Settings,
  context: RequestContext,
  { description, error, target }: RefusedRequest,
): Promise<Response> {
  if (target === undefined) {
    return await errorPage(settings, context, {
      text: description,
      status: 400,
    });
  }
  const params = { error, error_description: description };
  const location = responseLocation(settings.issuer, target, params);
  return await returnToClient(context, target.client, location);
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
      ? await fail("login_required", "The user must log in again")
      : redirectToLogin(settings, settings.confirmPath, context.url.search);
  }
  if (request.client.trusted && !request.prompt.has("consent")) {
    await makeRoom(settings, asked);
    const location = await approve(settings, asked, request.scopes);
    return await returnToClient(context, request.client, location);
  }
  return isSilent
    ? await fail("consent_required", "The user must consent")
    : await showConsent(settings, asked);
}
