import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
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
  string,
} from "@gatehouse/web/data-schema";
import {
  email,
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
