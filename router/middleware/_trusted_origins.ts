import type { RequestContext } from "../mod.ts";

/**
 * The origins that an application trusts: an array of origins and patterns, or a
 * function that returns `true` for an origin it trusts.
 *
 * In a pattern, `*` stands for one label before the host, or for any port:
 * `https://*.app.example`, `http://localhost:*`. The origin `null` of sandboxed
 * frames and local files is never trusted, and the function is not called for
 * it.
 */
export type TrustedOrigins =
  | readonly string[]
  | ((origin: string, context: RequestContext) => boolean);

/** Returns `true` if the origin of a request is trusted. */
type OriginCheck = (origin: string | null, context: RequestContext) => boolean;

/**
 * Creates a function that checks origins.
 *
 * @throws {TypeError} If an origin or a pattern is invalid.
 */
export function createOriginCheck(trusted: TrustedOrigins): OriginCheck {
  if (typeof trusted === "function") {
    // An async function returns a promise, which must not count as trust.
    return (origin, context) =>
      origin !== null && isOrigin(origin) &&
      trusted(origin, context) === true;
  }
  const patterns = [...trusted].map(createPattern);
  return (origin) =>
    origin !== null && patterns.some((pattern) => pattern.test(origin));
}

/** An origin as browsers serialize it, but not `null`. */
const ORIGIN = /^[\w+.-]+:\/\/[\w.:[\]-]+$/;

/**
 * Returns `true` if the application's function can parse an origin. The origins
 * of extensions have another scheme, for which `URL.origin` is `"null"`.
 */
function isOrigin(origin: string): boolean {
  if (!ORIGIN.test(origin)) return false;
  const { host, protocol } = URL.parse(origin) ?? {};
  return `${protocol}//${host}` === origin;
}

/** A label before a host, but not before a top-level domain. */
const ANY_LABEL = /\/\/\*\.(?=localhost(?::|$)|[^.]+\.\w)/;

/** Returns the pattern of an origin, in which `*` stands for a label or a port. */
function createPattern(origin: string): RegExp {
  const sample = origin.replace(ANY_LABEL, "//x.").replace(/:\*$/, ":1");
  checkOrigin(sample, origin);
  // Browsers leave the default port out, so "any port" must match its absence
  // too.
  const source = origin.replace(/\W/g, "\\$&")
    .replace(/\\:\\\*$/, "(?:\\:\\d+)?").replaceAll("\\*", "[\\w-]+");
  return new RegExp(`^${source}$`);
}

/**
 * Checks that a string is an origin.
 *
 * @param origin The origin.
 * @param source The pattern, if the origin is a sample of one.
 * @throws {TypeError} If it is not an origin.
 */
export function checkOrigin(origin: string, source: string = origin): void {
  if (URL.parse(origin)?.origin !== origin || origin.includes("*")) {
    throw new TypeError(
      `Cannot trust origin "${source}": it is not of the form "https://host"`,
    );
  }
}
