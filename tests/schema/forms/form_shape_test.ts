import {
  array,
  boolean,
  defaulted,
  extend,
  type InferInput,
  type InferOutput,
  keyof,
  number,
  object as plainObject,
  omit,
  optional,
  parse,
  parseSafe,
  partial,
  pick,
  required,
  string,
} from "@gatehouse/web/data-schema";
import {
  field,
  fields,
  file,
  type FormInput,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { assertEquals, assertThrows } from "@std/assert";
import { issuesOf, query, same, text } from "./_shapes.ts";

const Item = object({
  name: field(string(), { name: "title" }),
  price: field(number()),
  sold: field(boolean()),
  size: field(defaulted(number(), 1)),
  tags: fields(array(string())),
  from: object({ city: field(string()) }),
});

Deno.test("pick() and omit() select the fields of a form", () => {
  const Head = pick(Item, ["price", "name"]);
  same<InferOutput<typeof Head>, { name: string; price: number }>(true);
  same<InferInput<typeof Head>, FormInput>(true);
  assertEquals(parse(Head, query(text)), { name: "Tea", price: 2 });
  assertEquals(issuesOf(Head, query("price=x")), [
    ["required", "title"],
    ["type", "price"],
  ]);

  const Rest = omit(Item, ["price", "name", "tags", "size"]);
  same<InferOutput<typeof Rest>, { sold: boolean; from: { city: string } }>(
    true,
  );
  assertEquals(parse(Rest, query(text)), {
    sold: true,
    from: { city: "Rome" },
  });
});

Deno.test("partial() leaves missing fields out, checkboxes and defaults, too", () => {
  const Changes = partial(Item);
  same<InferOutput<typeof Changes>, {
    name?: string;
    price?: number;
    sold?: boolean;
    size?: number;
    tags?: string[];
    from?: { city: string };
  }>(true);

  assertEquals(parse(Changes, query("")), {});
  assertEquals(parse(Changes, query(text)), parse(Item, query(text)));
  assertEquals(parse(Changes, query("price=")), {});
  assertEquals(
    Object.keys(parse(partial(Item, ["price", "from"]), query("title=a"))),
    ["name", "sold", "size", "tags"],
  );
});

Deno.test("required() rejects missing fields, also those with a default", () => {
  const Search = object({
    q: field(optional(string())),
    page: field(defaulted(number(), 1)),
    all: field(boolean()),
  });
  const Complete = required(Search, ["q", "page"]);
  same<
    InferOutput<typeof Complete>,
    { q: string; page: number; all: boolean }
  >(true);

  assertEquals(issuesOf(Complete, query("q=&page=")), [
    ["required", "q"],
    ["required", "page"],
  ]);
  assertEquals(parse(Complete, query("q=a&page=2")), {
    q: "a",
    page: 2,
    all: false,
  });
});

Deno.test("extend() adds fields, and keyof() has their names", () => {
  const Sale = extend(Item, {
    price: field(string()),
    photo: file(),
    to: object({ city: field(string()) }),
  });
  const form = new FormData();
  for (const [name, value] of query(text)) form.append(name, value);
  form.set("photo", new File(["a"], "a.png"));
  form.set("to.city", "Oslo");

  const { price, photo, to, from } = parse(Sale, form);
  assertEquals([price, photo.name, to.city, from.city], [
    "2",
    "a.png",
    "Oslo",
    "Rome",
  ]);
  const Name = keyof(Sale);
  same<
    InferOutput<typeof Name>,
    "name" | "price" | "sold" | "size" | "tags" | "from" | "photo" | "to"
  >(true);
  assertEquals(parse(Name, "photo"), "photo");
  assertEquals(parseSafe(Name, "title").success, false);
});

Deno.test("an object whose properties are all optional is not a form", () => {
  const Filter = plainObject({ a: optional(string()), b: optional(number()) });
  const First = pick(Filter, ["a"]);
  same<InferInput<typeof First>, { a?: string | undefined }>(true);
  assertEquals(parse(First, { a: "a", b: 1 }), { a: "a" });
});

Deno.test("pick() and the others take forms without checks only", () => {
  const Checked = Item.refine(() => true);
  for (
    const use of [
      () => pick(Checked, ["name"]),
      () => partial(Checked),
      () => keyof(Checked),
    ]
  ) {
    assertThrows(use, TypeError, "Add checks afterwards");
  }
  // @ts-expect-error An object has no fields.
  extend(plainObject({ b: optional(string()) }), { a: field(string()) });
  // @ts-expect-error There is no such property.
  assertThrows(() => omit(Item, ["title"]), TypeError, '"title"');
});
