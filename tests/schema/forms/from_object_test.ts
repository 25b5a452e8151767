import {
  array,
  bigint,
  boolean,
  date,
  defaulted,
  type InferOutput,
  instanceof_,
  lazy,
  looseObject,
  nullable,
  number,
  object as plainObject,
  optional,
  parse,
  parseSafe,
  pick,
  picklist,
  record,
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
import { fromObject } from "@gatehouse/web/data-schema/form-data";
import { assertEquals, assertThrows } from "@std/assert";
import { issuesOf, query, same } from "./_shapes.ts";

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
