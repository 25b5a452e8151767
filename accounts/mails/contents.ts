import type { EmailToSend } from "../../auth/email_login/mod.ts";
import { IDENTITY } from "../actions/identity.ts";
import { KEY } from "../keys/api_keys.ts";
import type { Call } from "../actions/call.ts";
import { messagesIn } from "../messages/languages.ts";
import type { Messages } from "../messages/messages.ts";
import type { StoredAccount } from "../store/store.ts";
import { browserName } from "./browser_name.ts";
import { createMail, type Mail } from "./mail.ts";

/** Creates the email that verifies the address of a registration. */
export function registrationMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages, services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.registerLink.index.href({}, { token });
  return createMail({
    to: email,
    subject: mails.registerSubject(name),
    paragraphs: [mails.registerText(name)],
    button: { label: mails.registerButton, url: urlOf(call, path) },
    code,
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}

/** Creates the email to an owner whose address was used in a registration. */
export function takenMail(call: Call, messages: Messages, to: string): Mail {
  const { services: { name, routes } } = call;
  const { mails, logIn } = messages;
  return createMail({
    to,
    subject: mails.takenSubject(name),
    paragraphs: [mails.takenText(name)],
    button: { label: logIn, url: urlOf(call, routes.login.index.href()) },
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}

/** Creates the email with the link that resets the password. */
export function resetMail(
  call: Call,
  account: StoredAccount,
  token: string,
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.resetLink.index.href({}, { token });
  return createMail({
    to: account.email,
    subject: mails.resetSubject(name),
    paragraphs: [mails.resetText(name)],
    button: { label: mails.resetButton, url: urlOf(call, path) },
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}

/** Creates the email that tells an owner about a reset. */
export function resetDoneMail(
  call: Call,
  account: StoredAccount,
  removed: number,
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  return createMail({
    to: account.email,
    subject: mails.resetDoneSubject(name),
    paragraphs: [mails.resetDoneText(name, removed)],
    button: {
      label: mails.resetLink,
      url: urlOf(call, routes.reset.index.href()),
    },
    notes: [requestedBy(call, messages), mails.ifNotYou],
  }, messages);
}

/** Creates the email that tells an owner about a new password. */
export function passwordMail(call: Call, account: StoredAccount): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  return createMail({
    to: account.email,
    subject: mails.passwordSubject(name),
    paragraphs: [mails.passwordText(name)],
    button: {
      label: mails.resetLink,
      url: urlOf(call, routes.reset.index.href()),
    },
    notes: [requestedBy(call, messages)],
  }, messages);
}

/** Creates the email that verifies a new address. */
export function changeMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages, services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.emailLink.index.href({}, { token });
  return createMail({
    to: email,
    subject: mails.changeSubject(name),
    paragraphs: [mails.changeText(name)],
    button: { label: mails.changeButton, url: urlOf(call, path) },
    code,
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}

/** Creates the email that tells the earlier address about a new one. */
export function changedMail(
  call: Call,
  account: StoredAccount,
  { email, token }: { readonly email: string; readonly token: string },
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.notMe.index.href({}, { token });
  return createMail({
    to: account.email,
    subject: mails.changedSubject(name),
    paragraphs: [mails.changedText(name, email)],
    button: { label: mails.notMeButton, url: urlOf(call, path) },
    notes: [requestedBy(call, messages)],
  }, messages);
}

/** Creates the email that tells an owner about a new way in. */
export function newWayMail(
  call: Call,
  account: StoredAccount,
  kind: string,
  token: string,
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.notMe.index.href({}, { token });
  const texts = new Map([
    [KEY, mails.keyText],
    [IDENTITY, messages.providers.mail],
  ]);
  const text = texts.get(kind) ?? mails.passkeyText;
  return createMail({
    to: account.email,
    subject: mails.wayInSubject(name),
    paragraphs: [text(name)],
    button: { label: mails.notMeButton, url: urlOf(call, path) },
    notes: [requestedBy(call, messages)],
  }, messages);
}

/** Creates the email that logs in. */
export function loginMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages, services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.emailLoginLink.index.href({}, { token });
  return createMail({
    to: email,
    subject: mails.loginSubject(name),
    paragraphs: [mails.loginText(name)],
    button: { label: mails.loginButton, url: urlOf(call, path) },
    code,
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}

/**
 * Creates the email that tells an owner about a change of second factors. With a
 * token, its link undoes the change; others lead to the reset of the password.
 */
export function factorMail(
  call: Call,
  account: StoredAccount,
  change: "on" | "off" | "codes" | "recovery",
  token?: string,
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  const path = token === undefined
    ? routes.reset.index.href()
    : routes.notMe.index.href({}, { token });
  return createMail({
    to: account.email,
    subject: mails.factorSubject(name),
    paragraphs: [mails.factorText[change](name)],
    button: {
      label: token === undefined ? mails.resetLink : mails.notMeButton,
      url: urlOf(call, path),
    },
    notes: [requestedBy(call, messages)],
  }, messages);
}

/** Creates the email that tells an owner about a deletion. */
export function deletionMail(
  call: Call,
  account: StoredAccount,
  days: number,
): Mail {
  const messages = messagesIn(account.language);
  const { services: { name, routes } } = call;
  const { mails } = messages;
  return createMail({
    to: account.email,
    subject: mails.deleteSubject(name),
    paragraphs: [mails.deleteText(name, days)],
    button: {
      label: mails.deleteButton,
      url: urlOf(call, routes.login.index.href()),
    },
    notes: [requestedBy(call, messages)],
  }, messages);
}

/** Links lead to the configured origin, whatever host a request names. */
export function urlOf({ services: { origin } }: Call, path: string): string {
  return origin + path;
}

/** Returns the line that names the browser and the time of a request. */
export function requestedBy(
  { context, services }: Call,
  { mails }: Messages,
): string {
  const agent = context.request.headers.get("User-Agent");
  const time = new Date(services.now()).toISOString();
  return mails.requestedBy(
    browserName(agent) ?? mails.unknownBrowser,
    `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`,
  );
}
