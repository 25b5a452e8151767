import {
  array,
  boolean,
  defaulted,
  enum_,
  extend,
  type InferInput,
  type InferOutput,
  keyof,
  literal,
  looseObject,
  nullable,
  number,
  object,
  omit,
  optional,
  parse,
  parseSafe,
  parseSafeAsync,
  partial,
  pick,
  picklist,
  required,
  strictObject,
  string,
  toJSONSchema,
  union,
} from "@gatehouse/web/data-schema";
import { minLength } from "@gatehouse/web/data-schema/checks";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

/** True only for the same type, optional keys and all. */
type Same<First, Second> = (<T>() => T extends First ? 1 : 2) extends
  (<T>() => T extends Second ? 1 : 2) ? true : false;

/** Compiles only for the same types. */
function same<First, Second>(_: Same<First, Second>): void {}

const User = object({
  id: number(),
  name: string(),
  bio: optional(string()),
  role: defaulted(picklist(["reader", "editor"]), "reader"),
});

const ada = { id: 1, name: "Ada" };

function issuesOf(
  schema: Parameters<typeof parseSafe>[0],
  input: unknown,
): unknown[] {
  const result = parseSafe(schema, input);
  return result.success
    ? []
    : result.issues.map(({ code, path }) => [code, ...path]);
}

Deno.test("pick() keeps the named properties, in the order of the object", () => {
  const Named = pick(User, ["name", "id"]);
  same<InferOutput<typeof Named>, { id: number; name: string }>(true);
  same<InferInput<typeof Named>, { id: number; name: string }>(true);

  assertStrictEquals(parse(Named, ada), ada);
  assertEquals(parse(Named, { ...ada, bio: 7 }), ada);
  assertEquals(issuesOf(Named, {}), [["required", "id"], ["required", "name"]]);
  assertEquals(parse(pick(User, []), ada), {});
});

Deno.test("omit() leaves out the named properties", () => {
  const NewUser = omit(User, ["id", "bio"]);
  same<
    InferOutput<typeof NewUser>,
    { name: string; role: "reader" | "editor" }
  >(true);
  same<
    InferInput<typeof NewUser>,
    { name: string; role?: "reader" | "editor" | undefined }
  >(true);

  assertEquals(parse(NewUser, ada), { name: "Ada", role: "reader" });
});

Deno.test("partial() accepts missing properties and applies no defaults", () => {
  const Changes = partial(User);
  same<InferOutput<typeof Changes>, {
    id?: number;
    name?: string;
    bio?: string;
    role?: "reader" | "editor";
  }>(true);
  same<InferInput<typeof Changes>, {
    id?: number | undefined;
    name?: string | undefined;
    bio?: string | undefined;
    role?: "reader" | "editor" | undefined;
  }>(true);

  assertEquals(parse(Changes, {}), {});
  assertEquals(Object.keys(parse(Changes, { name: undefined })), []);
  assertEquals(issuesOf(Changes, { name: null }), [["type", "name"]]);
});

Deno.test("partial() with keys changes only these properties", () => {
  const Changes = partial(User, ["name"]);
  same<InferOutput<typeof Changes>, {
    id: number;
    name?: string;
    bio?: string;
    role: "reader" | "editor";
  }>(true);

  assertEquals(parse(Changes, { id: 1 }), { id: 1, role: "reader" });
  assertEquals(issuesOf(Changes, {}), [["required", "id"]]);
});

Deno.test("required() rejects missing properties, also those with a default", () => {
  const Complete = required(User);
  same<InferOutput<typeof Complete>, {
    id: number;
    name: string;
    bio: string;
    role: "reader" | "editor";
  }>(true);
  same<InferInput<typeof Complete>, InferOutput<typeof Complete>>(true);

  assertEquals(issuesOf(Complete, { ...ada, bio: undefined }), [
    ["required", "bio"],
    ["required", "role"],
  ]);
  const complete = { ...ada, bio: "Poet", role: "editor" };
  assertStrictEquals(parse(Complete, complete), complete);
});

