import {
  type ExternalAuthFailure,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import {
  HTTPError,
  redirect,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { accountOf, type NewIdentity } from "../data/identities.ts";
import type { User } from "../data/users.ts";
import { endOtherSessions } from "../end_access.ts";
import type {
  ExternalLogin,
  ExternalLoginSuccess,
} from "../external_logins.ts";
import { beginLogIn } from "../log_in.ts";
import { identityText } from "../mails.ts";
import { tellOfNewWayIn } from "../not_me.ts";
import { narrowPage } from "../pages/layout.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { loginPath } from "./account.ts";

/** Adds logins at identity providers (spec 5.2). */
export function addExternalLogin(router: AppRouter, services: Services): void {
  const { logins } = services;
  const find = (name: string) => logins.find((login) => login.name === name);

  router.get(routes.external.start, (context) => {
    const login = find(context.params.provider);
    if (login === undefined) throw new HTTPError(404);
    const returnTo = context.url.searchParams.get("returnTo");
    // A user who is logged in wants to confirm the login. The options make a
    // provider ask even if it remembers the user.
    const isConfirmation = context.get(Auth) !== null &&
      login.provider.canReauthenticate;
    return startExternalAuth(login.provider, context, {
      returnTo,
      ...isConfirmation && { prompt: "login", maxAge: 0 },
    });
  });

  router.get(routes.external.callback, async (context) => {
    const login = find(context.params.provider);
    if (login === undefined) throw new HTTPError(404);
    const result = await login.finish(context);
    if (!result.ok) return failed(context, result);
    return result.data.linkTo === undefined
      ? await finishLogin(context, services, result, login)
      : await link(context, services, {
        result,
        login,
        user: context.get(Auth),
      });
  });
}

/**
 * Starts a login that is to be linked to an account. Only a form of the account
 * page does so: a mere link to `/auth/…` must not attach a login to an account.
 */
export function startLinking(
  context: RequestContext,
  { provider }: ExternalLogin,
  userId: number,
): Promise<Response> {
  return startExternalAuth(provider, context, { data: { linkTo: userId } });
}

/**
 * Sends a user who canceled at the provider back to the page that the login was
 * started on. All other failures get the same response.
 */
function failed(
  context: RequestContext,
  { error, returnTo = "/", data = {} }: ExternalAuthFailure,
): Response | Promise<Response> {
  if (error.code !== "access_denied") return authenticationFailed(context);
  if (data.linkTo !== undefined) {
    return redirect(routes.account.logins.index.href());
  }
  if (context.get(Auth) !== null) return redirect(returnTo);
  const search = returnTo === "/" ? undefined : { returnTo };
  return redirect(routes.login.index.href({}, search));
}

function authenticationFailed(
  context: RequestContext,
): Response | Promise<Response> {
  const detail = "Authentication failed";
  return context.createErrorResponse({ status: 401, detail });
}

async function link(
  context: RequestContext,
  services: Services,
  { result, login, user }: {
    readonly result: ExternalLoginSuccess;
    readonly login: ExternalLogin;
    readonly user: User | null;
  },
): Promise<Response> {
  const { identities } = services;
  const { label } = login;
  if (user === null || user.id !== result.data.linkTo) {
    return authenticationFailed(context);
  }
  const identity = identityOf(result, login);
  const isNew = await identities.link(identity, user);
  if (!isNew && await identities.findUserId(identity) !== user.id) {
    // Or access to the account was ended just now.
    if (!await services.users.hasAccess(user)) return redirect(loginPath);
    return refusal(context, {
      title: "This login belongs to another account",
      content: html`
        <p>
          Your login at ${label} is linked to another account here. Log in to that
          account and unlink it first.
        </p>
      `,
    });
  }
  if (isNew) await endOtherSessions(services, context, user);
  if (isNew) {
    const { issuer, subject } = identity;
    const way = {
      kind: "linked login",
      identity: { issuer, subject },
    } as const;
    const linked = { login: login.name, account: accountOf(identity) };
    const line = identityText(services.logins, linked);
    const change = `This login can now open your account: ${line}`;
    await tellOfNewWayIn(context, services, user, way, change);
  }
  context.get(Session).flash("message", `You can now log in with ${label}`);
  return redirect(routes.account.logins.index.href());
}

function identityOf(
  { issuer, subject, person }: ExternalLoginSuccess,
  { name }: ExternalLogin,
): NewIdentity {
  const email = person.emailVerified ? person.email : null;
  return { issuer, subject, login: name, email };
}

/** Finds or creates the user of an external login, and logs them in. */
async function finishLogin(
  context: RequestContext,
  services: Services,
  result: ExternalLoginSuccess,
  login: ExternalLogin,
): Promise<Response> {
  // In one query: an identity that is being removed must not log in.
  const user = await services.users.findByIdentity(result) ??
    await createUser(services, result, login);
  if (user === null) return addressTaken(context);
  // If the provider does not say when, one click may have been enough: then the
  // login counts as old, and is confirmed before anything that matters.
  const { authenticatedAt = 0 } = result;
  const { returnTo } = result;
  return redirect(
    await beginLogIn(context, services, user, { authenticatedAt, returnTo }),
  );
}

/**
 * Creates a user for an external login: `null` if the address has an account.
 * An email address does not prove who the user is. To link a login, the user has
 * to log in first.
 */
async function createUser(
  { users, identities }: Services,
  result: ExternalLoginSuccess,
  login: ExternalLogin,
): Promise<User | null> {
  const { name, email, emailVerified, picture } = result.person;
  if (email && await users.findByEmail(email) !== null) return null;
  const user = await users.create({
    // An address that is not verified would keep its owner from registering.
    email: emailVerified ? email : null,
    name: firstCharacters(name ?? "") || email || "New member",
    passwordHash: "",
    emailVerified,
    avatarURL: pictureURL(picture),
  });
  if (user === null) return null;
  let isLinked = false;
  try {
    isLinked = await identities.link(identityOf(result, login), user);
  } finally {
    // Otherwise no user could log in, and the address would be taken for good.
    if (!isLinked) await users.remove(user.id);
  }
  if (isLinked) return user;
  // Two requests created the same login at once, and the other was faster.
  return await users.findByIdentity(result);
}

function firstCharacters(text: string): string {
  return [...text.trim()].slice(0, 100).join("");
}

/** Returns the URL of the picture, or `null` if it is not HTTPS. */
function pictureURL(picture: string | null): string | null {
  const url = URL.parse(picture ?? "");
  return url?.protocol === "https:" ? url.href : null;
}

function addressTaken(context: RequestContext): Response {
  return refusal(context, {
    title: "An account with this email already exists",
    content: html`
      <p>
        If it is your account, log in as you did before. Then link this login on
        the page “Linked logins”, and you can use both.
      </p>
      <p class="actions">
        <a class="button" href="${routes.login.index.href()}">Log in</a>
      </p>
    `,
  });
}

function refusal(
  context: RequestContext,
  { title, content }: { readonly title: string; readonly content: Markup },
): Response {
  return narrowPage(context, {
    title,
    status: 409,
    content,
  });
}
