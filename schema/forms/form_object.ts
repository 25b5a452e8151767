import {
  addPart,
  type Context,
  Failure,
  failWith,
  isPart,
  MAX_ISSUES,
  type Part,
  resolveParts,
} from "../failure.ts";
import {
  convertOptions,
  convertString,
  itemOf,
  textConverter,
} from "./_form_strings.ts";
import { FormTree, MAX_FIELDS, readTree, splitName } from "./_form_tree.ts";
import {
  hasType,
  innerOf,
  Node,
  type NodeType,
  run,
  toNode,
  typed,
  wrongType,
} from "../node.ts";
import type { FormField } from "./form_fields.ts";
import { type FormInput, formOf, type FormReader } from "./form_input.ts";
import type { Issue, Message, MessageOptions } from "../issue.ts";
import type { ObjectOutput, ObjectSchema } from "../schema.ts";
import type { StandardSchemaV1 } from "../standard_schema.ts";

/** The properties of a form: fields, or forms inside the form. */
export type FormShape = Readonly<
  Record<string, FormField<StandardSchemaV1> | StandardSchemaV1>
>;

/** The schema of one property of a form. */
export type FormSource<Property> = Property extends
  FormField<infer Source extends StandardSchemaV1> ? Source
  : Property extends StandardSchemaV1 ? Property
  : never;

/** The output of a form of this shape. */
export type FormOutput<Shape extends FormShape> = ObjectOutput<
  { [Key in keyof Shape]: FormSource<Shape[Key]> }
>;

/**
 * Creates a schema for a form. Fields that the shape does not name are omitted
 * from the output. The form is `FormData`, `URLSearchParams`, or an object of
 * strings, files and arrays of them, as other frameworks represent forms.
 *
 * A form inside a form is read from nested names: `address.city` or
 * `address[city]`, and `items[0].name` for an array of forms. `fields()` and
 * `files()` also read `tags[0]` and `tags.0`. Names nest at most
 * 5 levels. Indexes are below 1,000 and without gaps, and a form with nested
 * names has at most 1,000 values. Names with `__proto__`, `constructor` or
 * `prototype` are ignored.
 *
 * @example A login form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse, string } from "@gatehouse/web/data-schema";
 * import { field, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Login = object({ email: field(string()), password: field(string()) });
 * const form = new FormData();
 * form.set("email", "ada@example.com");
 * form.set("password", "correct horse");
 *
 * assertEquals(parse(Login, form).email, "ada@example.com");
 * ```
 *
 * @example An array of forms
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, number, parse, string } from "@gatehouse/web/data-schema";
 * import { field, fields, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Order = object({
 *   items: fields(array(object({
 *     name: field(string()),
 *     count: field(number()),
 *   }))),
 * });
 * const query = new URLSearchParams("items[0].name=tea&items[0].count=2");
 *
 * assertEquals(parse(Order, query).items, [{ name: "tea", count: 2 }]);
 * ```
 *
 * @param shape The field or schema of each property.
 * @param options The message for a value of another type.
 */
export function object<Shape extends FormShape>(
  shape: Shape,
  options: MessageOptions = {},
): ObjectSchema<FormOutput<Shape>, FormInput> {
  const plans = Object.keys(shape).map((key) => planField(key, shape[key]!));
  const fieldOf = (issue: Issue) => nameField(plans, issue);
  return typed(new Node(FORMS, plans, { ...options, fieldOf }));
}

/** A field, prepared for reading. */
export interface FieldPlan {
  readonly key: string;
  /** The property of the shape. */
  readonly property: FormShape[string];
  readonly name: string;
  /** The keys that the name consists of. */
  readonly path: readonly string[];
  readonly kind: FormField<StandardSchemaV1>["kind"] | "form";
  readonly node: Node;
  /** The fields of the nested form, if the schema has one. */
  readonly inner: readonly FieldPlan[] | undefined;
  /** Converts a string for the schema. `undefined` is a missing value. */
  readonly convert: (value: string) => unknown;
  /** The value of a missing field. */
  readonly absent: unknown;
  /** The message for a missing value. */
  readonly message: Message | undefined;
}

function planField(key: string, property: FormShape[string]): FieldPlan {
  const { kind, schema, name = key } = "~standard" in property
    ? { kind: "form", schema: property } as const
    : property;
  const node = convertOptions(toNode(schema as StandardSchemaV1));
  const item = itemOf(node);
  const inner = item.type === FORMS
    ? item.parts as readonly FieldPlan[]
    : undefined;
  const path = splitName(name) ?? [name];
  const message = firstMessage(node);
  return {
    key,
    property,
    name,
    path,
    kind,
    node,
    inner,
    ...textConverter(node),
    message,
  };
}

/** Returns the innermost message of the schema and its checks. */
function firstMessage(node: Node | undefined): Message | undefined {
  let message: Message | undefined;
  for (; node; node = innerOf(node)) {
    message = node.message ??
      node.checks.find(({ message }) => message !== undefined)?.message ??
      message;
  }
  return message;
}

