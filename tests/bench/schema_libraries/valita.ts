import * as t from "npm:@badrap/valita@0.5.4";
import { EMAIL_REGEX } from "npm:valibot@1.5.0";
import { IMAGE_TYPES, type Library, STATUSES } from "./library.ts";

const filled = (text: string) => text.length >= 1;
// Valita has no rule for addresses: it gets Valibot's.
const isEmail = (text: string) => EMAIL_REGEX.test(text);
const isLong = (text: string) => text.length >= 8;
const isPositive = (value: number) => value >= 0;
const isDate = (value: unknown): value is Date =>
  value instanceof Date && !Number.isNaN(value.getTime());
const isUrl = (text: string) => URL.canParse(text);

/** Valita. */
export const valita: Library = {
  name: "valita",
  validators: {
    login() {
      const schema = t.object({
        email: t.string().assert(isEmail, "email"),
        password: t.string().assert(isLong, "short"),
      });
      return (value) => {
        const result = schema.try(value, { mode: "strip" });
        return result.ok ? 0 : result.issues.length;
      };
    },
    registration() {
      const schema = t.object({
        name: t.string().assert(filled, "empty"),
        email: t.string().assert(isEmail, "email"),
        password: t.string().assert(isLong, "short"),
        confirmPassword: t.string(),
      }).assert((form) => form.password === form.confirmPassword, {
        message: "match",
        path: ["confirmPassword"],
      });
      return (value) => {
        const result = schema.try(value, { mode: "strip" });
        return result.ok ? 0 : result.issues.length;
      };
    },
    order() {
      const schema = t.object({
        id: t.string(),
        status: t.union(...STATUSES.map((status) => t.literal(status))),
        paid: t.boolean(),
        total: t.number().assert(isPositive, "min"),
        customer: t.object({
          name: t.string().assert(filled, "empty"),
          email: t.string().assert(isEmail, "email"),
          address: t.object({
            street: t.string(),
            city: t.string(),
            zip: t.string(),
            country: t.string(),
          }),
        }),
        items: t.array(t.object({
          sku: t.string().assert(filled, "empty"),
          quantity: t.number().assert(Number.isInteger, "integer").assert(
            (value) => value >= 1,
            "min",
          ),
          price: t.number().assert(isPositive, "min"),
          note: t.string().optional(),
        })),
      });
      return (value) => {
        const result = schema.try(value, { mode: "strip" });
        return result.ok ? 0 : result.issues.length;
      };
    },
    product() {
      const text = (least: number, most: number) =>
        t.string()
          .assert((value) => value.length >= least, "short")
          .assert((value) => value.length <= most, "long");
      const range = (least: number, most: number) =>
        t.number()
          .assert((value) => value >= least, "min")
          .assert((value) => value <= most, "max");
      const image = t.object({
        id: t.number(),
        created: t.unknown().assert(isDate, "date"),
        title: text(1, 100),
        type: t.union(...IMAGE_TYPES.map((type) => t.literal(type))),
        size: t.number(),
        url: t.string().assert(isUrl, "url"),
      });
      const rating = t.object({
        id: t.number(),
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: t.array(image),
      });
      const schema = t.object({
        id: t.number(),
        created: t.unknown().assert(isDate, "date"),
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: t.union(t.null(), range(1, 100)),
        quantity: range(0, 10),
        tags: t.array(text(1, 30)),
        images: t.array(image),
        ratings: t.array(rating),
      });
      return (value) => {
        const result = schema.try(value, { mode: "strip" });
        return result.ok ? 0 : result.issues.length;
      };
    },
    list() {
      const schema = t.array(t.object({
        id: t.number(),
        name: t.string(),
        active: t.boolean(),
        tags: t.array(t.string()),
      }));
      return (value) => {
        const result = schema.try(value, { mode: "strip" });
        return result.ok ? 0 : result.issues.length;
      };
    },
  },
};
