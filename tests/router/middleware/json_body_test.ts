import type { ValidateOptions } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import {
  Anything,
  failing,
  json,
  post,
  send,
  stream,
  urlencoded,
} from "../_validate.ts";

const bodies: [string, unknown][] = [
  ["null", null],
  ["0", 0],
  ['"text"', "text"],
  ["[]", []],
  [' {"a": 1}\n', { a: 1 }],
  ['\ufeff{"a":1}', { a: 1 }],
  ['{"a":"\\"__proto__\\":"}', { a: '"__proto__":' }],
  ['["__proto__"]', ["__proto__"]],
  ['{"a":"[[[[[[[[{{{{{\\\\"}', { a: "[[[[[[[[{{{{{\\" }],
  ["[".repeat(100) + "]".repeat(100), undefined],
  [`["\\"${"[".repeat(101)}"]`, ['"' + "[".repeat(101)]],
  [`["\\\\", [[]]]`, ["\\", [[]]]],
];

for (const [text, expected] of bodies) {
  Deno.test(`validate() reads the JSON ${text.slice(0, 30)}`, async () => {
    const [status, value] = await send({ json: Anything }, post(text));
    assertEquals(status, 200);
    if (expected !== undefined) assertEquals(value, expected);
  });
}

for (
  const type of [
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/vnd.api+json",
    "application/merge-patch+json",
  ]
) {
  Deno.test(`validate() accepts JSON as ${type}`, async () => {
    assertEquals((await send({ json: Anything }, post("1", type)))[1], 1);
  });
}

const deep = "[".repeat(100_000) + "]".repeat(100_000);

const refusals: [string, number, RequestInit, ValidateOptions?][] = [
  ["no body", 400, post(null)],
  ["an empty body", 400, post("")],
  ["half an object", 400, post('{"a":1')],
  ["two values", 400, post("1 2")],
  ["NaN", 400, post("NaN")],
  ["no UTF-8", 400, post(new Uint8Array([0x22, 0xff, 0x22]))],
  ["100,000 nested arrays", 400, post(deep)],
  ["101 nested arrays", 400, post("[".repeat(101) + "]".repeat(101))],
  ["2 with a limit of 1", 400, post("[[]]"), { maxDepth: 1 }],
  ["__proto__ as a key", 400, post('{"a":{"__proto__":{"b":1}}}')],
  ["__proto__ escaped", 400, post('{"\\u005f_\\u0070roto__" :{}}')],
  ["a body that fails", 400, post(failing())],
  ["no type", 415, post(new TextEncoder().encode("{}"), "")],
  ["plain text", 415, post("{}", "text/plain")],
  ["JSON Lines", 415, post("{}", "application/jsonl")],
  ["a form", 415, post("a=1", urlencoded)],
  ["another charset", 415, post("{}", `${json}; charset=utf-16`)],
  ["compressed", 415, post("{}", json, { "Content-Encoding": "gzip" })],
  [
    "too large, with a Content-Length",
    413,
    post("{}", json, { "Content-Length": "1048577" }),
  ],
  [
    "too large, without a Content-Length",
    413,
    post(stream(`"${"a".repeat(2 ** 20)}"`)),
  ],
  ["too large for a custom limit", 413, post("123456789"), { maxBytes: 8 }],
  ["a body that never arrives", 408, post(new ReadableStream()), {
    timeout: 10,
  }],
];

for (const [name, status, init, options] of refusals) {
  Deno.test(`validate() responds with ${status} to JSON: ${name}`, async () => {
    const result = await send({ json: Anything }, init, options);
    assertEquals(result[0], status);
    const problem = result[1] as { status: number; errors?: unknown };
    assertEquals(problem.status, status);
    assertEquals(problem.errors, undefined);
  });
}

Deno.test("validate() reads 1 MiB of JSON", async () => {
  const text = `"${"a".repeat(2 ** 20 - 2)}"`;
  assertEquals((await send({ json: Anything }, post(text)))[0], 200);
});
