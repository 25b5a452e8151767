import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { type Acting, ACTING_KEY, readActing } from "../login/acting.ts";
import { currentSession } from "../login/current_session.ts";
import { Actor, Auth, type AuthenticatedUser } from "../login/user_keys.ts";
import { State } from "./_auth_state.ts";
import type { AuthScheme } from "./scheme.ts";

/** An entry of the audit trail. */
export interface ActingEntry {
  /** `"refuse"` if the rules did not allow the start. */
  readonly action: "start" | "end" | "refuse";
  /** The id of the user who acts. */
  readonly actorId: AuthenticatedUser["id"];
  /** The id of the user as whom they act. */
  readonly userId: string | number;
  /** The reason, as passed to `actAs`. */
  readonly reason: string;
  /** The time in epoch milliseconds. */
  readonly at: number;
  /** The client's address, if it is known. */
  readonly address: string | undefined;
}

/** The rules for users who act as other users. */
export interface ActingRules<User extends AuthenticatedUser> {
  /**
   * Returns `true` if a user may act as another one. It is called at the start and
   * on each request, so a new role of either user counts at once.
   *
   * Trust: it must not allow users to act as users with more rights.
   *
   * @param actor The user who acts.
   * @param user The user as whom they act.
   */
  readonly allow: (actor: User, user: User) => boolean;
  /**
   * Stores an entry of the audit trail. If it throws, acting does not begin.
   *
   * @param entry The entry.
   */
  readonly audit: (entry: ActingEntry) => void | Promise<void>;
  /**
   * The time after which acting ends, in milliseconds.
   *
   * @default {3_600_000}
   */
  readonly maxDuration?: number;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The rules of a scheme, and the function that finds its users. */
interface SchemeRules extends Required<ActingRules<AuthenticatedUser>> {
  readonly find: (
    id: string | number,
  ) => AuthenticatedUser | null | Promise<AuthenticatedUser | null>;
}

const rulesByScheme = /* @__PURE__ */ new WeakMap<object, SchemeRules>();

/** Sets the rules of a scheme. */
export function setActingRules<User extends AuthenticatedUser, Id>(
  scheme: AuthScheme<User>,
  { allow, audit, maxDuration = 3_600_000, now = Date.now }: ActingRules<User>,
  find: (id: Id) => User | null | Promise<User | null>,
): void {
  // The scheme calls the functions only with its own users.
  rulesByScheme.set(
    scheme,
    { allow, audit, find, maxDuration, now } as unknown as SchemeRules,
  );
}

/**
 * Returns the user that the session's user acts as, `"refused"` if the rules no
 * longer allow it, and `null` if the user does not act.
 */
export async function actedUserOf(
  scheme: object,
  session: Session,
  actor: AuthenticatedUser,
): Promise<AuthenticatedUser | "refused" | null> {
  const rules = rulesByScheme.get(scheme);
  const acting = rules === undefined ? null : readActing(session);
  if (rules === undefined || acting === null) return null;
  const age = rules.now() - acting.startedAt;
  if (!(age >= 0 && age < rules.maxDuration)) return "refused";
  return await findAllowed(rules, actor, acting.userId) ?? "refused";
}

/** Options for {@linkcode actAs}. */
export interface ActAsOptions {
  /** The reason for the audit trail, such as the number of a ticket. */
  readonly reason: string;
}

/**
 * Makes the current user act as another one, for support. `context.get(Auth)` is
 * then the other user, and `context.get(Actor)` the one who acts.
 *
 * The session still belongs to the user who acts: it is in their list of
 * sessions, and ends with their logout. It gets a new id. `requireFreshAuth`,
 * `requireOwnLogin` and everything that proves, adds or removes a way into an
 * account refuse users who act as others. If the rules of the scheme no longer
 * allow it, or the time has expired, there is no user until
 * {@linkcode stopActing} or a login.
 *
 * @example An administrator acts as a user
 * ```ts
 * import { completeAuth } from "@gatehouse/web/auth";
 * import {
 *   actAs,
 *   Actor,
 *   Auth,
 *   auth,
 *   createSessionAuthScheme,
 *   requireRole,
 *   stopActing,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const users = new Map([
 *   [1, { id: 1, role: "admin" }],
 *   [2, { id: 2, role: "user" }],
 * ]);
 * const trail: string[] = [];
 * const scheme = createSessionAuthScheme({
 *   name: "browser",
 *   verify: (id: string | number) => users.get(Number(id)) ?? null,
 *   acting: {
 *     allow: (actor, user) => actor.role === "admin" && user.role === "user",
 *     audit: ({ action, reason }) => void trail.push(`${action}: ${reason}`),
 *   },
 * });
 * const router = createRouter({
 *   middleware: [session(), auth({ schemes: [scheme] })],
 * });
 * router.post("/login", async (context) => {
 *   await completeAuth(context, 1);
 *   return new Response();
 * });
 * router.post(
 *   "/act/:id",
 *   { middleware: [requireRole("admin")] },
 *   async (context) => {
 *     const id = Number(context.params.id);
 *     const user = await actAs(context, id, { reason: "Ticket 12" });
 *     return new Response(null, { status: user === null ? 403 : 204 });
 *   },
 * );
 * router.post("/stop", async (context) => {
 *   await stopActing(context);
 *   return new Response();
 * });
 * router.get("/", (context) =>
 *   Response.json([context.get(Actor)?.id, context.get(Auth)?.id]));
 *
 * const { fetch } = createTestClient(router);
 * for (const path of ["/login", "/act/2"]) await fetch(path, { method: "POST" });
 * assertEquals(await (await fetch("/")).json(), [1, 2]);
 * await fetch("/stop", { method: "POST" });
 * assertEquals(await (await fetch("/")).json(), [null, 1]);
 * assertEquals(trail, ["start: Ticket 12", "end: Ticket 12"]);
 * ```
 *
 * @param context The context of the request.
 * @param userId The id of the other user.
 * @param options The reason.
 * @returns The other user, or `null` if the rules do not allow it or the user does
 * not exist.
 * @throws {TypeError} If there is no user of a session scheme with the option
 * `acting`, or the reason is empty.
 * @throws {SessionStoreError} If the store failed.
 */
export async function actAs(
  context: RequestContext,
  userId: string | number,
  { reason }: ActAsOptions,
): Promise<AuthenticatedUser | null> {
  const session = await currentSession(context, "act as a user").load();
  const actor = context.get(Actor) ?? context.get(Auth);
  const rules = rulesByScheme.get(context.get(State).scheme ?? {});
  if (actor === null || rules === undefined) {
    throw new TypeError(
      "Cannot act as a user: no user is logged in with a session scheme that has the option acting",
    );
  }
  if (reason.trim() === "") {
    throw new TypeError("Cannot act as a user: the reason is empty");
  }
  const startedAt = rules.now();
  const acting: Acting = { userId, reason, startedAt };
  // A second start would leave the audit trail without an end for the first
  // user.
  const isActing = readActing(session) !== null;
  const isSelf = String(userId) === String(actor.id);
  const user = isActing || isSelf
    ? null
    : await findAllowed(rules, actor, userId);
  const action = user === null ? "refuse" : "start";
  await rules.audit(entryOf(context, action, actor.id, acting, startedAt));
  if (user === null) return null;
  // The value is an array, because sessions in cookies keep objects under such
  // keys for ten minutes.
  session.set(ACTING_KEY, [userId, reason, startedAt]);
  session.regenerateId();
  await session.commit();
  return user;
}

/**
 * Ends acting as another user. The session gets a new id and belongs to the same
 * user as before. Without acting, it does nothing. See {@linkcode actAs} for an
 * example.
 *
 * @example Without acting
 * ```ts
 * import { stopActing } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.post("/stop", async (context) => {
 *   return Response.json(await stopActing(context));
 * });
 * const response = await router.fetch("https://example.com/stop", {
 *   method: "POST",
 * });
 * assertEquals(await response.json(), false);
 * ```
 *
 * @param context The context of the request.
 * @returns `true` if the user acted as another one.
 * @throws {TypeError} If no session middleware ran.
 * @throws {SessionStoreError} If the store failed.
 */
export async function stopActing(context: RequestContext): Promise<boolean> {
  const session = await currentSession(context, "stop acting").load();
  const acting = readActing(session);
  if (acting === null) return false;
  const actorId = session.userId!;
  session.unset(ACTING_KEY);
  session.regenerateId();
  await session.commit();
  for (const scheme of context.get(State).schemes) {
    const rules = rulesByScheme.get(scheme);
    await rules?.audit(
      entryOf(context, "end", actorId, acting, rules.now()),
    );
  }
  return true;
}

async function findAllowed(
  { allow, find }: SchemeRules,
  actor: AuthenticatedUser,
  userId: string | number,
): Promise<AuthenticatedUser | null> {
  const user = await find(userId) ?? null;
  return user !== null && allow(actor, user) === true ? user : null;
}

function entryOf(
  { remoteAddress: address }: RequestContext,
  action: ActingEntry["action"],
  actorId: ActingEntry["actorId"],
  { reason, userId }: Acting,
  at: number,
): ActingEntry {
  return { action, actorId, userId, reason, at, address };
}
