import type { RequestContext } from "../router/mod.ts";
import { truncate } from "./_escape.ts";
import type { LoggerPlan } from "./_plan.ts";
import { redactURL } from "./redaction.ts";

/** An origin as its parser leaves it. */
interface Origin {
  /** With a slash. */
  readonly text: string;
  /** The scheme, such as `https`. */
  readonly scheme: string;
  /** The host, with the port where it is not the scheme's own. */
  readonly host: string;
}

/** What the parser of URLs may change in a path or a query. */
const changeable = /[^\w~!$&()*+,;=:@/.?%-]|\/(?:\.|%2e)/i;

/** That of the last request: applications have few. */
let lastOrigin: Origin = {
  text: "http://localhost/",
  scheme: "http",
  host: "localhost",
};

/**
 * The path and the query of a request, redacted and cut, and escaped for lines
 * of text. To parse the URL would cost more than all the rest of a line.
 */
export function targetOf(
  context: RequestContext,
  { isSecret, clean }: LoggerPlan,
): string {
  const { url } = context.request;
  const origin = plainOrigin(url);
  if (origin !== null) {
    const path = url.slice(origin.text.length - 1);
    if (!changeable.test(path)) return redact(path, isSecret);
  }
  const { href } = context.url;
  const [path = ""] = href.slice(href.indexOf("/", "https://".length))
    .split("#", 1);
  return clean(redact(path, isSecret));
}

function redact(path: string, isSecret: LoggerPlan["isSecret"]): string {
  const shown = truncate(path);
  return isSecret === false ? shown : redactURL(shown, isSecret);
}

/** The scheme and the host of a request. */
export function originOf(context: RequestContext): Omit<Origin, "text"> {
  const origin = plainOrigin(context.request.url);
  if (origin !== null) return origin;
  const { protocol, host } = context.url;
  return { scheme: protocol.slice(0, -1), host };
}

/** The origin that a URL begins with, unless a parser would change it. */
function plainOrigin(url: string): Origin | null {
  if (url.lastIndexOf(lastOrigin.text, 0) === 0) return lastOrigin;
  const parsed = URL.parse(url);
  const text = `${parsed?.origin}/`;
  if (parsed === null || !url.startsWith(text)) return null;
  const scheme = parsed.protocol.slice(0, -1);
  return lastOrigin = { text, scheme, host: parsed.host };
}
