import { assertEquals } from "@std/assert";
import {
  any,
  array,
  type bigint,
  type boolean,
  brand,
  type Branded,
  type date,
  defaulted,
  enum_,
  type InferInput,
  type InferOutput,
  instanceof_,
  intersect,
  lazy,
  literal,
  map,
  nullable,
  number,
  object,
  optional,
  parse,
  record,
  type Schema,
  set,
  string,
  tuple,
  union,
  type unknown,
  variant,
} from "@gatehouse/web/data-schema";
import { max, minLength } from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import {
  field,
  fields,
  file,
  files,
  object as form,
} from "@gatehouse/web/data-schema/form-data";
import { compiles } from "../router/_assert_type.ts";

/** True only for the same type, optional keys and all. */
type Same<First, Second> = (<T>() => T extends First ? 1 : 2) extends
  (<T>() => T extends Second ? 1 : 2) ? true : false;

/** Compiles only for the same types. */
function same<First, Second>(_: Same<First, Second>): void {}

compiles("InferOutput and InferInput tell the types of every schema", () => {
  same<InferOutput<ReturnType<typeof string>>, string>(true);
  same<InferOutput<ReturnType<typeof bigint>>, bigint>(true);
  same<InferOutput<ReturnType<typeof date>>, Date>(true);
  same<InferOutput<ReturnType<typeof boolean>>, boolean>(true);

  const Role = enum_(["user", "admin"]);
  same<InferOutput<typeof Role>, "user" | "admin">(true);

  const One = literal(1);
  same<InferOutput<typeof One>, 1>(true);

  const List = array(string()).pipe(minLength(1));
  same<InferOutput<typeof List>, string[]>(true);

  const Pair = tuple([string(), number()]);
  same<InferOutput<typeof Pair>, [string, number]>(true);

  const Scores = record(string(), number());
  same<InferOutput<typeof Scores>, Record<string, number>>(true);
  const ByDay = record(enum_(["sat", "sun"]), number());
  same<InferOutput<typeof ByDay>, { sat?: number; sun?: number }>(true);

  const Ages = map(string(), number());
  same<InferOutput<typeof Ages>, Map<string, number>>(true);

  const Tags = set(string());
  same<InferOutput<typeof Tags>, Set<string>>(true);

  const Either = union([string(), number()]);
  same<InferOutput<typeof Either>, string | number>(true);

  const Upload = instanceof_(File);
  same<InferOutput<typeof Upload>, File>(true);

  const Anything = any<URL>();
  same<InferOutput<typeof Anything>, URL>(true);
  same<InferOutput<ReturnType<typeof unknown>>, unknown>(true);

  const Length = string().transform((text) => text.length);
  same<InferOutput<typeof Length>, number>(true);
  same<InferInput<typeof Length>, string>(true);

  const Later = string().transform((text) => Promise.resolve(text.length));
  same<InferOutput<typeof Later>, number>(true);

  const Page = coerce.number().pipe(max(10));
  same<InferOutput<typeof Page>, number>(true);
  same<InferInput<typeof Page>, number | string>(true);
});

Deno.test("object() is exact about keys that may be missing", () => {
  const User = object({
    name: string(),
    bio: optional(string()),
    role: defaulted(string(), "user"),
    nick: nullable(string()),
    checked: optional(string()).refine((text) => text !== ""),
    size: optional(string()).transform((text) => text?.length ?? 0),
  });

  same<InferOutput<typeof User>, {
    name: string;
    bio?: string;
    role: string;
    nick: string | null;
    checked?: string;
    size: number;
  }>(true);
  same<InferInput<typeof User>, {
    name: string;
    bio?: string | undefined;
    role?: string | undefined;
    nick: string | null;
    checked?: string | undefined;
    size?: string | undefined;
  }>(true);

  const user = parse(User, { name: "Ada", nick: null, bio: undefined });
  assertEquals(user, { name: "Ada", nick: null, role: "user", size: 0 });
  assertEquals("bio" in user, false);
});

Deno.test("variant(), intersect(), lazy() and brand() tell their types", () => {
  const Event = variant("type", {
    created: object({ type: literal("created"), id: string() }),
    moved: object({ type: literal("moved"), to: number() }),
  });
  same<
    InferOutput<typeof Event>,
    { type: "created"; id: string } | { type: "moved"; to: number }
  >(true);

  const Both = intersect(object({ a: string() }), object({ b: number() }));
  same<InferOutput<typeof Both>, { a: string } & { b: number }>(true);

  interface Tree {
    value: number;
    children: Tree[];
  }
  const Tree: Schema<Tree> = object({
    value: number(),
    children: array(lazy(() => Tree)),
  });
  same<InferOutput<typeof Tree>, Tree>(true);

  const UserId = brand(string(), "UserId");
  const OrderId = brand(string(), "OrderId");
  const take = (id: InferOutput<typeof UserId>) => id.length;
  assertEquals(take(parse(UserId, "u1")), 2);
  // @ts-expect-error Another brand is another type.
  take(parse(OrderId, "o1"));
  // @ts-expect-error A plain string has no brand.
  take("u1");

  const Parent = brand(nullable(string()), "UserId");
  const parent = parse(Parent, null);
  same<typeof parent, Branded<string, "UserId"> | null>(true);
  // @ts-expect-error It may be null.
  const never = () => parent.length;
  assertEquals([parent, typeof never], [null, "function"]);
  const Task = object({ owner: brand(optional(string()), "UserId") });
  const { owner } = parse(Task, {});
  same<typeof owner, Branded<string, "UserId"> | undefined>(true);
});

compiles("form object() tells the types of its fields", () => {
  const Form = form({
    name: field(string()),
    age: field(optional(number())),
    tags: fields(array(string())),
    photo: file(),
    more: files(),
    address: form({ city: field(string()) }),
  });
  same<InferOutput<typeof Form>, {
    name: string;
    age?: number;
    tags: string[];
    photo: File;
    more: File[];
    address: { city: string };
  }>(true);
});

compiles("pipe() takes only checks for the type", () => {
  // @ts-expect-error A number has no length.
  number().pipe(minLength(1));
  // @ts-expect-error A string has no greatest value.
  string().pipe(max(1));
  array(number()).pipe(minLength(1));
});
