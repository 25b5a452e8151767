import {
  type Component,
  type ComponentName,
  delimiterOf,
} from "./_components.ts";
import { decodeValue } from "./_params.ts";
import { isRegExp, namesOf } from "./_segments.ts";
import { program } from "./_program.ts";
import { lengthGuard } from "./_segment_regexp.ts";
import type { RoutePattern } from "./pattern.ts";

/** Finds params in a URL, decoded; `null` where it doesn't match. */
export type Guard = (url: URL) => Record<string, string> | null;

/** Whether there are regexp groups. */
export function hasRegExp(components: readonly Component[]): boolean {
  return components.some(({ parts }) => parts.some(isRegExp));
}

/**
 * What matches some components of a pattern; all, where they have regexp groups.
 *
 * @param components In lower case, if the pattern ignores case.
 */
export function guardOf(
  pattern: RoutePattern,
  components: readonly Component[],
): Guard {
  if (hasRegExp(components)) return platformGuard(pattern);
  const folded = pattern["ignoreCase"];
  const programs = components.map(({ name, parts }) => {
    const matcher = program(parts, delimiterOf(name));
    return [name, namesOf(parts), matcher] as const;
  });
  const marks: number[] = [];
  return (url) => {
    const params: Record<string, string> = Object.create(null);
    for (const [name, names, matcher] of programs) {
      const value = componentOf(url, name);
      const text = folded ? value.toLowerCase() : value;
      if (matcher(text, 0, text.length, marks, 0) < 0) return null;
      addParams(params, names, value, marks);
    }
    return params;
  };
}

/** Adds the params between marks; what is absent has a mark below zero. */
export function addParams(
  params: Record<string, string>,
  names: readonly string[],
  text: string,
  marks: readonly number[],
): void {
  for (let i = 0; i < names.length; i++) {
    const start = marks[i * 2]!;
    if (start < 0) continue;
    params[names[i]!] = decodeValue(text.slice(start, marks[i * 2 + 1]));
  }
}

const { exec } = URLPattern.prototype;

/** What matches a pattern that has regexp groups: the platform. */
export function platformGuard(pattern: RoutePattern): Guard {
  const components = pattern["components"].map(({ name, parts }) => ({
    name,
    isTooLong: lengthGuard(parts),
  }));
  // The numbers of the path win over those of other components.
  const names = [...components.map(({ name }) => name), "pathname"] as const;
  return (url) => {
    for (const { name, isTooLong } of components) {
      if (isTooLong(componentOf(url, name))) return null;
    }
    const result = exec.call(pattern.urlPattern, url.href);
    if (result === null) return null;
    const params: Record<string, string> = Object.create(null);
    for (const name of names) {
      for (const [key, value] of Object.entries(result[name].groups)) {
        if (value !== undefined) params[key] = decodeValue(value);
      }
    }
    return params;
  };
}

function componentOf(url: URL, name: ComponentName): string {
  const value = url[name];
  if (name === "protocol") return value.slice(0, -1);
  return name === "search" || name === "hash" ? value.slice(1) : value;
}
