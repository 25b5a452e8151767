import { type ContextKey, createContextKey } from "../../router/mod.ts";
import type { AuthenticatedUser } from "./auth_key.ts";
import type { AuthScheme } from "./scheme.ts";

/** What the `auth` middleware leaves for the guards behind it. */
export interface AuthState {
  /** The schemes that were asked, or would have been. */
  readonly schemes: readonly AuthScheme<AuthenticatedUser>[];
  /** Those that refused the credentials they found. */
  readonly refused: readonly AuthScheme<AuthenticatedUser>[];
  /** The one that succeeded. */
  readonly winner?: AuthScheme<AuthenticatedUser>;
  /** When the user logged in, where the scheme knows. Epoch milliseconds. */
  readonly authenticatedAt?: number;
}

/** The key of what the guards need to know. */
export const State: ContextKey<AuthState> = /* @__PURE__ */ createContextKey<
  AuthState
>(
  /* @__PURE__ */ Object.freeze({ schemes: [], refused: [] }),
  { name: "AuthState" },
);
