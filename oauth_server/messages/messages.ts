/** The reasons for which the server shows an error page. */
export type ErrorReason =
  | "expired"
  | "notUser"
  | "tooLong"
  | "unknownAddress"
  | "unknownClient";

/** The strings of the pages for devices without a browser. */
export interface DeviceMessages {
  /** The title of the page of codes. */
  readonly title: string;
  /** The text of the page of codes. */
  readonly text: string;
  /** The label of the code. */
  readonly code: string;
  /** The error of a code that no device shows. */
  readonly wrongCode: string;
  /** The error of too many codes. */
  readonly tooManyCodes: string;
  /** The button of the page of codes. */
  readonly continueButton: string;
  /** The label of the address of the device. */
  readonly askedFrom: string;
  /** The warning about devices of others. */
  readonly warning: string;
  /** The title after an approval. */
  readonly connected: (app: string) => string;
  /** The text after an approval. */
  readonly continues: string;
  /** The title after a refusal. */
  readonly notConnected: (app: string) => string;
}

/** The strings of the pages of an authorization server, in one language. */
export interface ServerMessages {
  /** The language, such as `en`, for the attribute `lang`. */
  readonly language: string;
  // The consent page has these strings.
  /** The question of the consent page. */
  readonly connect: (app: string, resource: string) => string;
  /** The label of the application. */
  readonly application: string;
  /** The label of the host to which the browser returns. */
  readonly returnsTo: string;
  /** The label of the user. */
  readonly account: string;
  /** The warning about an application that has chosen its name itself. */
  readonly ownName: (app: string) => string;
  /** The warning about a program on the device of the user. */
  readonly ownDevice: string;
  /** The warning about an application that returns to another host. */
  readonly otherHost: (host: string, redirectHost: string) => string;
  /** The title of the scopes. */
  readonly scopes: string;
  /**
   * Scopes in words, in this language.
   *
   * @default {those of the resource}
   */
  readonly scopeTexts?: Readonly<Record<string, string>>;
  /** The mark of a scope that the user has not given before. */
  readonly isNew: string;
  /** The button that approves. */
  readonly allow: string;
  /** The button that denies. */
  readonly cancel: string;
  /** The sentence that says how the access ends, with its hours without use. */
  readonly endOfAccess: (hours: number) => string;
  /** The text after a refusal, and of errors. */
  readonly unchanged: string;
  // The page that returns to the application has these strings.
  /** The title of the page. */
  readonly returning: (app: string) => string;
  /** The sentence about the link. */
  readonly returnText: string;
  /** The link. */
  readonly returnLink: (app: string) => string;
  /** The title of error pages. */
  readonly error: string;
  /**
   * The strings of the pages for devices, which only `deviceGrant()` shows.
   *
   * @default {englishDevice}
   */
  readonly device?: DeviceMessages;
  /** The sentences of error pages. */
  readonly errors: Readonly<Record<ErrorReason, string>>;
}
