/** The strings of the pages that lead to others, in one language. */
export interface OverviewMessages {
  readonly connected: string;
  readonly connectedText: string;
  readonly isSet: string;
  readonly isMissing: string;
  readonly isOn: string;
  readonly isOff: string;
  // One of these sentences says how safe the account is.
  readonly twoStepIsSafe: string;
  readonly passkeyIsSafe: string;
  readonly fewCodes: (count: number) => string;
  readonly passwordIsWeak: string;
  readonly onlyPassword: string;
  readonly noPasskey: string;
  readonly noPassword: string;
  readonly turnOn: string;
}

/** The strings in English. */
export const overviewEnglish: OverviewMessages = {
  connected: "Connected",
  connectedText: "Everything that is connected to your account.",
  isSet: "set",
  isMissing: "not set",
  isOn: "on",
  isOff: "off",
  twoStepIsSafe:
    "Your account is well protected: a login needs a code of your app.",
  passkeyIsSafe:
    "Your account is well protected: your passkey can't be guessed or stolen.",
  fewCodes: (count) =>
    `You have ${count} recovery ${
      count === 1 ? "code" : "codes"
    } left. If you lose your phone without one, you cannot log in.`,
  passwordIsWeak:
    "You have a passkey, but your password still opens your account without a second step.",
  onlyPassword: "Only a password protects your account.",
  noPasskey: "You log in by email or at a provider. A passkey is safer.",
  noPassword: "You log in without a password.",
  turnOn: "Turn on two-step login",
};

/** The strings in German. */
export const overviewGerman: OverviewMessages = {
  connected: "Verbunden",
  connectedText: "Alles, was mit Ihrem Konto verbunden ist.",
  isSet: "festgelegt",
  isMissing: "nicht festgelegt",
  isOn: "an",
  isOff: "aus",
  twoStepIsSafe:
    "Ihr Konto ist gut geschützt: Eine Anmeldung braucht einen Code Ihrer App.",
  passkeyIsSafe:
    "Ihr Konto ist gut geschützt: Ihr Passkey kann nicht erraten oder gestohlen werden.",
  fewCodes: (count) =>
    `Sie haben noch ${count} ${
      count === 1 ? "Wiederherstellungscode" : "Wiederherstellungscodes"
    }. Wenn Sie ohne einen Code Ihr Telefon verlieren, können Sie sich nicht anmelden.`,
  passwordIsWeak:
    "Sie haben einen Passkey, aber Ihr Passwort öffnet Ihr Konto weiterhin ohne zweiten Schritt.",
  onlyPassword: "Nur ein Passwort schützt Ihr Konto.",
  noPasskey:
    "Sie melden sich über Ihr Postfach oder bei einem Anbieter an. Ein Passkey ist sicherer.",
  noPassword: "Sie melden sich ohne Passwort an.",
  turnOn: "Anmeldung in zwei Schritten einschalten",
};
