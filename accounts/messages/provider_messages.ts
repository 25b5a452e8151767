/** The strings of logins at providers in one language. */
export interface ProviderMessages {
  readonly title: string;
  readonly text: string;
  readonly none: string;
  readonly logInWith: (label: string) => string;
  readonly link: (label: string) => string;
  readonly confirmWith: (label: string) => string;
  readonly leaving: string;
  readonly emailTitle: string;
  readonly emailText: (name: string) => string;
  readonly linked: string;
  readonly unlinked: string;
  readonly linkedAlready: string;
  readonly last: string;
  readonly problem: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly unavailable: string;
  readonly closed: string;
  readonly taken: string;
  readonly notYours: string;
  readonly mail: (app: string) => string;
}

/** The strings in English. */
export const ENGLISH: ProviderMessages = {
  title: "Linked logins",
  text: "You can log in with these providers instead of your password.",
  none: "You have no linked logins.",
  logInWith: (label) => `Log in with ${label}`,
  link: (label) => `Link ${label}`,
  confirmWith: (label) => `Confirm with ${label}`,
  leaving: "Continue to the provider",
  emailTitle: "Your email address",
  emailText: (name) =>
    `You logged in as ${name}. Your new account also needs an address, which we verify with a code.`,
  linked: "The login is linked.",
  unlinked: "The login is no longer linked.",
  linkedAlready: "This login is already linked to an account.",
  last:
    "This is your last way to log in. Choose a password or add a passkey first.",
  problem: "The login did not work",
  failed: "The login at the provider failed. Please try again.",
  cancelled: "You cancelled the login at the provider.",
  unavailable: "The provider is not available. Please try again later.",
  closed: "No account is linked to this login.",
  taken:
    "Your address already has an account. Log in to it another way, then link this login on the page “Linked logins”.",
  notYours: "This login is not linked to your account.",
  mail: (app) =>
    `A login at a provider was linked to your account at ${app}. If this was not you, this link removes it and all that was added later, and ends all sessions. It works for seven days.`,
};

/** The strings in German. */
export const GERMAN: ProviderMessages = {
  title: "Verknüpfte Anmeldungen",
  text: "Bei diesen Anbietern können Sie sich ohne Ihr Passwort anmelden.",
  none: "Sie haben keine verknüpften Anmeldungen.",
  logInWith: (label) => `Mit ${label} anmelden`,
  link: (label) => `${label} verknüpfen`,
  confirmWith: (label) => `Mit ${label} bestätigen`,
  leaving: "Weiter zum Anbieter",
  emailTitle: "Ihre E-Mail-Adresse",
  emailText: (name) =>
    `Sie sind als ${name} angemeldet. Ihr neues Konto braucht noch eine Adresse, die wir mit einem Code prüfen.`,
  linked: "Die Anmeldung ist verknüpft.",
  unlinked: "Die Anmeldung ist nicht mehr verknüpft.",
  linkedAlready: "Diese Anmeldung ist schon mit einem Konto verknüpft.",
  last:
    "Das ist Ihre letzte Anmeldemöglichkeit. Wählen Sie zuerst ein Passwort oder fügen Sie einen Passkey hinzu.",
  problem: "Die Anmeldung hat nicht geklappt",
  failed:
    "Die Anmeldung beim Anbieter ist fehlgeschlagen. Bitte versuchen Sie es noch einmal.",
  cancelled: "Sie haben die Anmeldung beim Anbieter abgebrochen.",
  unavailable:
    "Der Anbieter ist nicht erreichbar. Bitte versuchen Sie es später noch einmal.",
  closed: "Mit dieser Anmeldung ist kein Konto verknüpft.",
  taken:
    "Zu Ihrer Adresse gibt es schon ein Konto. Melden Sie sich dort auf einem anderen Weg an, und verknüpfen Sie dann diese Anmeldung auf der Seite „Verknüpfte Anmeldungen“.",
  notYours: "Diese Anmeldung ist nicht mit Ihrem Konto verknüpft.",
  mail: (app) =>
    `Eine Anmeldung bei einem Anbieter wurde mit Ihrem Konto bei ${app} verknüpft. Wenn Sie das nicht waren, entfernt dieser Link sie und alles, was später hinzukam, und beendet alle Sitzungen. Er gilt sieben Tage lang.`,
};
