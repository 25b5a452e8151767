import { array, object, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { post } from "@gatehouse/web/fetch-router/routes";
import {
  formData,
  validate,
  type ValidateOptions,
  ValidBody,
} from "@gatehouse/web/middleware";
import * as f from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { assertSameType } from "../_assert_type.ts";

const create = post("/notes", {
  json: object({ text: string(), tags: array(string()) }),
  form: f.object({ text: f.field(string()), tags: f.fields(array(string())) }),
});
const note = { text: "Tea", tags: ["a"] };

async function send(
  body: BodyInit,
  type?: string,
  options?: ValidateOptions,
  middleware = validate(create, options),
): Promise<[number, unknown]> {
  const router = createRouter();
  router.post(create, middleware, (context) => {
    const body = context.get(ValidBody);
    assertSameType<typeof body.text, string>();
    assertSameType<typeof body.tags, string[]>();
    return Response.json(body);
  });
  const response = await router.fetch("https://example.com/notes", {
    method: "POST",
    body,
    ...type !== undefined && { headers: { "Content-Type": type } },
  });
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text) : text];
}

const pairs = () => new URLSearchParams([["text", "Tea"], ["tags", "a"]]);

Deno.test("validate() accepts JSON or a form if both have a schema", async () => {
  assertEquals(await send(JSON.stringify(note), "application/json"), [
    200,
    note,
  ]);
  assertEquals(await send(pairs()), [200, note]);
  const parts = new FormData();
  for (const [name, value] of pairs()) parts.append(name, value);
  assertEquals(await send(parts), [200, note]);
});

Deno.test("validate() names the part of the body that is invalid", async () => {
  const errors = async (body: BodyInit, type?: string) => {
    const [status, problem] = await send(body, type);
    return [status, (problem as { errors: { in: string }[] }).errors?.[0]?.in];
  };
  assertEquals(await errors("{}", "application/json"), [422, "json"]);
  assertEquals(await errors(new URLSearchParams("tags=a")), [422, "form"]);
});

for (const type of ["text/plain", "application/octet-stream", "text/json"]) {
  Deno.test(`validate() answers 415 to ${type} if a body may be JSON or a form`, async () => {
    const [status, problem] = await send("{}", type);
    assertEquals(status, 415);
    assertEquals(
      (problem as { detail: string }).detail,
      "The body must be JSON or a form, in UTF-8 and not compressed",
    );
  });
}

Deno.test("validate() reads either body with formData() before it", async () => {
  for (
    const [body, type] of [[pairs()], [
      '{"text":"Tea","tags":["a"]}',
      "application/json",
    ]] as const
  ) {
    const router = createRouter({ middleware: [formData()] });
    router.post(create, validate(create), (context) => {
      return Response.json(context.get(ValidBody));
    });
    const response = await router.fetch("https://example.com/notes", {
      method: "POST",
      body,
      ...type !== undefined && { headers: { "Content-Type": type } },
    });
    assertEquals(await response.json(), note);
  }
});

Deno.test("onInvalid always finds a form if a body may be JSON or a form", async () => {
  const options: ValidateOptions = {
    onInvalid: ({ status }, context) =>
      new Response(`${[...context.get(FormData).keys()]}`, { status }),
  };
  assertEquals(await send("{}", "application/json", options), [422, ""]);
  assertEquals(await send(new URLSearchParams("tags=a"), undefined, options), [
    422,
    "tags",
  ]);
  assertEquals(await send("x", "text/plain", options), [415, ""]);
});
