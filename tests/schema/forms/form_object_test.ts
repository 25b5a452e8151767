import {
  array,
  defaulted,
  type InferInput,
  instanceof_,
  number,
  optional,
  parse,
  string,
} from "@gatehouse/web/data-schema";
import { fileSize } from "@gatehouse/web/data-schema/checks";
import {
  field,
  fields,
  file,
  files,
  formValues,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { issuesOf, query } from "./_queries.ts";

Deno.test("object() reads FormData and URLSearchParams alike", () => {
  const Search = object({ q: field(string()), page: field(number()) });
  const form = new FormData();
  form.set("q", "a b");
  form.set("page", "2");
  form.set("other", "x");

  assertEquals(parse(Search, form), { q: "a b", page: 2 });
  assertEquals(parse(Search, query("q=a+b&page=2&other=x")), {
    q: "a b",
    page: 2,
  });
});

for (const value of [null, undefined, [], "a=b", new Map([["q", "a"]])]) {
  Deno.test(`object() rejects ${String(value)}, which is not a form`, () => {
    assertEquals(issuesOf(object({}), value).length, 1);
  });
}

Deno.test("object() reads records of values, as frameworks hand forms on", () => {
  const Search = object({
    page: field(defaulted(number(), 1)),
    q: field(string()),
    tags: fields(array(string())),
    photo: file(optional(instanceof_(File))),
    address: object({ city: field(string()) }),
  });
  const photo = new File(["x"], "x.png");
  const record: InferInput<typeof Search> = {
    page: "2",
    q: "a",
    "tags[]": ["x", "y"],
    photo,
    "address.city": "London",
    other: undefined,
  };
  const expected = {
    page: 2,
    q: "a",
    tags: ["x", "y"],
    photo,
    address: { city: "London" },
  };
  assertEquals(parse(Search, record), expected);
  const bare = Object.assign(Object.create(null), record);
  assertEquals(parse(Search, bare), expected);
  assertEquals(formValues(record).q, "a");
});

Deno.test("object() reads no inherited name and no odd value of a record", () => {
  const Form = object({
    constructor: field(optional(string())),
    toString: field(optional(string())),
    a: field(optional(string())),
    b: fields(array(string())),
  });
  const odd = { a: 1, b: ["x", null, { length: 1 }, ["y"]] };
  assertEquals(parse(Form, odd), { b: ["x"] } as unknown);
  const hostile = JSON.parse('{"__proto__":{"a":"x"},"b":"y"}');
  assertEquals(parse(Form, hostile), { b: ["y"] } as unknown);
});

Deno.test("file() and files() take an empty file without a name for none", () => {
  const none = new File([], "");
  const form = new FormData();
  form.set("photo", none);
  form.append("more", none);
  form.append("more", new File(["a"], "a.txt"));
  form.append("more", new File([], "empty.txt"));

  const Form = object({
    photo: file(optional(instanceof_(File))),
    more: files(),
  });
  const { more, ...rest } = parse(Form, form);
  assertEquals(rest, {});
  assertEquals(more.map(({ name }) => name), ["a.txt", "empty.txt"]);
  assertEquals(issuesOf(object({ photo: file() }), form), [
    ["required", ["photo"], "photo"],
  ]);

  const Small = object({
    more: files(array(instanceof_(File).pipe(fileSize(0)))),
  });
  assertEquals(issuesOf(Small, form), [["file_size", ["more", 0], "more"]]);
});

Deno.test("object() takes a missing form inside for none if it is optional", () => {
  const Form = object({
    name: field(string()),
    address: optional(object({ city: field(string()) })),
  });
  assertEquals(parse(Form, query("name=a")), { name: "a" });
  assertEquals(parse(Form, query("name=a&address.city=b")), {
    name: "a",
    address: { city: "b" },
  });
});

Deno.test("object() reads names of prototypes as plain names or not at all", () => {
  const Form = object({
    constructor: field(string()),
    toString: field(optional(string())),
  });
  const output = parse(Form, query("constructor=a&__proto__=b"));
  assertEquals(Object.entries(output), [["constructor", "a"]]);
  assertEquals(Object.getPrototypeOf(output), Object.prototype);
});
