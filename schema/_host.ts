// Host names and addresses. Lengths come first, so that no text takes long.

const HOSTNAME = /^[a-z\d]+(?:-+[a-z\d]+)*(?:\.[a-z\d]+(?:-+[a-z\d]+)*)*$/i;
const LONG_LABEL = /[^.]{64}/;

/** RFC 1123, section 2.1, and the lengths of RFC 1035, section 2.3.4. */
export function isHostname(text: string): boolean {
  return text.length < 254 && HOSTNAME.test(text) && !LONG_LABEL.test(text);
}

const BYTE = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/** Four decimal numbers. Leading zeros are octal to some, so they do not pass. */
export function isIPv4(text: string): boolean {
  if (text.length > 15) return false;
  const bytes = text.split(".");
  return bytes.length === 4 && bytes.every((byte) => BYTE.test(byte));
}

const GROUP = /^[\da-f]{1,4}$/i;

/** RFC 4291, section 2.2: eight groups, one run of zeros as `::`, IPv4 last. */
export function isIPv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
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
