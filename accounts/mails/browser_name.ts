const BROWSERS = [
  ["Edge", /\bEdg/],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
] as const;

const SYSTEMS = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
] as const;

/**
 * Returns a browser and a system in words, such as `Firefox on Linux`, or
 * `undefined`. The words never come from the header, because a client can send
 * any header.
 */
export function browserName(userAgent: string | null): string | undefined {
  const agent = userAgent?.slice(0, 500) ?? "";
  const find = (known: readonly (readonly [string, RegExp])[]) =>
    known.find(([, pattern]) => pattern.test(agent))?.[0];
  const names = [find(BROWSERS), find(SYSTEMS)].filter(Boolean);
  return names.length === 0 ? undefined : names.join(", ");
}
