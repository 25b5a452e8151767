import { innerOf, type Node, toNode, typed, type Wrapper } from "../node.ts";
import { copyNode, itemOf } from "./_form_strings.ts";
import { field, fields, file, files } from "./form_fields.ts";
import type { FormInput } from "./form_input.ts";
import { type FormShape, object } from "./form_object.ts";
import type { ObjectPlan } from "../validators/object.ts";
import type { ObjectSchema } from "../schema.ts";

/**
 * Creates the schema of a form that has the properties of an object schema, so
 * that JSON and a form of the same thing are described once.
 *
 * Arrays are read with `fields()`, files with `file()`, nested objects from
 * nested names such as `address.city`, and everything else with `field()`. Checks
 * and rules stay. Forms often have more fields, so a strict object also accepts
 * unknown ones, and a loose one drops them.
 *
 * @example The same note as JSON and as a form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, boolean, object, parse, string } from "@gatehouse/web/data-schema";
 * import { fromObject } from "@gatehouse/web/data-schema/form-data";
 *
 * const Note = object({ text: string(), pinned: boolean(), tags: array(string()) });
 * const NoteForm = fromObject(Note);
 *
 * const note = { text: "Buy tea", pinned: true, tags: ["shop"] };
 * const form = new URLSearchParams("text=Buy+tea&pinned=on&tags=shop");
 * assertEquals(parse(Note, note), parse(NoteForm, form));
 * ```
 *
 * @param schema The schema of the object.
 * @returns The schema of the form, with the same output.
 * @throws {TypeError} If a form cannot contain a property, such as a record.
 */
export function fromObject<Output, Input>(
  schema: ObjectSchema<Output, Input>,
): ObjectSchema<Output, FormInput> {
  return typed(formOf(toNode(schema), ""));
}

/** The types whose values a form cannot contain. */
const UNREADABLE = [
  "intersect",
  "lazy",
  "map",
  "record",
  "set",
  "tuple",
  "variant",
];

/** Replaces the objects of a schema with forms, even inside other schemas. */
function formOf(node: Node, path: string): Node {
  const { parts, type } = node;
  if (type.name === "object") return formOfObject(node, path);
  if (type.name === "array") {
    return copyNode(node, formOf(parts as Node, `${path}[]`));
  }
  if (UNREADABLE.includes(type.name)) {
    throw new TypeError(
      `Cannot read property "${path}" from a form: it is a ${type.name}`,
    );
  }
  const inner = innerOf(node);
  if (!inner) return node;
  const form = formOf(inner, path);
  // A form has fields that the schema does not name, such as a CSRF token.
  return type.name === "strict" || type.name === "loose"
    ? form
    : copyNode(node, { ...parts as Wrapper, inner: form }, form);
}

function formOfObject({ message, parts }: Node, path: string): Node {
  const { keys, nodes } = parts as ObjectPlan;
  const start = path && `${path}.`;
  const shape = Object.fromEntries(
    keys.map((key, index) => [key, propertyOf(nodes[index]!, start + key)]),
  );
  return toNode(object(shape, { message }));
}

function propertyOf(node: Node, path: string): FormShape[string] {
  const schema = formOf(node, path);
  const item = itemOf(schema);
  const isFile = item.type.name === "instance" && item.parts === File;
  if (isMultiple(schema)) return isFile ? files(schema) : fields(schema);
  if (isFile) return file(schema);
  return item.type.name === "form" ? schema : field(schema);
}

function isMultiple(node: Node | undefined): boolean {
  for (; node; node = innerOf(node)) {
    if (node.type.name === "array") return true;
  }
  return false;
}
