import {
  array,
  boolean,
  date,
  enum_,
  nullable,
  number,
  object,
  optional,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import {
  email,
  fieldsMatch,
  integer,
  max,
  maxLength,
  min,
  minLength,
  url,
} from "@gatehouse/web/data-schema/checks";
import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

/** This library. */
export const gatehouse: Library = {
  name: "gatehouse",
  validators: {
    login() {
      const schema = object({
        email: string().pipe(email()),
        password: string().pipe(minLength(8)),
      });
      return (value) => {
        const result = parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    registration() {
      const schema = object({
        name: string().pipe(minLength(1)),
        email: string().pipe(email()),
        password: string().pipe(minLength(8)),
        confirmPassword: string(),
      }).pipe(fieldsMatch("password", "confirmPassword"));
      return (value) => {
        const result = parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    order() {
      const schema = object({
        id: string(),
        status: enum_(STATUSES),
        paid: boolean(),
        total: number().pipe(min(0)),
        customer: object({
          name: string().pipe(minLength(1)),
          email: string().pipe(email()),
          address: object({
            street: string(),
            city: string(),
            zip: string(),
            country: string(),
          }),
        }),
        items: array(object({
          sku: string().pipe(minLength(1)),
          quantity: number().pipe(integer(), min(1)),
          price: number().pipe(min(0)),
          note: optional(string()),
        })),
      });
      return (value) => {
        const result = parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    product() {
      const text = (least: number, most: number) =>
        string().pipe(minLength(least), maxLength(most));
      const range = (least: number, most: number) =>
        number().pipe(min(least), max(most));
      const image = object({
        id: number(),
        created: date(),
        title: text(1, 100),
        type: enum_(IMAGE_TYPES),
        size: number(),
        url: string().pipe(url()),
      });
      const rating = object({
        id: number(),
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: array(image),
      });
      const schema = object({
        id: number(),
        created: date(),
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: nullable(range(1, 100)),
        quantity: range(0, 10),
        tags: array(text(1, 30)),
        images: array(image),
        ratings: array(rating),
      });
      return (value) => {
        const result = parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
    list() {
      const schema = array(object({
        id: number(),
        name: string(),
        active: boolean(),
        tags: array(string()),
      }));
      return (value) => {
        const result = parseSafe(schema, value);
        return result.success ? 0 : messages(result.issues);
      };
    },
  },
};
