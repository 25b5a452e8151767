import { completeAuth } from "../../auth/internal.ts";
import type { SecondFactorResult } from "../../auth/second_factor/mod.ts";
import { safeRedirectPath } from "../../router/internal.ts";
import { Session } from "../../session/mod.ts";
import { factorMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { ended, endOtherAccess } from "./account.ts";
import {
  type Call,
  done,
  expired,
  type Failed,
  invalid,
  type Outcome,
  throttled,
} from "./call.ts";
import { confirmedPath } from "./enter.ts";
import { ownAccount } from "../current_account.ts";
import { unlessEnded, welcome } from "./completed_login.ts";
import { isChecked } from "../definition/input_names.ts";
import { heldAccount, heldOutcome } from "../hooks/held_login.ts";
import { createWayToken } from "./not_me.ts";
import { lastFactorRefusal } from "../factors/required_factor.ts";

/** Completes a login with a code of the app, or with a recovery code. */
export async function verifyCode(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const result = await unlessEnded(
    services.factors.verifyCode(context, input.get("code"), {
      rememberDevice: isChecked(input.get("remember")),
    }),
  );
  if (result === "ended") return expired(call);
  if (!result.ok) return refusal(call, result);
  const { data, session } = result;
  const account = heldAccount(context) ??
    await services.store.find(String(session.userId));
  if (account === null) return expired(call);
  tellOfRecoveryCode(call, account, result);
  return heldOutcome(call) ??
    await welcome(call, account, safeRedirectPath(data, services.home));
}

/** Confirms the login with a code, before a sensitive change. */
export async function confirmByCode(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const account = ownAccount(context);
  const result = await unlessEnded(
    services.factors.confirmCode(context, input.get("code")),
  );
  if (result === "ended") return ended(call);
  if (!result.ok) return refusal(call, result);
  tellOfRecoveryCode(call, account, result);
  return { ok: true, next: "done", location: confirmedPath(call) };
}

/** Finishes setting up an authenticator app. */
export async function enableApp(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const account = ownAccount(context);
  const { id } = account;
  const [setup, code] = [input.get("setup"), input.get("code")];
  const time = services.now();
  const result = await services.factors.enableTOTP(context, { setup, code });
  if (!result.ok) {
    return result.reason === "wrong"
      ? { ...invalid({ code: messages.wrongCode }), setup: result.setup }
      : expired(call);
  }
  // The owner gets an email even if access ends now: a reset would keep the app.
  const token = await createWayToken(services, account, time);
  services.outbox.add(context, factorMail(call, account, "on", token));
  const outcome = await changed(call, account, result.recoveryCodes);
  if (!outcome.ok) return outcome;
  // The code is the second factor of this login.
  const { version } = context.get(Session);
  await unlessEnded(
    completeAuth(context, id, { version, methods: ["otp", "mfa"] }),
  );
  return outcome;
}

/** Removes the authenticator app. */
export async function disableApp(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const account = ownAccount(context);
  const refusal = await lastFactorRefusal(call, account, "app");
  if (refusal !== null) return refusal;
  // If two requests remove the last two factors, the version lets one succeed.
  const outcome = await changed(call, account);
  if (!outcome.ok) return outcome;
  if (!await services.factors.disable(context)) return ended(call);
  services.outbox.add(context, factorMail(call, account, "off"));
  return outcome;
}

/**
 * Returns the second factor of the user for scripts. A user without an app gets the
 * values that set one up.
 */
export async function readTwoStep(
  { context, services: { factors } }: Call,
): Promise<object> {
  const { id, email } = ownAccount(context);
  const { recoveryCodes, totp, totpSince } = await factors.status(id);
  return {
    isOn: totp,
    since: totpSince ?? null,
    recoveryCodes,
    browsers: await factors.devices(context, id),
    ...!totp && await factors.createTOTP(id, email),
  };
}

/** Makes a remembered browser need a code again. */
export async function forgetBrowser(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const id = input.get("id");
  if (typeof id === "string") await services.factors.removeDevice(context, id);
  return done(services.routes.twoStep.index.href(), messages.sessionsEnded);
}

/** Replaces the recovery codes. */
export async function newRecoveryCodes(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const account = ownAccount(context);
  const codes = await services.factors.createRecoveryCodes(context);
  if (codes === null) return ended(call);
  const outcome = await changed(call, account, codes);
  services.outbox.add(context, factorMail(call, account, "codes"));
  return outcome;
}

function changed(
  call: Call,
  account: StoredAccount,
  recoveryCodes?: readonly string[],
): Promise<Outcome> {
  const { messages, services: { routes } } = call;
  return endOtherAccess(call, account, {
    location: routes.twoStep.index.href(),
    ...recoveryCodes === undefined
      ? { message: messages.twoStepChanged }
      : { recoveryCodes },
  });
}

function refusal(
  call: Call,
  result: Extract<SecondFactorResult, { ok: false }>,
): Failed {
  switch (result.reason) {
    case "wrong":
      return invalid({ code: call.messages.wrongCode });
    case "missing":
      return expired(call);
    case "throttled":
      return throttled(call, result.retryAfter);
  }
}

function tellOfRecoveryCode(
  call: Call,
  account: StoredAccount,
  { method }: Extract<SecondFactorResult, { ok: true }>,
): void {
  if (method !== "recovery") return;
  const { context, services: { outbox } } = call;
  outbox.add(context, factorMail(call, account, "recovery"));
}
