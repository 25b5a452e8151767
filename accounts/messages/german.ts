import { GERMAN } from "./provider_messages.ts";
import { factorGerman } from "./factor_messages.ts";
import { overviewGerman } from "./overview_messages.ts";
import { appGerman } from "./app_messages.ts";
import { adminGerman } from "./admin_german.ts";
import type { MailMessages, Messages } from "./messages.ts";

const mails: MailMessages = {
  requestedBy: (browser, time) => `Angefordert mit ${browser}, ${time}.`,
  unknownBrowser: "einem unbekannten Browser",
  orCode: "Oder geben Sie dort diesen Code ein:",
  tenMinutes: "Beides gilt einmal, zehn Minuten lang.",
  registerSubject: (app) => `Bestätigen Sie Ihre Adresse für ${app}`,
  registerText: (app) =>
    `Willkommen bei ${app}. Öffnen Sie diesen Link in dem Browser, in dem Sie sich registriert haben.`,
  registerButton: "Adresse bestätigen",
  ignore: "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.",
  invitedSubject: (app) => `Sie sind zu ${app} eingeladen`,
  invitedText: (app) =>
    `Sie können sich jetzt bei ${app} registrieren. Dieser Link gilt einmal, sieben Tage lang.`,
  invitedButton: "Einladung annehmen",
  takenSubject: (app) => `Sie haben ein Konto bei ${app}`,
  takenText: (app) =>
    `Sie oder eine andere Person wollten sich bei ${app} mit dieser Adresse registrieren. Zu ihr gibt es schon ein Konto. Sie können sich anmelden oder ein neues Passwort wählen.`,
  resetSubject: (app) => `Neues Passwort für ${app} wählen`,
  resetText: (app) =>
    `Sie oder eine andere Person haben ein neues Passwort für ${app} angefordert. Dieser Link gilt einmal, zehn Minuten lang.`,
  resetButton: "Passwort wählen",
  resetDoneSubject: (app) => `Ihr Passwort für ${app} wurde zurückgesetzt`,
  resetDoneText: (app, removed) =>
    `Das Passwort Ihres Kontos bei ${app} wurde zurückgesetzt. Alle Sitzungen sind beendet.${
      removed === 0
        ? ""
        : ` Entfernte Passkeys, verknüpfte Anmeldungen und API-Schlüssel: ${removed}.`
    }`,
  ifNotYou:
    "Wenn Sie das nicht waren, liest vielleicht jemand anderes Ihre E-Mails. Sichern Sie zuerst Ihr Postfach, und wählen Sie dann ein neues Passwort.",
  passwordSubject: (app) => `Ihr Passwort für ${app} wurde geändert`,
  passwordText: (app) =>
    `Das Passwort Ihres Kontos bei ${app} wurde geändert. Ihre anderen Sitzungen sind beendet. Wenn Sie das nicht waren, wählen Sie jetzt ein neues Passwort.`,
  resetLink: "Neues Passwort wählen",
  changeSubject: (app) => `Bestätigen Sie Ihre neue Adresse für ${app}`,
  changeText: (app) =>
    `Um diese Adresse für Ihr Konto bei ${app} zu verwenden, öffnen Sie diesen Link in dem Browser, in dem Sie das angefordert haben.`,
  changeButton: "Diese Adresse verwenden",
  changedSubject: (app) => `Ihre Adresse für ${app} wurde geändert`,
  changedText: (app, email) =>
    `Ihr Konto bei ${app} hat jetzt die Adresse ${email}. Wenn Sie das nicht waren, stellt dieser Link Ihre Adresse wieder her und beendet jeden Zugang. Er gilt sieben Tage lang.`,
  notMeButton: "Das war ich nicht",
  wayInSubject: (app) => `Neuer Zugang zu Ihrem Konto bei ${app}`,
  passkeyText: (app) =>
    `Ihrem Konto bei ${app} wurde ein Passkey hinzugefügt. Wenn Sie das nicht waren, entfernt dieser Link ihn und alles, was später hinzukam, und beendet alle Sitzungen. Er gilt sieben Tage lang.`,
  loginSubject: (app) => `Anmelden bei ${app}`,
  loginText: (app) =>
    `Um sich bei ${app} anzumelden, öffnen Sie diesen Link in dem Browser, in dem Sie das angefordert haben.`,
  loginButton: "Anmelden",
  factorSubject: (app) =>
    `Ihre Sicherheitseinstellungen bei ${app} wurden geändert`,
  factorText: {
    on: (app) =>
      `Ihr Konto bei ${app} hat eine neue Authenticator-App. Wenn Sie das nicht waren, entfernt dieser Link sie und alles, was später hinzukam, und beendet alle Sitzungen. Er gilt sieben Tage lang.`,
    off: (app) =>
      `Die Anmeldung in zwei Schritten für Ihr Konto bei ${app} wurde ausgeschaltet. Wenn Sie das nicht waren, wählen Sie jetzt ein neues Passwort.`,
    codes: (app) =>
      `Ihr Konto bei ${app} hat neue Wiederherstellungscodes. Wenn Sie das nicht waren, wählen Sie jetzt ein neues Passwort.`,
    recovery: (app) =>
      `Ein Wiederherstellungscode für Ihr Konto bei ${app} wurde benutzt. Wenn Sie das nicht waren, wählen Sie jetzt ein neues Passwort.`,
  },
  inviteSubject: (app) => `Sie sind in ein Team bei ${app} eingeladen`,
  inviteText: (app, isOpen) =>
    `Ein Mitglied eines Teams bei ${app} lädt Sie ein. Melden Sie sich mit dieser Adresse an${
      isOpen ? " oder registrieren Sie sich" : ""
    }, um die Einladung zu sehen. Sie gilt 14 Tage lang.`,
  inviteButton: "Einladung ansehen",
  keyText: (app) =>
    `Für Ihr Konto bei ${app} wurde ein API-Schlüssel erstellt. Wenn Sie das nicht waren, widerruft ihn dieser Link, entfernt alles, was später hinzukam, und beendet alle Sitzungen. Er gilt sieben Tage lang.`,
  deleteSubject: (app) => `Ihr Konto bei ${app} wird gelöscht`,
  deleteText: (app, days) =>
    `Ihr Konto bei ${app} wird in ${
      daysOf(days)
    } gelöscht. Um es zu behalten, melden Sie sich vorher an.`,
  deleteButton: "Anmelden",
};

