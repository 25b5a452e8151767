// Checks host names and addresses. The length is checked first, which bounds
// the time.

const HOSTNAME = /^[a-z\d]+(?:-+[a-z\d]+)*(?:\.[a-z\d]+(?:-+[a-z\d]+)*)*$/i;
const LONG_LABEL = /[^.]{64}/;

/**
 * Returns `true` for a host name of RFC 1123, section 2.1, within the lengths of
 * RFC 1035, section 2.3.4.
 */
export function isHostname(value: string): boolean {
  return value.length < 254 && HOSTNAME.test(value) && !LONG_LABEL.test(value);
}

const BYTE = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/**
 * Returns `true` for four decimal numbers. Leading zeros are invalid, because
 * some parsers read them as octal.
 */
export function isIPv4(value: string): boolean {
  if (value.length > 15) return false;
  const bytes = value.split(".");
  return bytes.length === 4 && bytes.every((byte) => BYTE.test(byte));
}

const GROUP = /^[\da-f]{1,4}$/i;

/**
 * Returns `true` for an IPv6 address of RFC 4291, section 2.2: eight groups, at
 * most one `::` for a run of zeros, and optionally IPv4 at the end.
 */
export function isIPv6(value: string): boolean {
  if (value.length > 45) return false;
  const halves = value.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => half === "" ? [] : half.split(":"));
  const last = groups.at(-1)!;
  let count = 0;
  if (last.length > 0 && last.at(-1)!.includes(".")) {
    if (!isIPv4(last.pop()!)) return false;
    count = 2;
  }
  for (const group of groups.flat()) {
    if (!GROUP.test(group)) return false;
    count++;
  }
  return halves.length === 2 ? count < 8 : count === 8;
}
