import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { endUserSessions } from "../../session/mod.ts";
import { resetDoneMail, resetMail } from "../mails/contents.ts";
import type { StoredAccount, WayIn } from "../store/store.ts";
import { Form } from "./form.ts";
import { hashNewPassword } from "./_passwords.ts";
import {
  type Call,
  expired,
  invalid,
  type Outcome,
  returnToOf,
  searchFor,
  searchOf,
} from "./call.ts";
import { isDisabled } from "./enter.ts";
import { PASSKEY, removeWays } from "./passkey_store.ts";
import { requiresFactor } from "../factors/required_factor.ts";
import type { Services } from "./services.ts";

const purpose = "account-reset";

/**
 * Sends a link that resets the password. The response is the same if there is
 * no account.
 */
export async function requestReset(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const form = new Form(call);
  const email = form.email();
  if (form.failed !== null) return form.failed;
  // Each request counts, so an attacker cannot flood a mailbox.
  const { allowed } = await services.resetThrottle.attempt(context, email);
  if (allowed) await sendLink(call, email);
  const location = services.routes.reset.index.href({}, searchOf(context));
  return { ok: true, next: "sent", location, notice: "sent" };
}

async function sendLink(call: Call, email: string): Promise<void> {
  const { context, services } = call;
  const { now, store } = services;
  const account = await store.findByEmail(email);
  // Unknown addresses get a token too, so response time does not reveal
  // accounts.
  const token = await createOneTimeToken(store.values, {
    purpose,
    account: account?.id ?? "unknown",
    // The link belongs to this address, and ends when all access is ended. The
    // path of the next page is stored here, so that the email does not have it.
    data: `${email}\n${returnToOf(context, services)}`,
    ...account && { version: account.version },
    now,
  });
  if (account === null || isDisabled(account, now())) return;
  services.outbox.add(context, resetMail(call, account, token));
}

/** The account of a link, and the page that asked for the link. */
interface OpenedReset {
  readonly account: StoredAccount;
  /** The path, which `returnToOf` has checked. */
  readonly returnTo: string;
}

/** Opens a link; `null` if it does not work. */
export async function openReset(
  { services: { home, now, store } }: Pick<Call, "services">,
  token: unknown,
): Promise<OpenedReset | null> {
  const grant = await readOneTimeToken(store.values, { purpose, token, now });
  const account = grant && await store.find(String(grant.account));
  if (!account) return null;
  const [email, returnTo = home] = grant?.data?.split("\n") ?? [];
  return account.email === email && account.version === grant?.version
    ? { account, returnTo }
    : null;
}

/**
 * Resets the password with the link of the email. It ends all access, and removes
 * the ways in that an attacker may have added.
 */
export async function resetPassword(call: Call): Promise<Outcome> {
  const { input, messages, services } = call;
  const { now, store } = services;
  const token = input.get("token");
  // A request without a valid link causes no hashing.
  const opened = await openReset(call, token);
  if (opened === null) return expired(call);
  const { account, returnTo } = opened;
  const form = new Form(call);
  const password = form.newPassword();
  if (form.failed !== null) return form.failed;
  const credentials = { email: account.email, password };
  const hash = await hashNewPassword(services, credentials);
  if (hash === null) return invalid({ password: messages.passwordCommon });
  const use = { purpose, token, now };
  const isDone = await takeOneTimeToken(store.values, use) !== null &&
    await recover(call, account, hash);
  if (!isDone) return expired(call);
  const search = searchFor(returnTo, services);
  const location = services.routes.login.index.href({}, search);
  return { ok: true, next: "login", location, notice: "reset" };
}

/**
 * Returns `true` if the passkeys of an account are the second factor that it must
 * have: the mailbox must not replace them (ASVS 5.0, 6.4.3). Before the owner had
 * proved the address, another person may have added them.
 */
async function keepsPasskeys(
  services: Services,
  account: StoredAccount,
): Promise<boolean> {
  if (!account.emailVerified) return false;
  const { totp } = await services.factors.status(account.id);
  return !totp && await requiresFactor(services, account);
}

async function recover(
  call: Call,
  account: StoredAccount,
  passwordHash: string,
): Promise<boolean> {
  const { context, services } = call;
  const { email, id } = account;
  const { store } = services;
  const keeps = await keepsPasskeys(services, account);
  const isRemoved = ({ kind }: WayIn) => !keeps || kind !== PASSKEY;
  const removed = (await store.waysIn(id)).filter(isRemoved).length;
  // If the process stops after the change, no other way in may be left.
  if (keeps) await removeWays(store, id, isRemoved);
  const version = await store.change(id, account.version, {
    passwordHash,
    emailVerified: true,
    removeWaysIn: !keeps,
  });
  if (version === null) return false;
  // Another request may have added one before the change.
  if (keeps) await removeWays(store, id, isRemoved);
  reportSecurityEvent(context, {
    action: "password-change",
    reason: "reset",
    userId: id,
  });
  // If the address was never verified, another person may have set up the
  // second factors.
  if (!account.emailVerified) await services.factors.remove(id);
  else await services.factors.revoke(id);
  await endUserSessions(services.sessions, id, { version });
  services.outbox.add(context, resetDoneMail(call, account, removed));
  // The owner can log in now, even after many wrong guesses.
  await services.loginThrottle.trustDevice(context, email);
  await services.resetThrottle.trustDevice(context, email);
  return true;
}
