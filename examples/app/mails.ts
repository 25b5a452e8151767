import type { EmailToSend } from "@gatehouse/web/auth/email-login";
import type { SecondFactorResult } from "@gatehouse/web/auth/second-factor";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { LinkedIdentity } from "./data/identities.ts";
import type { RemovedAccess } from "./end_access.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { routes } from "./routes.ts";
import { type Mail, sendMail } from "./outbox.ts";
import type { Services } from "./services.ts";

/** Creates the email with the link that resets a password. */
export function resetMail(
  { baseURL }: Services,
  to: string,
  token: string,
): Mail {
  const { choose } = routes.passwordReset;
  return {
    to,
    subject: "Choose a new password",
    text: `Someone, probably you, requested a new password for the noticeboard.
This link works once, for ten minutes:

${baseURL}${choose.index.href({}, { token })}

If it was not you, ignore this email. Your password does not change.`,
  };
}

/** Creates the email with the link that confirms a login. */
export function confirmMail(
  { baseURL }: Services,
  to: string,
  token: string,
): Mail {
  const { open } = routes.account.confirmByEmail;
  return {
    to,
    subject: "Confirm that it is you",
    text:
      `Someone who is logged in to your account at the noticeboard wants to change it.
If that is you, open this link in the same browser. It works once, for ten
minutes:

${baseURL}${open.index.href({}, { token })}

If it was not you, do not open it, and end all sessions on your account page.`,
  };
}

/** Creates the email that logs a user in. */
export function loginMail(
  { baseURL }: Services,
  { code, email, token }: EmailToSend,
): Mail {
  return {
    to: email,
    // The code is not in the subject, which locked phones show.
    subject: "Log in to the noticeboard",
    text: `To log in to the noticeboard, open this link in the same browser:

${baseURL}${routes.emailLogin.link.index.href({}, { token })}

Or type this code there: ${code}

Both work once, for ten minutes. If it was not you, ignore this email. Do not
share the code.`,
  };
}

/** Creates the email that proves the address of a registration. */
export function verifyMail(
  { baseURL }: Services,
  { code, email, token }: EmailToSend,
): Mail {
  return {
    to: email,
    subject: "Verify your address at the noticeboard",
    text:
      `Someone, probably you, registered at the noticeboard with this address.
Open this link in the same browser:

${baseURL}${routes.account.email.link.index.href({}, { token })}

Or type this code on your account page: ${code}

If it was not you, ignore this email. Do not share the code.`,
  };
}

/** Creates the email that proves a new address. */
export function changeEmailMail(
  { baseURL }: Services,
  { code, email, token }: EmailToSend,
): Mail {
  return {
    to: email,
    subject: "Verify your new address at the noticeboard",
    text:
      `To use this address at the noticeboard, open this link in the same browser:

${baseURL}${routes.account.email.changeLink.index.href({}, { token })}

Or type this code there: ${code}

If it was not you, ignore this email. Do not share the code.`,
  };
}

/** Creates the email that tells the old address about a new one. */
export function emailChangedMail(
  { baseURL }: Services,
  to: string,
  { email, token }: { readonly email: string; readonly token: string },
): Mail {
  return {
    to,
    subject: "Your account has a new email address",
    text: `Your account at the noticeboard now has the address ${email}.

If it was not you, open this link within a week. Your account then has this
address again, and everybody is logged out:

${notMeLink(baseURL, token)}`,
  };
}

/** Creates the email that tells an owner about a new way into the account. */
export function newWayInMail(
  { baseURL }: Services,
  to: string,
  { change, token }: { readonly change: string; readonly token: string },
): Mail {
  return {
    to,
    subject: "Your account has a new way in",
    text: `${change}

If it was not you, open this link within a week. It removes this way in, logs
everybody out, and lets you choose a new password:

${notMeLink(baseURL, token)}`,
  };
}

function notMeLink(baseURL: string, token: string): string {
  return baseURL + routes.notMe.index.href({}, { token });
}

/** Creates the email that tells an owner about a changed password. */
export function passwordChangedMail({ baseURL }: Services, to: string): Mail {
  return {
    to,
    subject: "Your password was changed",
    text: `The password of your account at the noticeboard was changed, and its
other sessions have ended.

If it was not you, reset it: ${baseURL}${routes.passwordReset.request.index.href()}`,
  };
}

/** Creates the email that tells an owner about a change of second factors. */
export function factorMail(
  { baseURL }: Services,
  to: string,
  change: string,
): Mail {
  return {
    to,
    subject: "The security of your account has changed",
    text: `${change}

If it was not you, reset your password: ${baseURL}${routes.passwordReset.request.index.href()}`,
  };
}

/** Tells an owner about a recovery code that was used. */
export function tellOfRecoveryCode(
  context: RequestContext,
  services: Services,
  email: string | null | undefined,
  { method, recoveryCodes }: Extract<SecondFactorResult, { ok: true }>,
): void {
  if (method !== "recovery" || !email) return;
  const change = `A recovery code was used. ${recoveryCodes} are left.`;
  sendMail(context, factorMail(services, email, change));
}

/** Creates the email that tells an owner what a reset has removed. */
export function resetDoneMail(
  { baseURL, logins }: Services,
  to: string,
  { identities, keys, passkeys }: RemovedAccess,
): Mail {
  const removed = [
    "All sessions and access tokens",
    ...keys === 0 ? [] : [`${keys} API ${keys === 1 ? "key" : "keys"}`],
    ...passkeys === 0 ? [] : ["All passkeys"],
    ...identities.map((identity) => identityText(logins, identity)),
  ];
  return {
    to,
    subject: "Your password was reset",
    text: `The password of your account at the noticeboard was reset.
These no longer work:

${removed.map((line) => `- ${line}`).join("\n")}

You can link your own logins again after you log in with the new password:
${baseURL}${routes.account.logins.index.href()}

If you did not reset it, another person can read your email. Secure your mailbox,
then choose a new password: ${baseURL}${routes.passwordReset.request.index.href()}`,
  };
}

/** Creates the email that tells an owner about a first password. */
export function firstPasswordMail({ baseURL }: Services, to: string): Mail {
  return {
    to,
    subject: "Your account has a password now",
    text:
      `You can now log in to the noticeboard with this address and a password.

If you did not set the password, reset it. That removes all linked logins, API
keys and sessions: ${baseURL}${routes.passwordReset.request.index.href()}`,
  };
}

/** Returns one line for an identity, to which a provider cannot add others. */
export function identityText(
  logins: readonly ExternalLogin[],
  { login, account }: Pick<LinkedIdentity, "login" | "account">,
): string {
  const label = logins.find(({ name }) => name === login)?.label ?? login;
  const line = account.replace(/[\p{C}\p{Z}]+/gu, " ");
  return `${label}: ${[...line].slice(0, 100).join("")}`;
}
