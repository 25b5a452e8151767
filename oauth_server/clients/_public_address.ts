import { canonicalAddress } from "../../router/internal.ts";

/** An IPv4 address in its only form. */
const IPV4 =
  /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** The IPv4 addresses that are not public unicast (IANA, RFC 6890). */
const SPECIAL_IPV4 =
  /^(?:0|10|127|22[4-9]|2[345]\d|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.(?:0\.[02]|31\.196|52\.193|88\.99|168|175\.48)|198\.(?:1[89]|51\.100)|203\.0\.113)\./;

/**
 * The block of public IPv6 addresses, 2000::/3. It excludes the loopback address,
 * local and multicast ones, and those that contain an IPv4 address: `::ffff:0:0/96`,
 * `64:ff9b::/96` and `64:ff9b:1::/48`.
 */
const GLOBAL_IPV6 = /^[23][\da-f]{3}:/;

/**
 * The addresses in this block that are not public unicast (IANA): protocols, Teredo
 * and benchmarks in `2001::/23`, documentation, 6to4, and AS112.
 */
const SPECIAL_IPV6 =
  /^(?:2001:(?:1?[\da-f]{1,2}|db8)|2002|2620:4f:8000|3fff:[\da-f]{1,3}):/;

/**
 * Returns `true` for the address of a host on the internet: IPv4 or IPv6, unicast,
 * and in no network for special purposes. Any other string is not public.
 *
 * @see {@link https://www.iana.org/assignments/iana-ipv6-special-registry/ | IANA, special-purpose addresses}
 */
export function isPublicAddress(address: string): boolean {
  if (IPV4.test(address)) return !SPECIAL_IPV4.test(address);
  // A zone (`%eth0`) belongs to a local address, and dots to an IPv4 address.
  if (!/^[\da-f:]+$/i.test(address)) return false;
  const groups = canonicalAddress(address);
  return GLOBAL_IPV6.test(groups) && !SPECIAL_IPV6.test(groups) &&
    groups.split(":").length === 8;
}

/** A name with a dot. The URL parser turns a number at its end into an address. */
const DOMAIN = /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/;

/** Returns `true` if a hostname of a URL is a name with a dot, not an address. */
export function isDomain(hostname: string): boolean {
  return DOMAIN.test(hostname);
}
