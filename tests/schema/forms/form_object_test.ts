import {
  array,
  boolean,
  defaulted,
  flatten,
  type InferInput,
  instanceof_,
  number,
  optional,
  parse,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import { fileSize, minLength } from "@gatehouse/web/data-schema/checks";
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

const Order = object({
  note: field(optional(string())),
  address: object({ city: field(string()), zip: field(optional(string())) }),
  items: fields(array(object({
    name: field(string().pipe(minLength(1))),
    count: field(number()),
    gift: field(boolean()),
  }))),
  tags: fields(array(string())),
});

for (
  const text of [
    "address.city=Rome&items[0].name=tea&items[0].count=2&items[1].name=rum&items[1].count=1&items[1].gift=on&tags[]=x",
    "address[city]=Rome&items[0][name]=tea&items[0][count]=2&items[1][name]=rum&items[1][count]=1&items[1][gift]=on&tags=x",
    "items.1.count=1&items.1.name=rum&items.1.gift=on&items.0.count=2&items.0.name=tea&tags.0=x&address.city=Rome",
  ]
) {
  Deno.test(`object() reads nested names: ${text.slice(0, 20)}`, () => {
    assertEquals(parse(Order, query(text)), {
      address: { city: "Rome" },
      items: [
        { name: "tea", count: 2, gift: false },
        { name: "rum", count: 1, gift: true },
      ],
      tags: ["x"],
    });
  });
}

Deno.test("object() names the field of a nested issue as the form does", () => {
  const text = "items[0].name=&items[0].count=x&address.zip=1";
  assertEquals(issuesOf(Order, query(text)), [
    ["required", ["address", "city"], "address.city"],
    ["min_length", ["items", 0, "name"], "items[0].name"],
    ["type", ["items", 0, "count"], "items[0].count"],
  ]);
  const result = parseSafe(Order, query(text));
  const fieldsOf = result.success ? {} : flatten(result.issues).fields;
  assertEquals(Object.keys(fieldsOf), [
    "address.city",
    "items[0].name",
    "items[0].count",
  ]);
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

const conflicts: [string, unknown[]][] = [
  ["address=x&address.city=y", ["conflict", ["address"], "address"]],
  ["address=x", ["conflict", ["address"], "address"]],
  ["items=x&address.city=y", ["type", ["items", 0], "items[0]"]],
  [
    "items[1].name=x&items[1].count=1&address.city=y",
    ["conflict", ["items"], "items"],
  ],
  ["items.a=x&address.city=y", ["conflict", ["items"], "items"]],
  ["note.a=x&address.city=y", ["conflict", ["note"], "note"]],
  ["note[0]=x&address.city=y", ["conflict", ["note"], "note"]],
];

for (const [text, issue] of conflicts) {
  Deno.test(`object() rejects conflicting names: ${text}`, () => {
    assertEquals(issuesOf(Order, query(text)), [issue]);
  });
}

Deno.test("object() bounds depth, indexes and the number of nested values", () => {
  const deep = `a${".a".repeat(5)}=1`;
  const valid = "address.city=Rome";
  for (
    const text of [
      deep,
      "a[b=1",
      "a]=1",
      "a..b=1",
      ".a=1",
      "a.=1",
      "a[]b=1",
      "a[][b]=1",
      `${"a".repeat(300)}=1`,
      "__proto__.city=x",
      "address.__proto__=x",
      "address[constructor]=x",
      "items[0].prototype=x",
    ]
  ) {
    assertEquals(parse(Order, query(`${text}&${valid}`)), {
      address: { city: "Rome" },
      items: [],
      tags: [],
    });
  }
  const many = "tags[]=x&".repeat(1001) + valid;
  assertEquals(issuesOf(Order, query(many)), [["too_large", [], undefined]]);
  const far = "items[1000].name=a&items[1000].count=1";
  assertEquals(issuesOf(Order, query(`${far}&${valid}`)).length, 1);
  assertEquals("city" in {}, false);
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
