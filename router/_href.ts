import { type Component, foldCase } from "./_components.ts";
import { isOptional, isRepeated, isWhole } from "./_segments.ts";
import { type Guard, guardOf, hasRegExp, platformGuard } from "./_guard.ts";
import type { Part } from "./_parse.ts";
import type { RoutePattern, SearchInput } from "./pattern.ts";

type HrefParams = Readonly<Record<string, string | number | undefined>>;

/**
 * Builds a URL that a pattern matches with the given params.
 *
 * @param check Finds the params in it again; `null` where there is no need.
 */
export function buildHref(
  pattern: RoutePattern,
  components: readonly Component[],
  check: Guard | null,
  params: HrefParams,
  search: SearchInput | undefined,
): string {
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot build a URL of "${pattern.source}": ${reason}`);
  };
  const missing = components.flatMap(({ parts }) => parts).filter((part) =>
    part.type !== "text" && !isOptional(part) &&
    valueOf(params, part.name) === undefined
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `"${name}"`).join(", ");
    fail(`the params ${names} are missing`);
  }
  const texts = new Map<string, string>();
  for (const { name, parts } of components) {
    const write = isAddress(name) && name !== "pathname"
      ? String
      : encodeURIComponent;
    texts.set(name, expand(parts, params, write, fail));
  }
  const path = localPath(texts.get("pathname") || "/");
  const host = texts.get("hostname");
  const port = texts.get("port") ? `:${texts.get("port")}` : "";
  const base = host === undefined
    ? ""
    : `${texts.get("protocol") ?? "https"}://${host}${port}`;
  if (check !== null) {
    const url = URL.parse(base + path, "https://localhost");
    const found = url && check(url);
    const carries = found !== null &&
      addressOf(components).every(({ parts }) =>
        parts.every(({ type, name }) =>
          type === "text" || found[name] === valueOf(params, name)
        )
      );
    if (!carries) fail("no URL carries these params");
  }
  const query = [texts.get("search"), searchText(search)].filter(Boolean);
  return base + path + (query.length > 0 ? `?${query.join("&")}` : "") +
    (texts.get("hash") ? `#${texts.get("hash")}` : "");
}

/** Whether a component is in front of the search params. */
function isAddress(name: string): boolean {
  return /^(?:protocol|hostname|port|pathname)$/.test(name);
}

/** What a link says of what a pattern asks: without a host, the path alone. */
function addressOf(components: readonly Component[]): Component[] {
  const isWhole = components.some(({ name }) => name === "hostname");
  return components.filter(({ name }) =>
    isWhole ? isAddress(name) : name === "pathname"
  );
}

/**
 * What finds out whether a link carries its params, up to the search params:
 * others may be added to those. It does where each param is all of a segment.
 */
export function linkCheck(
  components: readonly Component[],
  folded: boolean,
): Guard | null {
  const address = addressOf(components);
  const [first, second] = address;
  if (second === undefined && first!.parts.every(isCertain)) return null;
  if (!hasRegExp(address)) return guardOf(foldCase(address, folded), folded);
  // The platform judges all that it was given.
  const init = Object.fromEntries(
    address.map(({ name, source }) => [name, source]),
  );
  const urlPattern = new URLPattern(init, { ignoreCase: folded });
  return platformGuard({ urlPattern }, address);
}

/** Whether a param that is in a segment, or in a path's end, is all of it. */
function isCertain(
  part: Part,
  index: number,
  parts: readonly Part[],
): boolean {
  const { type, prefix, modifier } = part;
  if (type === "wildcard") {
    return index === parts.length - 1 && prefix === "/" && modifier === "";
  }
  // Two slashes in front are another host.
  const host = index === 0 && type === "text" &&
    (prefix.startsWith("//") || (prefix === "/" && parts.length > 1));
  return !host && isWhole(part, index, parts);
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
    if (part.type === "text") {
      if (!isOptional(part)) text += part.prefix;
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
    const many = part.type === "wildcard" || isRepeated(part);
    const pieces = many ? value.split("/") : [value];
    if (pieces.some((piece) => piece === "." || piece === "..")) {
      fail(`the param "${part.name}" has a dot segment`);
    }
    text += part.prefix + pieces.map(write).join("/") + part.suffix;
  }
  return text;
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
