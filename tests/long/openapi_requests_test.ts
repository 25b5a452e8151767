/** Random requests from OpenAPI documents only get documented responses. */
import { DatabaseSync } from "node:sqlite";
import { assertEquals, assertGreater } from "@std/assert";
import {
  auth,
  createBearerTokenAuthScheme,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import { respond } from "@gatehouse/web/content";
import {
  array,
  boolean,
  instanceof_,
  literal,
  nullable,
  number,
  object,
  optional,
  string,
  union,
} from "@gatehouse/web/data-schema";
import {
  email,
  integer,
  maxLength,
  min,
} from "@gatehouse/web/data-schema/checks";
import { createRouter, type FetchFunction } from "@gatehouse/web/fetch-router";
import { get, post, put, route } from "@gatehouse/web/fetch-router/routes";
import {
  crossOriginProtection,
  validate,
  ValidBody,
  ValidForm,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "@gatehouse/web/middleware";
import { openapi, type OpenAPIDocument } from "@gatehouse/web/openapi";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import * as f from "@gatehouse/web/data-schema/form-data";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { accountOptions } from "../../examples/app/account_options.ts";
import { createApp } from "../../examples/app/app.ts";
import { Notices } from "../../examples/app/data/notices.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { RequestGenerator } from "../router/_openapi_requests.ts";
import { Random } from "../router/_random.ts";

const ORIGIN = "https://test.example";
const info = { title: "API", version: "1.0.0" };

/** Sends requests. Returns how often each status was the answer. */
async function sendRandomly(
  fetch: FetchFunction,
  document: OpenAPIDocument,
  count: number,
  headers: readonly Record<string, string>[],
): Promise<Map<number, number>> {
  const random = new Random(25);
  const generator = new RequestGenerator(document, random);
  const counts = new Map<number, number>();
  for (let sent = 0; sent < count; sent++) {
    const { operation, request, statuses } = generator.next(
      ORIGIN,
      random.pick(headers),
    );
    const { url } = request;
    const response = await fetch(request);
    await response.body?.cancel();
    const { status } = response;
    const place = `${operation}: ${status} for ${url.slice(0, 200)}`;
    assertEquals(statuses.includes(String(status)), true, place);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

Deno.test("5,000 random requests to the example get documented responses only", async () => {
  using file = new DatabaseSync(":memory:");
  const database = overSQLite(file);
  // One key makes more requests than a program of a user.
  const apiKeys = { ...accountOptions.apiKeys, perMinute: 10_000 };
  const accounts = testAccounts({ ...accountOptions, apiKeys });
  const user = await accounts.users.create({
    email: "ada@example.com",
    name: "Ada",
    role: "editor",
  });
  const notices = new Notices(database);
  await notices.migrate();
  for (let id = 0; id < 50; id++) {
    await notices.create({ title: `Notice ${id}`, body: "" }, "Ada");
  }
  const scopes = ["notices:read", "notices:delete"] as const;
  const key = await accounts.keys.issue(user!.id, { name: "Test", scopes });
  const Authorization = `Bearer ${key!.token}`;
  const app = createApp({ accounts, database, baseURL: ORIGIN, log: () => {} });
  const { document, omissions } = openapi(app, {
    info,
    include: ({ name }) => name.startsWith("api."),
  });
  assertEquals(omissions, []);
  const counts = await sendRandomly(app.fetch, document, 5_000, [
    { Authorization },
    { Authorization },
    { Authorization: "Bearer \u00fc" },
    { Authorization, Origin: "https://evil.example" },
    {},
  ]);
  for (const status of [200, 204, 401, 403, 404, 422]) {
    assertGreater(counts.get(status) ?? 0, 0, `${status}`);
  }
});

const Note = object({
  text: string().pipe(maxLength(100)),
  stars: number().pipe(integer(), min(0)),
  pinned: optional(boolean()),
  tags: array(union([literal("a"), literal("b"), string()])),
  owner: nullable(object({ mail: string().pipe(email()) })),
});

const Draft = object({
  text: string(),
  stars: optional(number()),
  pinned: boolean(),
  tags: array(string()),
});

const routes = route("api", {
  search: get("/notes", {
    query: object({
      q: optional(string().pipe(maxLength(10))),
      page: coerce.number().pipe(integer(), min(1)),
      draft: optional(coerce.boolean()),
    }),
    responses: { 200: object({ page: number() }) },
  }),
  create: post("/notes/:notebook(\\d+)", {
    params: object({ notebook: coerce.number() }),
    json: Note,
    responses: { 201: Note, 404: {} },
  }),
  update: put("/drafts/:id?", {
    json: Draft,
    form: f.fromObject(Draft),
    responses: { 200: Draft },
  }),
  upload: post("/images", {
    form: f.object({
      title: f.field(string()),
      image: f.file(instanceof_(File)),
      others: f.files(array(instanceof_(File))),
    }),
    responses: { 204: {} },
  }),
});

Deno.test("5,000 random requests with all kinds of input get documented responses only", async () => {
  const scheme = createBearerTokenAuthScheme({
    name: "tokens",
    verify: (token) =>
      token === "editor" ? { id: 1, role: "editor" } : { id: 2, role: "user" },
  });
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [crossOriginProtection(), auth({ schemes: [scheme] })],
    onError(error) {
      errors.push(error);
      return new Response(null, { status: 500 });
    },
  });
  const { create, search, update, upload } = routes;
  router.get(search, validate(search), (context) => {
    const { page } = context.get(ValidQuery);
    return respond(search, 200, { page });
  });
  router.post(create, {
    middleware: [requireRole("editor"), validate(create)],
  }, (context) => {
    const { notebook } = context.get(ValidParams);
    // Beyond the digits of the pattern, other decimals are also 404.
    return notebook > 3
      ? respond(create, 404)
      : respond(create, 201, context.get(ValidJSON));
  });
  router.put(update, validate(update, { maxBytes: 20_000 }), (context) => {
    return respond(update, 200, context.get(ValidBody));
  });
  router.post(upload, validate(upload), (context) => {
    assertEquals(context.get(ValidForm).image instanceof File, true);
    return respond(upload, 204);
  });
  const { document, omissions } = openapi(router, { info, schemas: { Note } });
  assertEquals(omissions, []);
  const counts = await sendRandomly(router.fetch, document, 5_000, [
    { Authorization: "Bearer editor" },
    { Authorization: "Bearer editor" },
    { Authorization: "Bearer user" },
    { Authorization: "Bearer editor", Origin: "https://evil.example" },
    {},
  ]);
  assertEquals(errors, []);
  for (const status of [200, 201, 204, 400, 401, 403, 404, 415, 422]) {
    assertGreater(counts.get(status) ?? 0, 5, `${status}`);
  }
});
