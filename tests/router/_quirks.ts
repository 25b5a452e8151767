/** A deviation of a runtime's URLPattern from the standard. */
export interface Quirk {
  /** The behavior. */
  readonly behavior: string;
  /** The runtimes with this quirk: the beginnings of `navigator.userAgent`. */
  readonly on: readonly string[];
  /** Returns `true` if this runtime has the quirk. */
  readonly isHere: () => boolean;
  /** Returns `true` if the quirk changes the matches of a pattern. */
  readonly affects: (pattern: string) => boolean;
}

/**
 * The differences between the runtimes. The comparisons skip affected patterns
 * on runtimes with the quirk.
 */
export const QUIRKS: readonly Quirk[] = [
  {
    behavior: "a slash in a class of a regexp group must be escaped (flag v)",
    on: ["Bun", "Cloudflare-Workers", "Node.js"],
    isHere: () => !isPattern("/([^/]+?)"),
    affects: (pattern) => pattern.includes("[^/]"),
  },
  {
    behavior: "a regexp group may be empty",
    on: ["Bun"],
    isHere: () => isPattern("/()"),
    affects: (pattern) => pattern.includes("()"),
  },
  {
    behavior: "escaped # and ? cut off the rest of a path",
    // Node since 24.20 does not.
    on: ["Cloudflare-Workers", "Node.js/24"],
    isHere: () => !matches("/\\#a", "https://example.com/%23a"),
    affects: (pattern) => /\\[#?]/.test(pattern),
  },
  {
    behavior: "an escaped backslash does not become a slash",
    on: ["Cloudflare-Workers", "Node.js"],
    isHere: () => !matches("/\\\\a", "https://example.com/\\a"),
    affects: (pattern) => pattern.includes("\\\\"),
  },
  {
    behavior: "a space at the end of a path is lost",
    // Node since 24.20 does not.
    on: ["Cloudflare-Workers", "Node.js/24"],
    isHere: () => !matches("/a ", "https://example.com/a%20"),
    affects: (pattern) => pattern.includes(" "),
  },
];

/** Escapes character classes so that all runtimes accept them. */
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

/** Returns `true` if this runtime has a quirk that affects a pattern. */
export function isQuirky(pattern: string): boolean {
  return QUIRKS.some(({ isHere, affects }) => affects(pattern) && isHere());
}
