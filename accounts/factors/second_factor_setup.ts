import type { TOTPSetup } from "../../auth/second_factor/mod.ts";
import { HTTPError } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { endUserSessions } from "../../session/mod.ts";
import {
  continueLogin,
  loginWithoutFactor,
  type WaitingLogin,
} from "../hooks/held_login.ts";
import { factorMail, newWayMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { Form } from "../actions/form.ts";
import {
  type Call,
  expired,
  invalid,
  type Outcome,
  refused,
} from "../actions/call.ts";
import { createWayToken } from "../actions/not_me.ts";
import { PASSKEY } from "../actions/passkey_store.ts";
import { passkeyUser } from "../actions/passkeys.ts";
import type { Services } from "../actions/services.ts";

/** The second factors with which a login may continue, for scripts. */
export interface FactorChoice {
  /** `["passkey"]` if the account has a passkey, which the login must prove. */
  readonly factors: readonly ("app" | "passkey")[];
  /** The setup of an authenticator app, if the account has no passkey. */
  readonly app?: TOTPSetup;
}

/**
 * Returns the second factors with which the login of this browser may continue, or
 * `null` if none waits for one. The passkey of an account must prove the login:
 * otherwise, a thief with the password could set up an app.
 */
export async function readFactorChoice(
  context: RequestContext,
  services: Services,
): Promise<FactorChoice | null> {
  const waiting = await loginWithoutFactor(context, services);
  if (waiting === null) return null;
  const { account } = waiting;
  if (await hasPasskey(services, account)) return { factors: ["passkey"] };
  const app = await services.factors.createTOTP(account.id, account.email);
  return { factors: ["app", "passkey"], app };
}

/** Finishes a login with a new authenticator app. */
export async function setUpApp(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const waiting = await loginWithoutFactor(context, services);
  if (waiting === null) return expired(call);
  const { account } = waiting;
  if (await hasPasskey(services, account)) {
    return refused(messages.factors.proveText(services.name), 403);
  }
  const time = services.now();
  let version: number | null = null;
  const result = await services.factors.setUpTOTP(context, {
    userId: account.id,
    setup: input.get("setup"),
    code: input.get("code"),
    claim: async () => version = await endOthers(services, account),
  });
  if (!result.ok) {
    return result.reason === "wrong"
      ? { ...invalid({ code: messages.wrongCode }), setup: result.setup }
      : expired(call);
  }
  const token = await createWayToken(services, account, time);
  services.outbox.add(context, factorMail(call, account, "on", token));
  const proof = { methods: ["otp", "mfa"], version: version! };
  const outcome = await continueLogin(call, waiting, proof);
  const { recoveryCodes } = result;
  return outcome.ok ? { ...outcome, recoveryCodes } : outcome;
}

/** Finishes a login with the passkey of the account, or with a new one. */
export async function usePasskey(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const waiting = await loginWithoutFactor(context, services);
  if (waiting === null) return expired(call);
  return await hasPasskey(services, waiting.account)
    ? await provePasskey(call, waiting)
    : await addPasskey(call, waiting);
}

async function provePasskey(
  call: Call,
  waiting: WaitingLogin,
): Promise<Outcome> {
  const { context, messages, services } = call;
  const { id, version } = waiting.account;
  const result = await services.passkeys.finishAuthentication(
    context,
    "second-factor",
  );
  // The session may have challenges of an earlier login of another user.
  return result.ok && result.userId === id && result.version === version
    ? await continueLogin(call, waiting, { methods: result.methods, version })
    : refused(messages.passkeyFailed);
}

async function addPasskey(
  call: Call,
  waiting: WaitingLogin,
): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const { account } = waiting;
  const form = new Form(call);
  const name = input.has("name") ? form.name() : "Passkey";
  if (form.failed !== null) return form.failed;
  const time = services.now();
  const result = await services.passkeys
    .finishRegistration(context, { name, user: account });
  if (!result.ok) return refused(messages.passkeyFailed);
  const { backupEligible, id } = result.passkey;
  const version = await endOthers(services, account);
  if (version === null) {
    // Another browser has set up its factor first, and may be that of the owner.
    const way = { accountId: account.id, kind: PASSKEY, id };
    await services.store.removeWayIn(way);
    return expired(call);
  }
  const token = await createWayToken(services, account, time);
  services.outbox.add(context, newWayMail(call, account, PASSKEY, token));
  const methods = [backupEligible ? "swk" : "hwk", "user", "mfa"];
  return await continueLogin(call, waiting, { methods, version });
}

/** Returns the options of the passkey that a login needs, for the script. */
export async function passkeyFactorOptions(
  context: RequestContext,
  services: Services,
): Promise<Response> {
  const waiting = await loginWithoutFactor(context, services);
  if (waiting === null) throw new HTTPError(400);
  const { account } = waiting;
  const { passkeys } = services;
  return Response.json(
    await hasPasskey(services, account)
      ? await passkeys.authenticationOptions(context, {
        purpose: "second-factor",
        userId: account.id,
      })
      : await passkeys.registrationOptions(context, passkeyUser(account)),
  );
}

/**
 * Ends the sessions and other logins of an account. Returns its new version; `null`
 * if another request was first.
 */
async function endOthers(
  { sessions, store }: Services,
  { id, version }: StoredAccount,
): Promise<number | null> {
  const next = await store.change(id, version, {});
  if (next !== null) await endUserSessions(sessions, id, { version: next });
  return next;
}

async function hasPasskey(
  { store }: Services,
  { id }: StoredAccount,
): Promise<boolean> {
  return (await store.waysIn(id, PASSKEY)).length > 0;
}
