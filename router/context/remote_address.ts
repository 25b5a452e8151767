import { peerAddress } from "./platform.ts";

/**
 * Which hops in front of the server are ours: how many, or their addresses, as
 * RFC 5952 writes them (`2001:db8::1`) and no ranges. Only what they say about
 * the client in `X-Forwarded-For` is believed.
 */
export type TrustedProxies = number | readonly string[];

/** The headers in which proxies pass the address of the client. */
export const ADDRESS_HEADERS: readonly string[] = [
  "X-Forwarded-For",
  "Forwarded",
  "X-Real-IP",
  "CF-Connecting-IP",
];

/** The headers that proxies add to a request. */
export const FORWARDING_HEADERS: readonly string[] = [
  ...ADDRESS_HEADERS,
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "Via",
];

/** The longest part of a forwarding header that is read, in characters. */
export const MAX_FORWARDING_HEADER = 4096;

/** Returns `true` for a hostname or an address of the machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

/**
 * Finds the client's address, walking back from the socket through the proxies
 * that are ours.
 */
export function clientAddress(
  request: Request,
  platform: readonly unknown[],
  trusted: TrustedProxies,
): string | undefined {
  let address = peerAddress(request, platform)?.replace(MAPPED, "");
  if (trusted === 0) return address;
  const header = request.headers.get("X-Forwarded-For") ?? "";
  // The end is what our own proxies wrote; anyone can make the beginning long.
  const hops = header.slice(-MAX_FORWARDING_HEADER).split(",");
  if (header.length > MAX_FORWARDING_HEADER) hops.shift();
  for (const [steps, hop] of hops.reverse().entries()) {
    const ours = typeof trusted === "number"
      ? steps < trusted
      : trusted.some((proxy) => proxy.replace(MAPPED, "") === address);
    const next = ours ? addressOf(hop.trim()) : undefined;
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/**
 * The address in one entry of the header, without the port that some proxies
 * add: else every connection would be a client of its own.
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

/** How sockets for both versions of IP begin the address of IPv4. */
const MAPPED = /^::ffff:(?=(?:\d+\.){3}\d+$)/i;
