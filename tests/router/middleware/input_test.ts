import { object, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  formData,
  type InputSchema,
  type ValidateOptions,
} from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import { Anything, origin, post, send, urlencoded } from "../_validate.ts";

const queries: [string, Record<string, unknown>][] = [
  ["", {}],
  ["a=1&b=2", { a: "1", b: "2" }],
  ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
  ["a[]=1", { "a[]": ["1"] }],
  ["a[]=1&a[]=2", { "a[]": ["1", "2"] }],
  ["a", { a: "" }],
  ["a=&a=", { a: ["", ""] }],
  ["=1", { "": "1" }],
  ["a=%&b=%zz&c=%ff", { a: "%", b: "%zz", c: "\ufffd" }],
  ["__proto__=1&__proto__=2&a=1", { a: "1" }],
  ["constructor=1&toString=2", { constructor: "1", toString: "2" }],
];

for (const [text, expected] of queries) {
  Deno.test(`validate() reads the query "${text}"`, async () => {
    let seen: unknown;
    const Seen: InputSchema = {
      "~standard": {
        version: 1,
        validate: (value) => ({ value: seen = value }),
      },
    };
    const path = `/notes/7?${text}`;
    await send({ query: Seen }, { path });
    assertEquals(Object.getPrototypeOf(seen), null);
    assertEquals(Object.entries(seen as object), Object.entries(expected));
    const pairs = post(text, urlencoded);
    await send({ form: Seen }, pairs);
    assertEquals(Object.entries(seen as object), Object.entries(expected));
  });
}

Deno.test("libraryOptions are passed to the schemas for each request", async () => {
  const options: ValidateOptions = {
    libraryOptions: ({ url }) => ({
      messages: { required: `Missing at ${url.pathname}` },
    }),
  };
  const [, problem] = await send(
    { query: object({ a: string() }) },
    {},
    options,
  );
  const { errors } = problem as { errors: { detail: string }[] };
  assertEquals(errors[0]!.detail, "Missing at /notes/7");
});

Deno.test("an undefined limit is the default", async () => {
  const options = { maxBytes: undefined } as unknown as ValidateOptions;
  const large = `"${"a".repeat(2 ** 20)}"`;
  assertEquals((await send({ json: Anything }, post(large), options))[0], 413);
  const router = createRouter({ middleware: [formData(options)] });
  router.post("/", () => new Response());
  const response = await router.fetch(
    origin,
    post(`a=${"b".repeat(2 ** 21)}`, urlencoded),
  );
  assertEquals(response.status, 413);
});
