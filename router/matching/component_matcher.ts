import {
  type Component,
  type ComponentName,
  delimiterOf,
} from "../pattern/components.ts";
import { decodeValue } from "./_decode.ts";
import { namesOf } from "../pattern/segments.ts";
import { program } from "./_program.ts";

/** Finds params in a URL, decoded; `null` where it doesn't match. */
export type Guard = (url: URL) => Record<string, string> | null;

/**
 * Creates the guard of some components.
 *
 * @param components In lower case, if the pattern ignores case.
 */
export function guardOf(
  components: readonly Component[],
  folded: boolean,
): Guard {
  const programs = components.map(({ name, parts }) => {
    const matcher = program(parts, delimiterOf(name), folded);
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

function componentOf(url: URL, name: ComponentName): string {
  const value = url[name];
  if (name === "protocol") return value.slice(0, -1);
  return name === "search" || name === "hash" ? value.slice(1) : value;
}
