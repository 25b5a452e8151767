import type { UserSource } from "../../auth/internal.ts";
import { Actor, Auth } from "../../auth/middleware/mod.ts";
import { isDisabled } from "../actions/enter.ts";
import { isLogin, rememberAccount, versionOf } from "../current_account.ts";
import type { Services, Settings } from "../actions/services.ts";
import type { Account, Names } from "../definition/names.ts";
import { toUser } from "../to_user.ts";
import { tellOwner } from "./new_app.ts";

/**
 * An account, as the token of an application finds it. It has no `scopes`, because
 * the token has them.
 *
 * @typeParam N The names of the application.
 */
export interface TokenAccount<N extends Names = Names>
  extends Omit<Account<N>, "scopes" | "teamId"> {
  /**
   * The scopes of a login in a browser.
   *
   * @default {undefined}
   */
  readonly scopes?: Account<N>["scopes"] | undefined;
}

/** Creates the functions that an authorization server needs. */
export function createUserSource<N extends Names>(
  { apps, names, now, store }: Settings,
  ready: () => Promise<Services>,
): Required<UserSource<TokenAccount<N>>> {
  return {
    async find(id) {
      const account = await store.find(id);
      if (account === null || isDisabled(account, now())) return null;
      const { scopes: _, ...user } = toUser<N>(account, names);
      rememberAccount(user, account);
      return user;
    },
    version: versionOf,
    loggedIn(context) {
      const user = context.get(Auth);
      return user !== null && isLogin(user) && context.get(Actor) === null
        ? user as Account<N>
        : null;
    },
    granted: async (context, grant) =>
      await tellOwner(await ready(), context, grant),
    connect: (connected) => apps.connect(connected),
  };
}
