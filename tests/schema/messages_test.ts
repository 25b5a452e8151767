import {
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertThrows,
} from "@std/assert";
import {
  array,
  date,
  enum_,
  instanceof_,
  intersect,
  lazy,
  number,
  object,
  parse,
  parseSafe,
  record,
  type Schema,
  type StandardSchemaV1,
  strictObject,
  string,
  tuple,
  union,
  ValidationError,
  variant,
} from "@gatehouse/web/data-schema";
import { german } from "@gatehouse/web/data-schema/messages/german";
import {
  email,
  endsWith,
  fieldsMatch,
  fileSize,
  fileType,
  hostname,
  includes,
  integer,
  ip,
  isoDate,
  isoDateTime,
  length,
  max,
  maxLength,
  min,
  minLength,
  multipleOf,
  pattern,
  startsWith,
  url,
  uuid,
} from "@gatehouse/web/data-schema/checks";
import {
  field,
  fields,
  object as form,
} from "@gatehouse/web/data-schema/form-data";

type Nested = Nested[];

const Nested: Schema<Nested> = array(lazy(() => Nested));

const cyclic: unknown[] = [];

cyclic.push(cyclic);

const deep = JSON.parse("[".repeat(200) + "]".repeat(200));

const getter = Object.defineProperty({}, "a", {
  enumerable: true,
  get() {
    throw new Error("hostile");
  },
});

const file = new File(["abc"], "a.txt", { type: "text/plain" });

const text = string();

const rows: [
  string,
  StandardSchemaV1,
  unknown,
  string,
  Record<string, unknown>?,
][] = [
  ["required", text, undefined, "Required", {
    expected: "string",
  }],
  ["type", text, null, "Expected string", {
    expected: "string",
  }],
  ["type", enum_(["a", 1]), "b", "Expected a or 1", {
    expected: "a or 1",
  }],
  ["union", union([text, number()]), true, "Expected string or number", {
    expected: "string or number",
  }],
  ["length", tuple([text]), [], "Expected 1 items", { length: 1 }],
  [
    "unknown_key",
    strictObject({}),
    { a: 1 },
    "Unknown key",
  ],
  [
    "forbidden_key",
    record(text, text),
    JSON.parse('{"__proto__":"a"}'),
    "Key is not allowed",
  ],
  [
    "variant",
    variant("t", { a: object({}), b: object({}) }),
    { t: "c" },
    "Expected a or b",
    { expected: ["a", "b"] },
  ],
  [
    "conflict",
    intersect(text, text.transform(() => 1)),
    "a",
    "Schemas give different values",
  ],
  ["too_deep", Nested, deep, "Nested too deeply", { max: 100 }],
  ["cyclic", Nested, cyclic, "Must not contain itself"],
  ["unreadable", object({ a: text }), getter, "Invalid value"],
  [
    "repeated",
    form({ a: field(text) }),
    new URLSearchParams("a=1&a=2"),
    "Expected one value",
  ],
  [
    "too_large",
    form({ a: fields(array(form({ b: field(text) }))) }),
    new URLSearchParams("a=1&".repeat(1001)),
    "Too many fields",
    { max: 1000 },
  ],
  ["invalid", text.refine(() => false), "a", "Invalid value"],
  ["min_length", text.pipe(minLength(2)), "a", "Expected length at least 2", {
    min: 2,
  }],
  ["max_length", text.pipe(maxLength(1)), "ab", "Expected length at most 1", {
    max: 1,
  }],
  ["length", text.pipe(length(1)), "ab", "Expected length 1", {
    length: 1,
  }],
  ["min", number().pipe(min(2)), 1, "Must be at least 2", { min: 2 }],
  ["max", number().pipe(max(2)), 3, "Must be at most 2", { max: 2 }],
  ["integer", number().pipe(integer()), 1.5, "Must be a whole number"],
  ["multiple_of", number().pipe(multipleOf(2)), 3, "Must be a multiple of 2", {
    step: 2,
  }],
  ["pattern", text.pipe(pattern(/^a$/)), "b", "Invalid format", {
    pattern: "^a$",
  }],
  ["starts_with", text.pipe(startsWith("a")), "b", 'Must start with "a"', {
    text: "a",
  }],
  ["ends_with", text.pipe(endsWith("a")), "b", 'Must end with "a"', {
    text: "a",
  }],
  ["includes", text.pipe(includes("a")), "b", 'Must contain "a"', {
    text: "a",
  }],
  ["email", text.pipe(email()), "b", "Invalid email address"],
  ["url", text.pipe(url()), "b", "Invalid URL", { schemes: ["http", "https"] }],
  ["uuid", text.pipe(uuid()), "b", "Invalid UUID"],
  ["iso_date", text.pipe(isoDate()), "b", "Invalid date"],
  ["iso_date_time", text.pipe(isoDateTime()), "b", "Invalid date and time"],
  ["ip", text.pipe(ip({ version: 4 })), "b", "Invalid IP address", {
    version: 4,
  }],
  ["hostname", text.pipe(hostname()), "-", "Invalid host name"],
  [
    "file_size",
    instanceof_(File).pipe(fileSize(1)),
    file,
    "Must have at most 1 bytes",
    { max: 1 },
  ],
  [
    "file_type",
    instanceof_(File).pipe(fileType(["image/*"])),
    file,
    "Must be of type image/*",
    { types: ["image/*"] },
  ],
  [
    "fields_match",
    object({ a: text, b: text }).pipe(fieldsMatch("a", "b")),
    { a: "1", b: "2" },
    "Fields do not match",
    { first: "a", second: "b" },
  ],
];

