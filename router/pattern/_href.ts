import {
  type Component,
  type ComponentName,
  foldCase,
  pathOf,
} from "./components.ts";
import {
  type ComponentMatcher,
  createComponentMatcher,
} from "./component_matcher.ts";
import type { Part } from "./parse.ts";
import {
  isOptional,
  isRepeated,
  isWhole,
  namesOf,
  pathForms,
} from "./segments.ts";
import { specificity } from "./specificity.ts";
import type { RoutePattern, SearchInput } from "./route_pattern.ts";

/** The values of params by name, as `href` takes them. */
type HrefParams = Readonly<Record<string, string | number | undefined>>;

/** A value that matches again if it fills a segment, or the rest of the path. */
const PLAIN_VALUE = /^(?!\.|.*\/\.)\P{Surrogate}+$/su;

/**
 * Creates a function that builds URLs from the params of a pattern.
 *
 * @param pattern The pattern. Without a host it has no protocol and no port.
 */
export function createLinkBuilder(
  pattern: RoutePattern,
): (params: HrefParams, search: SearchInput | undefined) => string {
  const { paramNames, source } = pattern;
  const components = pattern["components"];
  const parts = components.flatMap(({ parts }) => parts);
  const required = namesOf(parts.filter((part) => !isOptional(part)));
  const isSimple = components.length === 1 &&
    hasOnlySegments(parts, source);
  const match = createParamsMatcher(components, pattern["ignoreCase"]);
  const fail = (reason: string) => {
    throw new TypeError(`Cannot build a URL of "${source}": ${reason}`);
  };
  return (params, search) => {
    const values: Record<string, string | undefined> = {};
    for (const name of paramNames) values[name] = valueOf(params, name);
    const missing = required.filter((name) => values[name] === undefined);
    if (missing.length > 0) fail(`${paramList(missing)} are missing`);
    const written: URLComponents = {};
    for (const { name, parts } of components) {
      const isOrigin = /^(?:protocol|hostname|port)$/.test(name);
      written[name] = expand(parts, values, isOrigin);
    }
    const { search: query = "", hash } = written;
    const origin = originOf(written);
    const path = linkPath(written);
    const linkTo = (query: string) =>
      origin + path + (query && `?${query}`) + (hash ? `#${hash}` : "");
    const isSure = isSimple && path === written.pathname &&
      paramNames.every((name) => PLAIN_VALUE.test(values[name]!));
    if (!isSure) {
      const found = readBack(match, linkTo(query), (origin || LOCAL) + path);
      const lost = paramNames.filter((name) => found?.[name] !== values[name]);
      if (!found || lost.length > 0) fail(`no URL carries ${paramList(lost)}`);
    }
    const more = search && searchString(search);
    return linkTo([query, more].filter(Boolean).join("&"));
  };
}

/** Returns `true` if each value is a segment, or the rest of the path. */
function hasOnlySegments(parts: readonly Part[], source: string): boolean {
  // A wildcard at the end matches any value, as a segment does.
  const restAt = source.endsWith("/*") ? parts.length - 1 : -1;
  return parts.every((part, index) =>
    index === restAt || isWhole(part, index, parts)
  );
}

/** Returns the params of a link, or `null` if the URL parser changes it. */
function readBack(
  match: ComponentMatcher,
  link: string,
  expected: string,
): ReturnType<ComponentMatcher> {
  const url = URL.parse(link, LOCAL);
  // Both the host and the path may have the param "0".
  const read = url && `${url.protocol}//${url.host}${url.pathname}`;
  return read === expected ? match(url!) : null;
}

/** Creates a function that returns the params of the most specific form. */
function createParamsMatcher(
  given: readonly Component[],
  folded: boolean,
): ComponentMatcher {
  const components = foldCase(given, folded);
  const forms = pathForms(pathOf(components)).map((form) => {
    const parts = form.flat();
    const all = components.map((component) =>
      component.name === "pathname" ? { ...component, parts } : component
    );
    const key = specificity(components, parts, true);
    return { key, match: createComponentMatcher(all, folded) };
  }).sort((a, b) => a.key === b.key ? 0 : a.key < b.key ? -1 : 1);
  return (url) => {
    for (const { match } of forms) {
      const params = match(url);
      if (params !== null) return params;
    }
    return null;
  };
}

/** The components of the URL. */
type URLComponents = Partial<Record<ComponentName, string>>;

function originOf(
  { protocol = "https", hostname, port }: URLComponents,
): string {
  const host = port ? `${hostname}:${port}` : hostname;
  return hostname === undefined ? "" : `${protocol}://${host}`;
}

/** Returns the path. Two slashes at its start would name a host. */
function linkPath({ pathname = "" }: URLComponents): string {
  return pathname.startsWith("//")
    ? `/%2F${pathname.slice(2)}`
    : pathname || "/";
}

function paramList(names: readonly string[]): string {
  return `the params "${names.join('", "')}"`;
}

/** The origin to parse links with that start with the path. */
const LOCAL = "https://localhost";

function valueOf(params: HrefParams, name: string): string | undefined {
  return Object.hasOwn(params, name) ? params[name]?.toString() : undefined;
}

/** Fills the parts with values. */
function expand(
  parts: readonly Part[],
  values: Readonly<Record<string, string | undefined>>,
  isOrigin: boolean,
): string {
  let text = "";
  for (const part of parts) {
    const { type, name, prefix, suffix } = part;
    const value = values[name];
    if (type === "text") {
      if (!isOptional(part)) text += prefix;
    } else if (value !== undefined) {
      const escaped = encodeURIComponent(value.toWellFormed());
      const isLong = type === "wildcard" || isRepeated(part);
      const written = isLong ? escaped.replaceAll("%2F", "/") : escaped;
      text += prefix + (isOrigin ? value : written) + suffix;
    }
  }
  return text;
}

function searchString(search: SearchInput): string {
  const result = new URLSearchParams();
  const entries = search instanceof URLSearchParams
    ? search
    : Object.entries(search);
  for (const [name, value] of entries) {
    for (const item of [value].flat()) {
      if (item !== undefined) result.append(name, String(item));
    }
  }
  return result.toString();
}
