import {
  type Component,
  type ComponentName,
  COMPONENTS,
  foldCase,
  parseComponent,
} from "./components.ts";
import { createLinkBuilder } from "./_href.ts";
import { ignoresCase } from "./_ignores_case.ts";
import { joinPaths, withSlash } from "./join_paths.ts";
import { portablePattern } from "./_regexp.ts";

/** The pattern of a path or a URL as a string, or a `URLPattern`. */
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

/** A pattern as matchers read it. */
export interface ParsedPattern {
  /** The components that the pattern constrains, in the order of a URL. */
  readonly components: readonly Component[];
  /** `true` if upper and lower case are the same. */
  readonly ignoreCase: boolean;
}

/** Returns the parsed pattern, in lower case if it ignores case. */
export function parsedPattern(pattern: RoutePattern): ParsedPattern {
  const ignoreCase = pattern["ignoreCase"];
  const components = foldCase(pattern["components"], ignoreCase);
  return { components, ignoreCase };
}

/**
 * The pattern of a route, in the syntax of the platform's `URLPattern`.
 *
 * A string is a pattern for the path, and a leading slash is added. One that
 * begins with a scheme, such as `https://:tenant.example.com/`, is a pattern
 * for the whole URL. Matching takes linear time, even with regexp groups such
 * as `:id(\\d+)`.
 *
 * Trust: the value of a param is decoded and can contain any character, and
 * that of a wildcard even `../`. Never join it to a file path.
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
  /** The pattern as a string. */
  readonly source: string;

  /** The names of the params, numbers for those without a name. */
  readonly paramNames: readonly string[];

  // The matcher reads these fields too, so they are not #private: the static
  // block that would give it access would keep a class in every bundle.
  private readonly ignoreCase: boolean;
  private readonly components: readonly Component[];
  #urlPattern: URLPattern | undefined;
  #buildLink: ReturnType<typeof createLinkBuilder> | undefined;

  /**
   * Creates a pattern.
   *
   * @param input The pattern.
   * @param options The case sensitivity.
   * @throws {TypeError} If the pattern is invalid, or names no component.
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
        : sourceOfURL(this.#input);
      this.paramNames = paramNames(this.components);
    } catch (error) {
      const text = Object(input) === input
        ? sourceOfURL(input as URLPatternInit)
        : String(input);
      const { message } = error as Error;
      throw new TypeError(`Cannot create the pattern "${text}": ${message}`, {
        cause: error,
      });
    }
  }

  /**
   * The pattern as a `URLPattern`, created when first read. If all segments are
   * optional, it does not match the path `/`, but the router does.
   */
  get urlPattern(): URLPattern {
    return this.#urlPattern ??= createURLPattern(this.#input, this.#options);
  }

  /**
   * Builds a URL that this pattern matches with the same params.
   *
   * @param params The params; those of optional parts may be missing.
   * @param search The search params.
   * @returns The path; for a pattern with a hostname, the whole URL.
   * @throws {TypeError} If params are missing, or no URL can carry them: one is
   * empty or a dot segment, has a lone surrogate, or would match differently.
   */
  href(
    params: Readonly<Record<string, string | number | undefined>> = {},
    search?: SearchInput,
  ): string {
    this.#buildLink ??= createLinkBuilder(this.#withoutOrigin());
    return this.#buildLink(params, search);
  }

  /**
   * Creates a pattern that adds a prefix to this one.
   *
   * @param prefix A pattern for the beginning of the path, or for scheme,
   * hostname and the beginning of the path.
   * @returns The joined pattern.
   * @throws {TypeError} If the joined pattern is invalid.
   */
  prefixed(prefix: string): RoutePattern {
    const own = this.#input;
    const start = new RoutePattern(prefix, this.#options).#input;
    const pathname = joinPaths(start.pathname!, own.pathname!);
    return new RoutePattern({ ...start, ...own, pathname }, this.#options);
  }

  /**
   * Returns the pattern as a string.
   *
   * @returns The same as `source`.
   */
  toString(): string {
    return this.source;
  }

  /** The pattern as input for another one. */
  get #input(): URLPatternInit {
    return Object.fromEntries(
      this.components.map(({ name, source }) => [name, source]),
    );
  }

  get #options(): Required<RoutePatternOptions> {
    return { ignoreCase: this.ignoreCase };
  }

  /** Returns the pattern of links: without a host they start with the path. */
  #withoutOrigin(): RoutePattern {
    const { hostname, pathname, search, hash } = this.#input;
    return hostname !== undefined || this.components.length === 1
      ? this
      : new RoutePattern({ pathname, search, hash }, this.#options);
  }

  /** Parses the components that the input constrains. */
  #read(input: PatternInput): Component[] {
    if (typeof input === "string" && !WHOLE_URL.test(input)) {
      return [parseComponent("pathname", withSlash(input))];
    }
    const given: URLPatternInit = Object(input);
    const { pathname, baseURL } = given;
    if (pathname !== undefined && Object.keys(given).length === 1) {
      return [parseComponent("pathname", pathname)];
    }
    // To the platform, any object is a pattern that matches all URLs.
    if (
      typeof input !== "string" && baseURL === undefined &&
      COMPONENTS.every((name) => given[name] === undefined)
    ) throw new TypeError("it names no component of a URL");
    const all = this.#urlPattern = input instanceof URLPattern
      ? input
      : createURLPattern(input, this.#options);
    const texts = typeof input === "string" ? splitURL(input) : given;
    return COMPONENTS.flatMap((name) => {
      const text = sourceOf(name, texts, all);
      return text === "*" && name !== "pathname"
        ? []
        : parseComponent(name, text);
    });
  }
}

