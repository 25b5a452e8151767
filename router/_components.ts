import { parsePattern, type Part, type Syntax } from "./_parse.ts";

/** The components of a URL that a pattern can constrain, in their order. */
export const COMPONENTS = [
  "protocol",
  "username",
  "password",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

/** The name of a component. */
export type ComponentName = typeof COMPONENTS[number];

/** A component that a pattern constrains. */
export interface Component {
  /** Which one it is. */
  readonly name: ComponentName;
  /** The pattern of the component. */
  readonly source: string;
  /** What the pattern consists of. */
  readonly parts: readonly Part[];
}

/** Text that is in canonical form in any path, whatever stands before it. */
const PLAIN_PATH =
  /^[\w\-~!$&'()*+,;=:@/]*(?:(?<=[^/])\.[\w\-~!$&'()*+,;=:@/]*)*$/;

const PATHNAME: Syntax = {
  delimiter: "/",
  prefix: "/",
  canonicalize: canonicalizePath,
};

const same = (text: string): string => text;
const HOSTNAME: Syntax = { delimiter: ".", prefix: "", canonicalize: same };
const OTHER: Syntax = { delimiter: "", prefix: "", canonicalize: same };

/**
 * Parses the pattern of a component. Other components than the pathname must
 * be in canonical form already.
 *
 * @throws {TypeError} If the pattern is not valid; the message is the reason.
 */
export function parseComponent(name: ComponentName, source: string): Component {
  const syntax = name === "pathname"
    ? PATHNAME
    : name === "hostname"
    ? HOSTNAME
    : OTHER;
  return { name, source, parts: parsePattern(source, syntax) };
}

/**
 * Brings fixed text of a path into the form that it has in a parsed URL. Text
 * without a leading slash is the middle of a segment: no dot segment there.
 *
 * @see {@link https://urlpattern.spec.whatwg.org/#canon-encoding-callbacks | URL Pattern, 3.1 Encoding callbacks}
 */
function canonicalizePath(text: string): string {
  if (text === "" || text === "/" || PLAIN_PATH.test(text)) return text;
  const url = new URL("http://localhost/");
  if (text.startsWith("/")) {
    url.pathname = text;
    return url.pathname;
  }
  url.pathname = `/-${text}`;
  if (url.pathname.startsWith("/-")) return url.pathname.slice(2);
  // Where dot segments reach beyond the text, the runtimes differ.
  const pattern = text.replace(/[\\*+?(){}:]/g, "\\$&");
  return new URLPattern({ pathname: pattern }).pathname.replace(/\\(.)/g, "$1");
}

/** The parts of the path. */
export function pathOf(components: readonly Component[]): readonly Part[] {
  return components.find(({ name }) => name === "pathname")!.parts;
}

/** The components in lower case, if upper and lower case are the same. */
export function foldCase(
  components: readonly Component[],
  folded: boolean,
): readonly Component[] {
  if (!folded) return components;
  return components.map(({ parts, ...component }) => ({
    ...component,
    parts: parts.map((part) => ({
      ...part,
      prefix: part.prefix.toLowerCase(),
      suffix: part.suffix.toLowerCase(),
    })),
  }));
}
