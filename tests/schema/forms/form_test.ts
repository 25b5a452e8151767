import {
  array,
  bigint,
  boolean,
  date,
  defaulted,
  enum_,
  flatten,
  type InferInput,
  instanceof_,
  literal,
  nullable,
  number,
  optional,
  parse,
  parseSafe,
  string,
  union,
} from "@gatehouse/web/data-schema";
import {
  email,
  fileSize,
  maxLength,
  min,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import {
  field,
  fields,
  file,
  files,
  formValues,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";

const query = (text: string) => new URLSearchParams(text);

function issuesOf(
  schema: Parameters<typeof parseSafe>[0],
  input: unknown,
): unknown[] {
  const result = parseSafe(schema, input);
  return result.success
    ? []
    : result.issues.map(({ code, path, field }) => [code, path, field]);
}

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

Deno.test("formValues() returns the user's input, without secrets and files", () => {
  const form = new FormData();
  for (
    const name of [
      "email",
      "password",
      "confirmPassword",
      "new_password",
      "csrf-token",
      "otp",
      "client_secret",
      "cvc",
      "cvv",
      "credentials",
      "passphrase",
      "pin",
      "newPin",
      "pinCode",
      "user_pin",
      "pwd",
      "pass",
      "passcode",
      "mfa_code",
      "apiKey",
      "opinion",
      "passport",
      "state",
      "__proto__",
    ]
  ) form.append(name, name);
  form.append("email", "second");
  form.append("photo", new File(["a"], "a.png"));

  assertEquals(Object.entries(formValues(form)), [
    ["email", "email"],
    ["opinion", "opinion"],
    ["passport", "passport"],
    ["state", "state"],
    ["__proto__", "__proto__"],
  ]);
  assertEquals(formValues(form, { omit: ["email"] }).email, undefined);
});
