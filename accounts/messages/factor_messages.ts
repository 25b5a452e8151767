/** The strings of a second factor that an account must have, in one language. */
export interface FactorMessages {
  readonly setupTitle: string;
  readonly setupText: (name: string) => string;
  readonly app: string;
  readonly proveTitle: string;
  readonly proveText: (name: string) => string;
  readonly proveButton: string;
  readonly lost: (name: string) => string;
  /** The refusal to remove the last factor. */
  readonly last: string;
}

/** The strings in English. */
export const factorEnglish: FactorMessages = {
  setupTitle: "Protect your account",
  setupText: (name) =>
    `Your account at ${name} needs a second step at each login. Set up a passkey or an app to finish this login.`,
  app: "Authenticator app",
  proveTitle: "Use your passkey",
  proveText: (name) =>
    `Your account at ${name} needs a second step at each login. Use your passkey to finish this login.`,
  proveButton: "Continue with your passkey",
  lost: (name) =>
    `If you have lost it, only an administrator of ${name} can remove it.`,
  last:
    "Your account needs a second step at each login. Add another passkey or app before you remove this one.",
};

/** The strings in German. */
export const factorGerman: FactorMessages = {
  setupTitle: "Schützen Sie Ihr Konto",
  setupText: (name) =>
    `Ihr Konto bei ${name} braucht bei jeder Anmeldung einen zweiten Schritt. Richten Sie einen Passkey oder eine App ein, um diese Anmeldung abzuschließen.`,
  app: "Authenticator-App",
  proveTitle: "Benutzen Sie Ihren Passkey",
  proveText: (name) =>
    `Ihr Konto bei ${name} braucht bei jeder Anmeldung einen zweiten Schritt. Benutzen Sie Ihren Passkey, um diese Anmeldung abzuschließen.`,
  proveButton: "Mit Ihrem Passkey fortfahren",
  lost: (name) =>
    `Wenn Sie ihn verloren haben, kann ihn nur die Verwaltung von ${name} entfernen.`,
  last:
    "Ihr Konto braucht bei jeder Anmeldung einen zweiten Schritt. Fügen Sie einen anderen Passkey oder eine App hinzu, bevor Sie diesen entfernen.",
};
