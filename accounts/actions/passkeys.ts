import type { PasskeyUser } from "../../auth/passkey/mod.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { newWayMail } from "../mails/contents.ts";
import type { StoredAccount, WayIn } from "../store/store.ts";
import { PASSKEY } from "./passkey_store.ts";
import { Form } from "./form.ts";
import { endOtherAccess } from "./account.ts";
import { type Call, done, type Outcome, refused } from "./call.ts";
import { confirmLogin, enter } from "./enter.ts";
import { ownAccount } from "../current_account.ts";
import { createWayToken } from "./not_me.ts";
import { lastFactorRefusal } from "../factors/required_factor.ts";
import type { Services } from "./services.ts";

/** Logs a user in with a passkey. */
export async function logInByPasskey(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const { passkeys } = services;
  const result = await passkeys.finishAuthentication(context);
  if (!result.ok) {
    const { credentialId } = result;
    const failed = refused(messages.passkeyFailed);
    const { rpId } = passkeys;
    return credentialId === undefined
      ? failed
      : { ...failed, unknownPasskey: { rpId, credentialId } };
  }
  const { methods, userId, version } = result;
  const account = await services.store.find(String(userId));
  if (account === null || version === undefined) {
    return refused(messages.passkeyFailed);
  }
  // The version is the one that was read with the passkey, not a later one.
  return await enter(call, { ...account, version }, { methods });
}

/** Confirms the login with a passkey, before a sensitive change. */
export async function confirmByPasskey(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const result = await services.passkeys.finishAuthentication(
    context,
    "confirm",
  );
  if (!result.ok) return refused(messages.passkeyFailed);
  return await confirmLogin(call, { methods: result.methods });
}

/** Adds a passkey, and tells the owner. */
export async function addPasskey(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const account = ownAccount(context);
  const form = new Form(call);
  const name = form.name();
  if (form.failed !== null) return form.failed;
  const time = services.now();
  const result = await services.passkeys.finishRegistration(context, { name });
  if (!result.ok) return refused(messages.passkeyFailed);
  const token = await createWayToken(services, account, time);
  services.outbox.add(context, newWayMail(call, account, PASSKEY, token));
  return await goBack(call, account, messages.passkeyAdded);
}

/** Returns the passkeys of the user, for scripts. */
export async function listPasskeys(
  { context, services: { store } }: Call,
): Promise<{ readonly passkeys: readonly object[] }> {
  const ways = await store.waysIn(ownAccount(context).id, PASSKEY);
  const passkeys = ways.map(({ id, name, createdAt, usedAt }) => ({
    id,
    name,
    createdAt,
    usedAt,
  }));
  return { passkeys };
}

/** Returns the passkey of the user that the request names, or `null`. */
export async function namedPasskey(
  { context, input, services: { store } }: Call,
): Promise<WayIn | null> {
  const id = input.get("id") ?? context.url.searchParams.get("id");
  const ways = await store.waysIn(ownAccount(context).id, PASSKEY);
  return ways.find((one) => one.id === id) ?? null;
}

/** Renames a passkey, which ends no session. */
export async function renamePasskey(call: Call): Promise<Outcome> {
  const { context, input, messages, services: { routes, store } } = call;
  const { id: accountId } = ownAccount(context);
  const id = input.get("id");
  const form = new Form(call);
  const name = form.name();
  if (form.failed !== null) return form.failed;
  const isRenamed = typeof id === "string" &&
    await store.renameWayIn({ accountId, kind: PASSKEY, id }, name);
  if (!isRenamed) return refused(messages.passkeyUnknown, 404);
  return done(routes.passkeys.index.href(), messages.passkeyRenamed);
}

/** Removes a passkey. */
export async function removePasskey(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const account = ownAccount(context);
  const { id: userId } = account;
  const id = input.get("id");
  if (typeof id !== "string") return refused(messages.passkeyFailed);
  const refusal = await lastFactorRefusal(call, account, { passkey: id });
  if (refusal !== null) return refusal;
  const way = { accountId: userId, kind: PASSKEY, id };
  const found = await services.store.findWayIn(PASSKEY, id);
  if (found?.account.id !== userId) return refused(messages.passkeyFailed);
  // If two requests remove the last two factors, the version lets one succeed.
  const outcome = await goBack(call, account, messages.passkeyRemoved);
  if (!outcome.ok) return outcome;
  await services.store.removeWayIn(way);
  reportSecurityEvent(context, { action: "factor-remove", userId });
  return outcome;
}

function goBack(
  call: Call,
  account: StoredAccount,
  message: string,
): Promise<Outcome> {
  const location = call.services.routes.passkeys.index.href();
  return endOtherAccess(call, account, { location, message });
}

/** Returns the options of a login with a passkey, for the script. */
export async function passkeyLoginOptions(
  context: RequestContext,
  { passkeys }: Services,
): Promise<Response> {
  return Response.json(await passkeys.authenticationOptions(context));
}

/** Returns the options of a confirmation, for the script. */
export async function passkeyConfirmOptions(
  context: RequestContext,
  { passkeys }: Services,
): Promise<Response> {
  const { id: userId } = ownAccount(context);
  const request = { purpose: "confirm", userId } as const;
  return Response.json(await passkeys.authenticationOptions(context, request));
}

/** Returns the options of a new passkey, for the script. */
export async function passkeyOptions(
  context: RequestContext,
  { passkeys }: Services,
): Promise<Response> {
  const user = passkeyUser(ownAccount(context));
  return Response.json(await passkeys.registrationOptions(context, user));
}

/** Returns the user of a passkey, as authenticators show it. */
export function passkeyUser({ id, email, name }: StoredAccount): PasskeyUser {
  return { id, name: email, displayName: name };
}
