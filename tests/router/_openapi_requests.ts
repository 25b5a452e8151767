// Creates random requests from an OpenAPI document.
import type { OpenAPIDocument } from "@gatehouse/web/openapi";
import type { Random } from "./_random.ts";

type Schema = Record<string, unknown>;

/** The parts of an operation that requests are made from. */
interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: Schema }>;
  };
  readonly responses: Record<string, unknown>;
}

/** A random request, and the statuses that the document allows. */
export interface RandomRequest {
  readonly request: Request;
  /** The method and the path of the operation. */
  readonly operation: string;
  readonly statuses: readonly string[];
}

const STRINGS = [
  "1",
  "0",
  "-1",
  "1e999",
  "true",
  "on",
  "null",
  "NaN",
  "\u0000",
  "\ud800",
  "ü/ß?#%",
  "%",
  "%2e%2e",
  "__proto__",
  "constructor",
  "' OR 1=1 --",
  "<script>",
  "a".repeat(5_000),
  "9".repeat(400),
];

const KEYS = ["__proto__", "constructor", "toString", "a[]", "x.y", "then"];

/** Creates requests of all operations, of which many are invalid. */
export class RequestGenerator {
  readonly #document: OpenAPIDocument;
  readonly #random: Random;
  readonly #operations: (readonly [string, string, Operation])[];

  constructor(document: OpenAPIDocument, random: Random) {
    this.#document = document;
    this.#random = random;
    this.#operations = Object.entries(document.paths).flatMap((
      [path, methods],
    ) =>
      Object.entries(methods).map(([method, operation]) =>
        [path, method, operation as unknown as Operation] as const
      )
    );
  }

  /** Creates a request. */
  next(origin: string, headers: Record<string, string>): RandomRequest {
    const random = this.#random;
    const [path, method, operation] = random.pick(this.#operations);
    const { parameters = [], requestBody, responses } = operation;
    const url = new URL(origin);
    let pathname = path;
    for (const { in: place, name, schema } of parameters) {
      const value = this.#value(schema);
      if (place === "path") {
        pathname = pathname.replace(`{${name}}`, segmentOf(value));
      } else if (!random.chance(0.2)) {
        for (const item of [value].flat()) {
          url.searchParams.append(name, textOf(item));
        }
      }
    }
    if (random.chance(0.1)) url.searchParams.append(random.pick(KEYS), "x");
    url.pathname = pathname;
    const init: RequestInit = { method: method.toUpperCase() };
    const sent = new Headers(headers);
    if (requestBody !== undefined) {
      const type = random.pick(Object.keys(requestBody.content));
      init.body = this.#body(type, requestBody.content[type]!.schema, sent);
    }
    return {
      request: new Request(url, { ...init, headers: sent }),
      operation: `${method} ${path}`,
      statuses: Object.keys(responses),
    };
  }

  #body(type: string, schema: Schema, headers: Headers): BodyInit {
    const random = this.#random;
    const value = this.#value(schema);
    const isWrong = random.chance(0.1);
    if (isWrong) {
      headers.set(
        "Content-Type",
        random.pick([
          "",
          "text/plain",
          "application/json",
          "multipart/form-data",
          "application/x-www-form-urlencoded; charset=utf-16",
        ]),
      );
    }
    if (type === "application/json") {
      if (!isWrong) headers.set("Content-Type", type);
      const text = JSON.stringify(value);
      return random.chance(0.05) ? text.slice(0, -1) + "[".repeat(200) : text;
    }
    const fields = Object.entries(Object(value) as Schema).flatMap((
      [name, value],
    ) => [value].flat().map((item) => [name, item] as const));
    if (type === "multipart/form-data") {
      const form = new FormData();
      for (const [name, item] of fields) {
        if (random.chance(0.5)) form.append(name, textOf(item));
        else {form.append(
            name,
            new File([textOf(item)], textOf(item).slice(0, 9)),
          );}
      }
      return form;
    }
    return new URLSearchParams(
      fields.map(([name, item]) => [name, textOf(item)]),
    );
  }

  /** Returns a value that fits a schema, or in every fifth case any other. */
  #value(schema: Schema, depth = 0): unknown {
    const random = this.#random;
    if (random.chance(0.1) || depth > 5) return this.#anything(depth);
    const resolved = this.#resolve(schema);
    const { anyOf, const: constant, enum: values, type } = resolved;
    if (constant !== undefined) return constant;
    if (Array.isArray(values)) return random.pick(values);
    if (Array.isArray(anyOf)) return this.#value(random.pick(anyOf), depth + 1);
    switch (type) {
      case "number":
      case "integer":
        return random.pick([0, 1, 2, 3, -1, 1.5, 1e300, 2 ** 53]);
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      case "array":
        return random.array(
          0,
          4,
          () => this.#value(resolved.items as Schema, depth + 1),
        );
      case "object":
        return this.#object(resolved, depth);
    }
    return random.pick(STRINGS);
  }

  #object({ properties = {} }: Schema, depth: number): Schema {
    const random = this.#random;
    const entries = Object.entries(properties as Record<string, Schema>)
      .filter(() => !random.chance(0.1))
      .map(([name, schema]) => [name, this.#value(schema, depth + 1)]);
    if (random.chance(0.1)) entries.push([random.pick(KEYS), "x"]);
    return Object.fromEntries(entries);
  }

  #anything(depth: number): unknown {
    const random = this.#random;
    return random.pick([
      null,
      true,
      -0,
      random.pick(STRINGS),
      depth < 6 ? [this.#anything(depth + 1)] : [],
      Object.fromEntries([[random.pick(KEYS), random.pick(STRINGS)]]),
    ]);
  }

  #resolve(schema: Schema): Schema {
    const name = /^#\/components\/schemas\/(.*)$/.exec(String(schema.$ref));
    return name === null
      ? schema
      : this.#document.components.schemas[name[1]!] as Schema;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** Returns a segment of a path. A dot segment would be another path. */
function segmentOf(value: unknown): string {
  const text = textOf(value).toWellFormed();
  return /^\.*$/.test(text) ? "x" : encodeURIComponent(text);
}
