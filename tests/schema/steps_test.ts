import {
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import {
  any,
  array,
  boolean,
  type Check,
  nullable,
  number,
  object,
  optional,
  parse,
  parseAsync,
  parseSafe,
  parseSafeAsync,
  record,
  string,
  tuple,
  union,
} from "@gatehouse/web/data-schema";
import {
  email,
  fieldsMatch,
  maxLength,
  min,
  minLength,
  startsWith,
} from "@gatehouse/web/data-schema/checks";

Deno.test("pipe() runs all checks and leaves the schema as it was", () => {
  const Text = string();
  const Strict = Text.pipe(minLength(3), startsWith("a"), email());
  const result = parseSafe(Strict, "b");

  assertEquals(result.success ? [] : result.issues.map(({ code }) => code), [
    "min_length",
    "starts_with",
    "email",
  ]);
  assertEquals(parse(Text, "b"), "b");
  assertEquals(
    parseSafe(Strict.pipe(maxLength(1)), "abc@d.ef").success,
    false,
  );
});

Deno.test("pipe() runs its checks on values that an earlier one accepted", () => {
  const Text = string().pipe(minLength(3)).pipe(startsWith("a"));
  const codes = (value: unknown) => {
    const result = parseSafe(Text, value);
    return result.success ? [] : result.issues.map(({ code }) => code);
  };

  assertEquals(codes("b"), ["min_length"]);
  assertEquals(codes("bcd"), ["starts_with"]);
  assertEquals(codes("abc"), []);
});

Deno.test("a getter that throws behind a rule or a transform is an issue", () => {
  const hostile = {
    first: "a",
    get second() {
      throw new Error("hostile");
    },
  };
  for (
    const first of [string().refine(() => true), string().transform(Number)]
  ) {
    const result = parseSafe(object({ first, second: string() }), hostile);
    assertEquals(result.success ? [] : result.issues.map(({ code }) => code), [
      "unreadable",
    ]);
  }
});

Deno.test("pipe() takes checks on every type", () => {
  const isTrue: Check<unknown> = {
    code: "is_true",
    params: {},
    message: undefined,
    text: "Must be true",
    test: (value) => value === true,
  };
  assertEquals(parseSafe(boolean().pipe(isTrue), false).success, false);
  assertEquals(parseSafe(boolean().pipe(isTrue), true).success, true);
  assertEquals(
    parseSafe(nullable(boolean()).pipe(isTrue), null).success,
    false,
  );
});

Deno.test("refine() runs after the checks, and only on values that passed", () => {
  const seen: unknown[] = [];
  const Even = number().pipe(min(0)).refine((value) => {
    seen.push(value);
    return value % 2 === 0;
  }, { message: "Must be even", code: "even" });

  assertEquals(parse(Even, 2), 2);
  assertEquals(parseSafe(Even, 3), {
    success: false,
    issues: [{ code: "even", path: [], message: "Must be even", params: {} }],
  });
  assertEquals(parseSafe(Even, -1).success, false);
  assertEquals(parseSafe(Even, "2").success, false);
  assertEquals(seen, [2, 3]);
});

Deno.test("refine() adds the issue at the given path", () => {
  const Range = object({ from: number(), to: number() }).refine(
    ({ from, to }) => from <= to,
    { path: ["to"], message: "Must not be before the start" },
  );
  const result = parseSafe(object({ range: Range }), {
    range: { from: 2, to: 1 },
  });
  assertEquals(result.success ? [] : result.issues[0]?.path, ["range", "to"]);
});

Deno.test("transform() changes the value or fails", () => {
  const Port = string().transform((text, fail) => {
    const port = Number(text);
    return Number.isInteger(port) ? port : fail({ message: "No port" });
  });
  assertEquals(parse(Port, "80"), 80);
  const result = parseSafe(object({ port: Port }), { port: "x" });
  assertEquals(result.success ? [] : result.issues, [
    { code: "invalid", path: ["port"], message: "No port", params: {} },
  ]);
});

Deno.test("transform() stops if its function fails", async () => {
  const ids = new Map([["a", 1]]);
  const Id = string().transform((name, fail) => ({
    id: ids.get(name) ?? fail(),
  }));
  const Checked = string().transform((text, fail) => {
    if (text === "") fail({ message: "Empty" });
    return text.length;
  });
  assertEquals(parse(Id, "a"), { id: 1 });
  assertEquals(parseSafe(Id, "b").success, false);
  const result = parseSafe(object({ a: Checked, b: string() }), {
    a: "",
    b: 1,
  });
  assertEquals(result.success ? [] : result.issues.map(({ path }) => path), [
    ["a"],
    ["b"],
  ]);

  const Late = string().transform(async (name, fail) => {
    await Promise.resolve();
    if (name !== "a") fail({ message: "Unknown" });
    return name;
  });
  assertEquals(await parseAsync(Late, "a"), "a");
  const late = await parseSafeAsync(object({ late: Late }), { late: "b" });
  assertEquals(late.success ? [] : late.issues, [
    { code: "invalid", path: ["late"], message: "Unknown", params: {} },
  ]);
});

Deno.test("transform() and refine() let errors of the application through", () => {
  const broken = () => {
    throw new RangeError("database is down");
  };
  assertThrows(
    () => parseSafe(object({ a: string().refine(broken) }), { a: "b" }),
    RangeError,
    "database is down",
  );
  assertThrows(
    () => parseSafe(array(string().transform(broken)), ["a"]),
    RangeError,
  );
  assertEquals(parseSafe(string(), 1).success, false);
});

Deno.test("parse() inside a rule does not disturb the parse around it", () => {
  const Inner = string();
  const hostile = Object.defineProperty({}, "a", {
    enumerable: true,
    get() {
      throw new Error("getter");
    },
  });
  const Outer = object({
    a: string().refine((text) =>
      parseSafe(Inner, text).success &&
      !parseSafe(object({ a: Inner }), hostile).success
    ),
    b: string(),
  });
  assertEquals(parseSafe(Outer, { a: "x", b: "y" }).success, true);
});

const isFree = (name: string) => Promise.resolve(name !== "admin");

Deno.test("parse() of an async schema is an error, never a pass", () => {
  const Name = string().refine(isFree);
  for (const value of ["ada", "admin"]) {
    assertThrows(() => parse(Name, value), TypeError, "async");
    assertThrows(() => parseSafe(object({ Name }), { Name: value }), TypeError);
    assertThrows(() => parseSafe(array(Name), [value]), TypeError);
    assertThrows(() => parseSafe(union([Name, number()]), value), TypeError);
    assertThrows(() => parseSafe(record(Name, Name), { a: value }), TypeError);
  }
});

Deno.test("parse() leaves no rejection unhandled if an async rule rejects", async () => {
  const Name = string().refine(() => Promise.reject(new Error("offline")));
  assertThrows(() => parse(object({ Name }), { Name: "a" }), TypeError);
  await Promise.resolve();
});

Deno.test("parseSafeAsync() runs async parts everywhere", async () => {
  const Name = string().refine(isFree, { message: "Taken" });
  const Upper = string().transform((text) =>
    Promise.resolve(text.toUpperCase())
  );
  const Everything = object({
    name: Name,
    list: array(Upper),
    pair: tuple([Upper, Name]),
    map: record(string(), Upper),
    either: union([number(), Upper]),
    maybe: optional(Upper),
    chain: Upper.pipe(minLength(2)).refine(isFree).transform((text) =>
      text.length
    ),
  });
  const input = {
    name: "ada",
    list: ["a", "b"],
    pair: ["a", "b"],
    map: { a: "b" },
    either: "c",
    maybe: "d",
    chain: "abc",
  };

  assertEquals(await parseAsync(Everything, input), {
    name: "ada",
    list: ["A", "B"],
    pair: ["A", "b"],
    map: { a: "B" },
    either: "C",
    maybe: "D",
    chain: 3,
  });
  assertEquals(input.list, ["a", "b"]);

  const result = await parseSafeAsync(Everything, {
    ...input,
    name: "admin",
    list: ["a", 1],
    pair: ["a", "admin"],
    chain: "a",
  });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path).sort(), [
    ["chain"],
    ["list", 1],
    ["name"],
    ["pair", 1],
  ]);
});

