import type { AdminMessages } from "./admin_messages.ts";

/** The strings of the pages for administrators in German. */
export const adminGerman: AdminMessages = {
  title: "Verwaltung",
  users: "Konten",
  search: "Suchen",
  searchHint: "Ein Teil des Namens oder der E-Mail-Adresse",
  role: "Rolle",
  any: "Alle",
  none: "Kein Konto passt.",
  more: "Nächste Seite",
  view: "Ansehen",
  viewNamed: (name) => `${name} ansehen`,
  unknown: "Dieses Konto gibt es nicht.",
  id: "Kontonummer",
  since: (day) => `seit ${day}`,
  unverified: "Adresse nicht bestätigt",
  isBlocked: (reason, until) =>
    `Gesperrt ${until === null ? "auf unbestimmte Zeit" : `bis ${until}`}${
      reason === "" ? "" : `: ${reason}`
    }`,
  isLeaving: (day) =>
    `Die Löschung ist beantragt. Das Konto wird am ${day} gelöscht.`,
  changeRole: "Rolle ändern",
  block: "Konto sperren",
  blockText: "Alle Sitzungen enden sofort, und niemand kann sich anmelden.",
  reason: "Grund",
  reasonMissing: "Ein Grund ist nötig",
  until: "Gesperrt bis",
  untilHint: "Optional. Ohne Datum gilt die Sperre auf unbestimmte Zeit.",
  untilInvalid: "Bitte einen Tag in der Zukunft wählen",
  unblock: "Sperre aufheben",
  endAccess: "Alle Zugänge beenden",
  endAccessText: "Alle Sitzungen, Links, Codes und API-Schlüssel enden sofort.",
  factors: "Zweite Schritte entfernen",
  factorsText:
    "Entfernt die Passkeys, die Authenticator-App und die Wiederherstellungscodes einer Person, die sie verloren hat, und beendet alle Sitzungen. Stellen Sie zuerst sicher, dass wirklich diese Person fragt.",
  act: "Als diese Person handeln",
  actText:
    "Sie sehen die Anwendung wie diese Person, höchstens eine Stunde lang. Das Protokoll hält es fest. Die Kontoseiten sind so lange gesperrt.",
  actRefused: "Sie dürfen nicht als diese Person handeln.",
  remove: "Konto entfernen",
  removeText:
    "Das lässt sich nicht rückgängig machen. Zur Bestätigung die E-Mail-Adresse eingeben.",
  removeConfirm: "Das ist nicht die Adresse des Kontos",
  removed: "Das Konto wurde entfernt.",
  lastAdmin: "Das letzte Konto der Verwaltung muss seine Rolle behalten.",
  notSelf: "Das geht nicht mit Ihrem eigenen Konto.",
  roleFirst: "Dieses Konto gehört zur Verwaltung. Ändern Sie zuerst die Rolle.",
  invitations: "Einladungen",
  inviteText:
    "Wir senden eine E-Mail mit einem Link. Er registriert nur diese Adresse, einmal, innerhalb von sieben Tagen.",
  invite: "Einladung senden",
  invited:
    "Die Einladung wurde gesendet. Wenn sie nicht ankommt, laden Sie die Adresse noch einmal ein.",
  inviteTaken: "Diese Adresse hat ein Konto",
  inviteTooMany: (most) =>
    `Höchstens ${most} Einladungen können offen sein. Ziehen Sie zuerst eine zurück.`,
  inviteOpen: "Offene Einladungen",
  inviteNone: "Keine Einladung ist offen.",
  inviteExpires: (day) => `läuft ab am ${day}`,
  withdraw: "Zurückziehen",
  withdrawNamed: (email) => `Einladung an ${email} zurückziehen`,
  inviteEnded: "Die Einladung wurde zurückgezogen.",
  inviteGone: "Diese Einladung ist schon beendet.",
  audit: "Protokoll",
  auditNone: "Kein Eintrag passt.",
  auditOf: "Kontonummer",
  action: "Aktion",
  filter: "Filtern",
  download: "Als CSV herunterladen",
};
