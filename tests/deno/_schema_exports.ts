/**
 * Random schemas, ours and those of other libraries inside of ours: ajv accepts
 * each export as JSON Schema, and each value that the parser accepts.
 */
import { assert, assertEquals } from "@std/assert";
import {
  any,
  array,
  boolean,
  defaulted,
  enum_,
  extend,
  intersect,
  keyof,
  lazy,
  literal,
  looseObject,
  nullable,
  number,
  object,
  type ObjectSchema,
  omit,
  optional,
  parseSafe,
  partial,
  pick,
  record,
  required,
  type Schema,
  type StandardSchemaV1,
  strictObject,
  string,
  toJSONSchema,
  tuple,
  union,
  variant,
  withJSONSchema,
} from "@gatehouse/web/data-schema";
import * as checks from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@1.8.0";
import { Ajv } from "npm:ajv@8.20.0";
import { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
import { fullFormats } from "npm:ajv-formats@3.0.1/dist/formats.js";
import * as v from "npm:valibot@1.5.0";
import * as z from "npm:zod@4.6.7";
import { mutate, type RandomInteger, seededIntegers } from "./_random_json.ts";

/** A schema with values to start from. */
interface Subject {
  readonly schema: StandardSchemaV1;
  /** `true` if the export accepts exactly the values of the parser. */
  readonly exact: boolean;
  readonly make: (random: RandomInteger) => unknown;
}

const STRINGS = [
  "",
  "a",
  "ab.",
  "5",
  "true",
  "😀",
  "a😀",
  "\ud83d",
  "ada@example.com",
  "https://exämple.com/ü",
  "HTTPS://example.com/{a}",
  "https:example.com",
  "2026-11-20",
  "2026-11-20T17:55:48Z",
  "::1",
  "192.0.2.1",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
];
const NUMBERS = [0, 1, -1, 2, 3.5, 1e20, 2 ** 53, 5];
const KEYS = ["a", "b", "c", "$ref", "default", "constructor"];

const Text = string();
const stringSchemas: readonly [Schema<string>, boolean][] = [
  [Text, true],
  [Text.pipe(checks.minLength(1), checks.maxLength(2)), true],
  [Text.pipe(checks.length(1)), true],
  [Text.pipe(checks.startsWith("a"), checks.endsWith(".")), true],
  [Text.pipe(checks.pattern(/^..$/)), false],
  [Text.pipe(checks.pattern(/^..$/u)), true],
  [Text.pipe(checks.pattern(/^[^a]\D$/)), false],
  [Text.pipe(checks.pattern(/\ude00$/)), false],
  [Text.pipe(checks.endsWith("\ude00")), false],
  [Text.pipe(checks.url()), false],
  [Text.pipe(checks.email()), false],
  [Text.pipe(checks.ip()), true],
  [Text.pipe(checks.hostname()), false],
  [Text.pipe(checks.uuid()), true],
  [Text.pipe(checks.isoDate()), true],
  [Text.pipe(checks.isoDateTime()), true],
  [Text.refine((text) => text !== "a"), false],
];

interface ZodTree {
  name: string;
  kids: ZodTree[];
}
const ZodTree: z.ZodType<ZodTree> = z.object({
  name: z.string(),
  kids: z.array(z.lazy(() => ZodTree)),
});
interface ValibotTree {
  kids: ValibotTree[];
}
const ValibotTree: v.GenericSchema<ValibotTree> = v.object({
  kids: v.array(v.lazy(() => ValibotTree)),
});
interface OurTree {
  kids: OurTree[];
  name?: string | undefined;
}
const OurTree: Schema<OurTree> = object({
  kids: array(lazy(() => OurTree)),
  name: optional(string()),
});

const makeTree = (random: RandomInteger, depth = 3): unknown => ({
  name: "a",
  kids: Array.from(
    { length: depth === 0 ? 0 : random(3) },
    () => makeTree(random, depth - 1),
  ),
});

/** Schemas that describe themselves, with and without references. */
const selfDescribing: readonly [StandardSchemaV1, boolean][] = [
  [ZodTree, true],
  [z.object({ first: ZodTree, all: z.array(ZodTree).optional() }), true],
  [z.string().max(2), true],
  [z.string().optional(), true],
  [z.number().default(1), true],
  [z.union([z.string(), z.number()]), true],
  [toStandardJsonSchema(ValibotTree), true],
  [toStandardJsonSchema(v.optional(v.string())), true],
  [toStandardJsonSchema(v.object({ a: v.number() })), true],
  [withJSONSchema(OurTree), true],
  [withJSONSchema(string().pipe(checks.maxLength(2))), true],
];

/** Creates a random schema. */
function makeSubject(random: RandomInteger, depth: number): Subject {
  const one = <Item>(items: readonly Item[]): Item =>
    items[random(items.length)]!;
  const inner = () => makeSubject(random, depth - 1);
  switch (random(depth > 0 ? 17 : 6)) {
    case 0: {
      const [schema, exact] = one(stringSchemas);
      return {
        schema,
        exact,
        make: (random) => STRINGS[random(STRINGS.length)],
      };
    }
    case 1: {
      const schema = one([
        number(),
        number().pipe(checks.min(0), checks.max(3)),
        number().pipe(checks.integer()),
        number().pipe(checks.min(-Infinity)),
      ]);
      return { schema, exact: true, make: () => one(NUMBERS) };
    }
    case 2: {
      const values = [...one([["a"], ["a", 1, null], [undefined], []])];
      return {
        schema: enum_(values),
        exact: true,
        make: () => one([...values, "a"]),
      };
    }
    case 3:
      return one([
        { schema: boolean(), exact: true, make: () => true },
        { schema: any(), exact: true, make: () => "a" },
        { schema: literal(null), exact: true, make: () => null },
        { schema: coerce.number(), exact: false, make: () => "5" },
        { schema: coerce.boolean(), exact: false, make: () => "true" },
      ]);
    case 4:
    case 5: {
      const [schema, exact] = one(selfDescribing);
      const make = () => one([makeTree(random), "a", 1]);
      return { schema, exact, make };
    }
    case 6:
    case 7:
    case 8: {
      const keys = KEYS.filter(() => random(2) === 0);
      const parts = keys.map(() => inner());
      const shape = Object.fromEntries(
        keys.map((key, index) => [key, parts[index]!.schema]),
      );
      const schema = one([object, strictObject, looseObject])(shape);
      return {
        schema: deriveObject(schema, keys, one, random),
        exact: parts.every(({ exact }) => exact),
        make: (random) =>
          Object.fromEntries(
            keys.map((key, index) => [key, parts[index]!.make(random)]),
          ),
      };
    }
    case 9: {
      const { schema, exact, make } = inner();
      return {
        schema: array(schema).pipe(checks.maxLength(2)),
        exact,
        make: (random) => Array.from({ length: random(4) }, () => make(random)),
      };
    }
    case 10: {
      const parts = Array.from({ length: random(3) }, inner);
      return {
        schema: tuple(parts.map(({ schema }) => schema)),
        exact: parts.every(({ exact }) => exact),
        make: (random) => parts.map(({ make }) => make(random)),
      };
    }
    case 11: {
      const { schema, make } = inner();
      return {
        schema: record(string().pipe(checks.maxLength(3)), schema),
        exact: false,
        make: (random) => ({ a: make(random), [one(KEYS)]: make(random) }),
      };
    }
    case 12: {
      const parts = [inner(), inner()];
      return {
        schema: union(parts.map(({ schema }) => schema)),
        exact: parts.every(({ exact }) => exact),
        make: (random) => one(parts).make(random),
      };
    }
    case 13: {
      const { schema, exact, make } = inner();
      return one([
        { schema: optional(schema), exact, make },
        { schema: nullable(schema), exact, make },
        { schema: defaulted(nullable(schema), null), exact, make },
        { schema: lazy(() => schema), exact, make },
      ]);
    }
    case 14: {
      // Checks after a transformation, in each schema that may hide it.
      const Changed = string().transform((text) => text.length);
      const schema = one<Schema<number, unknown>>([
        Changed,
        union([Changed, number()]),
        lazy(() => Changed),
        intersect(Changed, Changed),
        union([lazy(() => coerce.number()), number()]),
      ]);
      return {
        schema: schema.pipe(checks.max(2)),
        exact: false,
        make: (random) => one([STRINGS[random(STRINGS.length)], 1]),
      };
    }
    case 15: {
      const { schema, exact, make } = inner();
      return {
        schema: variant("kind", { x: object({ a: schema }), y: object({}) }),
        exact,
        make: (random) => ({ kind: one(["x", "y", "z"]), a: make(random) }),
      };
    }
  }
  const [first, second] = [inner(), inner()];
  return {
    schema: intersect(
      object({ a: first.schema }),
      object({ b: second.schema }),
    ),
    exact: first.exact && second.exact,
    make: (random) => ({ a: first.make(random), b: second.make(random) }),
  };
}

/** Derives an object with some of the properties, optional or required. */
function deriveObject(
  schema: ObjectSchema<Record<string, unknown>>,
  keys: readonly string[],
  one: <Item>(items: readonly Item[]) => Item,
  random: RandomInteger,
): Schema<unknown> {
  const some = keys.filter(() => random(2) === 0);
  return one<() => Schema<unknown>>([
    () => schema,
    () => schema,
    () => pick(schema, some),
    () => omit(schema, some),
    () => partial(schema),
    () => partial(schema, some),
    () => required(schema),
    () => required(schema, some),
    () => required(partial(schema), some),
    () => extend(schema, { a: string(), d: optional(number()) }),
    () => extend(omit(schema, some), { b: keyof(schema) }),
  ])();
}

const ajvOptions = {
  strict: false,
  formats: fullFormats as never,
  // Otherwise ajv treats the inherited `constructor` as a property.
  ownProperties: true,
};

function compile(target: "draft-2020-12" | "draft-07", document: object) {
  const ajv = target === "draft-07"
    ? new Ajv(ajvOptions)
    : new Ajv2020(ajvOptions);
  return ajv.compile(document);
}

/**
 * Compares ajv with the parser on random values of random schemas.
 *
 * @returns The number of values that both accept, and of exact comparisons.
 */
export function compareExports(
  target: "draft-2020-12" | "draft-07",
  { first, last }: { readonly first: number; readonly last: number },
): { readonly accepted: number; readonly exact: number } {
  let [accepted, exact] = [0, 0];
  for (let seed = first; seed <= last; seed++) {
    const random = seededIntegers(seed * 7919);
    const subject = makeSubject(random, 3);
    const { schema } = subject;
    const document = toJSONSchema(schema, { target });
    const output = toJSONSchema(schema, {
      target,
      io: "output",
      onUnsupported: () => {},
    });
    const [takes, gives] = [
      compile(target, document),
      compile(target, output),
    ];
    for (let round = 0; round < 12; round++) {
      const made = mutate(subject.make(random), random, {
        part: () => [1, "a", null, {}, [], true][random(6)],
        entry: () => ["extra", 1],
      });
      if (made === undefined) continue;
      const value = JSON.parse(JSON.stringify(made));
      const result = parseSafe(schema, value);
      const message = () =>
        `seed ${seed}: ${JSON.stringify(value)} of ${JSON.stringify(document)}`;
      if (subject.exact) {
        exact++;
        assertEquals(takes(value), result.success, message());
      }
      if (!result.success) continue;
      accepted++;
      assert(takes(value), message());
      if (result.value === undefined) continue;
      const given = JSON.parse(JSON.stringify(result.value));
      assert(gives(given), `${message()} gives ${JSON.stringify(output)}`);
    }
  }
  return { accepted, exact };
}
