import { peerAddress } from "./platform.ts";

/**
 * Which hops in front of the server are ours: how many, or their addresses, as
 * RFC 5952 writes them (`2001:db8::1`) and no ranges. Only what they say about
 * the client in `X-Forwarded-For` is believed.
 */
export type TrustedProxies = number | readonly string[];

/** The longest `X-Forwarded-For` that is read. */
const longestHeader = 4096;

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
  const hops = header.slice(-longestHeader).split(",");
  if (header.length > longestHeader) hops.shift();
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
