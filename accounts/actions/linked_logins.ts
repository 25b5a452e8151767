import { Auth } from "../../auth/middleware/mod.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { newWayMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { ended, endOtherAccess } from "./account.ts";
import { type Call, expired, type Outcome, refused } from "./call.ts";
import { confirmedPath, confirmLogin } from "./enter.ts";
import { ownAccount } from "../current_account.ts";
import { addIdentity, IDENTITY, identityId } from "./identity.ts";
import { createWayToken } from "./not_me.ts";
import { countPasskeys } from "./passkey_store.ts";
import {
  identityOf,
  leaveFor,
  logInByIdentity,
  nameIn,
  providerOf,
  providerResult,
  type Success,
} from "./provider_login.ts";

/** Starts to link a login. Its callback works only for this account. */
export function startLink(call: Call): Promise<Outcome> {
  const { context, input, services: { routes } } = call;
  const { id } = ownAccount(context);
  return leaveFor(call, input.get("provider"), {
    returnTo: routes.logins.index.href(),
    data: { purpose: "link", id },
  });
}

/** Starts to confirm the login at a provider, which asks the user again. */
export async function startProviderConfirm(call: Call): Promise<Outcome> {
  const { context, input, messages } = call;
  const { id } = ownAccount(context);
  const name = input.get("provider");
  if (providerOf(call, name)?.provider.canReauthenticate !== true) {
    return refused(messages.providers.failed);
  }
  return await leaveFor(call, name, {
    prompt: "login",
    maxAge: 0,
    returnTo: confirmedPath(call),
    data: { purpose: "confirm", id },
  });
}

/** Finishes a login, a link or a confirmation at a provider. */
export async function finishAtProvider(call: Call): Promise<Outcome> {
  const result = await providerResult(call);
  if (!("issuer" in result)) return result;
  const outcome = await finishAs(call, result);
  // The user may try again, and must not lose the page.
  return outcome.ok ? outcome : { ...outcome, returnTo: result.returnTo };
}

async function finishAs(call: Call, result: Success): Promise<Outcome> {
  if (result.data.purpose === "login") {
    return await logInByIdentity(call, result);
  }
  const account = startedBy(call, result);
  if (account === null) return expired(call);
  return result.data.purpose === "link"
    ? await finishLink(call, account, result)
    : await finishConfirm(call, account, result);
}

/**
 * Returns the account that started. A new login forgets what was started before,
 * but an administrator may act as another user in the meantime.
 */
function startedBy(
  { context }: Call,
  { data: { id } }: Success,
): StoredAccount | null {
  if (context.get(Auth) === null) return null;
  const account = ownAccount(context);
  return account.id === id ? account : null;
}

async function finishLink(
  call: Call,
  account: StoredAccount,
  result: Success,
): Promise<Outcome> {
  const { context, messages, services } = call;
  const identity = identityOf(call, result);
  const time = services.now();
  if (!await addIdentity(services, account, identity)) {
    return refused(messages.providers.linkedAlready);
  }
  reportSecurityEvent(context, { action: "factor-add", userId: account.id });
  const token = await createWayToken(services, account, time);
  services.outbox.add(context, newWayMail(call, account, IDENTITY, token));
  return await goBack(call, account, messages.providers.linked);
}

async function finishConfirm(
  call: Call,
  { id }: StoredAccount,
  result: Success,
): Promise<Outcome> {
  const { messages, services: { store } } = call;
  const key = identityId(identityOf(call, result));
  const found = await store.findWayIn(IDENTITY, key);
  const { authenticatedAt, returnTo } = result;
  const { canReauthenticate } = providerOf(call, nameIn(call))!.provider;
  const isProof = canReauthenticate && authenticatedAt !== undefined;
  if (found?.account.id !== id || !isProof) {
    return refused(messages.providers.notYours);
  }
  const methods = ["external"];
  return await confirmLogin(call, { methods, authenticatedAt, returnTo });
}

/**
 * Removes a linked login, unless it is the last way in. If two requests remove
 * the last two, the version lets only one of them succeed.
 */
export async function unlink(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const { store } = services;
  const account = ownAccount(context);
  const { id: accountId, version } = account;
  const id = input.get("id");
  const linked = await store.waysIn(accountId, IDENTITY);
  const own = linked.find((way) => way.id === id);
  if (own === undefined) return refused(messages.providers.failed);
  const others = linked.length - 1 + await countPasskeys(services, accountId);
  if (!account.hasPassword && others === 0) {
    return refused(messages.providers.last, 409);
  }
  const next = await store.change(accountId, version, {});
  if (next === null) return ended(call);
  await store.removeWayIn({ accountId, kind: IDENTITY, id: own.id });
  const userId = accountId;
  reportSecurityEvent(context, { action: "factor-remove", userId });
  const changedAccount = { ...account, version: next };
  return await goBack(call, changedAccount, messages.providers.unlinked);
}

function goBack(
  call: Call,
  account: StoredAccount,
  message: string,
): Promise<Outcome> {
  const location = call.services.routes.logins.index.href();
  return endOtherAccess(call, account, { location, message });
}

/** Returns the providers at which the user can confirm the login. */
export async function confirmingProviders(
  call: Call,
): Promise<readonly string[]> {
  const { context, services: { providers, store } } = call;
  if (Object.keys(providers).length === 0) return [];
  const ways = await store.waysIn(ownAccount(context).id, IDENTITY);
  const linked = ways.map(({ data }) => Object(data).provider);
  return Object.keys(providers).filter((name) =>
    providers[name]!.provider.canReauthenticate && linked.includes(name)
  );
}
