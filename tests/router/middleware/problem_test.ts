import { array, object, string } from "@gatehouse/web/data-schema";
import { number } from "@gatehouse/web/data-schema/coerce";
import type { InputSchema } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import { post, send } from "../_validate.ts";

Deno.test("validate() reports all errors in every part (RFC 9457)", async () => {
  const [status, problem, response] = await send({
    params: object({ id: number() }),
    query: object({ q: string() }),
    json: object({ items: array(object({ "a/b~ü%": string() })) }),
  }, { ...post('{"items":[{}]}'), path: "/notes/x" });
  assertEquals(status, 422);
  assertEquals(
    response.headers.get("Content-Type"),
    "application/problem+json",
  );
  assertEquals((problem as { errors: unknown }).errors, [
    { in: "params", pointer: "#/id", detail: "Expected number" },
    { in: "query", pointer: "#/q", detail: "Required" },
    {
      in: "json",
      pointer: "#/items/0/a~1b~0%C3%BC%25",
      detail: "Required",
    },
  ]);
});

Deno.test("validate() reports at most 100 errors", async () => {
  const issues = Array.from({ length: 200_000 }, (_, index) => ({
    message: "no",
    path: [index, Symbol("s"), { key: "\ud800" }],
  }));
  const Never: InputSchema = {
    "~standard": { version: 1, validate: () => ({ issues }) },
  };
  const [status, problem] = await send({ query: Never });
  const { errors } = problem as { errors: { pointer: string }[] };
  assertEquals([status, errors.length], [422, 100]);
  assertEquals(errors[1]!.pointer, "#/1/Symbol(s)/%EF%BF%BD");
});

Deno.test("validate() responds with less than the request for any keys", async () => {
  const issues = Array.from({ length: 100 }, () => ({
    message: "no",
    path: ["é".repeat(5_000), 1],
  }));
  const short = { message: "no", path: ["a"] };
  const Never: InputSchema = {
    "~standard": {
      version: 1,
      validate: () => ({ issues: [short, ...issues] }),
    },
  };
  const [status, problem] = await send({ query: Never });
  assertEquals(status, 422);
  assertEquals((problem as { errors: unknown[] }).errors, [
    { in: "query", pointer: "#/a", detail: "no" },
  ]);
});
