import {
  array,
  enum_,
  intersect,
  lazy,
  literal,
  nullable,
  number,
  object,
  optional,
  parse,
  parseSafe,
  parseSafeAsync,
  type Schema,
  type StandardSchemaV1,
  strictObject,
  string,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import { assert, assertEquals, assertLess } from "@std/assert";

type Json = Record<string, unknown>;

/** Counts the strings that a parse looks at. */
function counter(): { schema: Schema<string>; count: () => number } {
  let looks = 0;
  return {
    schema: string().refine(() => ++looks > 0),
    count: () => looks,
  };
}

function nest(depth: number, wrap: (inner: Json) => Json, leaf: Json): Json {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

function codesOf(schema: StandardSchemaV1, value: unknown): unknown[] {
  const result = parseSafe(schema, value);
  return result.success
    ? []
    : result.issues.map(({ code, path }) => [code, ...path]);
}

Deno.test("union() takes a filter of and and or, 17 deep", () => {
  const { schema: field, count } = counter();
  const Filter: Schema<Json> = lazy(() =>
    union([
      object({ op: literal("and"), of: array(Filter) }),
      object({ op: literal("or"), of: array(Filter) }),
      object({ op: literal("is"), field, value: string() }),
    ]) as unknown as Schema<Json>
  );
  const leaf = { op: "is", field: "a", value: "b" };
  for (const depth of [17, 80]) {
    const filter = nest(depth, (inner) => ({ op: "or", of: [inner] }), leaf);
    // JSON may put the literal that tells the objects apart last.
    const late = nest(depth, (inner) => ({ of: [inner], op: "or" }), leaf);
    assertEquals(codesOf(Filter, filter), []);
    assertEquals(parse(Filter, late), filter);
  }
  assertLess(count(), 5);
});

Deno.test("union() takes rich text, told apart by enums, 40 deep", () => {
  const { schema: text, count } = counter();
  const Inline: Schema<Json> = lazy(() =>
    union([
      object({ type: enum_(["bold", "italic"]), children: array(Inline) }),
      object({ type: union([literal("link")]), children: array(Inline) }),
      strictObject({ type: literal("text"), text }),
    ]) as unknown as Schema<Json>
  );
  const leaf = { type: "text", text: "a" };
  const value = nest(
    40,
    (inner) => ({ type: "link", children: [inner] }),
    leaf,
  );
  assertEquals(codesOf(Inline, value), []);
  assertLess(count(), 5);
});

Deno.test("union() looks once at each part of objects without a literal", () => {
  const { schema: name, count } = counter();
  const Part: Schema<Json> = lazy(() =>
    union([
      object({ name, kids: array(Part), a: number() }),
      object({ name, kids: array(Part), b: number() }),
    ]) as unknown as Schema<Json>
  );
  const leaf = { name: "x", kids: [], b: 1 };
  const value = nest(60, (inner) => ({ name: "x", kids: [inner], b: 1 }), leaf);
  assertEquals(codesOf(Part, value), []);
  assertLess(count(), 200);
});

Deno.test("union() looks once at each part when two schemas meet in one place", () => {
  const { schema: name, count } = counter();
  const Part: Schema<Json> = lazy(() =>
    intersect(
      object({ name, kids: array(lazy(() => Part)) }),
      object({ kids: array(lazy(() => Part)) }),
    ) as unknown as Schema<Json>
  );
  const value = nest(40, (inner) => ({ name: "x", kids: [inner] }), {
    name: "x",
    kids: [],
  });
  assertEquals(codesOf(Part, value), []);
  assertLess(count(), 100);
});

Deno.test("union() says that a value is too large instead of hiding it", async () => {
  const Node: Schema<Json> = lazy(() =>
    union([
      object({ kids: array(Node), a: number() }),
      object({ kids: array(Node), b: number() }),
    ]) as unknown as Schema<Json>
  );
  const kids = Array.from({ length: 250_001 }, () => ({ kids: [], b: 1 }));
  assertEquals(codesOf(Node, { kids, b: 1 }), [["too_large"]]);
  const Late = array(
    object({ kids: string() }).refine(() => Promise.resolve(true)),
  );
  const Both = object({ late: Late, node: Node });
  const value = { late: [{ kids: "x" }], node: { kids, b: 1 } };
  const result = await parseSafeAsync(Both, value);
  assertEquals(result.success || result.issues.map(({ code }) => code), [
    "too_large",
  ]);
});

Deno.test("union() tells the issues of the object that a literal names", () => {
  const Event = union([
    object({ type: literal("created"), id: string() }),
    object({ type: literal("moved"), to: number() }),
    object({ type: enum_(["closed", "reopened"]) }),
  ]);
  assertEquals(codesOf(Event, { type: "moved", to: "x" }), [["type", "to"]]);
  assertEquals(codesOf(Event, { type: "moved" }), [["required", "to"]]);
});

Deno.test("union() says which literals it takes", () => {
  const Event = union([
    object({ type: literal("created"), id: string() }),
    object({ type: enum_(["closed", "reopened"]) }),
    string(),
  ]);
  const issuesOf = (value: unknown) => {
    const result = parseSafe(Event, value);
    return result.success ? [] : result.issues;
  };
  const params = { expected: "created or closed or reopened" };
  assertEquals(issuesOf({ type: "deleted" }), [{
    code: "union",
    path: ["type"],
    message: "Expected created or closed or reopened",
    params,
  }]);
  assertEquals(issuesOf({}), [{
    code: "required",
    path: ["type"],
    message: "Required",
    params,
  }]);
  assertEquals(codesOf(Event, 1), [["union"]]);
  assertEquals(codesOf(Event, []), [["union"]]);
});

Deno.test("union() keeps its own message for every failure", () => {
  const Event = union([
    object({ type: literal("a") }),
    object({ type: literal("b") }),
  ], { message: "No event" });
  for (const value of [{ type: "c" }, {}, 1, []]) {
    const result = parseSafe(Event, value);
    assertEquals(result.success || result.issues, [{
      code: "union",
      path: [],
      message: "No event",
      params: { expected: "object or object" },
    }]);
  }
});

Deno.test("union() takes the first of the objects that a literal leaves", () => {
  const Both = union([
    object({ type: literal("a"), x: number() }).transform(() => "first"),
    object({ type: literal("b") }).transform(() => "second"),
    object({ type: optional(literal("a")) }).transform(() => "third"),
    object({ type: nullable(literal("a")) }).transform(() => "fourth"),
    object({ x: number() }).transform(() => "last"),
  ]);
  assertEquals(parse(Both, { type: "a", x: 1 }), "first");
  assertEquals(parse(Both, { type: "b", x: 1 }), "second");
  assertEquals(parse(Both, { type: "a" }), "third");
  assertEquals(parse(Both, {}), "third");
  assertEquals(parse(Both, { type: null }), "fourth");
  assertEquals(parse(Both, { type: "c", x: 1 }), "last");
});

Deno.test("union() looks for literals in variants, intersections and lazy schemas", () => {
  const Named = object({ name: string() });
  const Shape: Schema<unknown> = union([
    lazy(() => object({ kind: literal("line"), length: number() })),
    intersect(object({ kind: literal("dot") }), Named),
    variant("kind", {
      box: object({ kind: literal("box"), width: number() }),
      ball: object({ kind: literal("ball"), radius: number() }),
    }),
  ]);
  assertEquals(codesOf(Shape, { kind: "line" }), [["required", "length"]]);
  assertEquals(codesOf(Shape, { kind: "dot" }), [["required", "name"]]);
  assertEquals(codesOf(Shape, { kind: "ball" }), [["required", "radius"]]);
  assertEquals(codesOf(Shape, { kind: "dot", name: "a" }), []);
});

Deno.test("union() reads own properties only when it looks for a literal", () => {
  const Event = union([
    object({ type: literal("a"), id: optional(string()) }),
    object({ type: literal("b"), id: optional(string()) }),
  ]);
  assertEquals(codesOf(Event, Object.create({ type: "a" })), [
    ["required", "type"],
  ]);
});

Deno.test("union() that is async takes the option that a literal names", async () => {
  const Name = string().refine((name) => Promise.resolve(name !== "admin"));
  const User = union([
    object({ type: literal("user"), name: Name }),
    object({ type: literal("guest") }),
    object({ type: literal("user"), name: string(), force: literal(true) }),
  ]);
  const named = (name: string, more = {}) =>
    parseSafeAsync(User, { type: "user", name, ...more });
  assert((await named("ada")).success);
  assert((await named("admin", { force: true })).success);
  assert(!(await named("admin")).success);
  assert((await parseSafeAsync(User, { type: "guest" })).success);
});

Deno.test("union() names no property if only some options have a literal under a name", () => {
  const Event = union([
    object({ type: literal("a") }),
    object({ kind: literal("b") }),
  ]);
  for (const event of [{}, { type: "b" }, { type: "b", kind: "a" }]) {
    const result = parseSafe(Event, event);
    const codes = result.success ? [] : result.issues.map(({ code }) => code);
    assertEquals(codes, ["union"]);
  }
});