/** The German strings. */
export const german: Messages = {
  language: "de",
  email: "E-Mail",
  name: "Name",
  password: "Passwort",
  newPassword: "Neues Passwort",
  passwordHint: "Mindestens 8 Zeichen. Mehrere Wörter eignen sich gut.",
  code: "Code",
  codeHint:
    "Die sechs Ziffern aus der E-Mail. Sie gelten einmal, zehn Minuten lang.",
  save: "Speichern",
  back: "Zurück",
  cancel: "Abbrechen",
  logIn: "Anmelden",
  logOut: "Abmelden",
  register: "Registrieren",
  error: "Fehler",
  correct: () => "Bitte korrigieren Sie:",
  skip: "Zum Inhalt springen",
  description: (app) => `Ihr Konto bei ${app}`,
  logInTo: (app) => `Bei ${app} anmelden`,
  pleaseLogIn: "Bitte melden Sie sich an, um diese Seite zu sehen.",
  remember: "30 Tage angemeldet bleiben",
  logInByPasskey: "Mit einem Passkey anmelden",
  forgot: "Passwort vergessen?",
  noAccount: "Noch kein Konto?",
  hasAccount: "Schon ein Konto?",
  registerAt: (app) => `Bei ${app} registrieren`,
  invitedOnly: (app) =>
    `Bei ${app} können Sie sich nur mit einer Einladung registrieren.`,
  invitedAs: (email) => `Sie registrieren sich mit der Adresse ${email}.`,
  checkMail: "Schauen Sie in Ihr Postfach",
  codeSent: (email) =>
    `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie den Link in diesem Browser, oder geben Sie hier den Code ein. An eine Adresse senden wir höchstens 11 E-Mails pro Stunde.`,
  noMail: "Auch im Spam-Ordner nichts da?",
  askAgain: "Neue E-Mail anfordern",
  continueButton: "Weiter",
  proveTitle: "Adresse bestätigen",
  proveText: (email) => `Bitte bestätigen Sie, dass ${email} Ihre Adresse ist.`,
  otherBrowserTitle: "Ihr Code",
  otherBrowserText:
    "Diese E-Mail wurde in einem anderen Browser angefordert. Geben Sie diesen Code dort ein, aber nur, wenn Sie das waren.",
  linkExpiredTitle: "Dieser Link gilt nicht mehr",
  linkExpiredText: "Er wurde schon benutzt oder ist abgelaufen.",
  resetTitle: "Passwort vergessen?",
  resetText: "Wir senden Ihnen einen Link, mit dem Sie ein neues wählen.",
  sendLink: "Link senden",
  resetSent:
    "Wenn diese Adresse ein Konto hat, haben wir einen Link dorthin gesendet. Er gilt einmal, zehn Minuten lang. Wenn auch im Spam-Ordner nichts da ist, senden Sie das Formular noch einmal ab. An eine Adresse senden wir höchstens 11 E-Mails pro Stunde.",
  chooseTitle: "Neues Passwort wählen",
  chooseText:
    "Das beendet alle Sitzungen und entfernt Passkeys, verknüpfte Anmeldungen und API-Schlüssel.",
  changePassword: "Passwort ändern",
  resetDone: "Ihr Passwort wurde geändert. Melden Sie sich mit dem neuen an.",
  loggedOut: "Sie sind abgemeldet.",
  longPath:
    "Die Adresse der geöffneten Seite ist zu lang, um dorthin zurückzukehren. Fahren Sie hier fort, und öffnen Sie sie danach erneut.",
  welcome: (name) => `Sie sind angemeldet, ${name}.`,
  deletionCancelled: "Ihr Konto wird nicht gelöscht.",
  account: "Konto",
  profile: "Profil",
  security: "Sicherheit",
  saved: "Ihre Änderungen sind gespeichert.",
  changeEmail: "Adresse ändern",
  newEmail: "Neue E-Mail",
  emailIs: (email) => `Ihre Adresse ist ${email}.`,
  emailChanged:
    "Ihre neue Adresse ist gespeichert, und Ihre anderen Sitzungen sind beendet.",
  passwordText: "Damit enden Ihre anderen Sitzungen.",
  passwordChanged:
    "Ihr Passwort ist geändert, und Ihre anderen Sitzungen sind beendet.",
  secondFactorTitle: "Geben Sie Ihren Code ein",
  rememberBrowser: "Diesen Browser 30 Tage merken",
  appCodeHint:
    "Ein Code aus Ihrer Authenticator-App oder ein Wiederherstellungscode.",
  emailLogin: "Per E-Mail anmelden",
  emailLoginText: "Wir senden Ihnen einen Code und einen Link.",
  sendCode: "Code senden",
  twoStep: "Anmeldung in zwei Schritten",
  twoStepText:
    "Mit einer Authenticator-App reicht ein gestohlenes Passwort nicht zum Anmelden.",
  twoStepScan:
    "Scannen Sie diesen Code mit Ihrer App, oder geben Sie den Schlüssel darunter ein:",
  twoStepImage: "QR-Code des Schlüssels",
  twoStepKey: "Fügen Sie Ihrer App diesen Schlüssel hinzu:",
  twoStepOpen: "In einer App auf diesem Gerät öffnen",
  twoStepCodeHint: "Die sechs Ziffern, die Ihre App jetzt zeigt.",
  twoStepOn: "Einschalten",
  twoStepOff: "Zweiten Schritt ausschalten",
  twoStepIsOn: (codes) =>
    `Die Anmeldung in zwei Schritten ist eingeschaltet. Unbenutzte Wiederherstellungscodes: ${codes}.`,
  twoStepChanged:
    "Der zweite Schritt ist ausgeschaltet, und Ihre anderen Sitzungen sind beendet.",
  rememberedTitle: "Gemerkte Browser",
  rememberedNone: "Jede Anmeldung braucht einen Code.",
  rememberedUntil: (day) => `braucht bis ${day} keinen Code`,
  forget: "Vergessen",
  forgetNamed: (browser) => `${browser} vergessen`,
  newCodes: "Neue Wiederherstellungscodes erzeugen",
  recoveryCodes: "Wiederherstellungscodes",
  recoveryCodesText:
    "Wenn Sie Ihr Gerät verlieren, meldet jeder Code Sie einmal an. Bewahren Sie die Codes sicher auf: Sie sehen sie nicht wieder.",
  codesSaved: "Ich habe sie gesichert",
  sessions: "Sitzungen",
  sessionsText:
    "Sie sind in diesen Browsern angemeldet. Beenden Sie die Sitzungen, die Sie nicht kennen.",
  sessionsEnded: "Erledigt.",
  sessionGone: "Diese Sitzung ist schon beendet.",
  endOthers: "Alle anderen Sitzungen beenden",
  end: "Beenden",
  endNamed: (name) => `Die Sitzung in ${name} beenden`,
  thisBrowser: "Dieser Browser",
  unknownBrowser: "Unbekannter Browser",
  loggedIn: (time) => `angemeldet am ${time}`,
  passkeys: "Passkeys",
  passkeysText:
    "Ein Passkey meldet Sie mit Ihrem Fingerabdruck, Ihrem Gesicht oder der PIN Ihres Geräts an. Er lässt sich nicht erraten oder stehlen.",
  passkeyName: "Name",
  passkeyNameHint: "Zum Beispiel der Name des Geräts.",
  passkeyAdd: "Passkey hinzufügen",
  passkeyAdded:
    "Der Passkey wurde hinzugefügt, und Ihre anderen Sitzungen sind beendet.",
  passkeyRename: "Umbenennen",
  passkeyRenameNamed: (name) => `${name} umbenennen`,
  passkeyRenameTitle: "Passkey umbenennen",
  passkeyRenamed: "Der Passkey hat einen neuen Namen.",
  passkeyUnknown: "Diesen Passkey gibt es nicht mehr.",
  passkeyRemoved:
    "Der Passkey wurde entfernt, und Ihre anderen Sitzungen sind beendet.",
  passkeyFailed:
    "Der Passkey hat nicht funktioniert. Bitte versuchen Sie es noch einmal.",
  noScript: "Passkeys brauchen JavaScript. Bitte schalten Sie es ein.",
  remove: "Entfernen",
  removeNamed: (name) => `${name} entfernen`,
  added: (time) => `Hinzugefügt am ${time}`,
  lastUsed: (time) => `zuletzt benutzt ${time}`,
  lastActive: (time) => `aktiv ${time}`,
  onDay: (day) => `am ${day}`,
  confirmTitle: "Bestätigen Sie, dass Sie es sind",
  confirmText: "Bitte geben Sie Ihr Passwort noch einmal ein.",
  confirmButton: "Bestätigen",
  confirmByPasskey: "Mit einem Passkey bestätigen",
  data: "Ihre Daten herunterladen",
  dataText:
    "Die Datei enthält alles, was Ihr Konto umfasst, außer Passwörtern und Schlüsseln. Bewahren Sie sie sicher auf.",
  download: "Als JSON herunterladen",
  deleteTitle: "Konto löschen",
  deleteText: (days) =>
    `Ihr Konto und seine Daten werden in ${
      daysOf(days)
    } gelöscht. Bis dahin können Sie sich anmelden, um es zu behalten. Alle Sitzungen enden jetzt.`,
  deleteButton: "Mein Konto löschen",
  deleted: (days) =>
    `Ihr Konto wird in ${
      daysOf(days)
    } gelöscht. Um es zu behalten, melden Sie sich vorher an.`,
  notMeTitle: "Das waren nicht Sie?",
  notMeText:
    "Das stellt Ihre Adresse wieder her, entfernt das Passwort und beendet jeden Zugang. Danach wählen Sie ein neues Passwort.",
  notMeButton: "Mein Konto wiederherstellen",
  notMeWayText:
    "Das entfernt, was Ihrem Konto hinzugefügt wurde, und alles, was später hinzukam. Es entfernt auch das Passwort und beendet alle Sitzungen. Danach wählen Sie ein neues Passwort.",
  notMeWayButton: "Entfernen",
  notMeDone: "Ihr Konto gehört wieder Ihnen. Wählen Sie ein neues Passwort.",
  providers: GERMAN,
  keys: {
    title: "API-Schlüssel",
    text:
      "Mit einem API-Schlüssel kann ein Programm in Ihrem Namen handeln, im Rahmen seiner Rechte. Behandeln Sie ihn wie ein Passwort.",
    none: "Sie haben keine API-Schlüssel.",
    create: "API-Schlüssel erstellen",
    nameHint: "Zum Beispiel der Name des Programms.",
    scopes: "Rechte",
    scopesMissing: "Wählen Sie mindestens ein Recht",
    expiry: "Läuft ab",
    days: (count) => `Nach ${count} Tagen`,
    never: "Nie",
    created: "Ihr neuer API-Schlüssel",
    createdText: "Kopieren Sie ihn jetzt. Sie sehen ihn nicht wieder.",
    key: "API-Schlüssel",
    usage: "Programme senden ihn im Header „Authorization: Bearer …“.",
    done: "Fertig",
    unused: "nie benutzt",
    noExpiry: "läuft nicht ab",
    expires: (day) => `läuft ab am ${day}`,
    expired: (day) => `abgelaufen am ${day}`,
    revoke: "Widerrufen",
    revokeNamed: (name) => `${name} widerrufen`,
    revokeTitle: (name) => `${name} widerrufen?`,
    revokeText:
      "Programme, die diesen Schlüssel benutzen, funktionieren sofort nicht mehr.",
    revoked: "Der API-Schlüssel wurde widerrufen.",
    unknown: "Diesen API-Schlüssel gibt es nicht.",
    tooMany: (most) =>
      `Sie haben ${most} API-Schlüssel. Widerrufen Sie zuerst einen.`,
  },
  admin: adminGerman,
  apps: appGerman,
  factors: factorGerman,
  overview: overviewGerman,
  teams: {
    title: "Teams",
    text: "In einem Team arbeiten mehrere Menschen zusammen.",
    none: "Sie sind in keinem Team.",
    create: "Team gründen",
    teamName: "Name des Teams",
    created: "Das Team wurde gegründet. Laden Sie jetzt seine Mitglieder ein.",
    tooMany: (most) => `Sie können in höchstens ${most} Teams sein.`,
    invitations: "Ihre Einladungen",
    yours: "Ihre Teams",
    view: "Ansehen",
    viewNamed: (team) => `${team} ansehen`,
    members: "Mitglieder",
    you: "Sie",
    change: "Ändern",
    changeNamed: (name) => `${name} ändern`,
    invite: "Mitglied einladen",
    inviteText:
      "Wir senden die Einladung per E-Mail. Nur die Person, der diese Adresse gehört, kann sie innerhalb von 14 Tagen annehmen.",
    inviteButton: "Einladung senden",
    invited:
      "Die Einladung wurde gesendet. Wenn sie nicht ankommt, laden Sie die Adresse noch einmal ein.",
    role: "Rolle",
    isMember: "Diese Person ist schon Mitglied",
    tooManyInvitations: (most) =>
      `Ein Team kann höchstens ${most} offene Einladungen und 1.000 Mitglieder haben.`,
    open: "Offene Einladungen",
    expires: (day) => `läuft ab am ${day}`,
    withdraw: "Zurückziehen",
    withdrawNamed: (email) => `Einladung an ${email} zurückziehen`,
    withdrawn: "Die Einladung wurde zurückgezogen.",
    invitationTitle: "Sie sind eingeladen",
    invitationText: (team, role) => `Dem Team ${team} als ${role} beitreten?`,
    accept: "Beitreten",
    decline: "Ablehnen",
    declined: "Sie haben die Einladung abgelehnt.",
    joined: (team) => `Sie sind jetzt Mitglied von ${team}.`,
    invitationGone: "Diese Einladung gilt nicht",
    invitationGoneText: (email) =>
      `Sie ist nicht für ${email} bestimmt, wurde schon benutzt oder ist abgelaufen.`,
    memberGone: "Dieses Mitglied gibt es nicht.",
    remove: "Aus dem Team entfernen",
    removeTitle: (name) => `${name} entfernen?`,
    removeText: "Der Zugang zum Team und die API-Schlüssel dafür enden sofort.",
    removed: "Das Mitglied wurde entfernt.",
    handOver: "Team übergeben",
    handOverText: (name) =>
      `${name} übernimmt die Leitung des Teams, und Sie geben sie ab.`,
    leave: "Team verlassen",
    leaveTitle: (team) => `${team} verlassen?`,
    leaveText: "Ihr Zugang zum Team und Ihre API-Schlüssel dafür enden sofort.",
    left: "Sie haben das Team verlassen.",
    lastOwner:
      "Ein Team braucht jemanden, der es leitet. Geben Sie diese Rolle zuerst weiter, oder fragen Sie die Personen, die sie jetzt haben.",
    handOverFirst: (teams) => `Übergeben Sie zuerst diese Teams: ${teams}`,
    keyOwner: "Für",
    onlyMe: "Mein Konto",
  },
  wrongLogin: "E-Mail oder Passwort ist falsch",
  wrongPassword: "Das ist nicht Ihr Passwort",
  wrongCode: "Dieser Code ist falsch",
  disabled: "Dieses Konto ist gesperrt.",
  invalidEmail: "Ungültige E-Mail-Adresse",
  nameMissing: "Bitte geben Sie einen Namen ein",
  tooLong: (most) => `Höchstens ${most} Zeichen`,
  passwordShort: (least) => `Das Passwort braucht mindestens ${least} Zeichen`,
  passwordCommon:
    "Dieses Passwort ist zu leicht zu erraten. Bitte wählen Sie ein anderes.",
  invalidField: "Dieser Wert ist ungültig",
  addressTaken: "Diese Adresse gehört zu einem anderen Konto",
  wait: (seconds) =>
    `Zu viele Versuche. Bitte warten Sie ${
      seconds < 120
        ? `${seconds} ${seconds === 1 ? "Sekunde" : "Sekunden"}`
        : `${Math.ceil(seconds / 60)} Minuten`
    } und versuchen Sie es dann noch einmal.`,
  mails,
};

function daysOf(count: number): string {
  return `${count} ${count === 1 ? "Tag" : "Tagen"}`;
}
