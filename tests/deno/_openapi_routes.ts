// A route map with most kinds of input and responses.
import {
  array,
  boolean,
  lazy,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  record,
  type Schema,
  string,
  tuple,
  union,
} from "@gatehouse/web/data-schema";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { fromObject } from "@gatehouse/web/data-schema/form-data";
import { del, get, post, put, route } from "@gatehouse/web/fetch-router/routes";

/** A tree, which refers to itself. */
export interface Tree {
  readonly name: string;
  readonly children: Tree[];
}

export const Tree: Schema<Tree> = object({
  name: string(),
  children: array(lazy(() => Tree)),
});

export const Note = object({
  id: number(),
  text: string(),
  kind: picklist(["todo", "idea"]),
  size: union([literal("large"), number()]),
  tags: array(string()),
  owner: nullable(object({ name: string() })),
  due: optional(string()),
  counts: record(string(), number()),
  place: tuple([number(), number()]),
});

const NewNote = object({
  text: string(),
  pinned: optional(boolean()),
  tags: array(string()),
});

export const routes = route("api", {
  notes: {
    index: get("/notes", {
      query: object({
        q: optional(string()),
        kind: picklist(["todo", "idea"]),
      }),
      responses: { 200: array(Note) },
    }),
    create: post("/notes", {
      json: NewNote,
      form: fromObject(NewNote),
      responses: { 201: Note, 409: object({ reason: string() }) },
    }),
    update: put("/notes/:id", {
      params: object({ id: coerce.number() }),
      json: NewNote,
      responses: { 200: { schema: Note, description: "The changed note" } },
    }),
    remove: del("/notes/:id", { responses: { 204: {} } }),
  },
  tree: get("/tree", { responses: { 200: Tree } }),
});
