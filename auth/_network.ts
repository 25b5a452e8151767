import type { RequestContext } from "../router/mod.ts";

/** The headers in which proxies tell what they know of the client. */
const forwardingHeaders = [
  "X-Forwarded-For",
  "Forwarded",
  "X-Real-IP",
  "CF-Connecting-IP",
];

/** Networks that no client on the internet has an address of (RFC 6890). */
const privateNetworks =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0:0:0:0|f[cd]|fe[89ab])/;

/**
 * The network that an address is counted as: an IPv4 address is one client, of
 * IPv6 addresses a client has a whole /64.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address.slice(0, 64);
  const [bare] = address.split("%");
  const host = URL.parse(`http://[${bare}]/`)?.hostname;
  if (host === undefined) return address.slice(0, 64);
  const groups = expand(host.slice(1, -1));
  const [high, low] = groups.slice(6).map((group) => parseInt(group, 16));
  // An IPv4 address in IPv6 clothes (RFC 4291, section 2.5.5.2).
  return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? [high >> 8, high & 255, low >> 8, low & 255].join(".")
    : groups.slice(0, 4).join(":");
}

/**
 * Whether a request comes through a proxy that the router was not told of: its
 * clients can't be told apart by their address.
 *
 * A peer with a public address that sends such headers is taken for a client
 * which forges them; so is one that names itself. Where the router believed a
 * header, the address is what that header says.
 */
export function isUndeclaredProxy(
  { request }: RequestContext,
  address: string,
): boolean {
  if (!privateNetworks.test(networkOf(address))) return false;
  const values = forwardingHeaders.map((name) => request.headers.get(name))
    .filter((value) => value !== null);
  return values.length > 0 && !values.some((value) => value.includes(address));
}

/** All eight groups of an IPv6 address that the URL parser has shortened. */
function expand(address: string): string[] {
  const [head, tail] = address.split("::").map((half) =>
    half === "" ? [] : half.split(":")
  );
  if (tail === undefined) return head;
  const zeros = Array(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail];
}
