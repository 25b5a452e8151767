/** Values right at the bounds of schemas, and just beyond them. */
import { assertEquals } from "@std/assert";
import {
  array,
  number,
  object,
  optional,
  parseSafe,
  parseSafeAsync,
  record,
  type Schema,
  string,
} from "@gatehouse/web/data-schema";
import { email, hostname, ip, url } from "@gatehouse/web/data-schema/checks";
import * as f from "@gatehouse/web/data-schema/form-data";

const label = "a".repeat(63);
const local = "a".repeat(64);

const bounds: [string, Schema<string>, string, string][] = [
  [
    "email() takes 254 characters",
    string().pipe(email()),
    `${local}@${label}.${label}.${"a".repeat(61)}`,
    `${local}@${label}.${label}.${"a".repeat(62)}`,
  ],
  [
    "hostname() takes 253 characters",
    string().pipe(hostname()),
    `${label}.${label}.${label}.${"a".repeat(61)}`,
    `${label}.${label}.${label}.${"a".repeat(62)}`,
  ],
  [
    "url() takes 65,536 characters",
    string().pipe(url()),
    "https://a.example/".padEnd(65_536, "a"),
    "https://a.example/".padEnd(65_537, "a"),
  ],
  [
    "ip() takes one group or more for the colons",
    string().pipe(ip()),
    "1:2:3:4::6:7:8",
    "1:2:3:4::5:6:7:8",
  ],
  [
    "ip() takes colons once",
    string().pipe(ip()),
    "1:2:3::7:8",
    "1:2:3::4:5:6::7:8",
  ],
];

for (const [name, schema, good, bad] of bounds) {
  Deno.test(`${name}, and no more`, () => {
    assertEquals(parseSafe(schema, good).success, true);
    assertEquals(parseSafe(schema, bad).success, false);
  });
}

/** Returns a form inside so many others. */
function nested(depth: number): f.FormShape[string] {
  const inner = depth === 0 ? f.field(string()) : nested(depth - 1);
  return f.object({ a: inner });
}

Deno.test("object() reads names of five keys, and none of six", () => {
  for (const keys of [5, 6]) {
    const schema = nested(keys - 1) as Schema<unknown>;
    const form = new URLSearchParams({
      [Array(keys).fill("a").join(".")]: "x",
    });
    assertEquals(parseSafe(schema, form).success, keys === 5);
  }
});

Deno.test("object() drops nested names of more than 256 characters, and of prototypes", () => {
  const names: [string, boolean][] = [
    ["b".repeat(254), true],
    ["b".repeat(255), false],
    ["constructor", false],
    ["prototype", false],
    ["__proto__", false],
  ];
  for (const [key, isRead] of names) {
    const schema = f.object({ a: f.object({ [key]: f.field(string()) }) });
    const form = new URLSearchParams({ [`a.${key}`]: "x" });
    assertEquals(parseSafe(schema, form).success, isRead, key.slice(0, 20));
  }
});

Deno.test("object() of a form gives no output another prototype", () => {
  const schema = f.object({ ["__proto__"]: f.fields(array(string())) });
  const result = parseSafe(schema, new URLSearchParams("__proto__=a"));
  assertEquals(result.success, true);
  const { value } = result as { value: object };
  assertEquals(Object.getPrototypeOf(value), Object.prototype);
  assertEquals(Object.keys(value), []);
});

Deno.test("field() reports Required only for missing values, also with a custom message", () => {
  const message = "An address, please";
  const schema = f.object({ a: f.field(string().pipe(email({ message }))) });
  const codesOf = (form: URLSearchParams) => {
    const result = parseSafe(schema, form);
    return result.success
      ? []
      : result.issues.map(({ code, message }) => [code, message]);
  };
  assertEquals(codesOf(new URLSearchParams()), [["required", message]]);
  assertEquals(codesOf(new URLSearchParams("a=x")), [["email", message]]);
});

Deno.test("record() rejects __proto__ before its key schema could rename it", () => {
  const schema = record(string().transform((key) => `_${key}`), string());
  const result = parseSafe(schema, JSON.parse('{"__proto__":"x"}'));
  assertEquals(
    result.success ? [] : result.issues.map(({ code }) => code),
    ["forbidden_key"],
  );
});

Deno.test("record() takes more async entries than a call has arguments", async () => {
  const schema = record(
    string(),
    number().refine(() => Promise.resolve(true)),
  );
  const entries = Array.from({ length: 150_000 }, (_, index) => [index, index]);
  const result = await parseSafeAsync(schema, Object.fromEntries(entries));
  assertEquals(result.success, true);
});

Deno.test("object() validates optional properties in any order", () => {
  const schema = object({ a: optional(string()), b: string() });
  assertEquals(parseSafe(schema, { b: "x", a: "y" }).success, true);
  assertEquals(parseSafe(schema, { b: "x", a: 1 }).success, false);
});
