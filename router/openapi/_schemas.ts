// Writes schemas as JSON Schema, with components for those that have a name.

import { type JSONSchema, toJSONSchema } from "../../schema/mod.ts";
import type { InputSchema } from "../middleware/input_schema.ts";

/** The place of a component. */
const PLACE = "#/components/schemas/";

/** The values that the strings of a query or a form represent, by type. */
const STRING_TYPES: Readonly<Record<string, JSONSchema>> = {
  date: { type: "string", format: "date-time" },
  bigint: { type: "integer" },
};

/** The schemas of a document. */
export class DocumentSchemas {
  /** The schemas by the name of their component. */
  readonly components: Record<string, JSONSchema> = {};
  /** The names of the components by the text of their schemas. */
  readonly #names = new Map<string, string>();
  readonly #report: (reason: string) => void;

  /**
   * @param named The schemas that become components.
   * @param report Gets the reason why the document omits a part of a schema.
   */
  constructor(
    named: Readonly<Record<string, InputSchema>>,
    report: (reason: string) => void,
  ) {
    this.#report = report;
    for (const [name, schema] of Object.entries(named)) {
      const written = this.#write(schema, "json");
      this.#names.set(JSON.stringify(written), name);
      this.components[name] = written;
    }
    // Now that all names are known, components can refer to each other.
    for (const name of Object.keys(named)) {
      this.components[name] = this.#refer(this.components[name]!, false);
    }
  }

  /** Returns the JSON Schema of a schema. */
  write(schema: InputSchema, wire: "json" | "strings"): JSONSchema {
    return this.#refer(this.#write(schema, wire));
  }

  #write(schema: InputSchema, wire: "json" | "strings"): JSONSchema {
    const written = toJSONSchema(schema as Parameters<typeof toJSONSchema>[0], {
      wire,
      onUnsupported: ({ type, path }) => {
        const known = wire === "strings" ? STRING_TYPES[type] : undefined;
        const place = path.join(".") || "the whole";
        if (!known) this.#report(`JSON Schema has no "${type}" (${place})`);
        return known;
      },
    });
    const { $schema: _, $defs = {}, ...root } = written;
    return this.#move(root, $defs as Record<string, JSONSchema>);
  }

  /** Moves definitions to the components, where the whole document finds them. */
  #move(root: JSONSchema, definitions: Record<string, JSONSchema>): JSONSchema {
    const names = new Map<string, string>();
    for (const name of Object.keys(definitions)) {
      const key = `schema${Object.keys(this.components).length}`;
      names.set(`#/$defs/${name}`, PLACE + key);
      this.components[key] = {};
    }
    const rename = (schema: JSONSchema) =>
      mapSchema(schema, (one) => {
        const target = names.get(String(one.$ref));
        return target === undefined ? one : { ...one, $ref: target };
      });
    for (const [name, schema] of Object.entries(definitions)) {
      const key = names.get(`#/$defs/${name}`)!.slice(PLACE.length);
      this.components[key] = rename(schema);
    }
    return rename(root);
  }

  /** Replaces schemas that are components with references. */
  #refer(schema: JSONSchema, isRootReplaced = true): JSONSchema {
    return mapSchema(schema, (one) => {
      if (one === schema && !isRootReplaced) return one;
      const name = this.#names.get(JSON.stringify(one));
      return name === undefined ? one : { $ref: PLACE + name };
    });
  }
}

/** Calls a function for each object in a schema, the outermost first. */
function mapSchema(
  schema: JSONSchema,
  replace: (schema: JSONSchema) => JSONSchema,
): JSONSchema {
  const visit = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(visit)
      : isObject(value)
      ? mapSchema(value, replace)
      : value;
  return mapValues(
    replace(schema),
    (value, key) =>
      VALUES.includes(key)
        ? value
        : key === "properties" && isObject(value)
        ? mapValues(value, visit)
        : visit(value),
  );
}

/** The keywords whose values are data, not schemas. */
const VALUES = ["const", "default", "enum", "example", "examples"];

function isObject(value: unknown): value is JSONSchema {
  return typeof value === "object" && value !== null;
}

function mapValues(
  object: JSONSchema,
  change: (value: unknown, key: string) => unknown,
): JSONSchema {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value, key)]),
  );
}
