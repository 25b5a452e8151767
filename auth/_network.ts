import { ADDRESS_HEADERS, MAX_FORWARDING_HEADER } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** Networks that no client on the internet has an address of (RFC 6890). */
const privateNetworks =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0:0:0:0|f[cd]|fe[89ab])/;

/**
 * Returns the network that an address is counted as: an IPv4 address is one
 * client, of IPv6 addresses a client has a whole /64.
 */
export function networkOf(address: string): string {
  const groups = groupsOf(address);
  return typeof groups === "string" ? groups : groups.slice(0, 4).join(":");
}

/**
 * Returns the /48 of an IPv6 address, which is the most that one customer
 * usually gets (RFC 6177); `null` for any other address.
 */
export function addressBlockOf(address: string): string | null {
  const groups = groupsOf(address);
  return typeof groups === "string" ? null : groups.slice(0, 3).join(":");
}

/**
 * Returns `true` if a request comes through a proxy that the router was not
 * told of, so that its clients cannot be told apart by their address.
 *
 * A peer with a public address that sends such headers is taken for a client
 * that forges them; so is one that names itself. If the router believed a
 * header, that header lists the address.
 */
export function isUndeclaredProxy(
  { request }: RequestContext,
  address: string,
): boolean {
  if (!privateNetworks.test(networkOf(address))) return false;
  const values = ADDRESS_HEADERS.map((name) => request.headers.get(name))
    .filter((value) => value !== null);
  if (values.length === 0) return false;
  const own = wholeAddress(address);
  return !values.some((value) => listedAddresses(value).includes(own));
}

/**
 * Returns the addresses that a forwarding header lists, whose items are
 * addresses, with a port or not, or the pairs of `Forwarded` (RFC 7239).
 */
function listedAddresses(value: string): string[] {
  // What comes after that was not read by the router either.
  return value.slice(-MAX_FORWARDING_HEADER).split(/[,;]/).map((item) => {
    const [, text = ""] = /^\s*(?:for=)?"?([^"\s]*)"?\s*$/i.exec(item) ?? [];
    const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
    return wholeAddress(bracketed ?? text.replace(/^([\d.]+):\d+$/, "$1"));
  });
}

/** Spells equal addresses equally. */
function wholeAddress(address: string): string {
  const groups = groupsOf(address);
  return typeof groups === "string" ? groups : groups.join(":");
}

/** The groups of an IPv6 address; any other address as it is, up to a length. */
function groupsOf(address: string): string | string[] {
  if (!address.includes(":")) return address.slice(0, 64);
  const [bare] = address.split("%");
  const host = URL.parse(`http://[${bare}]/`)?.hostname;
  if (host === undefined) return address.slice(0, 64);
  const groups = expand(host.slice(1, -1));
  const [high, low] = groups.slice(6).map((group) => parseInt(group, 16));
  // An IPv4 address in an IPv6 one (RFC 4291, section 2.5.5.2).
  return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? [high! >> 8, high! & 255, low! >> 8, low! & 255].join(".")
    : groups;
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
