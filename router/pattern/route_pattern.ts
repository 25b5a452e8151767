import {
  type Component,
  type ComponentName,
  COMPONENTS,
  foldCase,
  parseComponent,
} from "./components.ts";
import { linkBuilder } from "./_href.ts";
import { ignoresCase } from "./_ignores_case.ts";
import { joinPaths, withSlash } from "./join_paths.ts";
import { portablePattern } from "./_regexp.ts";

/** What a pattern is made of: the text of a path, or a URLPattern. */
export type PatternInput = string | URLPattern | URLPatternInit;

/** Search params for a link. `undefined` leaves a param out. */
export type SearchInput =
  | URLSearchParams
  | Readonly<
    Record<
      string,
      | string
      | number
      | boolean
      | undefined
      | readonly (string | number | boolean)[]
    >
  >;

/** Options for {@linkcode RoutePattern}. */
export interface RoutePatternOptions {
  /**
   * `true` if upper and lower case are the same. A `URLPattern` keeps the case
   * sensitivity that it was created with, unless this option is set.
   *
   * @default {false}
   */
  readonly ignoreCase?: boolean;
}

/** What a matcher needs to know of a pattern. */
export interface ParsedPattern {
  /** The components that the pattern constrains, in the order of a URL. */
  readonly components: readonly Component[];
  /** Whether upper and lower case are the same. */
  readonly ignoreCase: boolean;
}

/** The parsed form of a pattern, for the matcher: in lower case if it ignores case. */
export function parsedPattern(pattern: RoutePattern): ParsedPattern {
  const ignoreCase = pattern["ignoreCase"];
  const components = foldCase(pattern["components"], ignoreCase);
  return { components, ignoreCase };
}

/**
 * The pattern of a route, in the syntax of the platform's `URLPattern`.
 *
 * Text is a pattern for the path, and a leading slash is supplied; text that
 * begins with a scheme, such as `https://:tenant.example.com/`, is a pattern
 * for the whole URL. Matching takes linear time, for regexp groups such as
 * `:id(\\d+)` too.
 *
 * Trust: the value of a param is decoded and can hold any character, that of a
 * wildcard also `../`. Do not join it to the path of a file.
 *
 * @example A pattern and a link
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RoutePattern } from "@gatehouse/web/fetch-router";
 *
 * const pattern = new RoutePattern("/users/:id");
 * assertEquals(pattern.paramNames, ["id"]);
 * assertEquals(pattern.href({ id: "a b" }), "/users/a%20b");
 * ```
 */
export class RoutePattern {
  /** The text of the pattern. */
  readonly source: string;

  /** The names of the params, numbers for those without a name. */
  readonly paramNames: readonly string[];

  // For the matcher too, hence not #private: the static block that would let it
  // in keeps a class in every bundle.
  private readonly ignoreCase: boolean;
  private readonly components: readonly Component[];
  #urlPattern: URLPattern | undefined;
  #buildLink: ReturnType<typeof linkBuilder> | undefined;

