import { completeAuth } from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import type { LoginTimeouts } from "../../session/mod.ts";
import type { StoredAccount } from "../store/store.ts";
import { heldOutcome } from "../hooks/held_login.ts";
import {
  type Call,
  type Outcome,
  refused,
  returnToOf,
  searchFor,
} from "./call.ts";
import { unlessEnded, welcome } from "./completed_login.ts";
import { ownAccount } from "../current_account.ts";

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

/** Returns `true` while an account is blocked. */
export function isDisabled(
  { disabled }: Pick<StoredAccount, "disabled">,
  now: number,
): boolean {
  return disabled !== null &&
    (disabled.until === null || now < disabled.until);
}
