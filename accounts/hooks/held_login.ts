import {
  accountsOfDevices,
  type CompleteProvedLogin,
  createCompleteProvedLogin,
  createOneTimeToken,
  FinishedLogin,
  type ProvedLogin,
  readOneTimeToken,
  takeOneTimeToken,
} from "../../auth/internal.ts";
import {
  createContextKey,
  reportSecurityEvent,
} from "../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";
import { allowNewSession } from "../../session/internal.ts";
import { Session } from "../../session/mod.ts";
import type { Names } from "../definition/names.ts";
import type { LoginAttempt, LoginStep, Refusal } from "./hooks.ts";
import type { StoredAccount } from "../store/store.ts";
import { toUser } from "../to_user.ts";
import {
  type Call,
  type Outcome,
  refused,
  searchFor,
} from "../actions/call.ts";
import { isObject } from "../option_checks.ts";
import { unlessEnded, welcome } from "../actions/completed_login.ts";
import { requiresFactor } from "../factors/required_factor.ts";
import type { Services, Settings } from "../actions/services.ts";

/** The session key of a login that waits for an own step. A login removes it. */
const KEY = "__auth.account-step";

const purpose = "account-step";

/** The time for an own step, in milliseconds, as for a second factor. */
const TTL = 10 * 60_000;

/** A decision that keeps a login from completing. */
type Held = Refusal | LoginStep | typeof FACTOR | "ended";

/** The decision that a login needs a second factor first. */
const FACTOR = "second-factor";

/** A login of a request that did not complete. */
interface HeldLogin {
  readonly account: StoredAccount | null;
  readonly held: Held;
  /** The path of the page after the login. */
  readonly returnTo: string | undefined;
}

/** The login of the request, if it did not complete. */
const RequestLogin: ContextKey<HeldLogin | null> =
  /* @__PURE__ */ createContextKey<HeldLogin | null>(null, {
    name: "HeldLogin",
  });

/** The parts that complete a login. */
type Parts = Settings & Pick<Services, "loginThrottle">;

/**
 * Creates the function that completes all logins: it asks the functions of the
 * application first. If the login needs a second factor, or the hooks refuse it or
 * name a step, no user is logged in.
 */
export function createCompleteLogin(parts: Parts): CompleteProvedLogin {
  const complete = createCompleteProvedLogin(parts.loginThrottle);
  if (!parts.hooks.concernLogins) return complete;
  return async (context, userId, login) => {
    const account = await parts.store.find(String(userId));
    const held = isCurrent(account, login)
      ? await decide(context, parts, { account, login })
      : "ended";
    if (held === null) return await complete(context, userId, login);
    if (held === FACTOR || isObject(held) && "step" in held) {
      await hold(context, parts, { id: String(userId), ...login });
    }
    if (isObject(held) && "refuse" in held) reportRefused(context, userId);
    context.set(RequestLogin, { account, held, returnTo: login.data });
    return context.get(Session);
  };
}

/** Returns the result of a login that did not complete, or `null`. */
export function heldOutcome(call: Call): Outcome | null {
  const { context, messages } = call;
  const login = context.get(RequestLogin);
  if (login === null) return null;
  const { held, returnTo } = login;
  return held === "ended"
    ? refused(messages.wrongLogin)
    : outcomeOf(call, held, returnTo);
}

/** Returns the result of a login that did not complete. */
function outcomeOf(
  { services }: Call,
  held: Exclude<Held, "ended">,
  returnTo = services.home,
): Outcome {
  if (held === FACTOR) {
    const search = searchFor(returnTo, services);
    const location = services.routes.secondFactorSetup.index.href({}, search);
    return { ok: true, next: "second-factor-setup", location };
  }
  return "step" in held
    ? { ok: true, next: "step", location: held.step }
    : refused(held.refuse);
}

/** Returns the account of a login that did not complete, or `null`. */
export function heldAccount(context: RequestContext): StoredAccount | null {
  return context.get(RequestLogin)?.account ?? null;
}

/** A login that waits for an own step, or for a second factor. */
export interface WaitingLogin {
  readonly account: StoredAccount;
  readonly login: ProvedLogin;
  readonly token: string;
}

/** Returns the login of this browser that waits for an own step, or `null`. */
export async function pendingLogin<N extends Names>(
  context: RequestContext,
  settings: Settings,
): Promise<Pick<LoginAttempt<N>, "account" | "methods"> | null> {
  const waiting = await waitingLogin(context, settings);
  // Before the second factor, the browser may be that of a thief.
  if (waiting === null || await lacksFactor(settings, waiting)) return null;
  const { account, login: { methods = [] } } = waiting;
  return { account: toUser<N>(account, settings.names), methods };
}