Deno.test("required() with keys changes only these properties", () => {
  const WithBio = required(User, ["bio"]);
  same<InferOutput<typeof WithBio>, {
    id: number;
    name: string;
    bio: string;
    role: "reader" | "editor";
  }>(true);

  assertEquals(issuesOf(WithBio, ada), [["required", "bio"]]);
});

Deno.test("required() rejects a transform that outputs nothing", async () => {
  const Empty = object({
    now: optional(string()).transform(() => undefined),
    later: optional(string()).transform(() => Promise.resolve(undefined)),
  });
  const result = await parseSafeAsync(required(Empty), { now: "", later: "" });

  assertEquals(
    result.success || result.issues.map(({ code, path }) => [code, ...path]),
    [["required", "now"], ["required", "later"]],
  );
});

Deno.test("required() undoes partial(), and partial() undoes required()", () => {
  const Pair = object({ a: string(), b: number() });
  const value = { a: "a", b: 1 };

  assertStrictEquals(parse(required(partial(Pair)), value), value);
  assertEquals(issuesOf(required(partial(Pair)), {}), [
    ["required", "a"],
    ["required", "b"],
  ]);
  assertEquals(parse(partial(required(partial(Pair))), {}), {});
});

Deno.test("extend() adds properties, and replaces those of the same name", () => {
  const Admin = extend(User, {
    id: string(),
    rights: array(string()),
    since: optional(number()),
  });
  same<InferOutput<typeof Admin>, {
    name: string;
    bio?: string;
    role: "reader" | "editor";
    id: string;
    rights: string[];
    since?: number;
  }>(true);

  const grace = { id: "g", name: "Grace", role: "editor", rights: ["users"] };
  assertEquals(parse(Admin, grace), { ...grace, role: "editor" });
  assertEquals(issuesOf(Admin, { ...grace, id: 1 }), [["type", "id"]]);
});

Deno.test("keyof() accepts the names of the properties", () => {
  const Column = keyof(User);
  same<InferOutput<typeof Column>, "id" | "name" | "bio" | "role">(true);

  assertEquals(parse(Column, "bio"), "bio");
  for (const other of ["", "toString", "constructor", "__proto__", 0, null]) {
    assertEquals(parseSafe(Column, other).success, false);
  }
  assertEquals(parseSafe(keyof(object({})), "a").success, false);
});

Deno.test("numbers are property names, too", () => {
  const Points = object({ 1: number(), 2: number() });
  const First = pick(Points, [1]);
  same<InferOutput<typeof First>, { 1: number }>(true);

  assertEquals(parse(First, { 1: 5, 2: 6 }), { 1: 5 });
  const Name = keyof(Points);
  same<InferOutput<typeof Name>, "1" | "2">(true);
  assertEquals(parse(Name, "2"), "2");
});

Deno.test("a strict object stays strict, and a loose one loose", () => {
  const shape = { a: string(), b: string() };
  const value = { a: "a", c: 1 };

  assertEquals(issuesOf(pick(strictObject(shape), ["a"]), value), [
    ["unknown_key", "c"],
  ]);
  assertEquals(issuesOf(partial(strictObject(shape)), { c: 1 }), [
    ["unknown_key", "c"],
  ]);
  const loose: object = parse(omit(looseObject(shape), ["b"]), value);
  assertEquals(loose, value);
  assertEquals(parse(keyof(strictObject(shape)), "b"), "b");
});

Deno.test("the message for another type stays", () => {
  const message = "Expected a user";
  for (const create of [object, strictObject, looseObject]) {
    const schema = pick(create({ a: string() }, { message }), ["a"]);
    const result = parseSafe(schema, 1);
    assertEquals(result.success || result.issues[0]?.message, message);
  }
});

