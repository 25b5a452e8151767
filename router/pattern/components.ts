import { parsePattern, type Part } from "./parse.ts";

/** The components of a URL that a pattern can constrain, in their order. */
export const COMPONENTS = [
  "protocol",
  "username",
  "password",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

/** The name of a component. */
export type ComponentName = typeof COMPONENTS[number];

/** A component that a pattern constrains. */
export interface Component {
  /** The name of the component. */
  readonly name: ComponentName;
  /** The source of its pattern. */
  readonly source: string;
  /** The parts of its pattern. */
  readonly parts: readonly Part[];
}

/**
 * Parses the pattern of a component. All components except the pathname must be
 * in canonical form already.
 *
 * @throws {TypeError} If the pattern is invalid; the message is the reason.
 */
export function parseComponent(name: ComponentName, source: string): Component {
  return { name, source, parts: parsePattern(source, delimiterOf(name)) };
}

/** Returns the separator of the segments of a component, or "". */
export function delimiterOf(name: ComponentName): string {
  return name === "pathname" ? "/" : name === "hostname" ? "." : "";
}

/** Returns the parts of the path. */
export function pathOf(components: readonly Component[]): readonly Part[] {
  return components.find(({ name }) => name === "pathname")!.parts;
}

/** Returns the components in lower case if the pattern ignores case. */
export function foldCase(
  components: readonly Component[],
  ignoreCase: boolean,
): readonly Component[] {
  if (!ignoreCase) return components;
  return components.map(({ parts, ...component }) => ({
    ...component,
    parts: parts.map((part) => ({
      ...part,
      prefix: part.prefix.toLowerCase(),
      suffix: part.suffix.toLowerCase(),
    })),
  }));
}
