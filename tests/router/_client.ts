/** The routes and the server that the tests of the client call. */
import {
  array,
  boolean,
  date,
  type InferOutput,
  instanceof_,
  number,
  object,
  optional,
  string,
} from "@gatehouse/web/data-schema";
import { maxLength, min } from "@gatehouse/web/data-schema/checks";
import { fromObject } from "@gatehouse/web/data-schema/form-data";
import { createRouter, HTTPError } from "@gatehouse/web/fetch-router";
import {
  del,
  get,
  patch,
  post,
  Route,
  route,
} from "@gatehouse/web/fetch-router/routes";
import {
  validate,
  ValidForm,
  ValidJSON,
  ValidQuery,
} from "@gatehouse/web/middleware";
import * as coerce from "@gatehouse/web/data-schema/coerce";

export const NewNote = object({ text: string().pipe(maxLength(20)) });
export const Note = object({ id: coerce.number(), text: string() });

const Search = object({
  q: optional(string()),
  limit: optional(coerce.number().pipe(min(1))),
  tag: optional(array(string())),
});
const Order = object({
  title: string(),
  count: number(),
  paid: boolean(),
  due: date(),
  tags: array(string()),
  place: object({ city: string(), zip: optional(number()) }),
  items: array(object({ name: string() })),
});
const Upload = object({
  title: string(),
  photo: instanceof_(File),
  more: array(instanceof_(File)),
});

/** A route map that describes its routes. */
export const routes = route("api", {
  notes: route("notes", {
    index: get("/", { query: Search, responses: { 200: array(Note) } }),
    create: post("/", {
      json: NewNote,
      responses: { 201: Note, 409: object({ taken: string() }) },
    }),
    show: get("/:id", {
      responses: { 200: Note, 404: { description: "Unknown note" } },
    }),
    update: patch("/:id", { json: NewNote, responses: { 200: Note } }),
    destroy: del("/:id", { responses: { 204: {} } }),
    check: new Route("HEAD", "/:id", { responses: { 200: Note } }),
    either: post("/either", {
      json: NewNote,
      form: fromObject(NewNote),
      responses: { 200: { contentType: "text/plain" } },
    }),
  }),
  order: post("orders", {
    form: fromObject(Order),
    responses: { 200: { contentType: "application/json" } },
  }),
  upload: post("uploads", {
    form: fromObject(Upload),
    responses: { 200: array(string()) },
  }),
  picture: get("picture.png", {
    responses: { 200: { contentType: "image/png" } },
  }),
  files: get("files/*"),
  echo: new Route("ANY", "/echo"),
});

/** Creates a server of the routes with one note. */
export function createServer() {
  const notes = new Map<number, InferOutput<typeof Note>>([
    [7, { id: 7, text: "Tea" }],
  ]);
  const router = createRouter();
  const find = ({ id }: { readonly id: string }) => {
    const note = notes.get(Number(id));
    if (note) return note;
    throw new HTTPError(404, "There is no such note");
  };
  const { notes: at } = routes;
  const query = validate({ query: Search });
  router.get(at.index, { middleware: [query] }, (context) => {
    const { q = "", limit, tag } = context.get(ValidQuery);
    const found = [...notes.values()].filter(({ text }) => text.includes(q));
    const headers = { "X-Tags": String(tag) };
    return Response.json(found.slice(0, limit), { headers });
  });
  const json = validate({ json: NewNote });
  router.post(at.create, { middleware: [json] }, (context) => {
    const { text } = context.get(ValidJSON);
    const other = [...notes.values()].find((note) => note.text === text);
    if (other) return Response.json({ taken: text }, { status: 409 });
    const note = { id: notes.size + 10, text };
    notes.set(note.id, note);
    return Response.json(note, { status: 201 });
  });
  router.get(at.show, ({ params }) => Response.json(find(params)));
  router.patch(at.update, { middleware: [json] }, (context) => {
    const note = { ...find(context.params), ...context.get(ValidJSON) };
    notes.set(note.id, note);
    return Response.json(note);
  });
  router.delete(at.destroy, ({ params }) => {
    notes.delete(find(params).id);
    return new Response(null, { status: 204 });
  });
  router.post(at.either, async ({ request }) => {
    const type = request.headers.get("Content-Type");
    return text(`${type?.split(";")[0]} ${await request.text()}`);
  });
  const order = validate({ form: fromObject(Order) });
  router.post(routes.order, { middleware: [order] }, (context) => {
    return Response.json(context.get(ValidForm));
  });
  const upload = validate({ form: fromObject(Upload) });
  router.post(routes.upload, { middleware: [upload] }, (context) => {
    const { title, photo, more } = context.get(ValidForm);
    const names = [photo, ...more].map(({ name, size }) => `${name} ${size}`);
    return Response.json([title, ...names]);
  });
  router.get(routes.picture, () => {
    const headers = { "Content-Type": "image/png" };
    return new Response(new Uint8Array([137, 80, 78, 71]), { headers });
  });
  router.get(routes.files, ({ params }) => text(params[0]));
  router.route("ANY", routes.echo, async ({ request }) => {
    const { headers, method } = request;
    const body = await request.text();
    return Response.json({
      method,
      headers: Object.fromEntries(headers),
      body,
    });
  });
  return router;
}

/** Creates a text. Bun adds no content type before it sends a response. */
function text(body: string): Response {
  return new Response(body, { headers: { "Content-Type": "text/plain" } });
}
