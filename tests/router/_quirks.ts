/** What a runtime's own URLPattern does otherwise than the standard says. */
export interface Quirk {
  /** What it does. */
  readonly what: string;
  /** The runtimes that do it, as `navigator.userAgent` begins. */
  readonly on: readonly string[];
  /** Whether this runtime does it. */
  readonly isHere: () => boolean;
  /** Whether it changes what a pattern matches. */
  readonly affects: (pattern: string) => boolean;
}

/**
 * Where the runtimes differ among themselves. The comparisons leave such
 * patterns out where the quirk is.
 */
export const QUIRKS: readonly Quirk[] = [
  {
    what: "a slash in a class of a regexp group must be escaped (flag v)",
    on: ["Bun", "Cloudflare-Workers"],
    isHere: () => !isPattern("/([^/]+?)"),
    affects: (pattern) => pattern.includes("[^/]"),
  },
  {
    what: "a regexp group may be empty",
    on: ["Bun"],
    isHere: () => isPattern("/()"),
    affects: (pattern) => pattern.includes("()"),
  },
  {
    what: "escaped # and ? cut off the rest of a text",
    on: ["Cloudflare-Workers"],
    isHere: () => !matches("/\\#a", "https://example.com/%23a"),
    affects: (pattern) => /\\[#?]/.test(pattern),
  },
  {
    what: "an escaped backslash does not become a slash",
    on: ["Cloudflare-Workers"],
    isHere: () => !matches("/\\\\a", "https://example.com/\\a"),
    affects: (pattern) => pattern.includes("\\\\"),
  },
  {
    what: "a space at the end of a text is lost",
    on: ["Cloudflare-Workers"],
    isHere: () => !matches("/a ", "https://example.com/a%20"),
    affects: (pattern) => pattern.includes(" "),
  },
];

/** A pattern with classes that all runtimes accept. */
export function escapeClasses(pattern: string): string {
  return pattern.replace(/(?<=\[[^\]]*)(?<!\\)-(?=\])/g, "\\-")
    .replaceAll("[^/]", "[^\\/]");
}

function isPattern(pathname: string): boolean {
  try {
    new URLPattern({ pathname });
    return true;
  } catch {
    return false;
  }
}

function matches(pathname: string, url: string): boolean {
  return new URLPattern({ pathname }).test(url);
}

/** Whether this runtime reads a pattern otherwise than others do. */
export function isQuirky(pattern: string): boolean {
  return QUIRKS.some(({ isHere, affects }) => affects(pattern) && isHere());
}
