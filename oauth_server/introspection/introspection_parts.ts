import type { RequestContext } from "../../router/mod.ts";
import type { Settings } from "../settings.ts";

/** The methods of authentication, of which `none` is not one. */
export const INTROSPECTION_METHODS: readonly string[] = [
  "private_key_jwt",
  "client_secret_basic",
];

/** Answers the endpoint. A server without it does not bundle the function. */
export type AnswerIntrospection = (
  settings: Settings,
  context: RequestContext,
) => Promise<Response>;
