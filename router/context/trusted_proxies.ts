/**
 * The trusted proxies in front of the server: their number, or their addresses and
 * ranges, such as `10.0.0.0/8` and `2001:db8::/32`. `X-Forwarded-For` headers of
 * other peers are ignored.
 */
export type TrustedProxies = number | readonly string[];

/** The first bits of an address of 128 bits, as all addresses are compared. */
interface AddressRange {
  readonly prefix: bigint;
  readonly length: number;
}

/** The ranges of each array, so that an array is parsed once. */
const parsed = /* @__PURE__ */ new WeakMap<
  readonly string[],
  readonly AddressRange[]
>();

/**
 * Parses addresses and ranges.
 *
 * @throws {TypeError} If one of them is neither an address nor a range.
 */
export function parseProxies(
  proxies: readonly string[],
): readonly AddressRange[] {
  let ranges = parsed.get(proxies);
  if (ranges === undefined) parsed.set(proxies, ranges = proxies.map(rangeOf));
  return ranges;
}

/** Returns `true` if an address is one of the proxies, in any spelling. */
export function isProxy(
  proxies: readonly string[],
  address: string | undefined,
): boolean {
  const bits = address === undefined ? null : parseAddress(address);
  return bits !== null &&
    parseProxies(proxies).some((range) =>
      firstBits(bits, range.length) === range.prefix
    );
}

function rangeOf(text: string): AddressRange {
  const [, address = "", size] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = parseAddress(address);
  const isV6 = address.includes(":");
  // An IPv4 address is compared as the IPv6 address that it is mapped to.
  const length = size === undefined
    ? 128
    : Number(size) + (isV6 ? 0 : MAPPED_LENGTH);
  const prefix = bits === null ? 0n : firstBits(bits, length);
  const reason = bits === null
    ? "it is no IP address or range, such as 10.0.0.0/8"
    : length > 128
    ? "the range is longer than an address"
    : prefix << BigInt(128 - length) !== bits
    ? "the address has bits after the range"
    : undefined;
  if (reason === undefined) return { prefix, length };
  throw new TypeError(`Cannot trust proxy "${text.slice(0, 64)}": ${reason}`);
}

/** The length of the prefix `::ffff:0:0/96` of IPv4-mapped IPv6 addresses. */
const MAPPED_LENGTH = 96;

function firstBits(bits: bigint, length: number): bigint {
  return bits >> BigInt(128 - Math.min(length, 128));
}

/** Returns an address as a number of 128 bits, or `null` if it is malformed. */
function parseAddress(text: string): bigint | null {
  // The URL standard also reads "10.1" and "0x7f000001" as IPv4 addresses.
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) {
    const parts = text.split(".");
    if (parts.some((part) => Number(part) > 255 || /^0./.test(part))) {
      return null;
    }
    return parts.reduce((bits, part) => bits << 8n | BigInt(part), 0xffffn);
  }
  const [bare = ""] = text.split("%");
  if (bare.length > 45 || !/^[\da-f:.]*:[\da-f:.]*$/i.test(bare)) return null;
  const host = URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return null;
  const [head = [], tail = []] = host.split("::").map(groupsOf);
  const zeros = Array(8 - head.length - tail.length).fill("0");
  const groups = [...head, ...zeros, ...tail];
  return groups.reduce<bigint>(
    (bits, group) => bits << 16n | BigInt(`0x${group}`),
    0n,
  );
}

function groupsOf(text: string): string[] {
  return text.split(":").filter((group) => group !== "");
}
