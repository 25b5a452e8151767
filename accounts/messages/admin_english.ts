import type { AdminMessages } from "./admin_messages.ts";

/** The strings of the pages for administrators in English. */
export const adminEnglish: AdminMessages = {
  title: "Administration",
  users: "Accounts",
  search: "Search",
  searchHint: "Part of the name or the email address",
  role: "Role",
  any: "All",
  none: "No account matches.",
  more: "Next page",
  view: "View",
  viewNamed: (name) => `View ${name}`,
  unknown: "This account does not exist.",
  id: "Account number",
  since: (day) => `since ${day}`,
  unverified: "address not verified",
  isBlocked: (reason, until) =>
    `Blocked ${until === null ? "indefinitely" : `until ${until}`}${
      reason === "" ? "" : `: ${reason}`
    }`,
  isLeaving: (day) =>
    `The user asked to delete this account. It will be deleted on ${day}.`,
  changeRole: "Change the role",
  block: "Block the account",
  blockText: "All sessions end at once, and the user cannot log in.",
  reason: "Reason",
  reasonMissing: "A reason is required",
  until: "Blocked until",
  untilHint: "Optional. If you choose no day, the block does not expire.",
  untilInvalid: "Please choose a day in the future",
  unblock: "End the block",
  endAccess: "End all access",
  endAccessText: "All sessions, links, codes and API keys end at once.",
  factors: "Remove the second factors",
  factorsText:
    "Removes the passkeys, the authenticator app and the recovery codes of a user who has lost them, and ends all sessions. First make sure that it is the user who asks.",
  act: "Act as this user",
  actText:
    "You see the application as this user for at most an hour. The audit log records this. You cannot open the user's account pages.",
  actRefused: "You may not act as this user.",
  remove: "Remove the account",
  removeText: "This cannot be undone. Type the email address to confirm.",
  removeConfirm: "This is not the address of the account",
  removed: "The account was removed.",
  lastAdmin: "The last administrator must keep the role.",
  notSelf: "You cannot do this to your own account.",
  roleFirst: "This is an administrator. Change the role first.",
  invitations: "Invitations",
  inviteText:
    "We send an email with a link. It registers only this address, once, within seven days.",
  invite: "Send the invitation",
  invited:
    "The invitation was sent. If it does not arrive, invite the address again.",
  inviteTaken: "This address has an account",
  inviteTooMany: (most) =>
    `At most ${most} invitations can be open. Withdraw one first.`,
  inviteOpen: "Open invitations",
  inviteNone: "No invitation is open.",
  inviteExpires: (day) => `expires ${day}`,
  withdraw: "Withdraw",
  withdrawNamed: (email) => `Withdraw the invitation for ${email}`,
  inviteEnded: "The invitation was withdrawn.",
  inviteGone: "This invitation has ended.",
  audit: "Audit log",
  auditNone: "No entry matches.",
  auditOf: "Account number",
  action: "Action",
  filter: "Filter",
  download: "Download as CSV",
};
