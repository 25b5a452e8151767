import {
  array,
  instanceof_,
  number,
  object,
  optional,
  string,
} from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { get, post, put, route } from "@gatehouse/web/fetch-router/routes";
import { bodyLimit, validate } from "@gatehouse/web/middleware";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import * as f from "@gatehouse/web/data-schema/form-data";
import { assertEquals } from "@std/assert";
import { describe, NewNote, ok } from "./_describe.ts";

const Note = object({ id: number(), text: string(), tags: array(string()) });

Deno.test("openapi() writes the media types of a body that the handler reads", () => {
  const router = createRouter();
  const png = put("/avatar", { body: "image/png", responses: { 204: {} } });
  router.put(png, bodyLimit({ maxBytes: 10 }), ok);
  const note = { json: NewNote, body: ["text/plain", "image/*"] } as const;
  router.post(post("/notes", note), ok);
  const { document } = describe(router);
  const avatar = document.paths["/avatar"]!.put!;
  const content = { "image/png": {} };
  assertEquals(avatar.requestBody, { required: true, content });
  assertEquals(Object.keys(avatar.responses as object), ["204", "413"]);
  const { requestBody } = document.paths["/notes"]!.post!;
  assertEquals(Object.keys(Object(requestBody).content), [
    "text/plain",
    "image/*",
    "application/json",
  ]);
});

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
