import type { Component } from "./_components.ts";
import type { Part } from "./_parse.ts";
import type { RoutePattern, SearchInput } from "./pattern.ts";

type HrefParams = Readonly<Record<string, string | number | undefined>>;

/** Builds a URL that a pattern matches with the given params. */
export function buildHref(
  pattern: RoutePattern,
  components: readonly Component[],
  params: HrefParams,
  search: SearchInput | undefined,
): string {
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot build a URL of "${pattern.source}": ${reason}`);
  };
  const missing = missingParams(components, params);
  if (missing.length > 0) {
    fail(
      `the params ${missing.map((name) => `"${name}"`).join(", ")} are missing`,
    );
  }
  const texts = new Map<string, string>();
  for (const { name, parts } of components) {
    const write = name === "pathname" ? encodeValue : String;
    texts.set(name, expand(parts, params, write, fail));
  }
  const path = localPath(texts.get("pathname") ?? "/");
  const query = [texts.get("search"), searchText(search)].filter(Boolean);
  const href = path + (query.length > 0 ? `?${query.join("&")}` : "") +
    (texts.get("hash") ? `#${texts.get("hash")}` : "");
  const host = texts.get("hostname");
  if (host === undefined) return href;
  const port = texts.get("port") ? `:${texts.get("port")}` : "";
  return `${texts.get("protocol") ?? "https"}://${host}${port}${href}`;
}

function missingParams(
  components: readonly Component[],
  params: HrefParams,
): string[] {
  return components.flatMap(({ parts }) => parts).filter((part) =>
    part.type !== "text" && part.modifier !== "?" && part.modifier !== "*" &&
    valueOf(params, part.name) === undefined
  ).map(({ name }) => name);
}

function valueOf(params: HrefParams, name: string): string | undefined {
  if (!Object.hasOwn(params, name)) return undefined;
  const value = params[name];
  return value === undefined || value === null ? undefined : String(value);
}

function expand(
  parts: readonly Part[],
  params: HrefParams,
  write: (value: string) => string,
  fail: (reason: string) => never,
): string {
  let text = "";
  for (const part of parts) {
    const optional = part.modifier === "?" || part.modifier === "*";
    if (part.type === "text") {
      if (!optional) text += part.prefix;
      continue;
    }
    const value = valueOf(params, part.name);
    if (value === undefined) continue;
    if (value === "" && part.type !== "wildcard") {
      fail(`the param "${part.name}" is empty`);
    }
    if (!value.isWellFormed()) {
      fail(`the param "${part.name}" has a lone surrogate`);
    }
    const many = part.type === "wildcard" || part.modifier === "+" ||
      part.modifier === "*";
    const pieces = many ? value.split("/") : [value];
    if (pieces.some((piece) => piece === "." || piece === "..")) {
      fail(`the param "${part.name}" has a dot segment`);
    }
    text += part.prefix + pieces.map(write).join("/") + part.suffix;
  }
  return text;
}

function encodeValue(value: string): string {
  return encodeURIComponent(value);
}

/** A path that no browser takes for the name of a host. */
function localPath(path: string): string {
  return path.startsWith("//") ? `/%2F${path.slice(2)}` : path;
}

function searchText(search: SearchInput | undefined): string {
  if (search === undefined) return "";
  if (search instanceof URLSearchParams) return search.toString();
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const item of [value].flat()) {
      if (item !== undefined) result.append(name, String(item));
    }
  }
  return result.toString();
}
