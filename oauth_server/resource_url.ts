/**
 * Returns `true` if two URLs name the same resource: their strings are equal, but for
 * the slash of a URL without a path, which many clients add.
 */
export function isSameResource(a: string, b: string): boolean {
  return a === b || withoutSlash(a) === withoutSlash(b);
}

function withoutSlash(resource: string): string {
  const { origin, pathname } = URL.parse(resource) ?? {};
  return pathname === "/" && resource === `${origin}/` ? origin! : resource;
}
