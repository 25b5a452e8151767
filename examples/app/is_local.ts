import type { RequestContext } from "@gatehouse/web/fetch-router";

/**
 * Returns `true` if the browser is on this computer. A proxy in front would make
 * every visitor look like that.
 */
export function isLocal(
  { remoteAddress = "", headers }: RequestContext,
): boolean {
  return ["127.0.0.1", "::1"].includes(remoteAddress) &&
    !headers.has("Forwarded") && !headers.has("X-Forwarded-For");
}
