import {
  array,
  lazy,
  object,
  optional,
  type Schema,
  string,
} from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { get, post } from "@gatehouse/web/fetch-router/routes";
import { validate } from "@gatehouse/web/middleware";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { assertEquals } from "@std/assert";
import { describe, NewNote, ok } from "./_describe.ts";

Deno.test("openapi() reads the schemas of validate() before a plain pattern", () => {
  const router = createRouter({
    middleware: [validate({ query: object({ page: coerce.number() }) })],
  });
  const input = validate({ json: NewNote, params: object({ id: string() }) });
  router.put("/notes/:id", input, ok);
  const { put } = describe(router).document.paths["/notes/{id}"]!;
  const parameters = put!.parameters as { name: string; in: string }[];
  assertEquals(parameters.map((one) => `${one.in} ${one.name}`), [
    "path id",
    "query page",
  ]);
  assertEquals(Object.keys(put!.requestBody as object), [
    "required",
    "content",
  ]);
});

Deno.test("openapi() moves recursive schemas to the components", () => {
  interface Tree {
    readonly enum?: Tree | undefined;
    readonly children: readonly Tree[];
  }
  const Tree: Schema<Tree> = object({
    enum: optional(lazy(() => Tree)),
    children: array(lazy(() => Tree)),
  }) as Schema<Tree>;
  const router = createRouter();
  router.get(get("/trees", { responses: { 200: array(Tree) } }), ok);
  router.get(get("/tree", { responses: { 200: Tree } }), ok);
  const { document } = describe(router);
  const text = JSON.stringify(document);
  assertEquals(text.includes("$defs"), false);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assertEquals(Object.hasOwn(document.components.schemas, name!), true, name);
  }
});

Deno.test("openapi() keeps schemas apart that refer to each other", () => {
  interface Folder {
    readonly files: readonly File[];
  }
  interface File {
    readonly name: string;
    readonly folder?: Folder | undefined;
  }
  const Folder: Schema<Folder> = object({ files: array(lazy(() => File)) });
  const File: Schema<File> = object({
    name: string(),
    folder: optional(lazy(() => Folder)),
  });
  const router = createRouter();
  router.get(get("/folder", { responses: { 200: Folder } }), ok);
  const { schemas } = describe(router).document.components;
  const members = Object.values(
    schemas as Record<string, { properties: object }>,
  )
    .map(({ properties }) => Object.keys(properties).join());
  // The third one describes errors.
  assertEquals(members.sort().slice(0, 2), ["files", "name,folder"]);
  assertEquals(members.length, 3);
});

Deno.test("openapi() reports parts of schemas without JSON Schema", () => {
  const router = createRouter();
  const odd = {
    "~standard": { version: 1, vendor: "odd", validate: () => ({ value: 1 }) },
  } as const;
  router.post(post("/odd", { json: object({ at: odd as never }) }), ok);
  const { omissions } = describe(router);
  assertEquals(omissions, [{
    route: "POST /odd",
    reason: 'JSON Schema has no "schema of odd" (at)',
  }]);
});
