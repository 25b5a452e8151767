/** Forms that browsers send as a query, with all fields, empty ones too. */
import {
  array,
  boolean,
  date,
  defaulted,
  enum_,
  number,
  optional,
  string,
} from "@gatehouse/web/data-schema";
import { field, fields, object } from "@gatehouse/web/data-schema/form-data";
import { createRouter } from "@gatehouse/web/fetch-router";
import { validate, ValidForm, ValidQuery } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

const Filter = object({
  q: field(optional(string())),
  min: field(optional(number())),
  since: field(optional(date())),
  sort: field(optional(enum_(["new", "old"]))),
  page: field(defaulted(number(), 1)),
  open: field(boolean()),
  tags: fields(array(string())),
});

const router = createRouter();
router.get("/", { middleware: [validate({ query: Filter })] }, (context) => {
  return Response.json(context.get(ValidQuery));
});
router.post("/", { middleware: [validate({ form: Filter })] }, (context) => {
  return Response.json(context.get(ValidForm));
});

const rows: [query: string, status: number, output: unknown][] = [
  ["", 200, { page: 1, open: false, tags: [] }],
  ["q=&min=&since=&sort=&page=", 200, {
    page: 1,
    open: false,
    tags: [],
  }],
  [
    "q=tea&min=3&since=2026-01-02&sort=new&page=2&open=on&tags=a&tags=b",
    200,
    {
      q: "tea",
      min: 3,
      since: "2026-01-02T00:00:00.000Z",
      sort: "new",
      page: 2,
      open: true,
      tags: ["a", "b"],
    },
  ],
  ["min=x", 422, ["#/min"]],
  ["sort=best", 422, ["#/sort"]],
  ["min=1&min=2", 422, ["#/min"]],
];

for (const [query, status, expected] of rows) {
  for (const method of ["GET", "POST"]) {
    Deno.test(`validate() accepts the fields "${query}" of a ${method} form with ${status}`, async () => {
      const url = "https://example.com/";
      const response = await router.fetch(
        method === "GET"
          ? new Request(`${url}?${query}`)
          : new Request(url, { method, body: new URLSearchParams(query) }),
      );
      const body = await response.json();
      const found = status === 200
        ? body
        : body.errors.map(({ pointer }: { pointer: string }) => pointer);
      assertEquals([response.status, found], [status, expected]);
    });
  }
}
