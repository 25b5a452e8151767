/** The strings of the pages and emails in one language. */
export interface Messages {
  /** The language, for the attribute `lang`. */
  readonly language: string;
  // Words that several pages use.
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly newPassword: string;
  readonly currentPassword: string;
  readonly passwordHint: string;
  readonly code: string;
  readonly codeHint: string;
  readonly save: string;
  readonly back: string;
  readonly cancel: string;
  readonly logIn: string;
  readonly logOut: string;
  readonly register: string;
  readonly error: string;
  readonly correct: (count: number) => string;
  readonly skip: string;
  // Pages for visitors.
  readonly logInTo: (app: string) => string;
  readonly pleaseLogIn: string;
  readonly remember: string;
  readonly forgot: string;
  readonly noAccount: string;
  readonly hasAccount: string;
  readonly registerAt: (app: string) => string;
  readonly checkMail: string;
  readonly codeSent: (email: string) => string;
  readonly continueButton: string;
  readonly proveTitle: string;
  readonly proveText: (email: string) => string;
  readonly otherBrowserTitle: string;
  readonly otherBrowserText: string;
  readonly linkExpiredTitle: string;
  readonly linkExpiredText: string;
  readonly resetTitle: string;
  readonly resetText: string;
  readonly sendLink: string;
  readonly resetSent: string;
  readonly chooseTitle: string;
  readonly chooseText: string;
  readonly changePassword: string;
  readonly resetDone: string;
  readonly loggedOut: string;
  readonly welcome: (name: string) => string;
  readonly deletionCancelled: string;
  // Pages for users.
  readonly account: string;
  readonly profile: string;
  readonly security: string;
  readonly saved: string;
  readonly changeEmail: string;
  readonly newEmail: string;
  readonly emailIs: (email: string) => string;
  readonly emailChanged: string;
  readonly useAddress: string;
  readonly passwordText: string;
  readonly passwordChanged: string;
  readonly confirmTitle: string;
  readonly confirmText: string;
  readonly confirmButton: string;
  readonly deleteTitle: string;
  readonly deleteText: (days: number) => string;
  readonly deleteButton: string;
  readonly deleted: (days: number) => string;
  readonly notMeTitle: string;
  readonly notMeText: string;
  readonly notMeButton: string;
  readonly notMeDone: string;
  // Errors.
  readonly wrongLogin: string;
  readonly wrongPassword: string;
  readonly wrongCode: string;
  readonly disabled: string;
  readonly invalidEmail: string;
  readonly nameMissing: string;
  readonly tooLong: (most: number) => string;
  readonly passwordShort: (least: number) => string;
  readonly passwordCommon: string;
  readonly invalidField: string;
  readonly addressTaken: string;
  readonly wait: (seconds: number) => string;
  // Emails.
  readonly mails: MailMessages;
}

/** The strings of the emails in one language. */
export interface MailMessages {
  readonly requestedBy: (browser: string, time: string) => string;
  readonly unknownBrowser: string;
  readonly orCode: string;
  readonly tenMinutes: string;
  readonly registerSubject: (app: string) => string;
  readonly registerText: (app: string) => string;
  readonly registerButton: string;
  readonly ignore: string;
  readonly takenSubject: (app: string) => string;
  readonly takenText: (app: string) => string;
  readonly resetSubject: (app: string) => string;
  readonly resetText: (app: string) => string;
  readonly resetButton: string;
  readonly resetDoneSubject: (app: string) => string;
  readonly resetDoneText: (app: string, removed: number) => string;
  readonly ifNotYou: string;
  readonly passwordSubject: (app: string) => string;
  readonly passwordText: (app: string) => string;
  readonly resetLink: string;
  readonly changeSubject: (app: string) => string;
  readonly changeText: (app: string) => string;
  readonly changeButton: string;
  readonly changedSubject: (app: string) => string;
  readonly changedText: (app: string, email: string) => string;
  readonly notMeButton: string;
  readonly deleteSubject: (app: string) => string;
  readonly deleteText: (app: string, days: number) => string;
  readonly deleteButton: string;
}
