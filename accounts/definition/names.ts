import type { StandardSchemaV1 } from "../../schema/mod.ts";

/**
 * A field of an account that the application defines.
 *
 * @typeParam Output The type of its values: JSON.
 */
export interface AccountField<Output = unknown> {
  /** Checks the value of a form or of a JSON request. */
  readonly schema: StandardSchemaV1<unknown, Output>;
  /** The label of the input, or a label for each language, such as `en`. */
  readonly label: string | Readonly<Record<string, string>>;
  /**
   * The input on the profile page. An array of strings is a select.
   *
   * @default {"text"}
   */
  readonly input?:
    | "text"
    | "tel"
    | "url"
    | "date"
    | "checkbox"
    | readonly string[];
  /**
   * Decides who writes the field. A form or a JSON request of a user never
   * writes a field of the application.
   *
   * @default {"user"}
   */
  readonly by?: "user" | "application";
}

/** The names of an application: its fields, roles, scopes and paths. */
export interface Names {
  /**
   * The additional fields of an account.
   *
   * @default {no fields}
   */
  readonly fields?: Readonly<Record<string, AccountField>>;
  /**
   * All roles. New accounts have the first one.
   *
   * @default {["user", "admin"]}
   */
  readonly roles?: readonly string[];
  /**
   * All scopes of API keys. Without them there are no API keys. A login in a browser
   * has all scopes.
   *
   * @default {no API keys}
   */
  readonly scopes?: readonly string[];
  /**
   * All roles in teams: at least two, the owner's role first. Without them
   * there are no teams.
   *
   * @default {no teams}
   */
  readonly teamRoles?: readonly string[];
  /**
   * The paths of the pages.
   *
   * @default {"/login", "/register", "/account", "/teams" and "/admin"}
   */
  readonly paths?: AccountPaths;
}

/** The paths of the pages. Links and redirects follow them. */
export interface AccountPaths {
  /**
   * The login page, and the prefix of the other pages for visitors.
   *
   * @default {"/login"}
   */
  readonly login?: string;
  /**
   * The registration page.
   *
   * @default {"/register"}
   */
  readonly register?: string;
  /**
   * The account page, and the prefix of the other pages for users.
   *
   * @default {"/account"}
   */
  readonly account?: string;
  /**
   * The page of the teams, and the prefix of the pages of each team.
   *
   * @default {"/teams"}
   */
  readonly teams?: string;
  /**
   * The page of the accounts, and the prefix of the other pages for
   * administrators.
   *
   * @default {"/admin"}
   */
  readonly admin?: string;
}

/**
 * The items of an array type, or a default.
 *
 * @typeParam List The array, or `undefined`.
 * @typeParam Otherwise The type if there is no array.
 */
export type ItemOf<List, Otherwise> = List extends readonly (infer Item)[]
  ? Item
  : Otherwise;

/**
 * The roles of an application.
 *
 * @typeParam N The names of the application.
 */
export type RoleOf<N extends Names> = ItemOf<N["roles"], "user" | "admin">;

/**
 * The scopes of an application.
 *
 * @typeParam N The names of the application.
 */
export type ScopeOf<N extends Names> = ItemOf<N["scopes"], never>;

/**
 * The roles in teams of an application.
 *
 * @typeParam N The names of the application.
 */
export type TeamRoleOf<N extends Names> = ItemOf<N["teamRoles"], never>;

/**
 * The values of the additional fields of an account. A field has no value until
 * it is written.
 *
 * @typeParam N The names of the application.
 */
export type FieldsOf<N extends Names> = {
  readonly [Key in keyof N["fields"]]?: N["fields"][Key] extends
    AccountField<infer Output> ? Output : never;
};

/**
 * An account, as `context.get(Auth)` returns it.
 *
 * @typeParam N The names of the application.
 */
export interface Account<N extends Names = Names> {
  /** The id: random, and never used again. */
  readonly id: string;
  /** The email address. */
  readonly email: string;
  /** `true` if the user proved that the address is theirs. */
  readonly emailVerified: boolean;
  /** The name. */
  readonly name: string;
  /** The role. */
  readonly role: RoleOf<N>;
  /** The scopes: all of them, or those of the API key of the request. */
  readonly scopes: readonly ScopeOf<N>[];
  /**
   * The id of the team that the API key of the request belongs to.
   *
   * @default {undefined}
   */
  readonly teamId?: string;
  /** The values of the application's own fields. */
  readonly fields: FieldsOf<N>;
}
