import {
  assert,
  assertEquals,
  assertFalse,
  assertLess,
  assertRejects,
} from "@std/assert";
import {
  any,
  array,
  bigint,
  boolean,
  date,
  defaulted,
  enum_,
  instanceof_,
  intersect,
  lazy,
  literal,
  looseObject,
  map,
  nullable,
  number,
  object,
  optional,
  parse,
  parseSafe,
  parseSafeAsync,
  record,
  type Schema,
  set,
  type StandardSchemaV1,
  strictObject,
  string,
  tuple,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import { maxLength } from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import {
  field,
  fields,
  file,
  object as form,
} from "@gatehouse/web/data-schema/form-data";
import { turns } from "../_wait.ts";

type Nested = Nested[];
const Nested: Schema<Nested> = array(lazy(() => Nested));

interface Json {
  [key: string]: unknown;
}
const Json: Schema<unknown> = lazy<unknown>(() =>
  union([
    string(),
    number(),
    boolean(),
    literal(null),
    array(Json),
    record(string(), Json),
  ])
);

const schemas: Readonly<Record<string, StandardSchemaV1>> = {
  string: string().pipe(maxLength(5)),
  number: number(),
  boolean: boolean(),
  bigint: bigint(),
  date: date(),
  literal: literal("a"),
  enum_: enum_(["a", 1]),
  object: object({ a: string(), b: optional(number()) }),
  "strict object": strictObject({ a: string() }),
  "open object": looseObject({ a: string() }),
  array: array(string()),
  tuple: tuple([string(), number()]),
  record: record(string(), string()),
  map: map(string(), string()),
  set: set(string()),
  union: union([string(), object({ a: number() })]),
  variant: variant("a", { b: object({ a: literal("b") }) }),
  intersect: intersect(object({ a: string() }), record(string(), string())),
  lazy: Nested,
  json: Json,
  instanceof_: instanceof_(Date),
  any: any(),
  nullable: nullable(string()),
  defaulted: defaulted(string(), "a"),
  refined: object({ a: string() }).refine(() => true),
  transformed: object({ a: string() }).transform(({ a }) => a),
  coerced: object({ a: coerce.number(), b: coerce.date() }),
  form: form({ a: field(string()), b: fields(array(number())), c: file() }),
};

function throwing(): never {
  throw new Error("hostile");
}

function hostileValues(): Record<string, unknown> {
  const cyclic: Json = { a: "a" };
  cyclic.self = cyclic;
  cyclic.list = [cyclic, cyclic];
  const cyclicList: unknown[] = [];
  cyclicList.push(cyclicList, cyclicList);
  let deep: unknown[] = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const traps: ProxyHandler<object> = {
    get: throwing,
    getPrototypeOf: throwing,
    has: throwing,
    ownKeys: throwing,
    getOwnPropertyDescriptor: throwing,
  };
  const getter = Object.defineProperty({}, "a", {
    enumerable: true,
    get: throwing,
  });
  return {
    undefined: undefined,
    null: null,
    NaN: NaN,
    symbol: Symbol("a"),
    function: throwing,
    "lone surrogate": "\udfff",
    "huge string": "a".repeat(1_000_000),
    "huge sparse array": new Array(10_000_000),
    "bare object": Object.create(null),
    "inherited keys": Object.create({ a: "a" }),
    "keys of prototypes": JSON.parse(
      '{"__proto__":{"a":"a"},"constructor":{"prototype":{}},"prototype":1}',
    ),
    "fake date": Object.create(Date.prototype),
    "fake map": Object.create(Map.prototype),
    "fake file": Object.create(File.prototype),
    "fake form": Object.create(FormData.prototype),
    getter,
    proxy: new Proxy({}, traps),
    "proxy of an array": new Proxy([], traps),
    "proxy of a function": new Proxy(() => {}, traps),
    "revoked proxy": proxy,
    "odd conversion": { toString: throwing, valueOf: throwing, a: "a" },
    cyclic,
    "cyclic array": cyclicList,
    "100,000 levels": deep,
    "many keys": Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]),
    ),
  };
}

const HOSTILE = hostileValues();

for (const [name, schema] of Object.entries(schemas)) {
  Deno.test(`parseSafe() of ${name} survives every hostile value`, async () => {
    for (const [kind, value] of Object.entries(HOSTILE)) {
      const result = parseSafe(schema, value);
      const later = await parseSafeAsync(schema, value);
      assertEquals(later.success, result.success, kind);
      if (result.success) continue;
      assert(result.issues.length > 0, kind);
      assert(result.issues.length <= 100, kind);
      for (const issue of result.issues) {
        assertEquals(typeof issue.message, "string");
        assert(Array.isArray(issue.path));
      }
    }
  });
}

