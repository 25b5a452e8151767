import * as S from "npm:effect@4.1.0/Schema";
import { EMAIL_REGEX } from "npm:valibot@1.5.0";
import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

// Effect has no rule for addresses: it gets Valibot's.
const Email = S.String.check(S.isPattern(EMAIL_REGEX));

/** Validates as Standard Schema does, which reports all issues. */
function count(schema: S.Codec<unknown>): (value: unknown) => number {
  const { validate } = S.toStandardSchemaV1(schema)["~standard"];
  return (value) => {
    const result = validate(value);
    return result instanceof Promise ? 1 : messages(result.issues);
  };
}

/** Effect Schema. */
export const effect: Library = {
  name: "effect",
  validators: {
    login() {
      const schema = S.Struct({
        email: Email,
        password: S.String.check(S.isMinLength(8)),
      });
      return count(schema);
    },
    registration() {
      const schema = S.Struct({
        name: S.String.check(S.isMinLength(1)),
        email: Email,
        password: S.String.check(S.isMinLength(8)),
        confirmPassword: S.String,
      }).check(
        S.makeFilter((form) =>
          form.password === form.confirmPassword ||
          { path: ["confirmPassword"], issue: "no match" }
        ),
      );
      return count(schema);
    },
    order() {
      const schema = S.Struct({
        id: S.String,
        status: S.Literals(STATUSES),
        paid: S.Boolean,
        total: S.Number.check(S.isGreaterThanOrEqualTo(0)),
        customer: S.Struct({
          name: S.String.check(S.isMinLength(1)),
          email: Email,
          address: S.Struct({
            street: S.String,
            city: S.String,
            zip: S.String,
            country: S.String,
          }),
        }),
        items: S.Array(S.Struct({
          sku: S.String.check(S.isMinLength(1)),
          quantity: S.Number.check(S.isInt(), S.isGreaterThanOrEqualTo(1)),
          price: S.Number.check(S.isGreaterThanOrEqualTo(0)),
          note: S.optional(S.String),
        })),
      });
      return count(schema);
    },
    product() {
      const text = (least: number, most: number) =>
        S.String.check(S.isMinLength(least), S.isMaxLength(most));
      const range = (least: number, most: number) =>
        S.Number.check(
          S.isGreaterThanOrEqualTo(least),
          S.isLessThanOrEqualTo(most),
        );
      const image = S.Struct({
        id: S.Number,
        created: S.Date,
        title: text(1, 100),
        type: S.Literals(IMAGE_TYPES),
        size: S.Number,
        url: S.String.check(S.makeFilter((text) => URL.canParse(text))),
      });
      const rating = S.Struct({
        id: S.Number,
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: S.Array(image),
      });
      const schema = S.Struct({
        id: S.Number,
        created: S.Date,
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: S.NullOr(range(1, 100)),
        quantity: range(0, 10),
        tags: S.Array(text(1, 30)),
        images: S.Array(image),
        ratings: S.Array(rating),
      });
      return count(schema);
    },
    list() {
      const schema = S.Array(S.Struct({
        id: S.Number,
        name: S.String,
        active: S.Boolean,
        tags: S.Array(S.String),
      }));
      return count(schema);
    },
  },
};
