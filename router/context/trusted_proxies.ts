import { canonicalAddress } from "./client_network.ts";

/**
 * The trusted proxies in front of the server: their number, or their addresses and
 * ranges, such as `10.0.0.0/8` and `2001:db8::/32`. `X-Forwarded-For` headers of
 * other peers are ignored.
 */
export type TrustedProxies = number | readonly string[];

/** The first bits of each address or range, for each array that was parsed. */
const parsed = /* @__PURE__ */ new WeakMap<
  readonly string[],
  readonly string[]
>();

/**
 * Parses addresses and ranges.
 *
 * @returns The first bits of each one.
 * @throws {TypeError} If one of them is neither an address nor a range.
 */
export function parseProxies(proxies: readonly string[]): readonly string[] {
  let prefixes = parsed.get(proxies);
  if (!prefixes) parsed.set(proxies, prefixes = proxies.map(prefixOf));
  return prefixes;
}

/** Returns `true` if an address is one of the proxies, in any spelling. */
export function isProxy(
  proxies: readonly string[],
  address: string | undefined,
): boolean {
  const bits = address && bitsOf(address);
  return !!bits &&
    parseProxies(proxies).some((prefix) => bits.startsWith(prefix));
}

function prefixOf(text: string): string {
  const [, address = "", size] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = bitsOf(address);
  // Both kinds are compared as IPv6 addresses: an IPv4 address counts as the
  // one that it is mapped to.
  const skipped = address.includes(":") ? 0 : MAPPED.length;
  const length = size === undefined ? 128 : Number(size) + skipped;
  if (bits && length <= 128 && !bits.includes("1", length)) {
    return bits.slice(0, length);
  }
  throw new TypeError(
    `Cannot trust proxy "${
      text.slice(0, 64)
    }": it is neither an IP address nor the first address of a range, such as "10.0.0.0/8"`,
  );
}

/** The beginning of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
const MAPPED = /* @__PURE__ */ "1".repeat(16).padStart(96, "0");

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV6 = /^(?:[\da-f]{1,4}:){7}[\da-f]{1,4}$/;

/** Returns the 128 bits of an address, or `null` if it is malformed. */
function bitsOf(text: string): string | null {
  const address = canonicalAddress(text);
  const toBits = (part: string, radix: number, size: number) =>
    parseInt(part, radix).toString(2).padStart(size, "0");
  if (IPV4.test(address)) {
    const parts = address.split(".").map((part) => toBits(part, 10, 8));
    return MAPPED + parts.join("");
  }
  if (!IPV6.test(address)) return null;
  return address.split(":").map((part) => toBits(part, 16, 16)).join("");
}
