import {
  array,
  boolean,
  instanceof_,
  lazy,
  number,
  object,
  optional,
  type Schema,
  string,
} from "@gatehouse/web/data-schema";
import {
  createRouter,
  describeMiddleware,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  get,
  patch,
  post,
  put,
  route,
} from "@gatehouse/web/fetch-router/routes";
import {
  bodyLimit,
  crossOriginProtection,
  validate,
} from "@gatehouse/web/middleware";
import { openapi, type OpenAPIOptions } from "@gatehouse/web/openapi";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import * as f from "@gatehouse/web/data-schema/form-data";
import { assertEquals, assertThrows } from "@std/assert";

const info = { title: "Notes", version: "1.0.0" };
const ok = () => new Response();

function describe(router: Router, options: Partial<OpenAPIOptions> = {}) {
  return openapi(router, { info, ...options });
}

/** Returns the operation of the only route of a pattern. */
function operationOf(pattern: string, router = createRouter()) {
  router.get(pattern, ok);
  const { document, omissions } = describe(router);
  return { paths: document.paths, omissions };
}

const patterns = [
  ["/", ["/"]],
  ["/notes/:id", ["/notes/{id}"]],
  ["/notes/:id?", ["/notes/{id}", "/notes"]],
  ["/:lang?", ["/{lang}", "/"]],
  ["/notes{/archive}?", ["/notes/archive", "/notes"]],
  ["/files/:name.:ext", ["/files/{name}.{ext}"]],
  ["/a b/ü", ["/a%20b/%C3%BC"]],
  ["/a{/:b}?{/:c}?", ["/a/{b}/{c}", "/a/{b}", "/a"]],
] as const;

for (const [pattern, paths] of patterns) {
  Deno.test(`openapi() writes the pattern ${pattern} as ${paths.join(", ")}`, () => {
    const written = operationOf(pattern);
    assertEquals(
      Object.keys(written.paths).sort(),
      [...paths].sort(),
    );
  });
}

const impossible = [
  ["/files/*", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path(.*)", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path([^x]+)", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path+", "OpenAPI has no repeated parts of a path"],
  ["/files{/x}*", "OpenAPI has no repeated parts of a path"],
  ["https://api.example/x", "its pattern has a protocol"],
  ["/:a?/:b?/:c?/:d?/:e?", "it has too many optional parts"],
] as const;

for (const [pattern, reason] of impossible) {
  Deno.test(`openapi() omits the pattern ${pattern}: ${reason}`, () => {
    const { omissions, paths } = operationOf(pattern);
    assertEquals(paths, {});
    assertEquals(omissions.map((one) => one.reason), [reason]);
  });
}

Deno.test("openapi() writes a regexp group as a pattern", () => {
  const { paths } = operationOf("/notes/:id(\\d+|new)");
  assertEquals(paths["/notes/{id}"]!.get!.parameters, [{
    name: "id",
    in: "path",
    required: true,
    schema: { type: "string", pattern: "^(?:\\d+|new)$" },
  }]);
  const { responses } = paths["/notes/{id}"]!.get!;
  assertEquals(Object.keys(responses as object), ["404"]);
});

Deno.test("openapi() unites routes whose params have different names", () => {
  const router = createRouter();
  router.get("/notes/:id", ok);
  router.put("/notes/:note", ok);
  router.get("/notes/:name(new)", ok);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/notes/{id}"]);
  const [parameter] = document.paths["/notes/{id}"]!.put!
    .parameters as { name: string }[];
  assertEquals(parameter?.name, "id");
  assertEquals(omissions, [{
    route: "GET /notes/:name(new)",
    reason: "another route has the same path /notes/{id}",
  }]);
});

const Note = object({ id: number(), text: string(), tags: array(string()) });
const NewNote = object({ text: string(), pinned: optional(boolean()) });

Deno.test("openapi() writes the description of a route", () => {
  const routes = route({
    notes: {
      create: post("/notebooks/:notebook/notes", {
        summary: "Creates a note",
        description: "In *one* notebook.",
        tags: ["notes"],
        deprecated: true,
        params: object({ notebook: coerce.number() }),
        query: object({ draft: optional(coerce.boolean()), q: string() }),
        json: NewNote,
        form: f.fromObject(NewNote),
        examples: { json: { text: "Tea" }, query: { q: "a" } },
        responses: {
          201: Note,
          204: {},
          303: { description: "The page of the note" },
          410: { contentType: "text/plain", example: "Gone" },
        },
      }),
    },
  });
  const router = createRouter();
  const { create } = routes.notes;
  router.post(create, validate(create), ok);
  const { document, omissions } = describe(router, {
    schemas: { Note },
    servers: [{ url: "https://api.example" }],
  });
  assertEquals(omissions, []);
  assertEquals(document.servers, [{ url: "https://api.example" }]);
  assertEquals(document.tags, [{ name: "notes" }]);
  const newNote = {
    type: "object",
    properties: { text: { type: "string" }, pinned: { type: "boolean" } },
    required: ["text"],
  };
  const problem = (description: string) => ({
    description,
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
      },
    },
  });
  assertEquals(document.paths["/notebooks/{notebook}/notes"]!.post, {
    operationId: "notes.create",
    summary: "Creates a note",
    description: "In *one* notebook.",
    tags: ["notes"],
    deprecated: true,
    parameters: [
      {
        name: "notebook",
        in: "path",
        required: true,
        schema: { type: "number" },
      },
      { name: "draft", in: "query", schema: { type: "boolean" } },
      {
        name: "q",
        in: "query",
        required: true,
        schema: { type: "string" },
        example: "a",
      },
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: newNote, example: { text: "Tea" } },
        "application/x-www-form-urlencoded": { schema: newNote },
        "multipart/form-data": { schema: newNote },
      },
    },
    responses: {
      201: {
        description: "Created",
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/Note" } },
        },
      },
      204: { description: "No Content" },
      303: { description: "The page of the note" },
      410: {
        description: "Gone",
        content: { "text/plain": { example: "Gone" } },
      },
      400: problem("Bad Request"),
      408: problem("Request Timeout"),
      413: problem("Content Too Large"),
      415: problem("Unsupported Media Type"),
      422: problem("Unprocessable Content"),
    },
    security: [],
  });
});

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

