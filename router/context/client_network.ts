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
  // IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
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
