/** Types made from the document by another tool agree with those of the client. */
import { assert, assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { validate } from "@gatehouse/web/middleware";
import { openapi } from "@gatehouse/web/openapi";
import openapiTS, { astToString } from "npm:openapi-typescript@7.13.0";
import { Note, routes, Tree } from "../deno/_openapi_routes.ts";
import { programFile } from "../deno/_programs.ts";

const ROUTES = new URL("../deno/_openapi_routes.ts", import.meta.url);

const HEAD = `
import type { operations } from "./document.ts";
import { createClient } from "@gatehouse/web/client";
import { routes } from "${ROUTES}";
const client = createClient(routes, { baseUrl: "https://api.example" });
/** Equal types, apart from readonly. */
type Writable<Value> = Value extends (infer Item)[] | readonly (infer Item)[]
  ? number extends Value["length"] ? Writable<Item>[]
    : { -readonly [Key in keyof Value]: Writable<Value[Key]> }
  : Value extends object ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
  : Value;
type Accepts<A, B> = [Writable<A>] extends [Writable<B>] ? true : false;
type Same<A, B> = Accepts<A, B> extends true ? Accepts<B, A> : false;
type Input<Call extends (...args: never[]) => unknown> = NonNullable<Parameters<Call>[0]>;
type JSONOf<Call extends (...args: never[]) => unknown> = Extract<Input<Call>, { json: unknown }>["json"];
type Body<Call extends (...args: never[]) => unknown, Status> =
  Extract<Awaited<ReturnType<Call>>, { status: Status; body: unknown }>["body"];
type Content<Message> = Message extends { content: { "application/json": infer Value } } ? Value : never;
type Of<Id extends keyof operations> = operations[Id];
`;

/** Pairs of equal types: that of the document, and that of the client. */
const PAIRS = [
  [
    `Content<Of<"notes.index">["responses"][200]>`,
    `Body<typeof client.notes.index, 200>`,
  ],
  [
    `Required<Of<"notes.index">["parameters"]>["query"]["kind"]`,
    `NonNullable<Input<typeof client.notes.index>["query"]>["kind"]`,
  ],
  [
    `Content<Of<"notes.create">["requestBody"]>`,
    `JSONOf<typeof client.notes.create>`,
  ],
  [
    `Content<Of<"notes.create">["responses"][201]>`,
    `Body<typeof client.notes.create, 201>`,
  ],
  [
    `Content<Of<"notes.create">["responses"][409]>`,
    `Body<typeof client.notes.create, 409>`,
  ],
  [
    `Content<Of<"notes.update">["responses"][200]>`,
    `Body<typeof client.notes.update, 200>`,
  ],
  [
    `Content<Of<"notes.update">["requestBody"]>`,
    `JSONOf<typeof client.notes.update>`,
  ],
  [
    `Content<Of<"tree">["responses"][200]>`,
    `Body<typeof client.tree, 200>`,
  ],
] as const;

async function checkTypes(
  pairs: readonly (readonly [string, string])[],
): Promise<string> {
  const router = createRouter();
  const { create, index, remove, update } = routes.notes;
  const ok = () => new Response();
  router.get(index, validate(index), ok);
  router.post(create, validate(create), ok);
  router.put(update, validate(update), ok);
  router.delete(remove, ok);
  router.get(routes.tree, ok);
  const { document, omissions } = openapi(router, {
    info: { title: "Notes", version: "1.0.0" },
    schemas: { Note, Tree },
  });
  assertEquals(omissions, []);
  const nodes = await openapiTS(JSON.parse(JSON.stringify(document)));
  const lines = pairs.map(([first, second], index) =>
    `export const pair${index}: Same<${first}, ${second}> = true;`
  );
  await using file = await programFile(HEAD + lines.join("\n"));
  const path = `${file.folder}/document.ts`;
  await Deno.writeTextFile(path, astToString(nodes));
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", file.config, file.path],
    env: { NO_COLOR: "1" },
  }).output();
  return code === 0 ? "" : new TextDecoder().decode(stderr);
}

Deno.test("types of openapi-typescript agree with those of the client", async () => {
  assertEquals(await checkTypes(PAIRS), "");
});

Deno.test("the comparison notices a difference", async () => {
  const errors = await checkTypes([[
    `Content<Of<"notes.create">["requestBody"]>`,
    `Body<typeof client.notes.create, 201>`,
  ]]);
  assert(errors.includes("pair0"), errors);
});
