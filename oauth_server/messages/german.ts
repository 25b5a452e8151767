import type { ServerMessages } from "./messages.ts";

/**
 * The German strings of the pages.
 *
 * @example Pages in two languages
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { english, german } from "@gatehouse/web/oauth-server";
 *
 * const messages = [english, german]; // the option of createAuthorizationServer
 * assertEquals(messages.map(({ allow }) => allow), ["Allow", "Erlauben"]);
 * ```
 */
export const german: ServerMessages = {
  language: "de",
  connect: (app, resource) => `${app} mit ${resource} verbinden?`,
  application: "Anwendung",
  returnsTo: "Zurück zu",
  account: "Ihr Konto",
  ownName: (app) =>
    `Den Namen ${app} hat sich die Anwendung selbst gegeben. Fahren Sie nur fort, wenn Sie sie gerade gestartet haben.`,
  ownDevice:
    "Die Anfrage kommt von einem Programm auf diesem Gerät. Fahren Sie nur fort, wenn Sie es gerade selbst gestartet haben.",
  otherHost: (host, redirectHost) =>
    `Die Anwendung ist auf ${host} beschrieben, aber Ihr Browser kehrt zu ${redirectHost} zurück. Fahren Sie nur fort, wenn Sie beide kennen.`,
  scopes: "Sie bittet um die Erlaubnis:",
  isNew: "neu",
  allow: "Erlauben",
  cancel: "Abbrechen",
  endOfAccess: (hours) =>
    `Sie können die Verbindung jederzeit trennen. Ungenutzt endet der Zugriff nach ${
      hours < 48
        ? hours === 1 ? "einer Stunde" : `${hours} Stunden`
        : `${Math.round(hours / 24)} Tagen`
    }.`,
  unchanged: "Es hat sich nichts geändert. Sie können diese Seite schließen.",
  returning: (app) => `Zurück zu ${app}`,
  returnText:
    "Wenn nichts geschieht, folgen Sie diesem Link. Danach können Sie diese Seite schließen.",
  returnLink: (app) => `Weiter zu ${app}`,
  error: "Die Anwendung kann nicht verbunden werden",
  device: {
    title: "Gerät verbinden",
    text: "Geben Sie den Code ein, den Ihr Gerät zeigt.",
    code: "Code",
    wrongCode:
      "Kein Gerät zeigt jetzt diesen Code. Vergleichen Sie ihn mit Ihrem Gerät, oder beginnen Sie dort von vorn.",
    tooManyCodes:
      "Sie haben zu viele Codes versucht. Warten Sie einige Minuten.",
    continueButton: "Weiter",
    askedFrom: "Anfrage von",
    warning:
      "Fahren Sie nur fort, wenn Sie dies gerade auf Ihrem eigenen Gerät begonnen haben und es diesen Code zeigt. Niemand sonst sollte Ihnen einen Code schicken.",
    connected: (app) => `${app} ist verbunden`,
    continues:
      "Ihr Gerät fährt in wenigen Sekunden fort. Sie können diese Seite schließen.",
    notConnected: (app) => `${app} ist nicht verbunden`,
  },
  errors: {
    expired:
      "Diese Anfrage ist abgelaufen oder wurde schon beantwortet. Beginnen Sie in der Anwendung von vorn.",
    notUser: "Nur wer selbst angemeldet ist, kann Anwendungen verbinden.",
    tooLong: "Die Anfrage der Anwendung ist zu lang.",
    unknownAddress:
      "Die Anwendung möchte zu einer Adresse zurückkehren, die sie nicht registriert hat.",
    unknownClient:
      "Die Anwendung ist unbekannt, oder ihre Beschreibung lässt sich nicht lesen.",
  },
};
