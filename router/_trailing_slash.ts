/** The URL with its path's trailing slash taken off or put on. */
export function withOtherSlash(href: string): string | null {
  const url = new URL(href);
  const { pathname } = url;
  if (pathname === "/") return null;
  url.pathname = pathname.endsWith("/")
    ? pathname.slice(0, -1)
    : `${pathname}/`;
  return url.href;
}

/**
 * Sends the client to the other path. By its path alone: behind a proxy the
 * scheme and the host are not those that the client knows.
 */
export function redirectToOther(method: string, href: string): Response {
  const status = method === "GET" || method === "HEAD" ? 301 : 308;
  const { pathname, search } = new URL(href);
  // Two slashes at the start would name a host; "/.//" is the same path.
  const path = pathname.startsWith("//") ? `/.${pathname}` : pathname;
  return new Response(null, { status, headers: { Location: path + search } });
}
