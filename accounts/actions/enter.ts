import { completeAuth } from "../../auth/internal.ts";
import { Auth } from "../../auth/middleware/mod.ts";
import { HTTPError, reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { type LoginTimeouts, SessionConflictError } from "../../session/mod.ts";
import type { StoredAccount } from "../store/store.ts";
import { heldOutcome } from "../hooks/held_login.ts";
import {
  type Call,
  type Outcome,
  refused,
  returnToOf,
  searchFor,
} from "./call.ts";

/** The proof of a login. */
export interface Proof {
  readonly methods: readonly string[];
  /** The time of the proof, if it is not now. */
  readonly authenticatedAt?: number;
  /** The path of the next page. */
  readonly returnTo?: string;
  /** The timeouts of a remembered login. */
  readonly timeouts?: LoginTimeouts | undefined;
}

/**
 * Logs an account in, or asks for its second factor. The login uses the version
 * that the proof has read, so it fails if all access ends in the meantime.
 */
export async function enter(
  call: Call,
  account: StoredAccount,
  proof: Proof,
): Promise<Outcome> {
  const { context, messages, services } = call;
  if (isDisabled(account, services.now())) {
    reportSecurityEvent(context, {
      action: "login",
      outcome: "failure",
      reason: "disabled",
      userId: account.id,
    });
    return refused(messages.disabled, 403);
  }
  const returnTo = proof.returnTo ?? returnToOf(context, services);
  const { authenticatedAt, methods, timeouts } = proof;
  const { id, version } = account;
  const options = {
    version,
    authenticatedAt,
    methods,
    timeouts,
    data: returnTo,
  };
  const session = await unlessEnded(
    services.factors.completeFirstFactor(context, id, options),
  );
  if (session === "ended") return refused(messages.wrongLogin);
  const held = heldOutcome(call);
  if (held !== null) return held;
  if (session === null) {
    const search = searchFor(returnTo, services);
    const location = services.routes.secondFactor.index.href({}, search);
    return { ok: true, next: "second-factor", location };
  }
  return await welcome(call, account, returnTo);
}

/**
 * Confirms the login of the user with a new proof. The session gets a new id and a
 * new login time. The version is that of the guard, so an end of access in the
 * meantime counts.
 */
export async function confirmLogin(
  call: Call,
  { authenticatedAt, methods, returnTo = confirmedPath(call) }: Proof,
): Promise<Outcome> {
  const { context, services } = call;
  const { id, version } = ownAccount(context);
  const session = await unlessEnded(
    completeAuth(context, id, { version, methods, authenticatedAt }),
  );
  if (session !== "ended") {
    return { ok: true, next: "done", location: returnTo };
  }
  const search = searchFor(returnTo, services);
  const location = services.routes.login.index.href({}, search);
  return { ok: true, next: "login", location };
}

/** Returns the path of the page that needs the confirmation. */
export function confirmedPath(
  { context, services: { routes } }: Call,
): string {
  return returnToOf(context, { home: routes.profile.index.href() });
}

/** Returns the result of a complete login. It cancels a deletion. */
export async function welcome(
  { messages, services: { store } }: Call,
  { deleteAt, id, name }: StoredAccount,
  location: string,
): Promise<Outcome> {
  const done = { ok: true, next: "done", location } as const;
  if (deleteAt === null) return { ...done, message: messages.welcome(name) };
  await store.update(id, { deleteAt: null });
  return { ...done, message: messages.deletionCancelled };
}

/** Returns `true` while an account is blocked. */
export function isDisabled(
  { disabled }: Pick<StoredAccount, "disabled">,
  now: number,
): boolean {
  return disabled !== null &&
    (disabled.until === null || now < disabled.until);
}

/** Returns the result of a login, or `"ended"` if all access was ended. */
export async function unlessEnded<Result>(
  login: Promise<Result>,
): Promise<Result | "ended"> {
  try {
    return await login;
  } catch (error) {
    if (error instanceof SessionConflictError) return "ended";
    throw error;
  }
}

/** The stored accounts of the users of requests, with their versions. */
const accounts = new WeakMap<object, StoredAccount>();

/** The users whom the sessions of browsers have logged in. */
const logins = new WeakSet<object>();

/** Remembers that the session of a browser has logged a user in. */
export function rememberLogin(user: object): void {
  logins.add(user);
}

/**
 * Returns `true` for a user whom the session of a browser has logged in, and `false`
 * for users of tokens and API keys.
 */
export function isLogin(user: object): boolean {
  return logins.has(user);
}

/** Remembers the stored account of a user. */
export function rememberAccount(user: object, account: StoredAccount): void {
  accounts.set(user, account);
}

/** Returns the version of the account of a user. */
export function versionOf(user: object): number {
  return accounts.get(user)?.version ?? NaN;
}

/**
 * Returns the account of the user who is logged in, as the guard has read it.
 *
 * @throws {HTTPError} If no session of a browser has logged the user in.
 */
export function ownAccount(context: RequestContext): StoredAccount {
  const user = context.get(Auth);
  const account = user !== null && isLogin(user) && accounts.get(user);
  if (!account) throw new HTTPError(401);
  return account;
}
