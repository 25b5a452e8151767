import { Auth } from "@gatehouse/web/auth-middleware";
import { respond } from "@gatehouse/web/content";
import { validate, ValidParams } from "@gatehouse/web/middleware";
import type { AppRouter } from "../app.ts";
import { routes } from "../routes.ts";
import type { EditorOptions } from "./editor.ts";

/**
 * Adds the JSON API. It accepts API keys with the scopes that a route names, and
 * logins in a browser, which have all scopes. To delete a notice, the user needs
 * the role, too.
 */
export function addAPI(
  router: AppRouter,
  { accounts: { requireRole, requireScope }, notices }: EditorOptions,
): void {
  const { index, show, destroy } = routes.api.notices;
  const mayRead = requireScope("notices:read");

  router.get(routes.api.me, mayRead, (context) => {
    const { id, name, email, role, scopes } = context.get(Auth);
    const user = { id, name, email, role, scopes: [...scopes] };
    return respond(routes.api.me, 200, user);
  });
  router.get(index, mayRead, async () => {
    return respond(index, 200, { notices: await notices.list() });
  });
  const middleware = [mayRead, validate(show)] as const;
  router.get(show, { middleware }, async (context) => {
    const notice = await notices.find(context.get(ValidParams).id);
    return notice === null
      ? respond(show, 404, NOT_FOUND)
      : respond(show, 200, notice);
  });
  router.delete(destroy, {
    middleware: [
      requireScope("notices:delete"),
      requireRole("editor", "admin"),
      validate(destroy),
    ],
  }, async (context) => {
    const isGone = await notices.remove(context.get(ValidParams).id);
    return isGone ? respond(destroy, 204) : respond(destroy, 404, NOT_FOUND);
  });
}

const NOT_FOUND = { error: "Not Found" };
