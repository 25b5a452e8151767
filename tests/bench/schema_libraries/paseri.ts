import { IMAGE_TYPES, type Library, messages, STATUSES } from "./library.ts";

// Only JSR has Paseri. Without JSR, the variable PASERI can name a copy's
// `paseri-lib/src/index.ts`. Without both, the tables omit it.
const SOURCES = [
  (globalThis as { process?: { env: Record<string, string | undefined> } })
    .process?.env.PASERI,
  "jsr:@paseri/paseri@1.9.7",
];
const p = await load();

// deno-lint-ignore no-explicit-any -- its types come from JSR only
async function load(): Promise<any> {
  for (const source of SOURCES) {
    try {
      if (source) return await import(source);
    } catch {
      // The next source may have it.
    }
  }
}

/** Paseri. */
export const paseri: Library | undefined = p && {
  name: "paseri",
  validators: {
    login() {
      const schema = p.object({
        email: p.string().email(),
        password: p.string().min(8),
      });
      return (value) => {
        const result = schema.safeParse(value);
        return result.ok ? 0 : messages(result.messages());
      };
    },
    registration() {
      const schema = p.object({
        name: p.string().min(1),
        email: p.string().email(),
        password: p.string().min(8),
        confirmPassword: p.string(),
      }).refine(
        (form: { password: string; confirmPassword: string }) =>
          form.password === form.confirmPassword,
        {
          code: "fields_match",
          path: ["confirmPassword"],
        },
      );
      return (value) => {
        const result = schema.safeParse(value);
        return result.ok ? 0 : messages(result.messages());
      };
    },
    order() {
      const schema = p.object({
        id: p.string(),
        status: p.enum(...STATUSES),
        paid: p.boolean(),
        total: p.number().gte(0),
        customer: p.object({
          name: p.string().min(1),
          email: p.string().email(),
          address: p.object({
            street: p.string(),
            city: p.string(),
            zip: p.string(),
            country: p.string(),
          }),
        }),
        items: p.array(p.object({
          sku: p.string().min(1),
          quantity: p.number().int().gte(1),
          price: p.number().gte(0),
          note: p.string().optional(),
        })),
      });
      return (value) => {
        const result = schema.safeParse(value);
        return result.ok ? 0 : messages(result.messages());
      };
    },
    product() {
      const text = (least: number, most: number) =>
        p.string().min(least).max(most);
      const range = (least: number, most: number) =>
        p.number().gte(least).lte(most);
      const image = p.object({
        id: p.number(),
        created: p.date(),
        title: text(1, 100),
        type: p.enum(...IMAGE_TYPES),
        size: p.number(),
        url: p.string().url(),
      });
      const rating = p.object({
        id: p.number(),
        stars: range(1, 5),
        title: text(1, 100),
        text: text(1, 1000),
        images: p.array(image),
      });
      const schema = p.object({
        id: p.number(),
        created: p.date(),
        title: text(1, 100),
        brand: text(1, 30),
        description: text(1, 500),
        price: range(1, 10_000),
        discount: range(1, 100).nullable(),
        quantity: range(0, 10),
        tags: p.array(text(1, 30)),
        images: p.array(image),
        ratings: p.array(rating),
      });
      return (value) => {
        const result = schema.safeParse(value);
        return result.ok ? 0 : messages(result.messages());
      };
    },
    list() {
      const schema = p.array(p.object({
        id: p.number(),
        name: p.string(),
        active: p.boolean(),
        tags: p.array(p.string()),
      }));
      return (value) => {
        const result = schema.safeParse(value);
        return result.ok ? 0 : messages(result.messages());
      };
    },
  },
};
