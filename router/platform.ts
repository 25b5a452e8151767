import { type ContextKey, createContextKey } from "./context_key.ts";

/**
 * The key of what the runtime passed beside the request: Deno's info, Bun's
 * server, or the `env` and `ctx` of Workers. Empty where nothing was passed.
 */
export const Platform: ContextKey<readonly unknown[]> =
  /* @__PURE__ */ createContextKey<readonly unknown[]>(
    /* @__PURE__ */ Object.freeze([]),
    { name: "Platform" },
  );

/**
 * Reads the address of the peer out of what the runtime passed.
 *
 * Trust: Deno and Bun tell the address of the socket. On Workers there is none,
 * and the edge itself writes `CF-Connecting-IP`; the header is not looked at
 * anywhere else.
 */
export function peerAddress(
  request: Request,
  platform: readonly unknown[],
): string | undefined {
  const first = platform[0];
  if (isObject(first)) {
    if ("remoteAddr" in first) return hostnameOf(first.remoteAddr);
    if (typeof first.requestIP === "function") {
      return addressOf(first.requestIP(request));
    }
  }
  const second = platform[1];
  if (isObject(second) && typeof second.waitUntil === "function") {
    return request.headers.get("CF-Connecting-IP") ?? undefined;
  }
  return undefined;
}

function hostnameOf(address: unknown): string | undefined {
  return isObject(address) && typeof address.hostname === "string"
    ? address.hostname
    : undefined;
}

function addressOf(address: unknown): string | undefined {
  return isObject(address) && typeof address.address === "string"
    ? address.address
    : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
