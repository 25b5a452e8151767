// The same schemas in every library, each written as its documentation does.
// Code generation is off, because Workers forbid it.

import * as v from "npm:valibot@1.5.0";
import * as z from "npm:zod@4.6.7";
import * as zm from "npm:zod@4.6.7/mini";
import * as t from "npm:@badrap/valita@0.5.4";
import { configure } from "npm:arktype@2.2.9/config";
import * as r from "npm:@remix-run/data-schema@0.3.0";
import * as rc from "npm:@remix-run/data-schema@0.3.0/checks";
import {
  array,
  boolean,
  enum_,
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
  min,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import type { WorkloadName } from "./_schema_data.ts";

configure({ jitless: true });
z.config({ jitless: true });
const { type } = await import("npm:arktype@2.2.9");

/** A library, and how it makes each validator. */
export interface Library {
  readonly name: string;
  /** Makes functions that count a value's issues, reading each message. */
  readonly validators: Readonly<
    Record<WorkloadName, () => (value: unknown) => number>
  >;
}

/** Reads all issues, as a caller that displays them does. */
function messages(
  issues: readonly Issue[] | undefined,
): number {
  let count = 0;
  for (const { message, path } of issues ?? []) {
    if (message.length > 0 && path !== null) count++;
  }
  return count;
}

interface Issue {
  readonly message: string;
  readonly path?: unknown;
}

const STATUSES = ["open", "paid", "sent"] as const;

const gatehouse: Library = {
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

const valibot: Library = {
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

const zod: Library = {
  name: "zod",
  validators: {
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
    list() {
      const schema = z.array(z.object({
        id: z.number(),
        name: z.string(),
        active: z.boolean(),
        tags: z.array(z.string()),
      }));
      return (value) => messages(z.safeParse(schema, value).error?.issues);
    },
  },
};

const zodMini: Library = {
  name: "zod/mini",
  validators: {
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
    list() {
      const schema = zm.array(zm.object({
        id: zm.number(),
        name: zm.string(),
        active: zm.boolean(),
        tags: zm.array(zm.string()),
      }));
      return (value) => messages(zm.safeParse(schema, value).error?.issues);
    },
  },
};

const filled = (text: string) => text.length >= 1;
// Valita has no rule for addresses: it gets Valibot's.
const isEmail = (text: string) => v.EMAIL_REGEX.test(text);
const isLong = (text: string) => text.length >= 8;
const isPositive = (value: number) => value >= 0;

const valita: Library = {
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

const arktype: Library = {
  name: "arktype",
  validators: {
    login() {
      const schema = type({ email: "string.email", password: "string >= 8" });
      return (value) => {
        const result = schema(value);
        return result instanceof type.errors ? messages(result) : 0;
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
        return result instanceof type.errors ? messages(result) : 0;
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
        return result instanceof type.errors ? messages(result) : 0;
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
        return result instanceof type.errors ? messages(result) : 0;
      };
    },
  },
};

const remix: Library = {
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

/** All libraries, ours first. */
export const LIBRARIES: readonly Library[] = [
  gatehouse,
  valibot,
  valita,
  remix,
  zod,
  zodMini,
  arktype,
];
