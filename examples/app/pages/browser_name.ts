/** The first that matches names the browser: most claim to be the later ones. */
const browsers = [
  [/\bEdg\//, "Edge"],
  [/\bFirefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
] as const;

const systems = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Returns the common name of a browser that sent this `User-Agent`. */
export function browserName(userAgent: string | undefined): string {
  if (userAgent === undefined) return "Unknown browser";
  const find = (names: typeof browsers | typeof systems) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(browsers) ?? "Unknown browser";
  const system = find(systems);
  return system === undefined ? browser : `${browser} on ${system}`;
}
