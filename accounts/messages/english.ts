import { ENGLISH } from "./provider_messages.ts";
import { factorEnglish } from "./factor_messages.ts";
import { overviewEnglish } from "./overview_messages.ts";
import { appEnglish } from "./app_messages.ts";
import { adminEnglish } from "./admin_english.ts";
import type { MailMessages, Messages } from "./messages.ts";

const mails: MailMessages = {
  requestedBy: (browser, time) => `Requested from ${browser}, ${time}.`,
  unknownBrowser: "an unknown browser",
  orCode: "Or type this code there:",
  tenMinutes: "Both work once, for ten minutes.",
  registerSubject: (app) => `Confirm your address for ${app}`,
  registerText: (app) =>
    `Welcome to ${app}. Open this link in the browser where you registered.`,
  registerButton: "Confirm the address",
  ignore: "If this was not you, ignore this email.",
  invitedSubject: (app) => `You are invited to ${app}`,
  invitedText: (app) =>
    `You can now register at ${app}. This link works once, for seven days.`,
  invitedButton: "Accept the invitation",
  takenSubject: (app) => `You have an account at ${app}`,
  takenText: (app) =>
    `You or someone else tried to register at ${app} with this address, which already has an account. You can log in or choose a new password.`,
  resetSubject: (app) => `Choose a new password for ${app}`,
  resetText: (app) =>
    `You or someone else asked for a new password for ${app}. This link works once, for ten minutes.`,
  resetButton: "Choose a password",
  resetDoneSubject: (app) => `Your password for ${app} was reset`,
  resetDoneText: (app, removed) =>
    `The password of your account at ${app} was reset. All sessions have ended.${
      removed === 0
        ? ""
        : ` Passkeys, linked logins and API keys were removed: ${removed}.`
    }`,
  ifNotYou:
    "If this was not you, someone else may be reading your email. Secure your mailbox, then choose a new password.",
  passwordSubject: (app) => `Your password for ${app} was changed`,
  passwordText: (app) =>
    `The password of your account at ${app} was changed. Your other sessions have ended. If this was not you, choose a new password now.`,
  resetLink: "Choose a new password",
  changeSubject: (app) => `Confirm your new address for ${app}`,
  changeText: (app) =>
    `To use this address for your account at ${app}, open this link in the browser where you asked for the change.`,
  changeButton: "Use this address",
  changedSubject: (app) => `Your address for ${app} was changed`,
  changedText: (app, email) =>
    `Your account at ${app} now has the address ${email}. If this was not you, this link restores your address and ends all access. It works for seven days.`,
  notMeButton: "This was not me",
  wayInSubject: (app) => `There is a new way into your account at ${app}`,
  passkeyText: (app) =>
    `A passkey was added to your account at ${app}. If this was not you, this link removes it and all that was added later, and ends all sessions. It works for seven days.`,
  loginSubject: (app) => `Log in to ${app}`,
  loginText: (app) =>
    `To log in to ${app}, open this link in the browser where you asked for it.`,
  loginButton: "Log in",
  factorSubject: (app) => `Your security settings at ${app} were changed`,
  factorText: {
    on: (app) =>
      `Your account at ${app} has a new authenticator app. If this was not you, this link removes it and all that was added later, and ends all sessions. It works for seven days.`,
    off: (app) =>
      `Two-step login for your account at ${app} was turned off. If this was not you, choose a new password now.`,
    codes: (app) =>
      `Your account at ${app} has new recovery codes. If this was not you, choose a new password now.`,
    recovery: (app) =>
      `A recovery code for your account at ${app} was used. If this was not you, choose a new password now.`,
  },
  inviteSubject: (app) => `You are invited to a team at ${app}`,
  inviteText: (app, isOpen) =>
    `A member of a team at ${app} has invited you to join. Log in${
      isOpen ? " or register" : ""
    } with this address to see the invitation. It works for 14 days.`,
  inviteButton: "See the invitation",
  keyText: (app) =>
    `An API key was created for your account at ${app}. If this was not you, this link revokes it, removes all that was added later, and ends all sessions. It works for seven days.`,
  deleteSubject: (app) => `Your account at ${app} will be deleted`,
  deleteText: (app, days) =>
    `Your account at ${app} will be deleted in ${
      daysOf(days)
    }. To keep it, log in before then.`,
  deleteButton: "Log in",
};