for (const [code, schema, value, message, params = {}] of rows) {
  Deno.test(`the issue ${code} says "${message}" with its facts`, () => {
    const result = parseSafe(schema, value);
    const issue = result.success ? undefined : result.issues[0];
    assertEquals(
      { code: issue?.code, message: issue?.message, params: issue?.params },
      { code, message, params },
    );
  });

  Deno.test(`german has words for the issue ${code} "${message}"`, () => {
    const result = parseSafe(schema, value, { messages: german });
    const issue = result.success ? undefined : result.issues[0];
    assertEquals(issue?.code, code);
    assertEquals(code in german, true);
    assertEquals(issue?.message === message, false);
    assertMatch(issue?.message ?? "", /\p{L}/u);
  });
}

Deno.test("german writes the dates of bounds as the other messages do", () => {
  const epoch = new Date(0);
  for (
    const [check, time, message] of [
      [min(epoch), -1, "Muss mindestens 1970-01-01T00:00:00.000Z sein"],
      [max(epoch), 1, "Darf höchstens 1970-01-01T00:00:00.000Z sein"],
    ] as const
  ) {
    const schema = date().pipe(check);
    const result = parseSafe(schema, new Date(time), { messages: german });
    assertEquals(result.success ? "" : result.issues[0]?.message, message);
  }
});

Deno.test("messages come from the schema or check, else the parse, else us", () => {
  const Name = string({ message: "No text" }).pipe(
    minLength(2, { message: ({ min }) => `At least ${min}, please` }),
    startsWith("a"),
  );
  const messages = {
    type: "Wrong type",
    min_length: "Short",
    starts_with: ({ text }: { text?: unknown }) => `Begin with ${text}`,
  };
  const of = (value: unknown, options = {}) => {
    const result = parseSafe(Name, value, options);
    return result.success ? [] : result.issues.map(({ message }) => message);
  };

  assertEquals(of(1), ["No text"]);
  assertEquals(of(undefined), ["No text"]);
  assertEquals(of("b"), ["At least 2, please", 'Must start with "a"']);
  assertEquals(of("b", { messages }), ["At least 2, please", "Begin with a"]);
  assertEquals(of(1, { messages }), ["No text"]);
});

Deno.test("parseSafe() throws the error of a message function", () => {
  const message = () => {
    throw new RangeError("No such word");
  };
  assertThrows(() => parseSafe(string({ message }), 1), RangeError);
});

Deno.test("messages of every type can be set", () => {
  const message = "Mine";
  const schemas = [
    string({ message }),
    number({ message }),
    object({}, { message }),
    array(string(), { message }),
    tuple([], { message }),
    record(string(), string(), { message }),
    union([number()], { message }),
    variant("a", {}, { message }),
    enum_(["a"], { message }),
    instanceof_(Date, { message }),
    form({}, { message }),
  ];
  for (const schema of schemas) {
    for (const value of [undefined, Symbol("a")]) {
      const result = parseSafe(schema, value);
      assertEquals(result.success ? "" : result.issues[0]?.message, message);
    }
  }
});

Deno.test("parse() throws an error that tells the first issue and holds all", () => {
  const User = object({ user: object({ name: string() }), id: number() });
  const error = assertThrows(() => parse(User, { user: {} }), ValidationError);
  assertInstanceOf(error, Error);
  assertEquals(error.name, "ValidationError");
  assertEquals(error.code, "validation_failed");
  assertEquals(error.message, 'Cannot parse value at "user.name": Required');
  assertEquals(error.issues.map(({ path }) => path), [["user", "name"], [
    "id",
  ]]);
});