Deno.test("pick() and the others throw on a schema with checks", () => {
  const Checked = User.refine(({ name }) => name !== "");
  for (
    const use of [
      () => pick(Checked, ["id"]),
      () => omit(Checked, ["id"]),
      () => partial(Checked),
      () => required(Checked),
      () => extend(Checked, {}),
      () => keyof(Checked),
    ]
  ) {
    assertThrows(use, TypeError, "Add checks afterwards");
  }
  const Later = pick(User, ["name"]).refine(({ name }) => name !== "");
  assertEquals(issuesOf(Later, { name: "" }), [["invalid"]]);
});

Deno.test("pick() and the others take the schemas of objects only", () => {
  const either = union([object({ a: string() }), object({ a: number() })]);
  const text = User.transform(({ name }) => name.length);
  for (const schema of [either, text, nullable(User), array(User)]) {
    // @ts-expect-error It is not the schema of an object.
    assertThrows(() => partial(schema), TypeError, "not an object");
  }
});

Deno.test("pick() and the others throw on a property that does not exist", () => {
  for (const name of ["nmae", "__proto__", "constructor", "toString"]) {
    for (const use of [pick, omit, partial, required]) {
      assertThrows(
        // @ts-expect-error There is no such property.
        () => use(User, [name]),
        TypeError,
        `Cannot select property "${name}"`,
      );
    }
  }
});

Deno.test("hostile keys reach no prototype", () => {
  const shape = JSON.parse('{"__proto__": 1, "constructor": 1, "a": 1}');
  for (const key of Object.keys(shape)) shape[key] = optional(string());
  const Hostile = extend(object({ b: string() }), shape);
  const input = JSON.parse('{"b":"b","__proto__":"x","constructor":"y"}');

  const output: object = parse(Hostile, input);
  assertEquals(Object.entries(output), [["b", "b"], ["constructor", "y"]]);
  assertEquals(Object.getPrototypeOf(output), Object.prototype);
  const changes: object = parse(partial(Hostile), input);
  assertEquals(Object.getPrototypeOf(changes), Object.prototype);
  assertEquals(parse(partial(Hostile), {}), {});
  assertEquals(
    issuesOf(
      required(pick(Hostile as typeof User, ["constructor" as "id"])),
      {},
    ),
    [["required", "constructor"]],
  );
});

Deno.test("toJSONSchema() describes the new properties", () => {
  const Changes = extend(partial(required(User), ["name"]), { a: boolean() });
  const { $schema: _, ...document } = toJSONSchema(Changes);

  assertEquals(document, {
    type: "object",
    properties: {
      id: { type: "number" },
      name: { type: "string" },
      bio: { type: "string" },
      role: { enum: ["reader", "editor"], default: "reader" },
      a: { type: "boolean" },
    },
    required: ["id", "bio", "role", "a"],
  });
});

Deno.test("union() chooses by literals that are required", () => {
  const First = required(object({ kind: optional(literal("a")), a: string() }));
  const Second = required(
    object({ kind: optional(literal("b")), b: string() }),
  );
  const Either = union([First, Second]);

  assertEquals(parse(Either, { kind: "b", b: "" }), { kind: "b", b: "" });
  assertEquals(parseSafe(Either, { b: "" }).success, false);
});

Deno.test("a derived schema does not change the original", () => {
  parse(partial(User), {});
  extend(User, { name: number().pipe() });
  pick(User, ["id"]).pipe();
  assertEquals(issuesOf(User, {}), [["required", "id"], ["required", "name"]]);
});

Deno.test("picklist() and enum_() are the same function", () => {
  assertStrictEquals(picklist, enum_);
  const Role = picklist(["user", "admin"], { message: "Unknown role" });
  same<InferOutput<typeof Role>, "user" | "admin">(true);

  assertEquals(parse(Role, "admin"), "admin");
  const result = parseSafe(Role, "root");
  assertEquals(result.success || result.issues[0]?.message, "Unknown role");
});

Deno.test("properties keep their checks", () => {
  const Named = pick(
    object({ name: string().pipe(minLength(2)), id: number() }),
    [
      "name",
    ],
  );
  assertEquals(issuesOf(partial(Named), { name: "a" }), [[
    "min_length",
    "name",
  ]]);
});
