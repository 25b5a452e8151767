import { peerAddress } from "./platform.ts";

/**
 * Which hops in front of the server are ours: how many, or their addresses.
 * Only what they say about the client in `X-Forwarded-For` is believed.
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
  const socket = peerAddress(request, platform);
  const peer = socket === undefined ? undefined : unmapped(socket);
  if (trusted === 0) return peer;
  const header = request.headers.get("X-Forwarded-For");
  if (header === null) return peer;
  // The end is what our own proxies wrote; anyone can make the beginning long.
  const hops = header.slice(-longestHeader).split(",");
  if (header.length > longestHeader) hops.shift();
  let address = peer;
  for (let steps = 0; hops.length > 0; steps++) {
    const ours = typeof trusted === "number"
      ? steps < trusted
      : trusted.some((proxy) => unmapped(proxy) === address);
    if (!ours) return address;
    const next = addressOf(hops.pop()!.trim());
    if (next === undefined) return address;
    address = next;
  }
  return address;
}

/**
 * The address in one entry of the header, without the port that some proxies
 * add: else every connection would be a client of its own.
 */
function addressOf(text: string): string | undefined {
  const [, bracketed, v4] =
    /^(?:\[([\da-f:.]{2,45})\](?::\d{1,5})?|((?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?)$/i
      .exec(text) ?? [];
  const address = bracketed ?? v4 ?? text;
  const host = address.includes(":") ? `[${address}]` : address;
  const isAddress = /^[\da-f:.]{2,45}$/i.test(address) &&
    (v4 !== undefined || address.includes(":")) &&
    URL.canParse(`http://${host}/`);
  return isAddress ? unmapped(address) : undefined;
}

/** An IPv4 address as itself, which sockets for both versions write as IPv6. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=(?:\d+\.){3}\d+$)/i, "");
}