Deno.test("lazy() ends at its depth limit, at cycles and at too many parts", () => {
  const {
    "100,000 levels": deep,
    "cyclic array": cyclic,
  } = hostileValues();
  let shared: unknown[] = [];
  for (let level = 0; level < 60; level++) shared = [shared, shared];
  const codes = (value: unknown, maxDepth?: number) => {
    const result = parseSafe(Nested, value, { maxDepth });
    return result.success ? [] : result.issues.map(({ code }) => code);
  };

  assertEquals(codes(deep), ["too_deep"]);
  assertEquals(codes(cyclic), ["cyclic", "cyclic", "cyclic", "cyclic"]);
  assertEquals(codes(shared)[0], "too_large");
  assertEquals(codes([[[]]], 2), []);
  assertEquals(codes([[[]]], 1), ["too_deep"]);
});

Deno.test("parseSafe() stops at 100 issues", () => {
  const result = parseSafe(array(string()), Array(1_000_000).fill(0));
  assertEquals(result.success ? 0 : result.issues.length, 100);
  const nested = array(array(string()));
  const values = Array(1000).fill(Array(1000).fill(0));
  const second = parseSafe(nested, values);
  assertEquals(second.success ? 0 : second.issues.length, 100);
});

const late = () => string().refine((text) => Promise.resolve(text !== "bad"));

const containers: [string, Schema<unknown>, (texts: string[]) => unknown][] = [
  ["array()", array(late()), (texts) => texts],
  ["set()", set(late()), (texts) => new Set(texts)],
  [
    "map()",
    map(string(), late()),
    (texts) =>
      new Map(texts.entries().map(([index, text]) => [String(index), text])),
  ],
  ["record()", record(string(), late()), (texts) => ({ ...texts })],
];

for (const [name, schema, wrap] of containers) {
  Deno.test(`${name} reads every part if a schema is async`, async () => {
    const texts = Array.from({ length: 250 }, (_, index) => `good ${index}`);
    const good = wrap(texts);
    const result = await parseSafeAsync(schema, good);
    assertEquals(result.success && result.value, good);
    const bad = await parseSafeAsync(schema, wrap([...texts, "bad"]));
    assertFalse(bad.success);
  });
}

Deno.test("form object() reads every field if a schema is async", async () => {
  const names = Array.from({ length: 150 }, (_, index) => `f${index}`);
  const schema = form(
    Object.fromEntries(names.map((name) => [name, field(late())])),
  );
  const data = new FormData();
  for (const name of names) data.set(name, "good");
  const result = await parseSafeAsync(schema, data);
  assertEquals(result.success && Object.keys(result.value).length, 150);
  data.set("f149", "bad");
  assertFalse((await parseSafeAsync(schema, data)).success);
});

Deno.test("lazy() counts the values that one parse visits, at any depth", () => {
  interface Rule {
    op: string;
    of?: unknown;
  }
  let looks = 0;
  const Counted = string().refine(() => ++looks > 0);
  const Rule: Schema<Rule> = lazy(() =>
    union([
      object({ op: Counted, kind: literal("not"), of: optional(Rule) }),
      object({ op: Counted, of: optional(Rule) }),
    ]) as Schema<Rule>
  );
  let deep: Rule = { op: "a" };
  for (let level = 0; level < 12; level++) deep = { op: "a", of: deep };
  const rules = Array.from({ length: 25_000 }, () => structuredClone(deep));
  const result = parseSafe(array(Rule), rules);
  assertFalse(result.success);
  assertLess(looks, 1_000_000);
  // The next parse begins anew, one inside another too.
  assert(parseSafe(array(Rule), [deep]).success);
});

Deno.test("an abandoned promise fails silently", async () => {
  let unhandled = 0;
  const count = (event: Event) => {
    event.preventDefault();
    unhandled++;
  };
  globalThis.addEventListener("unhandledrejection", count);
  const schema = object({
    a: string().refine(() => Promise.reject(new Error("late"))),
    b: string().refine(() => {
      throw new RangeError("now");
    }),
  });
  await assertRejects(
    () => parseSafeAsync(schema, { a: "", b: "" }),
    RangeError,
  );
  await turns(3);
  globalThis.removeEventListener("unhandledrejection", count);
  assertEquals(unhandled, 0);
});

