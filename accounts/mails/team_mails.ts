import type { Call } from "../actions/call.ts";
import type { StoredInvitation } from "../store/teams.ts";
import { requestedBy, urlOf } from "./contents.ts";
import { createMail, type Mail } from "./mail.ts";

/**
 * Creates the email of an invitation. It has neither the name of the team nor that of
 * the sender: both are free text, which could be an advertisement. The page behind the
 * link shows them, after a login.
 */
export function invitationMail(
  call: Call,
  { email, id: invitation }: StoredInvitation,
): Mail {
  const { messages, services: { name, routes } } = call;
  const { mails } = messages;
  const path = routes.invitation.index.href({ invitation });
  return createMail({
    to: email,
    subject: mails.inviteSubject(name),
    paragraphs: [mails.inviteText(name)],
    button: { label: mails.inviteButton, url: urlOf(call, path) },
    notes: [requestedBy(call, messages), mails.ignore],
  }, messages);
}
