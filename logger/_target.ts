import type { RequestContext } from "../router/mod.ts";

/** The parts of a request's URL that are logged. */
export interface Target {
  /** The scheme, such as `https`. */
  readonly scheme: string;
  /** The host, with the port where it is not the scheme's own. */
  readonly host: string;
  /** The path and the query. */
  readonly path: string;
  /** Whether it is printable ASCII without quotes and backslashes. */
  readonly isPlain: boolean;
}

/** An origin as its parser leaves it, with a slash. */
interface Origin {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
}

/** What the parser of URLs may change in a path or a query. */
const changeable = /[^\w~!$&()*+,;=:@/.?%-]|\/(?:\.|%2e)/i;

/** That of the last request: applications have few. */
let lastOrigin: Origin = { text: "http://localhost/", scheme: "", host: "" };

/** Reads the URL. To parse it would cost more than all the rest of a line. */
export function targetOf(context: RequestContext): Target {
  const { url } = context.request;
  const origin = originOf(url);
  if (origin !== null) {
    const { text, scheme, host } = origin;
    const path = url.slice(text.length - 1);
    if (!changeable.test(path)) return { scheme, host, path, isPlain: true };
  }
  const { protocol, host, href } = context.url;
  const start = href.indexOf("/", "https://".length);
  const [path = ""] = href.slice(start).split("#", 1);
  return { scheme: protocol.slice(0, -1), host, path, isPlain: false };
}

function originOf(url: string): Origin | null {
  if (url.lastIndexOf(lastOrigin.text, 0) === 0) return lastOrigin;
  const parsed = URL.parse(url);
  const text = `${parsed?.origin}/`;
  if (parsed === null || !url.startsWith(text)) return null;
  const scheme = parsed.protocol.slice(0, -1);
  return lastOrigin = { text, scheme, host: parsed.host };
}
