import * as r from "npm:@remix-run/data-schema@0.3.0";
import * as rc from "npm:@remix-run/data-schema@0.3.0/checks";
import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

/** The schemas of Remix. */
export const remix: Library = {
  name: "@remix-run",
  validators: {
    login() {
      const schema = r.object({
        email: r.string().pipe(rc.email()),
        password: r.string().pipe(rc.minLength(8)),
      });
      return (value) => {
        const result = r.parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    registration() {
      const schema = r.object({
        name: r.string().pipe(rc.minLength(1)),
        email: r.string().pipe(rc.email()),
        password: r.string().pipe(rc.minLength(8)),
        confirmPassword: r.string(),
      }).refine(
        (form) => form.password === form.confirmPassword,
        "Passwords do not match",
      );
      return (value) => {
        const result = r.parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    order() {
      const schema = r.object({
        id: r.string(),
        status: r.enum_(STATUSES),
        paid: r.boolean(),
        total: r.number().pipe(rc.min(0)),
        customer: r.object({
          name: r.string().pipe(rc.minLength(1)),
          email: r.string().pipe(rc.email()),
          address: r.object({
            street: r.string(),
            city: r.string(),
            zip: r.string(),
            country: r.string(),
          }),
        }),
        items: r.array(r.object({
          sku: r.string().pipe(rc.minLength(1)),
          quantity: r.number().refine(Number.isInteger).pipe(rc.min(1)),
          price: r.number().pipe(rc.min(0)),
          note: r.optional(r.string()),
        })),
      });
      return (value) => {
        const result = r.parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    product() {
      const text = (least: number, most: number) =>
        r.string().pipe(rc.minLength(least), rc.maxLength(most));
      const range = (least: number, most: number) =>
        r.number().pipe(rc.min(least), rc.max(most));
      const image = r.object({
        id: r.number(),
        created: r.instanceof_(Date),
        title: text(1, 100),
        type: r.enum_(IMAGE_TYPES),
        size: r.number(),
        url: r.string().pipe(rc.url()),
      });
      const rating = r.object({
        id: r.number(),
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: r.array(image),
      });
      const schema = r.object({
        id: r.number(),
        created: r.instanceof_(Date),
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: r.nullable(range(1, 100)),
        quantity: range(0, 10),
        tags: r.array(text(1, 30)),
        images: r.array(image),
        ratings: r.array(rating),
      });
      return (value) => {
        const result = r.parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    list() {
      const schema = r.array(r.object({
        id: r.number(),
        name: r.string(),
        active: r.boolean(),
        tags: r.array(r.string()),
      }));
      return (value) => {
        const result = r.parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
  },
};
