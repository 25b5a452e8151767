import type { ContextEntry, Middleware, Present } from "../../router/mod.ts";
import type { AuthKey } from "../login/user_keys.ts";

/** The middleware of a guard, which guarantees a user. */
export type Guard = Middleware<readonly [ContextEntry<AuthKey, Present>]>;