Deno.test("object() reads own keys only", () => {
  const Flag = object({ isAdmin: optional(boolean()) });
  class User {
    declare isAdmin: boolean;
  }
  User.prototype.isAdmin = true;
  for (const input of [Object.create({ isAdmin: true }), new User()]) {
    assertEquals(Object.keys(parse(Flag, input)), []);
    const Required = object({ isAdmin: boolean() });
    assertFalse(parseSafe(Required, input).success);
  }
});

Deno.test("object() is not fooled by a polluted prototype", () => {
  const prototype = Object.prototype as unknown as Json;
  Object.defineProperty(prototype, "isAdmin", {
    configurable: true,
    enumerable: true,
    value: true,
  });
  try {
    const Flag = object({ isAdmin: optional(boolean()), name: string() });
    const output = parse(Flag, { name: "a" });
    assertEquals(Object.keys(output), ["name"]);
    assertFalse(parseSafe(object({ isAdmin: boolean() }), {}).success);
    const Open = looseObject({ name: string() });
    const copy = parse(Open, { name: "a" }, { copy: true });
    assertEquals(Object.keys(copy), ["name"]);
    assertEquals(parse(record(string(), string()), { a: "b" }), { a: "b" });
  } finally {
    delete prototype.isAdmin;
  }
});

const evil = () =>
  JSON.parse('{"a":"a","__proto__":{"isAdmin":true},"constructor":1}');

for (
  const [name, schema] of Object.entries({
    "an object": object({ a: string() }),
    "an open object": looseObject({ a: string() }),
    "a changed open object": looseObject({
      a: string().transform((text) => text + text),
    }),
    "an intersection": intersect(
      looseObject({ a: string() }),
      object({ a: string() }),
    ),
  })
) {
  Deno.test(`${name} gives no output that __proto__ reached`, () => {
    for (const copy of [true, false]) {
      const output = parse(schema as Schema<Json>, evil(), { copy });
      assertEquals(Object.getPrototypeOf(output), Object.prototype);
      assertFalse(Object.hasOwn(output, "__proto__"));
      assertEquals(output.isAdmin, undefined);
      assertEquals(Object.assign({} as Json, output).isAdmin, undefined);
    }
    assertEquals(({} as Json).isAdmin, undefined);
  });
}

Deno.test("object() never reads or writes __proto__, even if the shape names it", () => {
  const Odd = object({ ["__proto__"]: any(), a: string() });
  const output = parse(Odd, evil());
  assertEquals(Object.entries(output), [["a", "a"]]);
  assertEquals(Object.getPrototypeOf(output), Object.prototype);
  assertEquals(parse(looseObject({}), evil()), { a: "a", constructor: 1 });
});

Deno.test("record() rejects the key __proto__, given or made", () => {
  const codes = (schema: StandardSchemaV1, value: unknown) => {
    const result = parseSafe(schema, value);
    return result.success ? [] : result.issues.map(({ code }) => code);
  };
  assertEquals(codes(record(string(), any()), evil()), ["forbidden_key"]);
  const Renamed = record(string().transform(() => "__proto__"), any());
  assertEquals(codes(Renamed, { a: {} }), ["forbidden_key"]);
});

Deno.test("object() takes keys such as constructor for plain keys", () => {
  const Odd = object({ constructor: string(), toString: optional(string()) });
  assertEquals(parse(Odd, { constructor: "a" }).constructor, "a");
  assertFalse(parseSafe(Odd, {}).success);
  assertFalse(parseSafe(Odd, new Map()).success);
});

Deno.test("object() does not believe a proxy that hides a key", () => {
  const liar = new Proxy({ a: 1 }, { ownKeys: () => [] });
  const result = parseSafe(object({ a: string() }), liar);
  assertFalse(result.success);
});

Deno.test("no issue holds the value", () => {
  const secret = "s3cret-value";
  const Form = strictObject({
    a: number(),
    b: string().pipe(maxLength(3)),
    c: enum_(["x"]),
    d: union([number(), boolean()]),
    e: variant("t", { x: object({}) }),
    f: string().refine(() => false),
    g: coerce.number(),
  });
  const result = parseSafe(Form, {
    a: secret,
    b: secret,
    c: secret,
    d: secret,
    e: { t: secret },
    f: secret,
    g: secret,
  });
  assertFalse(result.success);
  if (!result.success) assertEquals(result.issues.length, 7);
  assertFalse(JSON.stringify(result).includes(secret));
});
