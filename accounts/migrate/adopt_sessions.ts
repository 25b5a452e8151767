import { completeAuth } from "../../auth/internal.ts";
import type { Middleware } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { unlessEnded } from "../actions/completed_login.ts";
import type { AccountStore } from "../store/store.ts";
import type { TakeOldSession } from "./old_sessions.ts";

/** Options for {@linkcode adoptSessions}. */
export interface AdoptSessionsOptions {
  /** The store that `createAccounts` gets. */
  readonly store: AccountStore;
  /** The function that ends the old session of a request and returns it. */
  readonly take: TakeOldSession;
}

/**
 * Creates a middleware that turns a live session of the old system into a login,
 * once. Put it between the session and the user, and remove it when the last old
 * session has expired.
 *
 * It ends the old session even if the browser is logged in already: otherwise, the
 * old cookie would undo a later logout. It adopts no session of an account that is
 * or was blocked, or whose owner has changed a way in since the import: an old session
 * may be the stolen one that the change was meant to end.
 *
 * The login is as old as the old session. Sensitive pages ask for a new proof. It
 * asks no hook: if `beforeLogin` refuses users or names steps, `take` must return
 * `null` for these users, who then log in themselves.
 *
 * @example Between the session and the user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createAccounts } from "@gatehouse/web/accounts";
 * import { adoptSessions } from "@gatehouse/web/accounts/migrate";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const store = createMemoryAccountStore();
 * const accounts = createAccounts({
 *   name: "Invoices",
 *   origin: "http://localhost:8000",
 *   database: store,
 * });
 * const [protection, session, auth] = accounts.middleware;
 * // Such as `takeBetterAuthSession(query, { secret })`.
 * const take = () => null;
 * const adopt = adoptSessions({ store, take });
 * const router = createRouter({
 *   middleware: [protection, session, adopt, auth],
 * });
 * router.map(accounts.routes, accounts.controller);
 *
 * const response = await router.fetch("http://localhost:8000/login");
 * assertEquals(response.status, 200);
 * ```
 *
 * @param options The store, and the function that takes an old session.
 * @returns The middleware.
 */
export function adoptSessions(
  { store, take }: AdoptSessionsOptions,
): Middleware<readonly []> {
  return async (context, next) => {
    const old = await take(context.request);
    if (old !== null && context.get(Session).userId === undefined) {
      const account = await store.find(old.userId);
      // An import has the version 1, and each change of a way in raises it.
      if (account?.version === 1 && account.disabled === null) {
        await unlessEnded(completeAuth(context, account.id, {
          version: account.version,
          methods: ["external"],
          authenticatedAt: old.createdAt,
        }));
      }
    }
    return await next();
  };
}
