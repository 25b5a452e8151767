import {
  ADDRESS_HEADERS,
  MAX_FORWARDING_HEADER,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";

/** Networks without addresses on the internet (RFC 6890). */
const PRIVATE_NETWORKS =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0:0:0:0|f[cd]|fe[89ab])/;

/**
 * Returns the network that counts as one client: a single IPv4 address, or the
 * /64 of an IPv6 address.
 */
export function networkOf(address: string): string {
  const groups = groupsOf(address);
  return typeof groups === "string" ? groups : groups.slice(0, 4).join(":");
}

/**
 * Returns the /48 of an IPv6 address, the largest block that one customer
 * usually gets (RFC 6177). Returns `null` for any other address.
 */
export function addressBlockOf(address: string): string | null {
  const groups = groupsOf(address);
  return typeof groups === "string" ? null : groups.slice(0, 3).join(":");
}

/**
 * Returns `true` if a request comes through a proxy that `trustedProxies` does
 * not declare, so that all its clients have the same address.
 *
 * A peer with a public address counts as a client that forges the headers. If a
 * header lists the address itself, either the router believed the header or the
 * client names itself.
 */
export function isUndeclaredProxy(
  { request }: RequestContext,
  address: string,
): boolean {
  if (!PRIVATE_NETWORKS.test(networkOf(address))) return false;
  const values = ADDRESS_HEADERS.map((name) => request.headers.get(name))
    .filter((value) => value !== null);
  if (values.length === 0) return false;
  const own = wholeAddress(address);
  return !values.some((value) => listedAddresses(value).includes(own));
}

/**
 * Returns the addresses in a forwarding header. Its items are addresses, with
 * or without a port, or the pairs of `Forwarded` (RFC 7239).
 */
function listedAddresses(value: string): string[] {
  // The router does not read a longer header either.
  return value.slice(-MAX_FORWARDING_HEADER).split(/[,;]/).map((item) => {
    const [, name = ""] = /^\s*(?:for=)?"?([^"\s]*)"?\s*$/i.exec(item) ?? [];
    const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(name) ?? [];
    return wholeAddress(bracketed ?? name.replace(/^([\d.]+):\d+$/, "$1"));
  });
}

/** Returns an address in its canonical form. */
function wholeAddress(address: string): string {
  const groups = groupsOf(address);
  return typeof groups === "string" ? groups : groups.join(":");
}

/** Returns the groups of an IPv6 address, or the start of any other address. */
function groupsOf(address: string): string | string[] {
  if (!address.includes(":")) return address.slice(0, 64);
  const [bare] = address.split("%");
  const host = URL.parse(`http://[${bare}]/`)?.hostname;
  if (host === undefined) return address.slice(0, 64);
  const groups = expand(host.slice(1, -1));
  const [high, low] = groups.slice(6).map((group) => parseInt(group, 16));
  // IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
  return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? [high! >> 8, high! & 255, low! >> 8, low! & 255].join(".")
    : groups;
}

/** Returns all eight groups of an IPv6 address from its shortened form. */
function expand(address: string): string[] {
  const [head, tail] = address.split("::").map((half) =>
    half === "" ? [] : half.split(":")
  );
  if (tail === undefined) return head;
  const zeros = Array(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail];
}
