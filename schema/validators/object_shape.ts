import type { FormInput } from "../forms/form_input.ts";
import type { FormOutput, FormShape } from "../forms/form_object.ts";
import { toNode, typed } from "../node.ts";
import {
  changeEntries,
  entriesOf,
  type Entry,
  present,
  reshape,
  splitEntries,
} from "./_shape.ts";
import { picklist } from "./literal.ts";
import { optional } from "./optional.ts";
import type {
  Flat,
  ObjectInput,
  ObjectSchema,
  ObjectShape,
  Schema,
} from "../schema.ts";

/**
 * Creates a schema with some properties of the schema of an object or a form.
 *
 * The new schema is as strict or loose as the other. Checks of the whole object
 * would refer to missing properties: add them afterwards.
 *
 * @example The public part of a user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, object, parse, pick, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ id: number(), name: string(), passwordHash: string() });
 * const PublicUser = pick(User, ["id", "name"]);
 *
 * const ada = { id: 1, name: "Ada", passwordHash: "$argon2id$…" };
 * assertEquals(parse(PublicUser, ada), { id: 1, name: "Ada" });
 * ```
 *
 * @param schema The schema of the object.
 * @param keys The properties to keep.
 * @returns The schema.
 * @throws {TypeError} If the schema is not an object without checks, or a
 * property does not exist.
 */
export function pick<Output, Input, Key extends PropertyName<Output>>(
  schema: ObjectSchema<Output, Input>,
  keys: readonly Key[],
): ObjectSchema<
  Flat<Pick<Output, Key>>,
  Selected<Input, Pick<Input, Key & keyof Input>>
> {
  return typed(reshape(schema, (entries) => splitEntries(entries, keys)[0]));
}

/**
 * Creates a schema without some properties of the schema of an object or a form.
 *
 * @example A user before it has an id
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, object, omit, parse, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ id: number(), name: string() });
 * const NewUser = omit(User, ["id"]);
 *
 * assertEquals(parse(NewUser, { id: 1, name: "Ada" }), { name: "Ada" });
 * ```
 *
 * @param schema The schema of the object.
 * @param keys The properties to leave out.
 * @returns The schema, as strict or loose as the other. A loose schema still
 * accepts the properties, as unknown ones.
 * @throws {TypeError} If the schema is not an object without checks, or a
 * property does not exist.
 */
export function omit<Output, Input, Key extends PropertyName<Output>>(
  schema: ObjectSchema<Output, Input>,
  keys: readonly Key[],
): ObjectSchema<Flat<Omit<Output, Key>>, Selected<Input, Omit<Input, Key>>> {
  return typed(reshape(schema, (entries) => splitEntries(entries, keys)[1]));
}

/**
 * Creates a schema whose properties may be missing: all, or those with the given
 * keys. Properties inside of properties do not change.
 *
 * A missing property stays missing, even if it has a default or is a checkbox of
 * a form. An update must not reset what the client does not send.
 *
 * @example The changes of a user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { defaulted, object, parse, partial, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ name: string(), role: defaulted(string(), "reader") });
 *
 * assertEquals(parse(partial(User), { name: "Ada" }), { name: "Ada" });
 * ```
 *
 * @param schema The schema of the object.
 * @param keys The properties that may be missing, by default all.
 * @returns The schema.
 * @throws {TypeError} If the schema is not an object without checks, or a
 * property does not exist.
 */
export function partial<Output, Input, Key extends PropertyName<Output>>(
  schema: ObjectSchema<Output, Input>,
  keys?: readonly Key[],
): ObjectSchema<
  PartialOutput<Output, Key>,
  Selected<Input, PartialInput<Input, Key>>
> {
  const node = reshape(
    schema,
    (entries) => changeEntries(entries, keys, optional),
  );
  return typed(node);
}

/**
 * Creates a schema whose properties must be present: all, or those with the given
 * keys. `undefined` counts as missing, and defaults do not apply.
 *
 * @example A user who has confirmed an email address
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, optional, parseSafe, required, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ name: string(), email: optional(string()) });
 * const Confirmed = required(User, ["email"]);
 *
 * assertEquals(parseSafe(Confirmed, { name: "Ada" }).success, false);
 * ```
 *
 * @param schema The schema of the object.
 * @param keys The properties that must be present, by default all.
 * @returns The schema.
 * @throws {TypeError} If the schema is not an object without checks, or a
 * property does not exist.
 */
