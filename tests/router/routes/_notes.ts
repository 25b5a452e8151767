import { array, object, optional, string } from "@gatehouse/web/data-schema";
import {
  form,
  get,
  post,
  resources,
  route,
} from "@gatehouse/web/fetch-router/routes";

export const Note = object({ id: string(), text: string() });

export const NewNote = object({ text: string() });

export const json = "application/json";

export const routes = route({
  home: "/",
  notes: route("notes", {
    index: get("/", {
      summary: "Lists notes",
      query: object({ q: optional(string()) }),
      responses: { 200: array(Note) },
    }),
    create: post("/:notebook", {
      params: object({ notebook: string() }),
      json: NewNote,
      examples: { json: { text: "Buy tea" } },
      responses: {
        201: { description: "The note", schema: Note },
        204: {},
        404: { contentType: "text/plain" },
      },
    }),
  }),
  users: resources("users", {
    only: ["index", "show"],
    names: { index: "list" },
    operations: { index: { tags: ["users"] } },
  }),
  login: form("login", { operations: { action: { deprecated: true } } }),
});
