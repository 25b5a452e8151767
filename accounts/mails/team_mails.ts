import type { Call } from "../actions/call.ts";
import type { StoredInvitation } from "../store/teams.ts";
import { requestMail } from "./contents.ts";
import type { Mail } from "./mail.ts";

/**
 * Creates the email of an invitation. It has neither the name of the team nor that of
 * the sender: both are free text, which could be an advertisement. The page behind the
 * link shows them, after a login.
 */
export function invitationMail(
  call: Call,
  { email, id: invitation }: StoredInvitation,
): Mail {
  const { messages: { mails }, services } = call;
  const { name, registration, routes } = services;
  return requestMail(call, {
    to: email,
    subject: mails.inviteSubject(name),
    text: mails.inviteText(name, registration === "open"),
    button: mails.inviteButton,
    path: routes.invitation.index.href({ invitation }),
    note: mails.ignore,
  }, call.messages);
}
