/** A kind of application. Its code is the same on every runtime. */
export interface Template {
  /** The beginning of a sentence, without a period. */
  readonly summary: string;
  /** The source files, by path. `app.ts` exports `createApp`. */
  readonly sources: Readonly<Record<string, string>>;
  /**
   * `true` if the users have accounts: `createApp` takes them instead of a database,
   * and `accountOptions` has their options.
   */
  readonly hasAccounts: boolean;
  /**
   * The SQL that creates the tables, or `null` without a database. The tables of
   * accounts create themselves.
   */
  readonly tables: string | null;
  /**
   * The database of the accounts.
   *
   * @default {"sqlite"}
   */
  readonly database?: "postgres";
  /** The options of `createApp` that come from the environment. */
  readonly options: Readonly<Record<string, string>>;
  /** The secrets that the application reads from its environment. */
  readonly secrets: readonly Secret[];
  /** The imports of the tests, in addition to those of the runtime. */
  readonly testImports: string;
  /** The code that declares the options `secrets` for the tests. */
  readonly testSecrets: string;
  /** The tests. `openClient()` returns a test client of the application. */
  readonly tests: string;
  /** A sentence of the README. */
  readonly note: string;
}

/** A secret in `.env`. */
export interface Secret {
  /** The name in the environment. */
  readonly name: string;
  /** The comment above it in `.env`. */
  readonly comment: string;
  /** Creates a new value. */
  readonly create: () => string;
}
