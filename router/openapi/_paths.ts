// Writes patterns as paths of OpenAPI.

import type { Part } from "../pattern/parse.ts";
import { parsedPattern, type RoutePattern } from "../pattern/route_pattern.ts";
import type { JSONSchema } from "../../schema/mod.ts";

/** A path of OpenAPI, such as `/notes/{id}`. */
export interface OpenAPIPath {
  /** The path with its parameters in braces. */
  readonly template: string;
  /** The schemas of the parameters by name, in order. */
  readonly params: readonly (readonly [name: string, schema: JSONSchema])[];
}

/**
 * The maximum number of paths that the optional parts of a pattern may create.
 */
const MAX_PATHS = 16;

/** Returns the paths of a pattern, or the reason why it has none. */
export function pathsOf(
  pattern: RoutePattern,
  prefix: string,
): readonly OpenAPIPath[] | string {
  const { components } = parsedPattern(pattern);
  const other = components.find(({ name }) => name !== "pathname");
  if (other !== undefined) return `its pattern has a ${other.name}`;
  let paths: readonly OpenAPIPath[] = [{ template: prefix, params: [] }];
  for (const part of components.flatMap(({ parts }) => parts)) {
    const reason = reasonAgainst(part);
    if (reason !== undefined) return reason;
    // A path matches its first optional parts first.
    paths = paths.flatMap((path) =>
      part.modifier === "?" ? [addPart(path, part), path] : addPart(path, part)
    );
    if (paths.length > MAX_PATHS) return "it has too many optional parts";
  }
  const byShape = new Map<string, OpenAPIPath>();
  for (const { template, params } of paths) {
    const path = { template: template || "/", params };
    const shape = shapeOf(path);
    if (!byShape.has(shape)) byShape.set(shape, path);
  }
  return [...byShape.values()];
}

/** Returns the path without the names of its parameters. */
export function shapeOf({ template }: OpenAPIPath): string {
  return template.replaceAll(/\{[^}]*\}/g, "{}");
}

function reasonAgainst(
  { modifier, regexp, type }: Part,
): string | undefined {
  return modifier === "*" || modifier === "+"
    ? "OpenAPI has no repeated parts of a path"
    : type === "wildcard" || regexp?.hasSlash
    ? "a parameter of an OpenAPI path contains no slash"
    : undefined;
}

function addPart(
  { template, params }: OpenAPIPath,
  { name, prefix, regexp, suffix, type }: Part,
): OpenAPIPath {
  if (type === "text") return { template: template + prefix, params };
  const schema = regexp === null
    ? { type: "string", minLength: 1 }
    : { type: "string", pattern: `^(?:${regexp.source})$` };
  return {
    template: `${template}${prefix}{${name}}${suffix}`,
    params: [...params, [name, schema]],
  };
}
