import { ArkErrors, scope, type } from "npm:arktype@2.2.9";
import { type Library, messages } from "./library.ts";

type Type = typeof type;

/** ArkType as it is by default: it compiles types with eval where it may. */
export const arktype: Library = {
  name: "arktype (eval)",
  generatesCode: true,
  validators: validatorsOf(type),
};

/** ArkType where eval is forbidden. */
export const arktypeWithoutEval: Library = {
  name: "arktype",
  validators: validatorsOf(scope({}, { jitless: true }).type as Type),
};

/** Writes every schema with a parser, which decides about eval. */
function validatorsOf(type: Type): Library["validators"] {
  return {
    login() {
      const schema = type({ email: "string.email", password: "string >= 8" });
      return (value) => {
        const result = schema(value);
        return result instanceof ArkErrors ? messages(result) : 0;
      };
    },
    registration() {
      const schema = type({
        name: "string >= 1",
        email: "string.email",
        password: "string >= 8",
        confirmPassword: "string",
      }).narrow((form, context) =>
        form.password === form.confirmPassword ||
        context.reject({ expected: "equal", path: ["confirmPassword"] })
      );
      return (value) => {
        const result = schema(value);
        return result instanceof ArkErrors ? messages(result) : 0;
      };
    },
    order() {
      const schema = type({
        id: "string",
        status: "'open' | 'paid' | 'sent'",
        paid: "boolean",
        total: "number >= 0",
        customer: {
          name: "string >= 1",
          email: "string.email",
          address: {
            street: "string",
            city: "string",
            zip: "string",
            country: "string",
          },
        },
        items: type({
          sku: "string >= 1",
          quantity: "number.integer >= 1",
          price: "number >= 0",
          "note?": "string",
        }).array(),
      });
      return (value) => {
        const result = schema(value);
        return result instanceof ArkErrors ? messages(result) : 0;
      };
    },
    product() {
      const image = type({
        id: "number",
        created: "Date",
        title: "1 <= string <= 100",
        type: "'jpg' | 'png'",
        size: "number",
        url: "string.url",
      });
      const rating = type({
        id: "number",
        stars: "1 <= number <= 5",
        title: "1 <= string <= 100",
        text: "1 <= string <= 1000",
        images: image.array(),
      });
      const schema = type({
        id: "number",
        created: "Date",
        title: "1 <= string <= 100",
        brand: "1 <= string <= 30",
        description: "1 <= string <= 500",
        price: "1 <= number <= 10000",
        discount: "1 <= number <= 100 | null",
        quantity: "0 <= number <= 10",
        tags: type("1 <= string <= 30").array(),
        images: image.array(),
        ratings: rating.array(),
      });
      return (value) => {
        const result = schema(value);
        return result instanceof ArkErrors ? messages(result) : 0;
      };
    },
    list() {
      const schema = type({
        id: "number",
        name: "string",
        active: "boolean",
        tags: "string[]",
      }).array();
      return (value) => {
        const result = schema(value);
        return result instanceof ArkErrors ? messages(result) : 0;
      };
    },
  };
}
