import * as v from "npm:valibot@1.5.0";
import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

/** Valibot. */
export const valibot: Library = {
  name: "valibot",
  validators: {
    login() {
      const schema = v.object({
        email: v.pipe(v.string(), v.email()),
        password: v.pipe(v.string(), v.minLength(8)),
      });
      return (value) => messages(v.safeParse(schema, value).issues);
    },
    registration() {
      const schema = v.pipe(
        v.object({
          name: v.pipe(v.string(), v.minLength(1)),
          email: v.pipe(v.string(), v.email()),
          password: v.pipe(v.string(), v.minLength(8)),
          confirmPassword: v.string(),
        }),
        v.forward(
          v.partialCheck(
            [["password"], ["confirmPassword"]],
            (form) => form.password === form.confirmPassword,
          ),
          ["confirmPassword"],
        ),
      );
      return (value) => messages(v.safeParse(schema, value).issues);
    },
    order() {
      const schema = v.object({
        id: v.string(),
        status: v.picklist(STATUSES),
        paid: v.boolean(),
        total: v.pipe(v.number(), v.minValue(0)),
        customer: v.object({
          name: v.pipe(v.string(), v.minLength(1)),
          email: v.pipe(v.string(), v.email()),
          address: v.object({
            street: v.string(),
            city: v.string(),
            zip: v.string(),
            country: v.string(),
          }),
        }),
        items: v.array(v.object({
          sku: v.pipe(v.string(), v.minLength(1)),
          quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
          price: v.pipe(v.number(), v.minValue(0)),
          note: v.optional(v.string()),
        })),
      });
      return (value) => messages(v.safeParse(schema, value).issues);
    },
    product() {
      const text = (least: number, most: number) =>
        v.pipe(v.string(), v.minLength(least), v.maxLength(most));
      const range = (least: number, most: number) =>
        v.pipe(v.number(), v.minValue(least), v.maxValue(most));
      const image = v.object({
        id: v.number(),
        created: v.date(),
        title: text(1, 100),
        type: v.picklist(IMAGE_TYPES),
        size: v.number(),
        url: v.pipe(v.string(), v.url()),
      });
      const rating = v.object({
        id: v.number(),
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: v.array(image),
      });
      const schema = v.object({
        id: v.number(),
        created: v.date(),
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: v.nullable(range(1, 100)),
        quantity: range(0, 10),
        tags: v.array(text(1, 30)),
        images: v.array(image),
        ratings: v.array(rating),
      });
      return (value) => messages(v.safeParse(schema, value).issues);
    },
    list() {
      const schema = v.array(v.object({
        id: v.number(),
        name: v.string(),
        active: v.boolean(),
        tags: v.array(v.string()),
      }));
      return (value) => messages(v.safeParse(schema, value).issues);
    },
  },
};
