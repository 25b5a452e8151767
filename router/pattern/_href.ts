import {
  type Component,
  type ComponentName,
  foldCase,
  pathOf,
} from "./components.ts";
import { type Guard, guardOf } from "../matching/component_matcher.ts";
import type { Part } from "./parse.ts";
import {
  isOptional,
  isRepeated,
  isWhole,
  namesOf,
  pathForms,
} from "./segments.ts";
import { specificity } from "../matching/specificity.ts";
import type { RoutePattern, SearchInput } from "./route_pattern.ts";

/** The values of params by name, as `href` takes them. */
type HrefParams = Readonly<Record<string, string | number | undefined>>;

/** A value that is found again where it is all of a segment, or of the rest. */
const PLAIN_VALUE = /^(?!\.|.*\/\.)\P{Surrogate}+$/su;

/**
 * Makes what builds the URLs that a pattern matches with given params.
 *
 * @param pattern The pattern, which asks for nothing before the path if it asks
 * for no host.
 */
export function linkBuilder(
  pattern: RoutePattern,
): (params: HrefParams, search: SearchInput | undefined) => string {
  const { paramNames, source } = pattern;
  const components = pattern["components"];
  const parts = components.flatMap(({ parts }) => parts);
  const required = namesOf(parts.filter((part) => !isOptional(part)));
  // A wildcard at the end takes what is there, as a segment does.
  const restAt = source.endsWith("/*") ? parts.length - 1 : -1;
  const isSimple = components.length === 1 &&
    parts.every((part, index) =>
      index === restAt || isWhole(part, index, parts)
    );
  const find = finder(components, pattern["ignoreCase"]);
  const fail = (reason: string) => {
    throw new TypeError(`Cannot build a URL of "${source}": ${reason}`);
  };
  return (params, search) => {
    const values: Record<string, string | undefined> = {};
    for (const name of paramNames) values[name] = valueOf(params, name);
    const missing = required.filter((name) => values[name] === undefined);
    if (missing.length > 0) fail(`${list(missing)} are missing`);
    const texts: Texts = {};
    for (const { name, parts } of components) {
      const isOrigin = /^(?:protocol|hostname|port)$/.test(name);
      texts[name] = expand(parts, values, isOrigin);
    }
    const { search: query = "", hash } = texts;
    const origin = originOf(texts);
    const path = linkPath(texts);
    const linkTo = (query: string) =>
      origin + path + (query && `?${query}`) + (hash ? `#${hash}` : "");
    const isSure = isSimple && path === texts.pathname &&
      paramNames.every((name) => PLAIN_VALUE.test(values[name]!));
    if (!isSure) {
      const url = URL.parse(linkTo(query), LOCAL);
      // The same number may be in the host and in the path.
      const read = url && `${url.protocol}//${url.host}${url.pathname}`;
      const found = read === (origin || LOCAL) + path ? find(url!) : null;
      const lost = paramNames.filter((name) => found?.[name] !== values[name]);
      if (!found || lost.length > 0) fail(`no URL carries ${list(lost)}`);
    }
    const more = search && searchText(search);
    return linkTo([query, more].filter(Boolean).join("&"));
  };
}

/** Finds the params in a URL that the matcher finds: those of the best form. */
function finder(given: readonly Component[], folded: boolean): Guard {
  const components = foldCase(given, folded);
  const guards = pathForms(pathOf(components)).map((form) => {
    const parts = form.flat();
    const all = components.map((component) =>
      component.name === "pathname" ? { ...component, parts } : component
    );
    const key = specificity(components, parts, true);
    return { key, find: guardOf(all, folded) };
  }).sort((a, b) => a.key === b.key ? 0 : a.key < b.key ? -1 : 1);
  return (url) => {
    for (const { find } of guards) {
      const params = find(url);
      if (params !== null) return params;
    }
    return null;
  };
}

/** What is written for each component. */
type Texts = Partial<Record<ComponentName, string>>;

function originOf({ protocol = "https", hostname, port }: Texts): string {
  const host = port ? `${hostname}:${port}` : hostname;
  return hostname === undefined ? "" : `${protocol}://${host}`;
}

/** The path, which no browser takes for the name of a host. */
function linkPath({ pathname = "" }: Texts): string {
  return pathname.startsWith("//")
    ? `/%2F${pathname.slice(2)}`
    : pathname || "/";
}

function list(names: readonly string[]): string {
  return `the params "${names.join('", "')}"`;
}

/** The origin of links that have none. */
const LOCAL = "https://localhost";

function valueOf(params: HrefParams, name: string): string | undefined {
  return Object.hasOwn(params, name) ? params[name]?.toString() : undefined;
}

/** Writes the parts with values. */
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

function searchText(search: SearchInput): string {
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
