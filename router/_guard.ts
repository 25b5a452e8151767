import type { Component, ComponentName } from "./_components.ts";
import { needsPlatform } from "./_forms.ts";
import { decodeValue } from "./_params.ts";
import { Program } from "./_program.ts";
import type { RoutePattern } from "./pattern.ts";

/** What a pattern asks of a URL apart from its path. */
export class Guard {
  /** The names of the groups. */
  readonly names: readonly string[];
  readonly #checks: readonly { name: ComponentName; program: Program }[];
  readonly #folded: boolean;
  readonly #marks: number[] = [];

  /**
   * Creates it from components.
   *
   * @param components The components, none of which needs the platform.
   * @param folded Whether upper and lower case are the same.
   */
  constructor(components: readonly Component[], folded: boolean) {
    this.#folded = folded;
    this.#checks = components.map(({ name, parts }) => {
      const delimiter = name === "hostname" ? "." : "";
      return { name, program: new Program(parts, delimiter, folded) };
    });
    this.names = this.#checks.flatMap(({ program }) => program.names);
  }

  /** The groups in the order of the names, or `null` where it doesn't match. */
  match(url: URL): (string | undefined)[] | null {
    const groups: (string | undefined)[] = [];
    for (const { name, program } of this.#checks) {
      const value = componentOf(url, name);
      const text = this.#folded ? value.toLowerCase() : value;
      const marks = this.#marks;
      if (!program.run(text, 0, text.length, marks, 0)) return null;
      for (let i = 0; i < program.names.length; i++) {
        const start = marks[i * 2]!;
        const end = marks[i * 2 + 1];
        groups.push(start < 0 ? undefined : value.slice(start, end));
      }
    }
    return groups;
  }
}

/** The components apart from the path that need no platform. */
export function guardOf(
  components: readonly Component[],
  folded: boolean,
): Guard | null {
  const others = components.filter(({ name, parts }) =>
    name !== "pathname" && !parts.some(needsPlatform)
  );
  return others.length === 0 ? null : new Guard(others, folded);
}

/**
 * How long a component may be that has a regexp group which only the platform
 * understands. Its engine backtracks, so longer ones do not match.
 */
const MAX_PLATFORM_LENGTH = 1024;

/** What only the platform's URLPattern can decide. */
export class PlatformCheck {
  readonly #pattern: RoutePattern;
  readonly #components: readonly Component[];

  /** Creates it for a pattern with its components. */
  constructor(pattern: RoutePattern, components: readonly Component[]) {
    this.#pattern = pattern;
    this.#components = components;
  }

  /** The params, decoded, or `null` where the pattern doesn't match. */
  match(url: URL): Record<string, string> | null {
    for (const { name, parts } of this.#components) {
      const length = componentOf(url, name).length;
      if (length > MAX_PLATFORM_LENGTH && parts.some(needsPlatform)) {
        return null;
      }
    }
    const result = exec.call(this.#pattern.urlPattern, url.href);
    if (result === null) return null;
    const params: Record<string, string> = Object.create(null);
    // The numbers of the path win over those of other components.
    for (const { name, parts } of this.#components.toSorted(pathLast)) {
      const { groups } = result[name];
      for (const part of parts) {
        const value = part.type === "text" ? undefined : groups[part.name];
        if (value !== undefined) params[part.name] = decodeValue(value);
      }
    }
    return params;
  }
}

function pathLast(a: Component, b: Component): number {
  return Number(a.name === "pathname") - Number(b.name === "pathname");
}

const { exec } = URLPattern.prototype;

function componentOf(url: URL, name: ComponentName): string {
  const value = url[name];
  if (name === "protocol") return value.slice(0, -1);
  return name === "search" || name === "hash" ? value.slice(1) : value;
}