export function required<Output, Input, Key extends PropertyName<Output>>(
  schema: ObjectSchema<Output, Input>,
  keys?: readonly Key[],
): ObjectSchema<
  RequiredValue<Output, Key>,
  Selected<Input, RequiredValue<Input, Key>>
> {
  const node = reshape(
    schema,
    (entries) => changeEntries(entries, keys, present),
  );
  return typed(node);
}

/**
 * Creates a schema with more properties. A property that the schema already has
 * is replaced. A form takes fields as well.
 *
 * @example An administrator
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, extend, object, parse, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ name: string() });
 * const Admin = extend(User, { rights: array(string()) });
 * const grace = { name: "Grace", rights: ["users"] };
 *
 * assertEquals(parse(Admin, grace), grace);
 * ```
 *
 * @param schema The schema of the object.
 * @param shape The schema of each new property.
 * @returns The schema, as strict or loose as the other.
 * @throws {TypeError} If the schema is not an object without checks.
 */
export function extend<Output, Input, Shape extends FormShape>(
  schema: ObjectSchema<Output, Input>,
  shape: Shape & (IsForm<Input> extends true ? FormShape : ObjectShape),
): ObjectSchema<
  Flat<Omit<Output, keyof Shape> & FormOutput<Shape>>,
  Selected<Input, ExtendedInput<Input, Shape>>
> {
  const added: readonly Entry[] = Object.entries(shape);
  const node = reshape(
    schema,
    (entries) => [...new Map([...entries, ...added])],
  );
  return typed(node);
}

/**
 * Creates a schema for the name of one of an object's properties.
 *
 * @example The column that a table is sorted by
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { keyof, number, object, parse, parseSafe, string } from "@gatehouse/web/data-schema";
 *
 * const User = object({ id: number(), name: string() });
 * const Column = keyof(User);
 *
 * assertEquals(parse(Column, "name"), "name");
 * assertEquals(parseSafe(Column, "constructor").success, false);
 * ```
 *
 * @param schema The schema of the object.
 * @returns The schema of the name.
 * @throws {TypeError} If the schema is not an object without checks.
 */
export function keyof<Output, Input>(
  schema: ObjectSchema<Output, Input>,
): Schema<KeyOf<Output>> {
  const names = entriesOf(toNode(schema)).map(([key]) => key);
  return picklist(names) as Schema<string> as Schema<KeyOf<Output>>;
}

/** The keys of an object that can be properties of JSON and forms. */
export type PropertyName<Value> = keyof Value & (string | number);

/** The names of an object's properties. */
export type KeyOf<Value> = `${PropertyName<Value>}`;

/** `true` if the input is a form. */
export type IsForm<Input> = FormInput extends Input ? true : false;

/**
 * The input of a derived schema: an object with other properties, or a form as
 * before.
 */
export type Selected<Input, NewInput> = IsForm<Input> extends true ? Input
  : Flat<NewInput>;

/** The output of {@linkcode partial}. */
export type PartialOutput<Output, Key extends PropertyKey> = Flat<
  & Omit<Output, Key>
  & {
    [Name in keyof Pick<Output, Key & keyof Output>]?: Exclude<
      Output[Name],
      undefined
    >;
  }
>;

/** The input of {@linkcode partial}. */
export type PartialInput<Input, Key extends PropertyKey> =
  & Omit<Input, Key>
  & {
    [Name in keyof Pick<Input, Key & keyof Input>]?: Input[Name] | undefined;
  };

/** The input or output of {@linkcode required}. */
export type RequiredValue<Value, Key extends PropertyKey> = Flat<
  & Omit<Value, Key>
  & {
    [Name in keyof Pick<Value, Key & keyof Value>]-?: Exclude<
      Value[Name],
      undefined
    >;
  }
>;

/** The input of {@linkcode extend}. */
export type ExtendedInput<Input, Shape> =
  & Omit<Input, keyof Shape>
  & (Shape extends ObjectShape ? ObjectInput<Shape> : unknown);
