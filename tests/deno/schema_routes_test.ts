// The validate middleware with schemas of other libraries, and form schemas
// with the form parsers of other frameworks.

import { assertEquals } from "@std/assert";
import {
  array,
  flatten,
  number,
  optional,
  string,
} from "@gatehouse/web/data-schema";
import {
  field,
  fields,
  file,
  object,
} from "@gatehouse/web/data-schema/form-data";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  type InputSchema,
  validate,
  ValidForm,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "@gatehouse/web/middleware";
import { sValidator } from "npm:@hono/standard-validator@0.4.0";
import { type } from "npm:arktype@2.2.9";
import { Hono } from "npm:hono@4.13.19";
import * as v from "npm:valibot@1.5.0";
import * as z from "npm:zod@4.6.7";

const origin = "https://example.com";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;
/** Fails to compile if two types are different. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : [never]): void {}

interface Title {
  title: string;
}

Deno.test("validate() accepts typed schemas of Zod, Valibot and ArkType", async () => {
  const router = createRouter();
  const input = validate({
    params: v.object({ id: v.pipe(v.string(), v.transform(Number)) }),
    query: type({ page: "string.integer.parse", "tags?": "string[]" }),
    json: z.object({ title: z.string().trim() }),
  });
  router.post("/notes/:id", { middleware: [input] }, (context) => {
    const params = context.get(ValidParams);
    const query = context.get(ValidQuery);
    const body = context.get(ValidJSON);
    same<typeof params, { id: number }>();
    same<typeof query, { page: number; tags?: string[] }>();
    same<typeof body, Title>();
    return Response.json({ params, query, body });
  });
  const response = await router.fetch(
    `${origin}/notes/7?page=2&tags=a&tags=b`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"title":" Tea "}',
    },
  );
  assertEquals(await response.json(), {
    params: { id: 7 },
    query: { page: 2, tags: ["a", "b"] },
    body: { title: "Tea" },
  });
});

const schemas = {
  zod: z.object({ title: z.string().min(1), "tags[]": z.array(z.string()) }),
  valibot: v.object({
    title: v.pipe(v.string(), v.minLength(1)),
    "tags[]": v.array(v.string()),
  }),
  arktype: type({ title: "string >= 1", "tags[]": "string[]" }),
} satisfies Record<string, InputSchema>;

for (const [library, schema] of Object.entries(schemas)) {
  Deno.test(`validate() accepts a form for ${library}, and reports its issues`, async () => {
    const router = createRouter();
    const input = validate<{ form: InputSchema }>({ form: schema });
    router.post("/", { middleware: [input] }, (context) => {
      return Response.json(context.get(ValidForm));
    });
    const post = (text: string) =>
      router.fetch(origin, {
        method: "POST",
        body: new URLSearchParams(text),
      });
    const good = await post("title=Tea&tags[]=a");
    assertEquals(await good.json(), { title: "Tea", "tags[]": ["a"] });
    const bad = await post("title=&__proto__=x");
    assertEquals(bad.status, 422);
    const { errors } = await bad.json();
    assertEquals(
      errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
      ["#/tags%5B%5D", "#/title"],
    );
  });
}

Deno.test("validate() waits for an async schema of another library", async () => {
  const Name = z.object({
    name: z.string().refine((name) => Promise.resolve(name !== "admin")),
  });
  const router = createRouter();
  router.get("/", { middleware: [validate({ query: Name })] }, (context) => {
    return new Response(context.get(ValidQuery).name);
  });
  assertEquals(await (await router.fetch(`${origin}/?name=ada`)).text(), "ada");
  assertEquals((await router.fetch(`${origin}/?name=admin`)).status, 422);
});

Deno.test("form schemas accept forms and queries from Hono", async () => {
  const Upload = object({
    title: field(string()),
    count: field(optional(number())),
    tags: fields(array(string())),
    photo: file(),
  });
  const Filter = object({
    page: field(number()),
    tags: fields(array(string())),
  });
  const app = new Hono();
  app.post("/", sValidator("form", Upload), (context) => {
    const { photo, ...rest } = context.req.valid("form");
    return context.json({ ...rest, photo: photo.name });
  });
  app.get("/", sValidator("query", Filter), (context) => {
    return context.json(context.req.valid("query"));
  });
  const form = new FormData();
  form.set("title", "Tea");
  form.set("count", "2");
  form.append("tags", "a");
  form.append("tags", "b");
  form.set("photo", new File(["x"], "x.png"));
  const posted = await app.request("/", { method: "POST", body: form });
  assertEquals(await posted.json(), {
    title: "Tea",
    count: 2,
    tags: ["a", "b"],
    photo: "x.png",
  });
  const queried = await app.request("/?page=2&tags=a");
  assertEquals(await queried.json(), { page: 2, tags: ["a"] });
});

Deno.test("flatten() accepts issues of Zod and Valibot", () => {
  const zod = z.object({ a: z.string("no text") }).safeParse({});
  const valibot = v.safeParse(v.object({ a: v.string("no text") }), { a: 1 });
  for (const issues of [zod.error!.issues, valibot.issues!]) {
    assertEquals(flatten(issues).fields.a, ["no text"]);
  }
});
