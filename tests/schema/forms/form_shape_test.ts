import {
  array,
  bigint,
  boolean,
  date,
  defaulted,
  extend,
  type InferInput,
  type InferOutput,
  instanceof_,
  keyof,
  lazy,
  looseObject,
  nullable,
  number,
  object as plainObject,
  omit,
  optional,
  parse,
  parseSafe,
  partial,
  pick,
  picklist,
  record,
  required,
  strictObject,
  string,
  tuple,
  union,
  variant,
} from "@gatehouse/web/data-schema";
import {
  fieldsMatch,
  fileSize,
  maxLength,
} from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import {
  field,
  fields,
  file,
  type FormInput,
  fromObject,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { assertEquals, assertThrows } from "@std/assert";

/** True only for the same type, optional keys and all. */
type Same<First, Second> = (<T>() => T extends First ? 1 : 2) extends
  (<T>() => T extends Second ? 1 : 2) ? true : false;

/** Compiles only for the same types. */
function same<First, Second>(_: Same<First, Second>): void {}

const query = (text: string) => new URLSearchParams(text);

function issuesOf(
  schema: Parameters<typeof parseSafe>[0],
  input: unknown,
): unknown[] {
  const result = parseSafe(schema, input);
  return result.success
    ? []
    : result.issues.map(({ code, field }) => [code, field]);
}

const Item = object({
  name: field(string(), { name: "title" }),
  price: field(number()),
  sold: field(boolean()),
  size: field(defaulted(number(), 1)),
  tags: fields(array(string())),
  from: object({ city: field(string()) }),
});
const text = "title=Tea&price=2&sold=on&size=3&tags=a&tags=b&from.city=Rome";

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

const Note = plainObject({
  text: string().pipe(maxLength(20)),
  pinned: boolean(),
  stars: optional(number()),
  count: coerce.number(),
  big: nullable(bigint()),
  role: defaulted(picklist(["a", "b", 3]), "a"),
  either: union([number(), string()]),
  at: date(),
  tags: array(string()).pipe(maxLength(2)),
  photo: optional(instanceof_(File).pipe(fileSize(3))),
  place: optional(strictObject({ city: string(), zip: optional(number()) })),
  items: array(looseObject({ name: string(), count: number() })),
});

function formOf(
  entries: Readonly<Record<string, FormDataEntryValue>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(entries)) form.append(name, value);
  return form;
}

Deno.test("fromObject() reads a form with the properties of an object", () => {
  const NoteForm = fromObject(Note);
  same<InferOutput<typeof NoteForm>, InferOutput<typeof Note>>(true);
  const photo = new File(["a"], "a.png");
  const form = formOf({
    csrf: "…",
    text: "Tea",
    pinned: "on",
    stars: "",
    count: "5",
    big: "",
    role: "3",
    either: "7",
    at: "2026-11-23",
    tags: "a",
    photo,
    "place.city": "Rome",
    "place.zip": "184",
    "place.other": "x",
    "items[0].name": "Leaf",
    "items[0].count": "2",
    "items[0].other": "x",
  });
  form.append("tags", "b");

  // Bun returns another file with the same content.
  const { photo: sent, ...note } = parse(NoteForm, form);
  assertEquals([sent?.name, sent?.size], ["a.png", 1]);
  assertEquals(note, {
    text: "Tea",
    pinned: true,
    count: 5,
    big: null,
    role: 3,
    either: 7,
    at: new Date("2026-11-23"),
    tags: ["a", "b"],
    place: { city: "Rome", zip: 184 },
    items: [{ name: "Leaf", count: 2 }],
  });
});

Deno.test("fromObject() reports the fields of the form", () => {
  const NoteForm = fromObject(
    pick(Note, ["text", "tags", "place", "items", "photo"]),
  );
  const form = formOf({
    text: "x".repeat(21),
    tags: "a",
    "tags[]": "b",
    "place.city": "Rome",
    "place.zip": "x",
    "items[0].count": "1",
    photo: new File(["1234"], "a.png"),
  });
  form.append("tags", "c");

  assertEquals(issuesOf(NoteForm, form), [
    ["max_length", "text"],
    ["max_length", "tags"],
    ["file_size", "photo"],
    ["type", "place.zip"],
    ["required", "items[0].name"],
  ]);
});

Deno.test("fromObject() keeps checks, rules and messages", () => {
  const Registration = plainObject({ password: string(), again: string() }, {
    message: "Expected a form",
  }).pipe(fieldsMatch("password", "again"))
    .refine(({ password }) => password !== "secret", { path: ["password"] });
  const form = fromObject(Registration);

  assertEquals(issuesOf(form, query("password=a&again=b")), [
    ["fields_match", "again"],
  ]);
  assertEquals(issuesOf(form, query("password=secret&again=secret")), [
    ["invalid", "password"],
  ]);
  const result = parseSafe(form, 1);
  assertEquals(result.success || result.issues[0]?.message, "Expected a form");
  // The schema of the object is the same as before.
  const value = { password: "a", again: "a" };
  assertEquals(parse(Registration, value), value);
});

Deno.test("fromObject() throws on properties that a form cannot contain", () => {
  for (
    const [property, name] of [
      [record(string(), string()), "record"],
      [tuple([string()]), "tuple"],
      [lazy(() => string()), "lazy"],
      [optional(variant("a", { b: plainObject({}) })), "variant"],
    ] as const
  ) {
    const Nested = plainObject({ a: array(plainObject({ b: property })) });
    assertThrows(
      () => fromObject(Nested),
      TypeError,
      `Cannot read property "a[].b" from a form: it is a ${name}`,
    );
  }
});

Deno.test("forms from objects ignore hostile names", () => {
  const NoteForm = fromObject(plainObject({
    place: optional(plainObject({ city: string() })),
    items: array(plainObject({ name: string() })),
  }));
  for (
    const name of [
      "__proto__.city",
      "place.__proto__.city",
      "constructor.prototype.city",
      "items[0].__proto__.name",
    ]
  ) {
    parseSafe(NoteForm, query(`${name}=x`));
  }
  assertEquals("city" in {} || "name" in {}, false);
});
