import { createContextKey } from "../../router/internal.ts";
import type { ContextKey } from "../../router/mod.ts";
import type { AuthenticatedUser } from "../login/user_keys.ts";
import type { AuthRefusal, AuthScheme } from "./scheme.ts";

/** The result of the `auth` middleware, for the guards that follow it. */
export interface AuthState {
  /** All schemes of the middleware. */
  readonly schemes: readonly AuthScheme<AuthenticatedUser>[];
  /** The schemes that refused the credentials, and their results. */
  readonly refused: ReadonlyMap<AuthScheme<AuthenticatedUser>, AuthRefusal>;
  /** The scheme that authenticated the user. */
  readonly scheme?: AuthScheme<AuthenticatedUser>;
  /** The time of the login in epoch milliseconds, if the scheme knows it. */
  readonly authenticatedAt?: number;
  /** The methods of the login and their times, if the scheme knows them. */
  readonly methods?: Readonly<Record<string, number>> | undefined;
  /** The scopes of the token, if the scheme knows them. */
  readonly scopes?: readonly string[] | undefined;
  /** The authentication context class of the login, if the scheme knows it. */
  readonly acr?: string | undefined;
}

/** The context key of the result. */
export const State: ContextKey<AuthState> = /* @__PURE__ */ createContextKey<
  AuthState
>(
  /* @__PURE__ */ Object.freeze({
    schemes: [],
    refused: new Map<never, never>(),
  }),
  { name: "AuthState" },
);
