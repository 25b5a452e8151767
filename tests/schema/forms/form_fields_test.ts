import {
  array,
  bigint,
  boolean,
  date,
  defaulted,
  enum_,
  literal,
  nullable,
  number,
  optional,
  parse,
  string,
  union,
} from "@gatehouse/web/data-schema";
import {
  email,
  maxLength,
  min,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import {
  field,
  fields,
  file,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { issuesOf, query } from "./_queries.ts";

const conversions: [string, Parameters<typeof field>[0], string, unknown][] = [
  ["number", number(), "f=1.5", 1.5],
  ["number in a chain", optional(number().pipe(min(1))), "f=2", 2],
  ["bigint", bigint(), "f=12", 12n],
  ["boolean", boolean(), "f=on", true],
  ["boolean", boolean(), "f=false", false],
  ["absent boolean", boolean(), "", false],
  ["date", date(), "f=2026-11-20", new Date(Date.UTC(2026, 10, 20))],
  ["string", string(), "f=", ""],
  ["string", string(), "f=+a+", " a "],
  ["nullable number", nullable(number()), "f=", null],
  ["default", defaulted(number(), 3), "f=", 3],
  ["default", defaulted(string(), "x"), "f=", "x"],
  ["default", defaulted(string(), "x"), "", "x"],
  ["default boolean", defaulted(boolean(), true), "", true],
  ["enum of numbers", enum_([1, 2]), "f=2", 2],
  ["enum of strings", enum_(["1", "2"]), "f=2", "2"],
  ["accepted terms", literal(true), "f=on", true],
  ["transform", string().transform((text) => text.length), "f=abc", 3],
];

for (const [name, schema, text, expected] of conversions) {
  Deno.test(`field() reads a ${name} from "${text}"`, () => {
    assertEquals(parse(object({ f: field(schema) }), query(text)), {
      f: expected,
    });
  });
}

Deno.test("field() leaves out optional values that are empty or missing", () => {
  const Form = object({
    text: field(optional(string())),
    count: field(optional(number())),
    yes: field(optional(boolean())),
  });
  for (const text of ["", "text=&count=&yes="]) {
    assertEquals(Object.keys(parse(Form, query(text))), []);
  }
});

const failures: [string, Parameters<typeof field>[0], string, string][] = [
  ["missing string", string(), "", "required"],
  ["missing number", number(), "", "required"],
  ["empty number", number(), "f=", "required"],
  ["number", number(), "f=1x", "type"],
  ["boolean", boolean(), "f=maybe", "type"],
  ["date", date(), "f=tomorrow", "type"],
  ["terms that are not accepted", literal(true), "", "required"],
  ["word that accepts no terms", literal(true), "f=no", "type"],
  ["value that is repeated", string(), "f=a&f=b", "repeated"],
];

for (const [name, schema, text, code] of failures) {
  Deno.test(`field() rejects a ${name}`, () => {
    assertEquals(issuesOf(object({ f: field(schema) }), query(text)), [
      [code, ["f"], "f"],
    ]);
  });
}

Deno.test("field() rejects a file, and file() rejects a string", () => {
  const form = new FormData();
  form.set("a", new File(["x"], "x.txt"));
  form.set("b", "x");
  assertEquals(
    issuesOf(object({ a: field(string()), b: file() }), form),
    [["type", ["a"], "a"], ["type", ["b"], "b"]],
  );
});

Deno.test("field() reads another name and reports it", () => {
  const Form = object({
    email: field(string().pipe(minLength(1)), { name: "user[email]" }),
  });
  assertEquals(parse(Form, query("user[email]=a")), { email: "a" });
  assertEquals(issuesOf(Form, query("user[email]=")), [
    ["min_length", ["email"], "user[email]"],
  ]);
});

Deno.test("fields() reads all values of a name, with or without brackets", () => {
  const Form = object({ tags: fields(array(string())) });
  assertEquals(parse(Form, query("")), { tags: [] });
  assertEquals(parse(Form, query("tags=a")), { tags: ["a"] });
  assertEquals(parse(Form, query("tags=a&tags=b")), { tags: ["a", "b"] });
  assertEquals(parse(Form, query("tags[]=a&tags[]=b")), { tags: ["a", "b"] });

  const Ids = object({ ids: fields(array(number()).pipe(maxLength(2))) });
  assertEquals(parse(Ids, query("ids=1&ids=2")), { ids: [1, 2] });
  assertEquals(issuesOf(Ids, query("ids=1&ids=x")), [
    ["type", ["ids", 1], "ids"],
  ]);
  assertEquals(issuesOf(Ids, query("ids=1&ids=2&ids=3")), [
    ["max_length", ["ids"], "ids"],
  ]);

  const Maybe = object({ ids: fields(optional(array(number()))) });
  assertEquals(parse(Maybe, query("")), {});

  const Texts = object({ tags: fields(optional(array(string()))) });
  assertEquals(parse(Texts, query("tags=a&tags=")), { tags: ["a", ""] });
  const Lacking = object({ tags: fields(array(optional(string()))) });
  assertEquals(parse(Lacking, query("tags=a&tags=")), {
    tags: ["a", undefined],
  });
  const Nulls = object({ ids: fields(array(nullable(number()))) });
  assertEquals(parse(Nulls, query("ids=1&ids=")), { ids: [1, null] });
});

const flat = object({
  tags: fields(array(string())),
  q: field(optional(string())),
});

for (
  const [text, tags] of [
    ["tags[0]=x", ["x"]],
    ["tags[1]=y&tags[0]=x", ["x", "y"]],
    ["tags.0=x&tags.1=y", ["x", "y"]],
    ["tags[0]=x&q=a", ["x"]],
  ] as const
) {
  Deno.test(`fields() of a flat form reads indexed names: ${text}`, () => {
    assertEquals(parse(flat, query(text)).tags, [...tags]);
  });
}

for (
  const text of ["tags[1]=x", "tags[0]=x&tags=y", "tags[0]=x&tags[]=y"]
) {
  Deno.test(`fields() of a flat form rejects ${text} instead of dropping it`, () => {
    assertEquals(issuesOf(flat, query(text)), [["conflict", ["tags"], "tags"]]);
  });
}

Deno.test("fields() of a flat form reads indexed names under another name", () => {
  const Form = object({ ids: fields(array(number()), { name: "filter[id]" }) });
  assertEquals(parse(Form, query("filter[id][0]=1")), { ids: [1] });
});

Deno.test("fields() of a flat form bounds indexed names", () => {
  const text = Array.from({ length: 1001 }, (_, i) => `tags[${i}]=x`).join("&");
  assertEquals(issuesOf(flat, query(text)), [["too_large", [], undefined]]);
});

const unions: [string, Parameters<typeof field>[0], string, unknown][] = [
  ["a number or a word", union([number(), literal("all")]), "f=5", 5],
  ["a number or a word", union([number(), literal("all")]), "f=all", "all"],
  ["a number, then a string", union([number(), string()]), "f=5", 5],
  ["a string, then a number", union([string(), number()]), "f=5", "5"],
  [
    "a string with a check, then a number",
    union([string().pipe(email()), number()]),
    "f=5",
    5,
  ],
  ["a date or a boolean", union([date(), boolean()]), "f=on", true],
  ["an optional union", optional(union([number(), boolean()])), "f=7", 7],
  [
    "a union with a rule behind it",
    union([number(), bigint()]).refine((value) => value > 1).transform(String),
    "f=2",
    "2",
  ],
  [
    "a union in a union",
    union([literal("all"), union([number(), boolean()])]),
    "f=3",
    3,
  ],
  [
    "a union with a default",
    defaulted(union([number(), boolean()]), 1),
    "f=",
    1,
  ],
  ["an empty string or a number", union([number(), string()]), "f=", ""],
];

for (const [name, schema, text, expected] of unions) {
  Deno.test(`field() reads ${name} from "${text}"`, () => {
    assertEquals(parse(object({ f: field(schema) }), query(text)), {
      f: expected,
    });
  });
}

Deno.test("fields() reads unions in arrays", () => {
  const Form = object({ f: fields(array(union([number(), literal("all")]))) });
  assertEquals(parse(Form, query("f=1&f=all")).f, [1, "all"]);
});

Deno.test("field() returns the issues of a union", () => {
  const Form = object({ f: field(union([number().pipe(min(3)), boolean()])) });
  assertEquals(issuesOf(Form, query("f=2")), [["min", ["f"], "f"]]);
  assertEquals(issuesOf(Form, query("f=x")), [["union", ["f"], "f"]]);
  assertEquals(issuesOf(Form, query("f=")), [["required", ["f"], "f"]]);
  assertEquals(issuesOf(Form, query("")), [["required", ["f"], "f"]]);
});