/** The English strings. */
export const english: Messages = {
  language: "en",
  email: "Email",
  name: "Name",
  password: "Password",
  newPassword: "New password",
  passwordHint: "At least 8 characters. Several words work well.",
  code: "Code",
  codeHint: "The six digits from the email. They work once, for ten minutes.",
  save: "Save",
  back: "Back",
  cancel: "Cancel",
  logIn: "Log in",
  logOut: "Log out",
  register: "Register",
  error: "Error",
  correct: (count) => `Please correct ${count === 1 ? "this" : "these"}:`,
  skip: "Skip to content",
  description: (app) => `Your account at ${app}`,
  logInTo: (app) => `Log in to ${app}`,
  pleaseLogIn: "Please log in to see that page.",
  remember: "Remember me for 30 days",
  logInByPasskey: "Log in with a passkey",
  forgot: "Forgot your password?",
  noAccount: "No account yet?",
  hasAccount: "Already have an account?",
  registerAt: (app) => `Register at ${app}`,
  invitedOnly: (app) => `You can register at ${app} by invitation only.`,
  invitedAs: (email) => `You register with the address ${email}.`,
  checkMail: "Check your email",
  codeSent: (email) =>
    `We sent an email to ${email}. Open the link in this browser, or type the code here. We send at most 11 emails an hour to one address.`,
  noMail: "No email, not even in the spam folder?",
  askAgain: "Ask for another email",
  continueButton: "Continue",
  proveTitle: "Confirm your address",
  proveText: (email) => `Please confirm that ${email} is your address.`,
  otherBrowserTitle: "Your code",
  otherBrowserText:
    "This email was requested in another browser. Type this code there, but only if you requested it.",
  linkExpiredTitle: "This link no longer works",
  linkExpiredText: "It was already used or has expired.",
  resetTitle: "Forgot your password?",
  resetText: "We will email you a link to choose a new one.",
  sendLink: "Send the link",
  resetSent:
    "If this address has an account, we sent a link to it. The link works once, for ten minutes. If no email arrives, not even in the spam folder, send the form again. We send at most 11 emails an hour to one address.",
  chooseTitle: "Choose a new password",
  chooseText:
    "This ends all sessions, and removes passkeys, linked logins and API keys.",
  changePassword: "Change password",
  resetDone: "Your password was changed. Log in with the new one.",
  loggedOut: "You are logged out.",
  longPath:
    "The address of the page that you opened is too long to return to it. Continue here, and then open it again.",
  welcome: (name) => `You are logged in, ${name}.`,
  deletionCancelled: "Your account will not be deleted.",
  account: "Account",
  profile: "Profile",
  security: "Security",
  saved: "Your changes are saved.",
  changeEmail: "Change your address",
  newEmail: "New email",
  emailIs: (email) => `Your address is ${email}.`,
  emailChanged:
    "Your new address is saved, and your other sessions have ended.",
  passwordText: "This ends your other sessions.",
  passwordChanged:
    "Your password was changed, and your other sessions have ended.",
  secondFactorTitle: "Enter your code",
  rememberBrowser: "Remember this browser for 30 days",
  appCodeHint: "A code from your authenticator app, or a recovery code.",
  emailLogin: "Log in by email",
  emailLoginText: "We will email you a code and a link.",
  sendCode: "Send the code",
  twoStep: "Two-step login",
  twoStepText:
    "With an authenticator app, a stolen password is not enough to log in.",
  twoStepScan: "Scan this code with your app, or type the key below it:",
  twoStepImage: "QR code of the key",
  twoStepKey: "Add this key to your app:",
  twoStepOpen: "Open it in an app on this device",
  twoStepCodeHint: "The six digits that your app shows now.",
  twoStepOn: "Turn on",
  twoStepOff: "Turn off two-step login",
  twoStepIsOn: (codes) =>
    `Two-step login is on. Unused recovery codes: ${codes}.`,
  twoStepChanged: "Two-step login is off, and your other sessions have ended.",
  rememberedTitle: "Remembered browsers",
  rememberedNone: "Each login needs a code.",
  rememberedUntil: (day) => `needs no code until ${day}`,
  forget: "Forget",
  forgetNamed: (browser) => `Forget ${browser}`,
  newCodes: "Create new recovery codes",
  recoveryCodes: "Recovery codes",
  recoveryCodesText:
    "If you lose your device, each code logs you in once. Keep them in a safe place: you will not see them again.",
  codesSaved: "I have saved them",
  sessions: "Sessions",
  sessionsText:
    "You are logged in on these browsers. End the sessions that you do not recognize.",
  sessionsEnded: "Done.",
  sessionGone: "This session has already ended.",
  endOthers: "End all other sessions",
  end: "End",
  endNamed: (name) => `End the session in ${name}`,
  thisBrowser: "This browser",
  unknownBrowser: "Unknown browser",
  loggedIn: (time) => `logged in ${time}`,
  passkeys: "Passkeys",
  passkeysText:
    "A passkey logs you in with your fingerprint, your face or the PIN of your device. It can't be guessed or stolen.",
  passkeyName: "Name",
  passkeyNameHint: "For example, the name of the device.",
  passkeyAdd: "Add a passkey",
  passkeyAdded: "The passkey was added, and your other sessions have ended.",
  passkeyRename: "Rename",
  passkeyRenameNamed: (name) => `Rename ${name}`,
  passkeyRenameTitle: "Rename the passkey",
  passkeyRenamed: "The passkey has a new name.",
  passkeyUnknown: "This passkey does not exist any more.",
  passkeyRemoved:
    "The passkey was removed, and your other sessions have ended.",
  passkeyFailed: "The passkey did not work. Please try again.",
  noScript: "Passkeys need JavaScript. Please turn it on.",
  remove: "Remove",
  removeNamed: (name) => `Remove ${name}`,
  added: (time) => `Added ${time}`,
  lastUsed: (time) => `last used ${time}`,
  lastActive: (time) => `active ${time}`,
  onDay: (day) => day,
  confirmTitle: "Confirm that it's you",
  confirmText: "Please enter your password again to continue.",
  confirmButton: "Confirm",
  confirmByPasskey: "Confirm with a passkey",
  data: "Download your data",
  dataText:
    "The file has everything that your account contains, except for passwords and keys. Keep it in a safe place.",
  download: "Download as JSON",
  deleteTitle: "Delete your account",
  deleteText: (days) =>
    `Your account and its data will be deleted in ${
      daysOf(days)
    }. Until then you can log in to keep it. All sessions end now.`,
  deleteButton: "Delete my account",
  deleted: (days) =>
    `Your account will be deleted in ${
      daysOf(days)
    }. To keep it, log in before then.`,
  notMeTitle: "This was not you?",
  notMeText:
    "This restores your address, removes the password and ends all access. Then choose a new password.",
  notMeButton: "Restore my account",
  notMeWayText:
    "This removes what was added to your account, and all that was added later. It also removes the password and ends all sessions. Then choose a new password.",
  notMeWayButton: "Remove it",
  notMeDone: "Your account is yours again. Choose a new password now.",
  providers: ENGLISH,
  keys: {
    title: "API keys",
    text:
      "An API key lets a program act on your behalf, within its scopes. Treat it like a password.",
    none: "You have no API keys.",
    create: "Create an API key",
    nameHint: "For example, the name of the program.",
    scopes: "Scopes",
    scopesMissing: "Choose at least one scope",
    expiry: "Expires",
    days: (count) => `After ${count} days`,
    never: "Never",
    created: "Your new API key",
    createdText: "Copy it now. You will not see it again.",
    key: "API key",
    usage: "Programs send it in the header “Authorization: Bearer …”.",
    done: "Done",
    unused: "never used",
    noExpiry: "does not expire",
    expires: (day) => `expires ${day}`,
    expired: (day) => `expired ${day}`,
    revoke: "Revoke",
    revokeNamed: (name) => `Revoke ${name}`,
    revokeTitle: (name) => `Revoke ${name}?`,
    revokeText: "Programs that use this key stop working at once.",
    revoked: "The API key was revoked.",
    unknown: "This API key does not exist.",
    tooMany: (most) => `You have ${most} API keys. Revoke one first.`,
  },
  admin: adminEnglish,
  apps: appEnglish,
  factors: factorEnglish,
  overview: overviewEnglish,
  teams: {
    title: "Teams",
    text: "In a team, several people share their work.",
    none: "You are not in a team.",
    create: "Create a team",
    teamName: "Name of the team",
    created: "The team was created. Invite its members now.",
    tooMany: (most) => `You can be in at most ${most} teams.`,
    invitations: "Your invitations",
    yours: "Your teams",
    view: "View",
    viewNamed: (team) => `View ${team}`,
    members: "Members",
    you: "you",
    change: "Change",
    changeNamed: (name) => `Change ${name}`,
    invite: "Invite a member",
    inviteText:
      "We send the invitation by email. Only the owner of this address can accept it, within 14 days.",
    inviteButton: "Send the invitation",
    invited:
      "The invitation was sent. If it does not arrive, invite the address again.",
    role: "Role",
    isMember: "This person is already a member",
    tooManyInvitations: (most) =>
      `A team can have at most ${most} open invitations and 1,000 members.`,
    open: "Open invitations",
    expires: (day) => `expires ${day}`,
    withdraw: "Withdraw",
    withdrawNamed: (email) => `Withdraw the invitation for ${email}`,
    withdrawn: "The invitation was withdrawn.",
    invitationTitle: "You are invited",
    invitationText: (team, role) => `Join the team ${team} as ${role}?`,
    accept: "Join the team",
    decline: "Decline",
    declined: "You have declined the invitation.",
    joined: (team) => `You are now a member of ${team}.`,
    invitationGone: "This invitation does not work",
    invitationGoneText: (email) =>
      `It is for an address other than ${email}, was already used, or has expired.`,
    memberGone: "This member does not exist.",
    remove: "Remove from the team",
    removeTitle: (name) => `Remove ${name}?`,
    removeText: "Access to the team and its API keys ends at once.",
    removed: "The member was removed.",
    handOver: "Hand over the team",
    handOverText: (name) =>
      `${name} becomes an owner, and you are no longer one.`,
    leave: "Leave the team",
    leaveTitle: (team) => `Leave ${team}?`,
    leaveText: "Your access to the team and your API keys for it end at once.",
    left: "You have left the team.",
    lastOwner:
      "A team needs an owner. Make another member the owner first, or ask the current owners.",
    handOverFirst: (teams) => `Hand over these teams first: ${teams}`,
    keyOwner: "For",
    onlyMe: "My account",
  },
  wrongLogin: "Invalid email or password",
  wrongPassword: "This is not your password",
  wrongCode: "This code is wrong",
  disabled: "This account is blocked.",
  invalidEmail: "Invalid email address",
  nameMissing: "Name is required",
  tooLong: (most) => `At most ${most} characters`,
  passwordShort: (least) => `Password must be at least ${least} characters`,
  passwordCommon: "This password is too common. Please choose another one.",
  invalidField: "This value is invalid",
  addressTaken: "This address belongs to another account",
  wait: (seconds) =>
    `Too many attempts. Please wait ${
      seconds < 120
        ? `${seconds} ${seconds === 1 ? "second" : "seconds"}`
        : `${Math.ceil(seconds / 60)} minutes`
    }, then try again.`,
  mails,
};

function daysOf(count: number): string {
  return `${count} ${count === 1 ? "day" : "days"}`;
}
