import { type BodyStream, createClient } from "@gatehouse/web/client";
import {
  array,
  boolean,
  defaulted,
  type InferInput,
  type InferOutput,
  number,
  object,
  optional,
  string,
} from "@gatehouse/web/data-schema";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import { field, object as form } from "@gatehouse/web/data-schema/form-data";
import {
  del,
  get,
  post,
  resources,
  route,
} from "@gatehouse/web/fetch-router/routes";
import { assertEquals } from "@std/assert";
import { compiles } from "../_assert_type.ts";

/** True only for the same type, optional keys and all. */
type Same<First, Second> = (<T>() => T extends First ? 1 : 2) extends
  (<T>() => T extends Second ? 1 : 2) ? true : false;

/** Compiles only for the same types. */
function same<First, Second>(_: Same<First, Second>): void {}

const Note = object({ id: coerce.number(), text: string() });
const Search = object({ q: string(), page: defaulted(coerce.number(), 1) });
const routes = route({
  show: get("/notes/:id", {
    responses: { 200: Note, 404: {}, 409: object({ taken: string() }) },
  }),
  find: get("/notes{/:lang}?", { query: Search }),
  formQuery: get("/search", { query: form({ page: field(number()) }) }),
  create: post("/notes", { json: Note, responses: { 201: Note, 200: {} } }),
  order: post("/orders", { form: form({ paid: field(boolean()) }) }),
  both: post("/both", { json: Note, form: form({ text: field(string()) }) }),
  remove: del("/notes/:id", { responses: { 204: {} } }),
  csv: get("/csv", { responses: { 200: { contentType: "text/csv" } } }),
  events: get("/e", {
    responses: { 200: { contentType: "text/event-stream" } },
  }),
  image: get("/i", { responses: { 200: { contentType: "image/png" } } }),
  json: get("/j", {
    responses: {
      200: { schema: array(Note), contentType: "application/json" },
    },
  }),
  users: resources("users", { only: ["show"] }),
});
const options = {
  baseUrl: "https://notes.example",
  fetch: () => new Response(null, { status: 404 }),
};
const client = createClient(routes, options);
const checked = createClient(routes, { ...options, validate: true });

/** The body of a success, or of an error that the route declares. */
type BodyAt<Result, Status> = Extract<
  Result,
  { readonly status: Status; readonly body: unknown }
> extends { readonly body: infer Body } ? Body : never;
type Result<Call extends (...args: never[]) => unknown> = Awaited<
  ReturnType<Call>
>;

compiles("bodies have the types of the declared responses", () => {
  same<
    BodyAt<Result<typeof client.show>, 200>,
    InferInput<typeof Note>
  >(true);
  same<BodyAt<Result<typeof checked.show>, 200>, InferOutput<typeof Note>>(
    true,
  );
  same<BodyAt<Result<typeof client.show>, 409>, { taken: string }>(true);
  same<BodyAt<Result<typeof client.show>, 404>, undefined>(true);
  same<BodyAt<Result<typeof client.remove>, 204>, undefined>(true);
  same<BodyAt<Result<typeof client.csv>, 200>, string>(true);
  same<BodyAt<Result<typeof client.events>, 200>, BodyStream>(true);
  same<BodyAt<Result<typeof client.image>, 200>, BodyStream>(true);
  same<
    BodyAt<Result<typeof checked.json>, 200>,
    InferOutput<typeof Note>[]
  >(true);
});

Deno.test("ok, status and reason narrow a result", async () => {
  const result = await client.show({ params: { id: 7 } });
  if (result.ok) {
    same<typeof result.status, 200>(true);
    const { text }: InferInput<typeof Note> = result.body;
    return assertEquals(text, "");
  }
  same<typeof result.problem.title, string>(true);
  if (result.reason === "declared") {
    same<typeof result.status, 404 | 409>(true);
    if (result.status === 409) same<typeof result.body.taken, string>(true);
  } else {
    same<typeof result.status, number>(true);
  }
  const created = await client.create({ json: { id: 1, text: "" } });
  if (created.ok) same<typeof created.status, 200 | 201>(true);
  const user = await client.users.show({ params: { id: 1 } });
  if (user.ok) same<typeof user.body, unknown>(true);
  assertEquals(result.ok, false);
});

compiles("the input of a call is that of the route", () => {
  const _calls = () => {
    client.show({ params: { id: "a" }, signal: AbortSignal.abort() });
    // @ts-expect-error The params are missing.
    client.show();
    // @ts-expect-error The param is missing.
    client.show({ params: {} });
    // @ts-expect-error It is another type.
    client.show({ params: { id: true } });
    // @ts-expect-error There is no such param.
    client.show({ params: { id: 1, name: 2 } });
    // @ts-expect-error The route has no body.
    client.show({ params: { id: 1 }, json: {} });
    // @ts-expect-error There is no such option.
    client.show({ params: { id: 1 }, body: "" });

    client.find({ query: { q: "a" } });
    client.find({ query: { q: "a", page: "2" }, params: { lang: "de" } });
    // @ts-expect-error The query is missing.
    client.find();
    // @ts-expect-error A name is missing.
    client.find({ query: { page: 1 } });
    // @ts-expect-error There is no such name.
    client.find({ query: { q: "a", pgae: 1 } });
    client.formQuery({ query: { page: 2 } });
    // @ts-expect-error It is a number.
    client.formQuery({ query: { page: "x" } });

    client.create({ json: { id: "1", text: "a" } });
    // @ts-expect-error The body is missing.
    client.create();
    // @ts-expect-error A property is missing.
    client.create({ json: { id: 1 } });
    // @ts-expect-error The route has no form.
    client.create({ form: new FormData() });

    client.order({ form: { paid: true } });
    client.order({ form: new FormData() });
    client.order({ form: new URLSearchParams() });
    // @ts-expect-error It is a boolean.
    client.order({ form: { paid: 1 } });
    // @ts-expect-error There is no such field.
    client.order({ form: { paid: true, piad: true } });

    client.both({ json: { id: 1, text: "a" } });
    client.both({ form: { text: "a" } });
    // @ts-expect-error A request has one body.
    client.both({ form: { text: "a" }, json: { id: 1, text: "a" } });
    // @ts-expect-error A body is missing.
    client.both({});

    client.csv();
    client.csv({});
    // @ts-expect-error There is no such route.
    client.nothing();
  };
});

Deno.test("router.fetch and globalThis.fetch are accepted as fetch", () => {
  const anything = object({ a: optional(string()) });
  createClient({}, { baseUrl: options.baseUrl, fetch: globalThis.fetch });
  assertEquals(typeof anything, "object");
});
