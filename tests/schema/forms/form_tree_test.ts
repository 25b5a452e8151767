import {
  array,
  boolean,
  flatten,
  number,
  optional,
  parse,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import { minLength } from "@gatehouse/web/data-schema/checks";
import { field, fields, object } from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { issuesOf, query } from "./_queries.ts";

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