Deno.test("parseAsync() rejects with the application's error", async () => {
  const down = () => Promise.reject(new RangeError("database is down"));
  const Name = object({ name: string().refine(down) });
  await assertRejects(() => parseAsync(Name, { name: "a" }), RangeError);
  const later = object({
    name: string().refine(isFree).refine(() => {
      throw new RangeError("broken");
    }),
  });
  await assertRejects(() => parseAsync(later, { name: "a" }), RangeError);
});

Deno.test("parseAsync() takes sync schemas too", async () => {
  assertEquals(await parseAsync(string(), "a"), "a");
  assertEquals((await parseSafeAsync(string(), 1)).success, false);
});

Deno.test("fieldsMatch() also runs if an async field failed", async () => {
  const Form = object({
    name: string().refine(isFree),
    password: string(),
    again: string(),
  }).pipe(fieldsMatch("password", "again"));
  const result = await parseSafeAsync(Form, {
    name: "admin",
    password: "a",
    again: "b",
  });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["name"], ["again"]]);
});

Deno.test("fieldsMatch() compares nothing if one of the two is invalid", () => {
  const Form = object({
    password: string().pipe(minLength(8)),
    again: string(),
  })
    .pipe(fieldsMatch("password", "again"));
  const result = parseSafe(Form, { password: "a", again: "b" });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["password"]]);
});

Deno.test("fieldsMatch() works twice in a row", () => {
  const Form = object({ id: number(), a: string(), b: string(), c: string() })
    .pipe(fieldsMatch("a", "b")).pipe(fieldsMatch("b", "c"));
  const result = parseSafe(Form, { id: "x", a: "1", b: "1", c: "2" });
  const issues = result.success ? [] : result.issues;
  assertEquals(issues.map(({ path }) => path), [["id"], ["c"]]);
});

Deno.test("optional(), nullable() and steps keep the value as it is", () => {
  const list = [1];
  const List = nullable(optional(array(number()))).refine(() => true);
  assertStrictEquals(parse(List, list), list);
  assertStrictEquals(parse(List, null), null);
  assertStrictEquals(parse(List, undefined), undefined);
});

Deno.test("transform() that fails leaves errors of the input to the parse", () => {
  const schema = object({
    a: string().transform((_text, fail) => fail()),
    b: string(),
  });
  const input = {
    a: "x",
    get b() {
      throw new Error("own");
    },
  };
  const result = parseSafe(schema, input);
  assertEquals(result.success, false);
});

Deno.test("transform() may return a client's object whose then throws", () => {
  const hostile = {
    get then() {
      throw new Error("hostile");
    },
  };
  const schema = object({ a: any<object>().transform((value) => value) });
  const result = parseSafe(schema, { a: hostile });
  assertEquals(result.success || result.issues.map(({ code }) => code), [
    "unreadable",
  ]);
});