  /**
   * Creates a pattern.
   *
   * @param input The pattern.
   * @param options Whether upper and lower case are the same.
   * @throws {TypeError} If the pattern is not valid, or names no component.
   */
  constructor(input: PatternInput, options?: RoutePatternOptions) {
    this.ignoreCase = options?.ignoreCase ?? false;
    try {
      this.components = this.#read(input);
      if (input instanceof URLPattern && options?.ignoreCase === undefined) {
        this.ignoreCase = ignoresCase(input, this.components);
      }
      this.source = this.components.length === 1
        ? this.components[0]!.source
        : describe(this.#input);
      this.paramNames = paramNames(this.components);
    } catch (error) {
      const text = Object(input) === input
        ? describe(input as URLPatternInit)
        : String(input);
      const { message } = error as Error;
      throw new TypeError(`Cannot create the pattern "${text}": ${message}`, {
        cause: error,
      });
    }
  }

  /**
   * The same pattern for the platform, which is built when first read. If all
   * segments are optional, it does not match the path `/`, but the router does.
   */
  get urlPattern(): URLPattern {
    return this.#urlPattern ??= native(this.#input, this.#options);
  }

  /**
   * Builds a URL that this pattern matches with the same params.
   *
   * @param params The params; those of optional parts may be missing.
   * @param search The search params.
   * @returns The path; for a pattern with a hostname, the whole URL.
   * @throws {TypeError} If params are missing, or no URL can carry them: where
   * one is empty or a dot segment, has a lone surrogate, or would be matched as
   * something else.
   */
  href(
    params: Readonly<Record<string, string | number | undefined>> = {},
    search?: SearchInput,
  ): string {
    this.#buildLink ??= linkBuilder(this.#withoutOrigin());
    return this.#buildLink(params, search);
  }

  /**
   * Creates the same pattern below a prefix.
   *
   * @param prefix A pattern for the beginning of the path, or for scheme,
   * hostname and the beginning of the path.
   * @returns The joined pattern.
   * @throws {TypeError} If the joined pattern is not valid.
   */
  prefixed(prefix: string): RoutePattern {
    const own = this.#input;
    const start = new RoutePattern(prefix, this.#options).#input;
    const pathname = joinPaths(start.pathname!, own.pathname!);
    return new RoutePattern({ ...start, ...own, pathname }, this.#options);
  }

  /**
   * Returns the text of the pattern.
   *
   * @returns The same as `source`.
   */
  toString(): string {
    return this.source;
  }

  /** The same pattern for other patterns. */
  get #input(): URLPatternInit {
    return Object.fromEntries(
      this.components.map(({ name, source }) => [name, source]),
    );
  }

  get #options(): Required<RoutePatternOptions> {
    return { ignoreCase: this.ignoreCase };
  }

  /** What a link says of the pattern: without a host, nothing before the path. */
  #withoutOrigin(): RoutePattern {
    const { hostname, pathname, search, hash } = this.#input;
    return hostname !== undefined || this.components.length === 1
      ? this
      : new RoutePattern({ pathname, search, hash }, this.#options);
  }

  /** The components that are constrained. */
  #read(input: PatternInput): Component[] {
    if (typeof input === "string" && !WHOLE_URL.test(input)) {
      return [parseComponent("pathname", withSlash(input))];
    }
    const given: URLPatternInit = Object(input);
    const { pathname, baseURL } = given;
    if (pathname !== undefined && Object.keys(given).length === 1) {
      return [parseComponent("pathname", pathname)];
    }
    // The platform would take any object for a pattern that all URLs match.
    if (
      typeof input !== "string" && baseURL === undefined &&
      COMPONENTS.every((name) => given[name] === undefined)
    ) throw new TypeError("it names no component of a URL");
    const all = this.#urlPattern = input instanceof URLPattern
      ? input
      : native(input, this.#options);
    const texts = typeof input === "string" ? splitURL(input) : given;
    return COMPONENTS.flatMap((name) => {
      const text = textOf(name, texts, all);
      return text === "*" && name !== "pathname"
        ? []
        : parseComponent(name, text);
    });
  }
}

/** The pattern for the platform, in a form that all runtimes accept. */
function native(
  input: string | URLPatternInit,
  options: URLPatternOptions = { ignoreCase: false },
): URLPattern {
  if (typeof input === "string") {
    return new URLPattern(portablePattern(input), options);
  }
  const init: URLPatternInit = {};
  for (const name of [...COMPONENTS, "baseURL"] as const) {
    const text = input[name];
    if (text !== undefined) init[name] = portablePattern(String(text));
  }
  return new URLPattern(init, options);
}

/**
 * The text of a component. The platform's canonical form can be another
 * pattern: workerd turns `{/v:version}?` into `/v:version?`. So text with braces
 * stays as it was given, if the platform reads it as the same component.
 */
function textOf(
  name: ComponentName,
  given: URLPatternInit,
  all: URLPattern,
): string {
  const { [name]: text, baseURL, protocol } = given;
  const isPath = name === "pathname";
  if (text === undefined || baseURL !== undefined) return all[name];
  if (isPath && protocol === undefined) return text;
  const isRead = (isPath ? /\{/ : PLAIN_BRACES).test(text) &&
    native({ [name]: text })[name] === all[name];
  return isRead ? text : all[name];
}

/** Text with braces that the platform would neither encode nor fold. */
const PLAIN_BRACES =
  /^(?=.*\{)(?:[a-z\d\-.~!$&()*+,;=:@/?%{}_]|(?<=:\w*)\w|\\\w)*$/;

/** How the pattern of a whole URL begins. */
const WHOLE_URL = /^[^/]*:\/\//;

/** The hostname, the path, the search and the hash of a pattern, with groups. */
const WHOLE_PARTS =
  /^[^/]*:\/\/((?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^/?#])*?)(?::(?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|\d)*)?(\/(?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^?#])*)?(?:\?((?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^#])*))?(?:#(.*))?$/s;

/** The components that may have braces; the platform is asked whether they are. */
function splitURL(text: string): URLPatternInit {
  const [, hostname, pathname, search, hash] = WHOLE_PARTS.exec(text) ?? [];
  return { protocol: "", hostname, pathname, search, hash };
}

function paramNames(components: readonly Component[]): readonly string[] {
  let count = 0;
  for (const { parts } of components) {
    for (const { name } of parts) {
      if (name === "") continue;
      if (name === "__proto__") {
        throw new TypeError("__proto__ can't be the name of a param");
      }
      const index = names.indexOf(name);
      if (index < 0 || index >= count) names[count++] = name;
      // Numbers may occur in each component.
      else if (!/^\d/.test(name)) {
        throw new TypeError(`the param "${name}" occurs twice`);
      }
    }
  }
  return names.slice(0, count);
}

/** The names so far: an application has many patterns, and this is one list. */
const names: string[] = [];

function describe(input: URLPatternInit): string {
  const { protocol, hostname, port, pathname = "*", search, hash } = input;
  const isPath = (protocol ?? hostname ?? port) === undefined;
  const host = (hostname ?? "*") + (port ? `:${port}` : "");
  return (isPath ? "" : `${protocol ?? "*"}://${host}`) + pathname +
    (search === undefined ? "" : `?${search}`) +
    (hash === undefined ? "" : `#${hash}`);
}
