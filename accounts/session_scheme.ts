import {
  type ActingRules,
  type AuthenticatedUser,
  type AuthScheme,
  createSessionAuthScheme,
} from "../auth/middleware/mod.ts";
import type { Session } from "../session/mod.ts";
import { isDisabled } from "./actions/enter.ts";
import {
  rememberAccount,
  rememberLogin,
  versionOf,
} from "./current_account.ts";
import type { Settings } from "./actions/services.ts";
import { record } from "./admin/audit_log.ts";
import type { Account, Names } from "./definition/names.ts";
import { toUser } from "./to_user.ts";

/** The login of a session. */
interface SessionLogin {
  readonly id: string | number;
  /** `true` if the user proved two factors. */
  readonly isProved: boolean;
}

/** The users of requests who proved no second factor, and may need one. */
type Unproved = WeakSet<AuthenticatedUser>;

/**
 * Creates the scheme of sessions. A session whose account must have a second factor
 * has no user unless its login proved one: such a session is older than the rule, or
 * of another system.
 */
export function createSessionScheme<N extends Names>(
  settings: Settings,
): AuthScheme<Account<N>> {
  const { hooks, names, now, store } = settings;
  const unproved: Unproved = new WeakSet();
  const needed: Unproved = new WeakSet();
  return createSessionAuthScheme<Account<N>, SessionLogin | string | number>({
    name: "session",
    read: createRead(),
    async verify(login) {
      // Only the user of an administrator who acts has no login.
      const { id, isProved } = typeof login === "object"
        ? login
        : { id: login, isProved: undefined };
      const account = await store.find(String(id));
      if (account === null || isDisabled(account, now())) return null;
      const user = toUser<N>(account, names);
      if (!isProved) {
        unproved.add(user);
        const isNeeded = await hooks.requiresSecondFactor(user as Account);
        if (isNeeded && isProved === false) return null;
        if (isNeeded) needed.add(user);
      }
      rememberAccount(user, account);
      rememberLogin(user);
      return user;
    },
    version: versionOf,
    acting: actingRules(
      settings,
      (actor, user) => needed.has(user) && unproved.has(actor),
    ),
  });
}

/** Creates the function that reads the login of a session. */
function createRead(): (session: Session) => SessionLogin | undefined {
  let isWarned = false;
  return ({ authMethods, userId: id, version }) => {
    if (id === undefined) return undefined;
    if (version === undefined && !isWarned) {
      isWarned = true;
      console.warn(
        "Cannot use a session without a version: only the account pages may log users in",
      );
    }
    return { id, isProved: Object.hasOwn(authMethods ?? {}, "mfa") };
  };
}

/**
 * Creates the rules of administrators who act as other users.
 *
 * @param lacksFactor Returns `true` if the user must have a second factor, and the
 * administrator proved none.
 */
function actingRules(
  { adminRole, ...settings }: Settings,
  lacksFactor: (actor: AuthenticatedUser, user: AuthenticatedUser) => boolean,
): ActingRules<AuthenticatedUser> {
  const { now } = settings;
  const roleOf = (user: AuthenticatedUser) => (user as Partial<Account>).role;
  return {
    now,
    allow: (actor, user) =>
      adminRole !== undefined && roleOf(actor) === adminRole &&
      roleOf(user) !== adminRole && !lacksFactor(actor, user),
    audit: async ({ action, actorId, reason, userId }) =>
      await record(settings, {
        actorId: String(actorId),
        userId: String(userId),
        action: `act-${action}`,
        reason,
      }),
  };
}
