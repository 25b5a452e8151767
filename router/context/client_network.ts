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
 * Returns the blocks of IPv6 addresses that one customer may have: the /64, the
 * /56 and the /48 (RFC 6177). Any other address is the only block.
 */
export function addressBlocksOf(address: string): string[] {
  const groups = groupsOf(address);
  if (typeof groups === "string") return [groups];
  const [first, second, third, fourth] = groups;
  const block = `${first}:${second}:${third}`;
  const high = parseInt(fourth!, 16) >> 8;
  return [`${block}:${fourth}`, `${block}:${high.toString(16)}/56`, block];
}

/** Networks without addresses on the internet (RFC 6890). */
const PRIVATE_NETWORKS =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0:0:0:0|f[cd]|fe[89ab])/;

/**
 * Returns `true` for a network of {@linkcode networkOf} that is not on the
 * internet, such as that of a proxy.
 */
export function isPrivateNetwork(network: string): boolean {
  return PRIVATE_NETWORKS.test(network);
}

/** Returns an address in its canonical form. */
export function canonicalAddress(address: string): string {
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
  // These groups are an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
  return groups.join(":").startsWith("0:0:0:0:0:ffff:")
    ? [high! >> 8, high! & 255, low! >> 8, low! & 255].join(".")
    : groups;
}

/** Returns all eight groups of an IPv6 address from its shortened form. */
function expand(address: string): string[] {
  const zeros = "0:".repeat(8 - split(address).length);
  return split(address.replace("::", `:${zeros}`));
}

function split(address: string): string[] {
  return address.split(":").filter((group) => group !== "");
}
