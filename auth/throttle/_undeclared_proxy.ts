import {
  ADDRESS_HEADERS,
  canonicalAddress,
  isPrivateNetwork,
  MAX_FORWARDING_HEADER,
  networkOf,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";

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
  if (!isPrivateNetwork(networkOf(address))) return false;
  const values = ADDRESS_HEADERS.map((name) => request.headers.get(name))
    .filter((value) => value !== null);
  if (values.length === 0) return false;
  const own = canonicalAddress(address);
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
    return canonicalAddress(bracketed ?? name.replace(/^([\d.]+):\d+$/, "$1"));
  });
}
