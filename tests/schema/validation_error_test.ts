import { assert, assertEquals, assertLess, assertThrows } from "@std/assert";
import {
  object,
  parse,
  record,
  type Schema,
  strictObject,
  string,
  ValidationError,
} from "@gatehouse/web/data-schema";

function errorOf(schema: Schema<unknown>, value: unknown): ValidationError {
  return assertThrows(() => parse(schema, value), ValidationError);
}

const keys: [string, string, string][] = [
  ["a newline", "a\n[error] forged", "a\\u{a}[error] forged"],
  ["ESC", "\x1b[2J", "\\u{1b}[2J"],
  ["an 8-bit control", "\x9b2J", "\\u{9b}2J"],
  ["a quotation mark", 'a": fine, "b', 'a\\": fine, \\"b'],
  ["a backslash", "a\\u{a}", "a\\\\u{a}"],
  ["a bidirectional override", "a\u202eb", "a\\u{202e}b"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["a lone surrogate", "a\ud800", "a\\u{d800}"],
  ["letters of any script", "straße.名前", "straße.名前"],
];

for (const [name, key, shown] of keys) {
  Deno.test(`ValidationError escapes ${name} in a client's key`, () => {
    const schemas = [strictObject({}), record(string(), object({}))];
    const messages = schemas.map((schema) =>
      errorOf(schema as Schema<unknown>, { [key]: 1 }).message
    );
    assertEquals(messages, [
      `Cannot parse value at "${shown}": Unknown key`,
      `Cannot parse value at "${shown}": Expected object`,
    ]);
  });
}

Deno.test("ValidationError cuts a long key, and many keys", () => {
  const long = errorOf(strictObject({}), { ["k".repeat(1_000_000)]: 1 });
  assertEquals(
    long.message,
    `Cannot parse value at "${"k".repeat(200)}…": Unknown key`,
  );
  const path = Array(1000).fill("key");
  const issue = { code: "invalid", path, message: "Wrong", params: {} };
  assertLess(new ValidationError([issue]).message.length, 300);
});

Deno.test("ValidationError escapes and cuts the message of another library", () => {
  const forged = `Unrecognized key "a\n[error] forged\x1b" ${"x".repeat(1e6)}`;
  const schema = string().refine(() => false, { message: forged });
  const { issues, message } = errorOf(schema, "a");
  assert(!/\p{Cc}/u.test(message));
  assertLess(message.length, 400);
  assertEquals(issues[0]?.message, forged);
});
