import type { EmailToSend } from "../../auth/email_login/mod.ts";
import { IDENTITY } from "../actions/identity.ts";
import { KEY } from "../keys/api_keys.ts";
import type { Call } from "../actions/call.ts";
import type { Services } from "../actions/services.ts";
import { messagesIn } from "../messages/languages.ts";
import type { Messages } from "../messages/messages.ts";
import type { StoredAccount } from "../store/store.ts";
import { browserName } from "./browser_name.ts";
import { createMail, type Mail, type MailParts } from "./mail.ts";

/** Creates the email that verifies the address of a registration. */
export function registrationMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages: { mails }, services: { name, routes } } = call;
  return requestMail(call, {
    to: email,
    subject: mails.registerSubject(name),
    text: mails.registerText(name),
    button: mails.registerButton,
    path: routes.registerLink.index.href({}, { token }),
    code,
    note: mails.ignore,
  }, call.messages);
}

/**
 * Creates the email of an invitation to register. It has no name of the sender,
 * which could be an advertisement.
 */
export function invitedMail(
  { services }: Pick<Call, "services">,
  messages: Messages,
  { email, token }: { readonly email: string; readonly token: string },
): Mail {
  const { name, origin, routes } = services;
  const { mails } = messages;
  return createMail({
    to: email,
    subject: mails.invitedSubject(name),
    text: mails.invitedText(name),
    button: mails.invitedButton,
    url: origin + routes.register.index.href({}, { token }),
    notes: [mails.ignore],
  }, messages);
}

/** Creates the email to an owner whose address was used in a registration. */
export function takenMail(call: Call, messages: Messages, to: string): Mail {
  const { services: { name, routes } } = call;
  const { mails, logIn } = messages;
  return requestMail(call, {
    to,
    subject: mails.takenSubject(name),
    text: mails.takenText(name),
    button: logIn,
    path: routes.login.index.href(),
    note: mails.ignore,
  }, messages);
}

/** Creates the email with the link that resets the password. */
export function resetMail(
  call: Call,
  account: StoredAccount,
  token: string,
): Mail {
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.resetSubject(name),
    text: mails.resetText(name),
    button: mails.resetButton,
    path: routes.resetLink.index.href({}, { token }),
    note: mails.ignore,
  }));
}

/** Creates the email that tells an owner about a reset. */
export function resetDoneMail(
  call: Call,
  account: StoredAccount,
  removed: number,
): Mail {
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.resetDoneSubject(name),
    text: mails.resetDoneText(name, removed),
    button: mails.resetLink,
    path: routes.reset.index.href(),
    note: mails.ifNotYou,
  }));
}

/** Creates the email that tells an owner about a new password. */
export function passwordMail(call: Call, account: StoredAccount): Mail {
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.passwordSubject(name),
    text: mails.passwordText(name),
    button: mails.resetLink,
    path: routes.reset.index.href(),
  }));
}

/** Creates the email that verifies a new address. */
export function changeMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages: { mails }, services: { name, routes } } = call;
  return requestMail(call, {
    to: email,
    subject: mails.changeSubject(name),
    text: mails.changeText(name),
    button: mails.changeButton,
    path: routes.emailLink.index.href({}, { token }),
    code,
    note: mails.ignore,
  }, call.messages);
}

/** Creates the email that tells the earlier address about a new one. */
export function changedMail(
  call: Call,
  account: StoredAccount,
  { email, token }: { readonly email: string; readonly token: string },
): Mail {
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.changedSubject(name),
    text: mails.changedText(name, email),
    button: mails.notMeButton,
    path: routes.notMe.index.href({}, { token }),
  }));
}

/** Creates the email that tells an owner about a new way in. */
export function newWayMail(
  call: Call,
  account: StoredAccount,
  kind: string,
  token: string,
): Mail {
  return ownerMail(call, account, ({ mails, providers }, { name, routes }) => {
    const texts = new Map([[KEY, mails.keyText], [IDENTITY, providers.mail]]);
    const text = texts.get(kind) ?? mails.passkeyText;
    return {
      subject: mails.wayInSubject(name),
      text: text(name),
      button: mails.notMeButton,
      path: routes.notMe.index.href({}, { token }),
    };
  });
}

/** Creates the email that tells an owner about a new connected app. */
export function appMail(
  call: MailCall,
  account: StoredAccount,
  host: string,
  token: string,
): Mail {
  return ownerMail(call, account, ({ apps, mails }, { name, routes }) => ({
    subject: apps.mailSubject(name),
    text: apps.mailText(name, host),
    button: mails.notMeButton,
    path: routes.notMe.index.href({}, { token }),
  }));
}

/** Creates the email that logs in. */
export function loginMail(
  call: Call,
  { email, code, token }: EmailToSend,
): Mail {
  const { messages: { mails }, services: { name, routes } } = call;
  return requestMail(call, {
    to: email,
    subject: mails.loginSubject(name),
    text: mails.loginText(name),
    button: mails.loginButton,
    path: routes.emailLoginLink.index.href({}, { token }),
    code,
    note: mails.ignore,
  }, call.messages);
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
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.factorSubject(name),
    text: mails.factorText[change](name),
    ...token === undefined
      ? { button: mails.resetLink, path: routes.reset.index.href() }
      : {
        button: mails.notMeButton,
        path: routes.notMe.index.href({}, { token }),
      },
  }));
}

/** Creates the email that tells an owner about a deletion. */
export function deletionMail(
  call: Call,
  account: StoredAccount,
  days: number,
): Mail {
  return ownerMail(call, account, ({ mails }, { name, routes }) => ({
    subject: mails.deleteSubject(name),
    text: mails.deleteText(name, days),
    button: mails.deleteButton,
    path: routes.login.index.href(),
  }));
}

/** The parts of an email about a request. */
type MailContent = Omit<MailParts, "to" | "url" | "notes"> & {
  /** The path to which the button leads. */
  readonly path: string;
  /** Advice for users who did not cause the email. */
  readonly note?: string;
};

/** The request that causes an email. */
type MailCall = Pick<Call, "context" | "services">;

/** Creates an email about a request. */
export function requestMail(
  call: MailCall,
  { path, note, ...parts }: MailContent & { readonly to: string },
  messages: Messages,
): Mail {
  // Links lead to the configured origin, whatever host a request names.
  const url = call.services.origin + path;
  const notes = [requestedBy(call, messages), ...note ? [note] : []];
  return createMail({ ...parts, url, notes }, messages);
}

/** Creates an email to the owner of an account, in their language. */
function ownerMail(
  call: MailCall,
  { email: to, language }: StoredAccount,
  contentOf: (messages: Messages, services: Services) => MailContent,
): Mail {
  const messages = messagesIn(language);
  const content = contentOf(messages, call.services);
  return requestMail(call, { to, ...content }, messages);
}

/** Returns the line that names the browser and the time of a request. */
function requestedBy(
  { context, services }: MailCall,
  { mails }: Messages,
): string {
  const agent = context.request.headers.get("User-Agent");
  const time = new Date(services.now()).toISOString();
  return mails.requestedBy(
    browserName(agent) ?? mails.unknownBrowser,
    `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`,
  );
}
