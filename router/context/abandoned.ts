import { type ContextKey, createContextKey } from "./context_key.ts";

/**
 * The key that is `true` as soon as a middleware has answered the request
 * without its handler, which is still running. The handler's changes would have
 * no response.
 */
export const Abandoned: ContextKey<boolean> = /* @__PURE__ */ createContextKey(
  false,
  { name: "Abandoned" },
);