async function waitingLogin(
  context: RequestContext,
  { now, store }: Settings,
): Promise<WaitingLogin | null> {
  const token = (await context.get(Session).load()).get(KEY);
  const grant = await readOneTimeToken(store.values, { purpose, token, now });
  if (grant?.data === undefined) return null;
  const login = JSON.parse(grant.data) as ProvedLogin & { id: string };
  const account = await store.find(login.id);
  return isCurrent(account, login)
    ? { account, login, token: token as string }
    : null;
}

/**
 * Returns the login of this browser that must not complete without a second factor,
 * or `null`.
 */
export async function loginWithoutFactor(
  context: RequestContext,
  settings: Settings,
): Promise<WaitingLogin | null> {
  const waiting = await waitingLogin(context, settings);
  return waiting !== null && await lacksFactor(settings, waiting)
    ? waiting
    : null;
}

/** Returns `true` if a login needs a second factor, and has proved none. */
async function lacksFactor(
  settings: Settings,
  { account, login: { earlier = {}, methods = [] } }: Omit<
    WaitingLogin,
    "token"
  >,
): Promise<boolean> {
  return !methods.includes("mfa") && !Object.hasOwn(earlier, "mfa") &&
    await requiresFactor(settings, account);
}

/**
 * Continues a login after its second factor. Of concurrent requests, one does.
 *
 * @param proof The methods of the factor, and the version of the account since then.
 */
export async function continueLogin(
  call: Call,
  { account, login, token }: WaitingLogin,
  proof: { readonly methods: readonly string[]; readonly version: number },
): Promise<Outcome> {
  const { context, messages, services } = call;
  const { home, now, store } = services;
  const isTaken = await takeOneTimeToken(store.values, { purpose, token, now });
  if (isTaken === null) return refused(messages.wrongLogin);
  const methods = [...login.methods ?? [], ...proof.methods];
  const proved = { ...login, methods, version: proof.version };
  const complete = createCompleteLogin(services);
  const session = await unlessEnded(complete(context, account.id, proved));
  if (session === "ended") return refused(messages.wrongLogin);
  return heldOutcome(call) ??
    await welcome(call, account, login.data ?? home);
}

/**
 * Continues the login that waits for an own step. The hook is asked again, so
 * the step must have been done. The login stays until then.
 */
export async function finishStep(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const { home, loginThrottle, now, routes, store } = services;
  const again: Outcome = {
    ok: true,
    next: "login",
    location: routes.login.index.href(),
  };
  const waiting = await waitingLogin(context, services);
  if (waiting === null) return again;
  const { account, login, token } = waiting;
  const held = await decide(context, services, waiting);
  if (held === FACTOR || held !== null && "step" in held) {
    return outcomeOf(call, held, login.data);
  }
  const isTaken = await takeOneTimeToken(store.values, { purpose, token, now });
  if (isTaken === null) return again;
  if (held !== null) {
    reportRefused(context, account.id);
    return refused(held.refuse);
  }
  const complete = createCompleteProvedLogin(loginThrottle);
  const session = await unlessEnded(complete(context, account.id, login));
  return session === "ended"
    ? again
    : await welcome(call, account, login.data ?? home);
}

/** Reports a login that a hook has refused after all proofs. */
function reportRefused(
  context: RequestContext,
  userId: string | number,
): void {
  reportSecurityEvent(context, {
    action: "login",
    outcome: "failure",
    reason: "refused",
    userId,
  });
}

/** Asks the application about a login. `null` lets it complete. */
async function decide(
  context: RequestContext,
  settings: Settings,
  waiting: Omit<WaitingLogin, "token">,
): Promise<Exclude<Held, "ended"> | null> {
  if (await lacksFactor(settings, waiting)) return FACTOR;
  const { hooks, names } = settings;
  const { account, login: { methods = [] } } = waiting;
  const user = toUser(account, names);
  return await hooks.beforeLogin({ context, account: user, methods });
}

/** Lets a login wait in this browser, for a step or a second factor. */
async function hold(
  context: RequestContext,
  { now, store }: Settings,
  { id, ...login }: ProvedLogin & { readonly id: string },
): Promise<void> {
  const origin = login.origin ?? context.get(FinishedLogin) ?? undefined;
  const devices = login.devices ?? accountsOfDevices(context);
  // The step proves nothing, so the login is as old as its last factor.
  const authenticatedAt = login.authenticatedAt ?? now();
  const token = await createOneTimeToken(store.values, {
    purpose,
    // Another browser of the same user waits separately.
    account: `${id} ${crypto.randomUUID()}`,
    data: JSON.stringify({ ...login, id, origin, devices, authenticatedAt }),
    ttl: TTL,
    now,
  });
  const session = await context.get(Session).load();
  session.set(KEY, token);
  // An attacker may have planted the id, and must not continue this login.
  session.regenerateId();
  allowNewSession(session, "proved-user");
}

/** Returns `true` unless access has ended since the proof of the login. */
function isCurrent(
  account: StoredAccount | null,
  { version }: ProvedLogin,
): account is StoredAccount {
  return account !== null && account.version === version;
}