Deno.test("openapi() writes a form with a file as multipart", () => {
  const router = createRouter();
  const form = f.object({
    title: f.field(string()),
    image: f.file(instanceof_(File)),
    address: f.object({ city: f.field(optional(string())) }),
  });
  router.post("/images", validate({ form }), ok);
  const { document, omissions } = describe(router);
  const { content } = document.paths["/images"]!.post!.requestBody as {
    content: Record<string, unknown>;
  };
  assertEquals(content, {
    "multipart/form-data": {
      schema: {
        type: "object",
        properties: {
          title: { type: "string" },
          image: {
            type: "string",
            contentMediaType: "application/octet-stream",
          },
          "address.city": { type: "string" },
        },
        required: ["title", "image"],
      },
    },
  });
  assertEquals(omissions, []);
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

Deno.test("openapi() describes the routes of mounted routers behind their guards", () => {
  const limit = describeMiddleware(() => {}, { responses: { 429: "Slowly" } });
  const inner = createRouter({ middleware: [bodyLimit()] });
  inner.post("/notes", ok);
  const middle = createRouter();
  middle.mount("/v1", inner);
  const router = createRouter({
    middleware: [limit, crossOriginProtection()],
  });
  router.mount("/api", middle);
  router.mount("/old", () => new Response());
  router.get("/", ok);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/api/v1/notes", "/"]);
  assertEquals(
    Object.keys(document.paths["/api/v1/notes"]!.post!.responses as object),
    ["403", "413", "429"],
  );
  assertEquals(Object.keys(document.paths["/"]!.get!.responses as object), [
    "429",
  ]);
  assertEquals(omissions, [{
    route: "/old/*",
    reason: "it is not a router of this library",
  }]);
});

Deno.test("openapi() ends if a router is mounted on itself", () => {
  const router = createRouter();
  router.get("/x", ok);
  router.mount("/again", router);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/x", "/again/x"]);
  assertEquals(omissions.length, 1);
});

Deno.test("openapi() gives each operation a separate id", () => {
  const routes = route({
    note: { method: ["GET", "PUT"], pattern: "/notes/:id?" },
    other: get("/other", { operationId: "note" }),
    any: { method: "ANY", pattern: "/any" },
    query: { method: "QUERY", pattern: "/query" },
  });
  const router = createRouter();
  router.map(routes, { actions: { note: ok, other: ok, any: ok, query: ok } });
  const { document, omissions } = describe(router);
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId as string)
  );
  assertEquals(operations.sort(), [
    "any",
    "any.2",
    "any.3",
    "any.4",
    "any.5",
    "note",
    "note.2",
    "note.3",
    "note.4",
    "note.5",
  ]);
  assertEquals(omissions, [{
    route: "QUERY /query",
    reason: "OpenAPI 3.1 has no method QUERY",
  }]);
});

Deno.test("openapi() includes the chosen routes only", () => {
  const router = createRouter();
  router.get("/api/notes", ok);
  router.patch(patch("/page"), ok);
  router.put(put("/files/*"), ok);
  const { document, omissions } = describe(router, {
    include: ({ pattern }) => pattern.startsWith("/api/"),
  });
  assertEquals(Object.keys(document.paths), ["/api/notes"]);
  assertEquals(omissions, []);
});

Deno.test("openapi() throws for an object that is not a router", () => {
  assertThrows(
    () => openapi({ fetch: ok }, { info }),
    TypeError,
    "Cannot create the OpenAPI document",
  );
});
