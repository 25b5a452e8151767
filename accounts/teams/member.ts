import {
  Auth,
  type AuthenticatedUser,
  type AuthKey,
  type Guard,
} from "../../auth/middleware/mod.ts";
import {
  createContextKey,
  describeMiddleware,
  reportDenied,
} from "../../router/internal.ts";
import type {
  ContextEntry,
  ContextKey,
  Middleware,
  Present,
  RequestContext,
} from "../../router/mod.ts";
import type { Settings } from "../actions/services.ts";
import { keyOfUser } from "../keys/require_scope.ts";
import type { FoundMember } from "../store/teams.ts";

/**
 * The membership of a user in a team.
 *
 * @typeParam Role The roles in teams.
 */
export interface Membership<Role extends string = string> {
  /** The id of the membership. A user who comes back has another one. */
  readonly id: string;
  /** The id of the user's account. */
  readonly userId: string;
  /** The id of the team. */
  readonly teamId: string;
  /** The name of the team. */
  readonly teamName: string;
  /** The role in the team. */
  readonly role: Role;
  /** The time at which the user became a member, in epoch milliseconds. */
  readonly since: number;
}

/** The type of the key {@linkcode Member}. */
export interface MemberKey extends ContextKey<Membership | null> {
  /** The name, which distinguishes its type. */
  readonly name: "Member";
}

/**
 * The context key of the membership that `requireMember` has found.
 *
 * @example The role in the team of the URL
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Member } from "@gatehouse/web/accounts";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const context = new RequestContext(new Request("https://example.com/"));
 * assertEquals(context.get(Member), null);
 * ```
 */
export const Member: MemberKey = /* @__PURE__ */ createContextKey<
  Membership | null
>(null, { name: "Member" }) as MemberKey;

/**
 * The guard of members, which guarantees a user and a membership.
 *
 * @typeParam Role The roles in teams.
 */
export type MemberGuard<Role extends string> = Middleware<
  readonly [
    ContextEntry<AuthKey, Present>,
    ContextEntry<MemberKey, Membership<Role>>,
  ]
>;

/** Returns the id of the team of a request. */
export type TeamOf = (context: RequestContext) => string | undefined;

/** Creates the guard of members. */
export function createRequireMember<Role extends string>(
  { names, store }: Settings,
  requireUser: Guard,
): (team: TeamOf, ...roles: readonly Role[]) => MemberGuard<Role> {
  return (team, ...roles) => {
    checkRoles(names.teamRoles ?? [], roles);
    const guard: Middleware = (context, next) =>
      requireUser(context, async () => {
        const user = context.get(Auth)!;
        const id = team(context);
        const found = typeof id === "string" && mayUse(user, id)
          ? await store.teams?.membership(id, String(user.id))
          : null;
        // The response is the same as for a team that does not exist.
        if (!found) return await context.createErrorResponse({ status: 404 });
        const membership = toMembership(found);
        if (roles.length > 0 && !roles.includes(membership.role as Role)) {
          reportDenied(context, "forbidden", user.id);
          return await context.createErrorResponse({ status: 403 });
        }
        context.set(Member, membership);
        return await next();
      });
    describeMiddleware(guard, {
      requires: [[]],
      responses: { 401: "", 403: "", 404: "" },
    });
    return guard as unknown as MemberGuard<Role>;
  };
}

/** Returns `false` for the API key of another team. */
function mayUse(user: AuthenticatedUser, teamId: string): boolean {
  const team = keyOfUser(user)?.key.teamId;
  return team === undefined || team === teamId;
}

/** Returns a membership as handlers see it. */
export function toMembership<Role extends string>(
  { member, team }: FoundMember,
): Membership<Role> {
  return {
    id: member.id,
    userId: member.userId,
    teamId: team.id,
    teamName: team.name,
    role: member.role as Role,
    since: member.createdAt,
  };
}

function checkRoles(listed: readonly string[], roles: readonly string[]): void {
  if (listed.length === 0) {
    throw new TypeError(
      "Cannot require a member: the definition has no teamRoles",
    );
  }
  const unknown = roles.find((role) => !listed.includes(role));
  if (unknown === undefined) return;
  throw new TypeError(
    `Cannot require the team role "${unknown}": it is not listed`,
  );
}
