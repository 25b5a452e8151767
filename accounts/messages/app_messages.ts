/** The strings of the page of connected apps in one language. */
export interface AppMessages {
  readonly title: string;
  readonly text: string;
  readonly none: string;
  readonly connected: (day: string) => string;
  readonly disconnect: string;
  readonly disconnectNamed: (name: string) => string;
  readonly disconnectAll: string;
  readonly disconnected: string;
  readonly unknown: string;
  /** The page of the sessions, next to the button that ends all others. */
  readonly sessionsText: string;
  readonly mailSubject: (name: string) => string;
  readonly mailText: (name: string, host: string) => string;
}

/** The strings in English. */
export const appEnglish: AppMessages = {
  title: "Connected apps",
  text:
    "These apps can use your account, within the rights that you gave them. Disconnect those that you no longer use.",
  none:
    "No app is connected to your account. After you allow an app to use it, the app is listed here.",
  connected: (day) => `connected ${day}`,
  disconnect: "Disconnect",
  disconnectNamed: (name) => `Disconnect ${name}`,
  disconnectAll: "Disconnect all apps",
  disconnected: "Disconnected. Access has ended.",
  unknown: "This app is no longer connected.",
  sessionsText: "This button also disconnects all apps.",
  mailSubject: (name) => `An app was connected to your account at ${name}`,
  mailText: (name, host) =>
    `An app of ${host} can now use your account at ${name}, within the rights that were given to it. If this was not you, this link disconnects all apps, removes all that was added since then, and ends all sessions. It works for seven days.`,
};

/** The strings in German. */
export const appGerman: AppMessages = {
  title: "Verbundene Apps",
  text:
    "Diese Apps können Ihr Konto nutzen, mit den Rechten, die Sie ihnen gegeben haben. Trennen Sie die Apps, die Sie nicht mehr verwenden.",
  none:
    "Mit Ihrem Konto ist keine App verbunden. Wenn Sie einer App die Nutzung erlauben, steht sie hier.",
  connected: (day) => `verbunden am ${day}`,
  disconnect: "Trennen",
  disconnectNamed: (name) => `${name} trennen`,
  disconnectAll: "Alle Apps trennen",
  disconnected: "Getrennt. Der Zugriff ist beendet.",
  unknown: "Diese App ist nicht mehr verbunden.",
  sessionsText: "Diese Schaltfläche trennt auch alle Apps.",
  mailSubject: (name) => `Mit Ihrem Konto bei ${name} wurde eine App verbunden`,
  mailText: (name, host) =>
    `Eine App von ${host} kann jetzt Ihr Konto bei ${name} nutzen, mit den Rechten, die sie erhalten hat. Falls Sie das nicht waren, trennt dieser Link alle Apps, entfernt alles, was seitdem hinzugefügt wurde, und beendet alle Sitzungen. Er funktioniert sieben Tage lang.`,
};
