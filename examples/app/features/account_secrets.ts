import { Auth } from "@gatehouse/web/auth-middleware";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { readCookie, setCookie } from "../cookies.ts";
import { MOST_PER_USER, type NewSecret } from "../data/api_keys.ts";
import type { User } from "../data/users.ts";
import { failed, SecretLabel } from "../forms.ts";
import { tellOfNewWayIn } from "../not_me.ts";
import type { FormState } from "../pages/form_fields.ts";
import {
  newSecretPage,
  type Secret,
  type SecretKind,
  secretsPage,
} from "../pages/secrets_page.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { loginPath, requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

/** The lifetime of an access token: 30 days, in milliseconds. */
const TOKEN_LIFETIME = 30 * 24 * 60 * 60 * 1000;

/** The seconds for which the page of a new secret can be reloaded. */
const SHOWN_FOR = 300;

/** A kind of secret, together with its storage and its routes. */
interface SecretShelf extends SecretKind {
  /** The cookie that holds a new secret. The database has only its hash. */
  readonly cookie: string;
  list(userId: number): Promise<readonly Secret[]>;
  create(user: User, label: string): Promise<NewSecret | null>;
  revoke(id: number, userId: number): Promise<void>;
  /** Returns the id of the user of a secret. */
  ownerOf(secret: string): Promise<number | null>;
}

/** Adds the pages of API keys and access tokens. */
export function addAccountSecrets(
  router: AppRouter,
  services: Services,
): void {
  const { baseURL, keys, tokens } = services;
  // Not the URL of the request: behind a proxy that may be http.
  const address = baseURL + routes.api.me.href();
  addShelf(router, services, {
    title: "API keys",
    noun: "API key",
    about:
      "For programs. An API key can read the notices, and works until you revoke it.",
    usage: (key) => `curl -H "X-API-Key: ${key}" ${address}`,
    cookie: "newKey",
    routes: routes.account.keys,
    newRoutes: routes.account.newKey,
    list: (userId) => keys.list(userId),
    create: (user, label) => keys.create(user, label),
    revoke: (id, userId) => keys.revoke(id, userId),
    ownerOf: async (key) => (await keys.verify(key))?.userId ?? null,
  });
  addShelf(router, services, {
    title: "Access tokens",
    noun: "access token",
    about:
      "An access token has your permissions at the API, and works for 30 days.",
    usage: (token) => `curl -H "Authorization: Bearer ${token}" ${address}`,
    cookie: "newToken",
    routes: routes.account.tokens,
    newRoutes: routes.account.newToken,
    list: (userId) => tokens.list(userId),
    create: (user, label) =>
      tokens.create(user, label, Date.now() + TOKEN_LIFETIME),
    revoke: (id, userId) => tokens.revoke(id, userId),
    ownerOf: (token) => tokens.verify(token),
  });
}

function addShelf(
  router: AppRouter,
  services: Services,
  shelf: SecretShelf,
): void {
  const { index, create, destroy } = shelf.routes;
  const show = async (
    context: RequestContext,
    userId: number,
    state: FormState,
  ) => secretsPage(context, shelf, await shelf.list(userId), state);

  router.get(
    index,
    { middleware: [requireLogin] },
    (context) => show(context, context.get(Auth).id, {}),
  );

  // A secret outlives the session that made it.
  const confirmation = requireConfirmation(services, index.href());
  router.post(
    create,
    { middleware: [requireLogin, confirmation] },
    async (context) => {
      const user = context.get(Auth);
      const form = context.get(FormData);
      const result = parseSafe(SecretLabel, form);
      if (!result.success) {
        const state = failed(form, ["label"], result.issues);
        return await show(context, user.id, state);
      }
      const created = await shelf.create(user, result.value.label);
      if (created === null) {
        if (!await services.users.hasAccess(user)) return redirect(loginPath);
        const error =
          `You already have ${MOST_PER_USER}. Revoke one of them first.`;
        return await show(context, user.id, { error });
      }
      reportSecurityEvent(context, { action: "key-create", userId: user.id });
      const { id, secret } = created;
      const way = { kind: shelf.noun, id: String(id) };
      const change = `Your account has a new ${shelf.noun}.`;
      await tellOfNewWayIn(context, services, user, way, change);
      const response = redirect(shelf.newRoutes.show.href());
      rememberSecret(response.headers, services, shelf, secret);
      return response;
    },
  );

  router.delete(
    destroy,
    { middleware: [requireLogin] },
    async (context) => {
      const userId = context.get(Auth).id;
      await shelf.revoke(Number(context.params.id), userId);
      reportSecurityEvent(context, { action: "key-revoke", userId });
      context.get(Session).flash("message", `The ${shelf.noun} is revoked`);
      return redirect(index.href());
    },
  );
  addNewSecret(router, services, shelf);
}

/** Adds the page that shows a new secret, until its owner is done with it. */
function addNewSecret(
  router: AppRouter,
  services: Services,
  shelf: SecretShelf,
): void {
  const { show, done } = shelf.newRoutes;
  const index = shelf.routes.index.href();

  router.get(show, { middleware: [requireLogin] }, async (context) => {
    const secret = readCookie(context, shelf.cookie) ?? "";
    // The cookie may be of another user of this browser.
    if (await shelf.ownerOf(secret) !== context.get(Auth).id) {
      return redirect(index);
    }
    return newSecretPage(context, shelf, secret);
  });

  router.post(done, { middleware: [requireLogin] }, () => {
    const response = redirect(index);
    rememberSecret(response.headers, services, shelf, null);
    return response;
  });
}

/** Gives a new secret to the browser of its owner, or removes it there. */
function rememberSecret(
  headers: Headers,
  { baseURL }: Services,
  { cookie, newRoutes }: SecretShelf,
  secret: string | null,
): void {
  setCookie(headers, cookie, secret ?? "", {
    maxAge: secret === null ? 0 : SHOWN_FOR,
    path: newRoutes.show.href(),
    secure: baseURL.startsWith("https:"),
  });
}
