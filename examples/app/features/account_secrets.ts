import { Auth } from "@gatehouse/web/auth-middleware";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { MOST_PER_USER } from "../data/api_keys.ts";
import { failed, SecretLabel } from "../forms.ts";
import { routes } from "../routes.ts";
import type { User } from "../data/users.ts";
import type { Services } from "../services.ts";
import {
  type Secret,
  type SecretKind,
  secretsPage,
} from "../pages/secrets_page.ts";
import type { FormState } from "../pages/form_fields.ts";
import { loginPath, requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

/** The lifetime of an access token: 30 days, in milliseconds. */
const TOKEN_LIFETIME = 30 * 24 * 60 * 60 * 1000;

/** A kind of secret, together with its storage. */
interface SecretShelf extends SecretKind {
  list(userId: number): Promise<readonly Secret[]>;
  create(user: User, label: string): Promise<string | null>;
  revoke(id: number, userId: number): Promise<void>;
}

/** Adds the pages of API keys and access tokens. */
export function addAccountSecrets(
  router: AppRouter,
  services: Services,
): void {
  const { baseURL, keys, tokens } = services;
  // Not the URL of the request: behind a proxy that may be http.
  const address = baseURL + routes.api.me.href();
  addShelf(router, services, routes.account.keys, {
    title: "API keys",
    noun: "API key",
    about:
      "For programs. An API key reads the notices, and works until you revoke it.",
    usage: (key) => `curl -H "X-API-Key: ${key}" ${address}`,
    list: (userId) => keys.list(userId),
    create: (user, label) => keys.create(user, label),
    revoke: (id, userId) => keys.revoke(id, userId),
  });
  addShelf(router, services, routes.account.tokens, {
    title: "Access tokens",
    noun: "access token",
    about: "An access token may do at the API what you may do, for 30 days.",
    usage: (token) => `curl -H "Authorization: Bearer ${token}" ${address}`,
    list: (userId) => tokens.list(userId),
    create: (user, label) =>
      tokens.create(user, label, Date.now() + TOKEN_LIFETIME),
    revoke: (id, userId) => tokens.revoke(id, userId),
  });
}

function addShelf(
  router: AppRouter,
  services: Services,
  shelfRoutes: typeof routes.account.keys | typeof routes.account.tokens,
  shelf: SecretShelf,
): void {
  const show = async (
    context: RequestContext,
    userId: number,
    state: FormState,
    made?: string,
  ) => {
    const list = await shelf.list(userId);
    return secretsPage(context, {
      kind: shelf,
      list,
      state,
      made,
      shelfRoutes,
    });
  };

  router.get(
    shelfRoutes.index,
    { middleware: [requireLogin] },
    (context) => show(context, context.get(Auth).id, {}),
  );

  router.post(
    shelfRoutes.create,
    {
      middleware: [
        requireLogin,
        // A secret outlives the session that made it.
        requireConfirmation(services, shelfRoutes.index.href()),
      ],
    },
    async (context) => {
      const user = context.get(Auth);
      const form = context.get(FormData);
      const result = parseSafe(SecretLabel, form);
      if (!result.success) {
        const state = failed(form, ["label"], result.issues);
        return await show(context, user.id, state);
      }
      const secret = await shelf.create(user, result.value.label);
      if (secret === null) {
        if (!await services.users.hasAccess(user)) return redirect(loginPath);
        const error = `You have ${MOST_PER_USER} already: revoke one first`;
        return await show(context, user.id, { error });
      }
      // Shown in this response only: the database has its hash.
      return await show(context, user.id, {}, secret);
    },
  );

  router.delete(
    shelfRoutes.destroy,
    { middleware: [requireLogin] },
    async (context) => {
      await shelf.revoke(Number(context.params.id), context.get(Auth).id);
      context.get(Session).flash("message", `The ${shelf.noun} is revoked`);
      return redirect(shelfRoutes.index.href());
    },
  );
}
