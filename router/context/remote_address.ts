import { peerAddress } from "./platform.ts";
import { isProxy, type TrustedProxies } from "./trusted_proxies.ts";

export type { TrustedProxies };

/** The headers in which proxies pass the address of the client. */
export const ADDRESS_HEADERS: readonly string[] = [
  "X-Forwarded-For",
  "Forwarded",
  "X-Real-IP",
  "CF-Connecting-IP",
];

/** The headers that proxies add to a request. */
export const FORWARDING_HEADERS: readonly string[] = /* @__PURE__ */
  ADDRESS_HEADERS.concat("X-Forwarded-Proto", "X-Forwarded-Host", "Via");

/** The longest part of a forwarding header that is read, in characters. */
export const MAX_FORWARDING_HEADER = 4096;

/** Returns `true` for a hostname or an address of the machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

/**
 * Returns the client's address, going back from the socket through the trusted
 * proxies.
 */
export function clientAddress(
  request: Request,
  platform: readonly unknown[],
  trusted: TrustedProxies,
): string | undefined {
  let address = peerAddress(request, platform)?.replace(MAPPED, "");
  if (trusted === 0) return address;
  const header = request.headers.get("X-Forwarded-For") ?? "";
  // Our own proxies append to the end, while any client can make the beginning
  // long.
  const hops = header.slice(-MAX_FORWARDING_HEADER).split(",");
  if (header.length > MAX_FORWARDING_HEADER) hops.shift();
  for (const [steps, hop] of hops.reverse().entries()) {
    const isTrusted = typeof trusted === "number"
      ? steps < trusted
      : isProxy(trusted, address);
    const next = isTrusted ? addressOf(hop.trim()) : undefined;
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/**
 * Returns the address in one entry of the header, without the port that some
 * proxies add. With the port, every connection would count as a new client.
 */
function addressOf(text: string): string | undefined {
  const [, v4, bracketed, plain] =
    /^(?:((?:\d{1,3}\.){3}\d{1,3})|\[([\da-f:.]+)\])(?::\d{1,5})?$|^([\da-f:.]+)$/i
      .exec(text) ?? [];
  const address = v4 ?? bracketed ?? plain ?? "";
  return URL.canParse(`http://${v4 ?? `[${address}]`}/`)
    ? address.replace(MAPPED, "")
    : undefined;
}

/** The prefix of IPv4 addresses on sockets for both versions of IP. */
const MAPPED = /^::ffff:(?=(?:\d+\.){3}\d+$)/i;