/** Adds the name of the form field to an issue. */
function nameField(plans: readonly FieldPlan[], issue: Issue): Issue {
  let field = "";
  let level: readonly FieldPlan[] | undefined = plans;
  for (const key of issue.path) {
    if (typeof key === "number" && level !== plans) field += `[${key}]`;
    else {
      const plan: FieldPlan | undefined = level?.find((plan) =>
        plan.key === key
      );
      if (plan === undefined) break;
      field += field === "" ? plan.name : `.${plan.name}`;
      level = plan.inner;
      if (level === undefined) break;
    }
  }
  return field === "" ? issue : { ...issue, field };
}

const FORMS: NodeType = {
  name: "form",
  create: object,
  run(value, context) {
    const plans = this.parts as readonly FieldPlan[];
    if (value instanceof FormTree) return readFields(plans, value, context);
    const form = formOf(value);
    if (form === undefined) return wrongType(this, value);
    if (!isNested(plans, form)) return readFields(plans, form, context);
    const tree = readTree(form);
    if (tree !== undefined) return readFields(plans, tree, context);
    return failWith("too_large", "Too many fields", { max: MAX_FIELDS });
  },
};

/** Returns `true` if the shape has nested forms, or the form has indexed names. */
function isNested(plans: readonly FieldPlan[], form: FormReader): boolean {
  return plans.some((plan) =>
    plan.inner !== undefined || isMultiple(plan) && hasIndex(form, plan.name)
  );
}

function hasIndex(form: FormReader, name: string): boolean {
  if (form.has(`${name}[0]`) || form.has(`${name}.0`)) return true;
  // Reading all names is slow, and only needed if the array would be empty.
  if (form.has(name) || form.has(`${name}[]`)) return false;
  for (const [other] of form) {
    const isIndexed = other.startsWith(name) &&
      /^[.[]\d/.test(other.slice(name.length));
    if (isIndexed) return true;
  }
  return false;
}

function isMultiple({ kind }: FieldPlan): boolean {
  return kind === "fields" || kind === "files";
}

function readFields(
  plans: readonly FieldPlan[],
  input: FormReader | FormTree,
  context: Context,
): unknown {
  const output: Record<string, unknown> = {};
  let failed: Part[] | undefined;
  let failures = 0;
  for (const plan of plans) {
    const { key } = plan;
    const result = input instanceof FormTree
      ? runTree(plan, input.at(plan.path), context)
      : runFlat(plan, input, context);
    if (isPart(result)) {
      failed = addPart(failed, result, key);
      if (result instanceof Failure && ++failures >= MAX_ISSUES) break;
    } else if (result !== undefined && key !== "__proto__") {
      output[key] = result;
    }
  }
  return resolveParts(failed, output);
}

function runFlat(
  plan: FieldPlan,
  input: FormReader,
  context: Context,
): unknown {
  const values = input.getAll(plan.name);
  return isMultiple(plan)
    ? runAll(plan, values.concat(input.getAll(`${plan.name}[]`)), context)
    : runOne(plan, values, context);
}

function runTree(
  plan: FieldPlan,
  tree: FormTree | undefined,
  context: Context,
): unknown {
  const { kind, node } = plan;
  const { values, children } = tree ??= new FormTree();
  if (values.length > 0 && (children.size > 0 || kind === "form")) {
    return rejectNames();
  }
  if (kind === "form") {
    const isMissing = children.size === 0 &&
      hasType(node, ["optional", "defaulted"]);
    return run(node, isMissing ? undefined : tree, context);
  }
  if (children.size === 0) {
    return isMultiple(plan)
      ? runAll(plan, values, context)
      : runOne(plan, values, context);
  }
  const items = isMultiple(plan) ? tree.items() : undefined;
  if (items === undefined) return rejectNames();
  return plan.inner === undefined
    ? runAll(plan, items.flatMap(({ values }) => values), context)
    : run(node, items, context);
}

function rejectNames(): Failure {
  return failWith("conflict", "Field names do not fit together");
}

function runAll(
  { kind, node, convert }: FieldPlan,
  values: readonly FormDataEntryValue[],
  context: Context,
): unknown {
  const isMissing = values.length === 0 &&
    hasType(node, ["optional", "defaulted"]);
  if (isMissing) return run(node, undefined, context);
  const present = kind === "files" ? values.filter(isChosen) : values;
  return run(
    node,
    present.map((value) => convertString(value, convert)),
    context,
  );
}

function runOne(
  { kind, node, convert, absent, message }: FieldPlan,
  values: readonly FormDataEntryValue[],
  context: Context,
): unknown {
  const present = kind === "file" ? values.filter(isChosen) : values;
  if (present.length > 1) return failWith("repeated", "Expected one value");
  const value = present.length === 0
    ? absent
    : convertString(present[0]!, convert);
  const result = run(node, value, context);
  if (value === undefined && message && result instanceof Failure) {
    return failWith(
      "required",
      "Required",
      { expected: node.expected },
      message,
    );
  }
  return result;
}

/** Returns `false` for the empty file that browsers send if none was chosen. */
function isChosen(value: FormDataEntryValue): boolean {
  return typeof value === "string" || value.size > 0 || value.name !== "";
}
