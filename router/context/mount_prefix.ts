import { type ContextKey, createContextKey } from "./context_key.ts";

/**
 * The key of the prefix that mounts have removed from the URL: the beginning of
 * the path as the client sees it, or `""`.
 */
export const MountPrefix: ContextKey<string> = /* @__PURE__ */ createContextKey(
  "",
  { name: "MountPrefix" },
);