/** Creates a `URLPattern` that means the same on all runtimes. */
function createURLPattern(
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
 * Returns the source of a component. The platform's canonical form can be
 * another pattern: workerd turns `{/v:version}?` into `/v:version?`. A source
 * with braces therefore stays unchanged if the platform reads it as the same
 * pattern.
 */
function sourceOf(
  name: ComponentName,
  given: URLPatternInit,
  all: URLPattern,
): string {
  const { [name]: source, baseURL, protocol } = given;
  const text = source?.replace(DELIMITERS[name] ?? "", "");
  const isPath = name === "pathname";
  if (text === undefined || baseURL !== undefined) return all[name];
  if (isPath && protocol === undefined) return text;
  const isRead = (isPath ? /\{/ : PLAIN_BRACES).test(text) &&
    createURLPattern({ [name]: text })[name] === all[name];
  // The runtimes cut such a hostname off, and it would match no URL.
  if (isRead && name === "hostname" && /[/#]/.test(text)) {
    throw new TypeError("braces can't contain the end of the hostname");
  }
  return isRead ? text : all[name];
}

/** The delimiters of components, which belong to no pattern. */
const DELIMITERS: { readonly [Name in ComponentName]?: RegExp } = {
  protocol: /:$/,
  search: /^\?/,
  hash: /^#/,
};

/** A source with braces that the platform neither encodes nor folds. */
const PLAIN_BRACES =
  /^(?=.*\{)(?:[a-z\d\-.~!$&()*+,;=:@/?%{}_]|(?<=:\w*)\w|\\\w)*$/;

/** The beginning of the pattern of a whole URL. */
const WHOLE_URL = /^[^/]*:\/\//;

/** The hostname, the path, the search and the hash of a pattern, with groups. */
const WHOLE_PARTS =
  /^[^/]*:\/\/((?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^/?#])*?)(?::(?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|\d)*)?(\/(?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^?#])*)?(?:\?((?:\\.|\{[^}]*\}\??|\([^)]*\)\??|\*\??|:\w+\??|[^#])*))?(?:#(.*))?$/s;

/** Splits the pattern of a URL into the components that may have braces. */
function splitURL(text: string): URLPatternInit {
  const [, hostname, pathname, search, hash] = WHOLE_PARTS.exec(text) ?? [];
  return { protocol: "", hostname, pathname, search, hash };
}

function paramNames(components: readonly Component[]): readonly string[] {
  const names: string[] = [];
  for (const { parts } of components) {
    for (const { name } of parts) {
      if (name === "") continue;
      if (name === "__proto__") {
        throw new TypeError("__proto__ can't be the name of a param");
      }
      if (!names.includes(name)) names.push(name);
      // Numbers may occur in each component.
      else if (!/^\d/.test(name)) {
        throw new TypeError(`the param "${name}" occurs twice`);
      }
    }
  }
  return names;
}

/** Returns the components as one string. */
function sourceOfURL(input: URLPatternInit): string {
  const { protocol, hostname, port, pathname = "*", search, hash } = input;
  const isPath = (protocol ?? hostname ?? port) === undefined;
  const host = (hostname ?? "*") + (port ? `:${port}` : "");
  return (isPath ? "" : `${protocol ?? "*"}://${host}`) + pathname +
    (search === undefined ? "" : `?${search}`) +
    (hash === undefined ? "" : `#${hash}`);
}
