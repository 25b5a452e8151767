import * as S from "npm:sury@11.0.0";
import { IMAGE_TYPES, type Library, STATUSES } from "./library.ts";

/** Returns 1 for an invalid value, because Sury stops at the first issue. */
function count(schema: S.Schema<unknown>): (value: unknown) => number {
  const parse = S.parseAsResult(schema);
  return (value) => {
    const result = parse(value);
    return result.success ? 0 : Math.sign(result.error.message.length);
  };
}

/** Sury. */
export const sury: Library = {
  name: "sury",
  generatesCode: true,
  validators: {
    login() {
      const schema = S.schema({
        email: S.email,
        password: S.string.with(S.minLength, 8),
      });
      return count(schema);
    },
    registration() {
      const schema = S.schema({
        name: S.string.with(S.minLength, 1),
        email: S.email,
        password: S.string.with(S.minLength, 8),
        confirmPassword: S.string,
      }).with(S.refine, (form) => form.password === form.confirmPassword);
      return count(schema);
    },
    order() {
      const schema = S.schema({
        id: S.string,
        status: S.union(STATUSES),
        paid: S.boolean,
        total: S.number.with(S.gte, 0),
        customer: S.schema({
          name: S.string.with(S.minLength, 1),
          email: S.email,
          address: S.schema({
            street: S.string,
            city: S.string,
            zip: S.string,
            country: S.string,
          }),
        }),
        items: S.array(S.schema({
          sku: S.string.with(S.minLength, 1),
          quantity: S.number.with(S.gte, 1),
          price: S.number.with(S.gte, 0),
          note: S.optional(S.string),
        })),
      });
      return count(schema);
    },
    product() {
      const text = (least: number, most: number) =>
        S.string.with(S.minLength, least).with(S.maxLength, most);
      const range = (least: number, most: number) =>
        S.number.with(S.gte, least).with(S.lte, most);
      const image = S.schema({
        id: S.number,
        created: S.date,
        title: text(1, 100),
        type: S.union(IMAGE_TYPES),
        size: S.number,
        url: S.uri,
      });
      const rating = S.schema({
        id: S.number,
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: S.array(image),
      });
      const schema = S.schema({
        id: S.number,
        created: S.date,
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: S.nullable(range(1, 100)),
        quantity: range(0, 10),
        tags: S.array(text(1, 30)),
        images: S.array(image),
        ratings: S.array(rating),
      });
      return count(schema);
    },
    list() {
      const schema = S.array(S.schema({
        id: S.number,
        name: S.string,
        active: S.boolean,
        tags: S.array(S.string),
      }));
      return count(schema);
    },
  },
};
