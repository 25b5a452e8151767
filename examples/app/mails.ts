import type { LinkedIdentity } from "./data/identities.ts";
import type { RemovedAccess } from "./end_access.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { routes } from "./routes.ts";
import type { Mail, Services } from "./services.ts";

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

/** Creates the email that tells an owner what a reset has removed. */
export function resetDoneMail(
  { baseURL, logins }: Services,
  to: string,
  { identities, keys }: RemovedAccess,
): Mail {
  const removed = [
    "All sessions and access tokens",
    ...keys === 0 ? [] : [`${keys} API ${keys === 1 ? "key" : "keys"}`],
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

/** Creates the email that tells an owner about a login that was linked. */
export function linkedMail(
  { baseURL, logins }: Services,
  to: string,
  identity: Pick<LinkedIdentity, "login" | "account">,
): Mail {
  return {
    to,
    subject: "A login was linked to your account",
    text: `This login can now open your account at the noticeboard:

- ${identityText(logins, identity)}

If it was not you, reset your password. That removes all linked logins, API keys
and sessions: ${baseURL}${routes.passwordReset.request.index.href()}`,
  };
}

/** Returns one line for an identity, to which a provider cannot add others. */
function identityText(
  logins: readonly ExternalLogin[],
  { login, account }: Pick<LinkedIdentity, "login" | "account">,
): string {
  const label = logins.find(({ name }) => name === login)?.label ?? login;
  const line = account.replace(/[\p{C}\p{Z}]+/gu, " ");
  return `${label}: ${[...line].slice(0, 100).join("")}`;
}
