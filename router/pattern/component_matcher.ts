import {
  type Component,
  type ComponentName,
  delimiterOf,
} from "./components.ts";
import { namesOf } from "./segments.ts";
import { compileParts } from "./linear_matcher.ts";

/** Returns the decoded params in a URL, or `null` if it does not match. */
export type ComponentMatcher = (url: URL) => Record<string, string> | null;

/**
 * Creates a function that matches some components of a URL.
 *
 * @param components In lower case, if the pattern ignores case.
 */
export function createComponentMatcher(
  components: readonly Component[],
  ignoreCase: boolean,
): ComponentMatcher {
  const programs = components.map(({ name, parts }) => {
    const match = compileParts(parts, delimiterOf(name), ignoreCase);
    return { name, names: namesOf(parts), match };
  });
  return (url) => {
    const params: Record<string, string> = Object.create(null);
    for (const { name, names, match } of programs) {
      const marks: number[] = [];
      const value = valueOf(url, name);
      const input = ignoreCase ? value.toLowerCase() : value;
      if (match(input, 0, input.length, marks, 0) < 0) return null;
      addParams(params, names, value, marks);
    }
    return params;
  };
}

/** Adds the params between marks. Absent ones have a mark below zero. */
export function addParams(
  params: Record<string, string>,
  names: readonly string[],
  input: string,
  marks: readonly number[],
): void {
  for (let i = 0; i < names.length; i++) {
    const start = marks[i * 2]!;
    if (start < 0) continue;
    params[names[i]!] = decodeParam(input.slice(start, marks[i * 2 + 1]));
  }
}

function valueOf(url: URL, name: ComponentName): string {
  const value = url[name];
  if (name === "protocol") return value.slice(0, -1);
  return name === "search" || name === "hash" ? value.slice(1) : value;
}

/** Percent-decodes a param. Malformed escapes stay as they are. */
function decodeParam(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value.replace(ESCAPED_CHARACTER, decodeCharacter);
  }
}

/** The escapes of a character in UTF-8, which may still be invalid. */
const ESCAPED_CHARACTER =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[\da-f](?:%[89ab][\da-f]){3}/gi;

function decodeCharacter(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
}
