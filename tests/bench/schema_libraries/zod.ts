import * as z from "npm:zod@4.6.7";
import * as zm from "npm:zod@4.6.7/mini";
import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

const validators: Library["validators"] = {
  login() {
    const schema = z.object({
      email: z.email(),
      password: z.string().min(8),
    });
    return (value) => messages(z.safeParse(schema, value).error?.issues);
  },
  registration() {
    const schema = z.object({
      name: z.string().min(1),
      email: z.email(),
      password: z.string().min(8),
      confirmPassword: z.string(),
    }).refine((form) => form.password === form.confirmPassword, {
      path: ["confirmPassword"],
    });
    return (value) => messages(z.safeParse(schema, value).error?.issues);
  },
  order() {
    const schema = z.object({
      id: z.string(),
      status: z.enum(STATUSES),
      paid: z.boolean(),
      total: z.number().min(0),
      customer: z.object({
        name: z.string().min(1),
        email: z.email(),
        address: z.object({
          street: z.string(),
          city: z.string(),
          zip: z.string(),
          country: z.string(),
        }),
      }),
      items: z.array(z.object({
        sku: z.string().min(1),
        quantity: z.int().min(1),
        price: z.number().min(0),
        note: z.string().optional(),
      })),
    });
    return (value) => messages(z.safeParse(schema, value).error?.issues);
  },
  product() {
    const text = (least: number, most: number) =>
      z.string().min(least).max(most);
    const range = (least: number, most: number) =>
      z.number().min(least).max(most);
    const image = z.object({
      id: z.number(),
      created: z.date(),
      title: text(1, 100),
      type: z.enum(IMAGE_TYPES),
      size: z.number(),
      url: z.url(),
    });
    const rating = z.object({
      id: z.number(),
      stars: range(1, 5),
      title: text(1, 100),
      text: text(1, 1000),
      images: z.array(image),
    });
    const schema = z.object({
      id: z.number(),
      created: z.date(),
      title: text(1, 100),
      brand: text(1, 30),
      description: text(1, 500),
      price: range(1, 10_000),
      discount: range(1, 100).nullable(),
      quantity: range(0, 10),
      tags: z.array(text(1, 30)),
      images: z.array(image),
      ratings: z.array(rating),
    });
    return (value) => messages(z.safeParse(schema, value).error?.issues);
  },
  list() {
    const schema = z.array(z.object({
      id: z.number(),
      name: z.string(),
      active: z.boolean(),
      tags: z.array(z.string()),
    }));
    return (value) => messages(z.safeParse(schema, value).error?.issues);
  },
};

const miniValidators: Library["validators"] = {
  login() {
    const schema = zm.object({
      email: zm.email(),
      password: zm.string().check(zm.minLength(8)),
    });
    return (value) => messages(zm.safeParse(schema, value).error?.issues);
  },
  registration() {
    const schema = zm.object({
      name: zm.string().check(zm.minLength(1)),
      email: zm.email(),
      password: zm.string().check(zm.minLength(8)),
      confirmPassword: zm.string(),
    }).check(zm.refine((form) => form.password === form.confirmPassword, {
      path: ["confirmPassword"],
    }));
    return (value) => messages(zm.safeParse(schema, value).error?.issues);
  },
  order() {
    const schema = zm.object({
      id: zm.string(),
      status: zm.enum(STATUSES),
      paid: zm.boolean(),
      total: zm.number().check(zm.minimum(0)),
      customer: zm.object({
        name: zm.string().check(zm.minLength(1)),
        email: zm.email(),
        address: zm.object({
          street: zm.string(),
          city: zm.string(),
          zip: zm.string(),
          country: zm.string(),
        }),
      }),
      items: zm.array(zm.object({
        sku: zm.string().check(zm.minLength(1)),
        quantity: zm.int().check(zm.minimum(1)),
        price: zm.number().check(zm.minimum(0)),
        note: zm.optional(zm.string()),
      })),
    });
    return (value) => messages(zm.safeParse(schema, value).error?.issues);
  },
  product() {
    const text = (least: number, most: number) =>
      zm.string().check(zm.minLength(least), zm.maxLength(most));
    const range = (least: number, most: number) =>
      zm.number().check(zm.minimum(least), zm.maximum(most));
    const image = zm.object({
      id: zm.number(),
      created: zm.date(),
      title: text(1, 100),
      type: zm.enum(IMAGE_TYPES),
      size: zm.number(),
      url: zm.url(),
    });
    const rating = zm.object({
      id: zm.number(),
      stars: range(1, 5),
      title: text(1, 100),
      text: text(1, 1000),
      images: zm.array(image),
    });
    const schema = zm.object({
      id: zm.number(),
      created: zm.date(),
      title: text(1, 100),
      brand: text(1, 30),
      description: text(1, 500),
      price: range(1, 10_000),
      discount: zm.nullable(range(1, 100)),
      quantity: range(0, 10),
      tags: zm.array(text(1, 30)),
      images: zm.array(image),
      ratings: zm.array(rating),
    });
    return (value) => messages(zm.safeParse(schema, value).error?.issues);
  },
  list() {
    const schema = zm.array(zm.object({
      id: zm.number(),
      name: zm.string(),
      active: zm.boolean(),
      tags: zm.array(zm.string()),
    }));
    return (value) => messages(zm.safeParse(schema, value).error?.issues);
  },
};

/** Zod as it is by default: it compiles objects with eval where it may. */
export const zod: Library = {
  name: "zod (eval)",
  generatesCode: true,
  validators,
};

/** Zod where eval is forbidden. */
export const zodWithoutEval: Library = {
  name: "zod",
  validators: withoutEval(validators),
};

/** The small form of Zod. */
export const zodMini: Library = {
  name: "zod/mini (eval)",
  generatesCode: true,
  validators: miniValidators,
};

/** The small form of Zod where eval is forbidden. */
export const zodMiniWithoutEval: Library = {
  name: "zod/mini",
  validators: withoutEval(miniValidators),
};

/** Builds schemas that never generate code. Zod reads the setting then. */
function withoutEval(all: Library["validators"]): Library["validators"] {
  const entries = Object.entries(all).map(([name, build]) => {
    const buildSlow: typeof build = () => {
      z.config({ jitless: true });
      try {
        return build();
      } finally {
        z.config({ jitless: false });
      }
    };
    return [name, buildSlow];
  });
  return Object.fromEntries(entries);
}
