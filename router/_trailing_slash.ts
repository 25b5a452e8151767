import type { RequestContext } from "./context/context.ts";
import { MountPrefix } from "./mount.ts";
import { redirect } from "./redirect.ts";

/** The URL with its path's trailing slash taken off or put on, if it can be. */
export function withOtherSlash(href: string): string {
  const url = new URL(href);
  const { pathname } = url;
  // The root stays as it is: no path is empty.
  url.pathname = pathname.endsWith("/")
    ? pathname.slice(0, -1)
    : `${pathname}/`;
  return url.href;
}

/**
 * Sends the client to the other path. By its path alone: behind a proxy the
 * scheme and the host are not those that the client knows.
 */
export function redirectToOther(
  context: RequestContext,
  href: string,
): Response {
  const { pathname, search } = new URL(href);
  const path = context.get(MountPrefix) + pathname;
  // Two slashes at the start would name a host; "/.//" is the same path.
  const location = (path.startsWith("//") ? `/.${path}` : path) + search;
  return redirect(
    location,
    ["GET", "HEAD"].includes(context.method) ? 301 : 308,
  );
}
