/** The routes of the API and their schemas. */
import {
  array,
  boolean,
  defaulted,
  number,
  object,
  string,
} from "@gatehouse/web/data-schema";
import {
  integer,
  isoDate,
  max,
  maxLength,
  min,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import * as form from "@gatehouse/web/data-schema/form-data";
import { del, get, post, put, route } from "@gatehouse/web/fetch-router/routes";

/** An invoice as its sender describes it. */
export const NewInvoice = object({
  customer: string().pipe(minLength(1), maxLength(200)),
  cents: number().pipe(integer(), min(1), max(100_000_000_000)),
  due: string().pipe(isoDate()),
});

/** A stored invoice. */
export const Invoice = object({
  id: string(),
  customer: string(),
  cents: number(),
  due: string(),
  hasReceipt: boolean(),
});

const Page = form.object({
  page: form.field(
    defaulted(number().pipe(integer(), min(1), max(100)), 1),
  ),
});
const PROBLEM = "application/problem+json";

/** The API. The team is in each path, since a user may be in several. */
export const routes = route({
  invoices: route("api/teams/:team/invoices", {
    index: get("/", {
      summary: "Returns a page of 100 invoices",
      query: Page,
      responses: { 200: array(Invoice) },
    }),
    create: post("/", {
      summary: "Creates an invoice",
      json: NewInvoice,
      responses: {
        201: Invoice,
        409: { description: "The team is full", contentType: PROBLEM },
      },
    }),
    show: get("/:id", {
      summary: "Returns an invoice",
      responses: { 200: Invoice },
    }),
    remove: del("/:id", {
      summary: "Deletes an invoice",
      responses: { 204: {} },
    }),
    receipt: get("/:id/receipt", {
      summary: "Returns the receipt",
      responses: { 200: { contentType: "application/octet-stream" } },
    }),
    upload: put("/:id/receipt", {
      summary: "Stores the receipt, a PDF, PNG or JPEG of at most 2 MB",
      body: ["application/pdf", "image/png", "image/jpeg"],
      responses: {
        204: {},
        409: { description: "The team is full", contentType: PROBLEM },
        415: { description: "Another type of file", contentType: PROBLEM },
      },
    }),
  }),
});
