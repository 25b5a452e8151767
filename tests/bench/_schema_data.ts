/** One thing to validate: a value that passes, and one that does not. */
export interface Workload {
  readonly valid: unknown;
  readonly invalid: unknown;
}

/** The names of the things that every library validates. */
export type WorkloadName =
  | "login"
  | "registration"
  | "order"
  | "list"
  | "product";

const order = {
  id: "order-4711",
  status: "paid",
  paid: true,
  total: 142.5,
  customer: {
    name: "Ada Lovelace",
    email: "ada@example.com",
    address: {
      street: "12 St James's Square",
      city: "London",
      zip: "SW1Y 4JH",
      country: "GB",
    },
  },
  items: Array.from({ length: 5 }, (_, index) => ({
    sku: `sku-${index}`,
    quantity: index + 1,
    price: 9.5,
    ...(index === 2 ? { note: "as a gift" } : {}),
  })),
};

const images = [248, 295, 723].map((id) => ({
  id,
  created: new Date(2026, 10, 23),
  title: `Photo ${id} of the orchard in autumn`,
  type: "jpg",
  size: 92_357_232 + id,
  url: `https://www.example.com/images/${id}`,
}));

// The shape of the "product" of schemabenchmarks.dev.
const product = {
  id: 252,
  created: new Date(2026, 10, 1),
  title: "Apple juice",
  brand: "Lake View Farm",
  description: "Unfiltered juice of red apples",
  price: 89,
  discount: null,
  quantity: 5,
  tags: ["juice", "red", "sweet", "cloudy", "local", "glass"],
  images,
  ratings: [4.5, 5].map((stars, index) => ({
    id: 315 + index,
    stars,
    title: "Tastes like fresh apples",
    text: "We drank a bottle of it at breakfast, and then another one.",
    images: images.slice(index),
  })),
};

/** The inputs to validate, by name. */
export const WORKLOADS: Readonly<Record<WorkloadName, Workload>> = parsed({
  login: {
    valid: { email: "ada@example.com", password: "correct horse battery" },
    invalid: { email: "ada@example", password: "horse" },
  },
  registration: {
    valid: {
      name: "Ada Lovelace",
      email: "ada@example.com",
      password: "correct horse",
      confirmPassword: "correct horse",
    },
    invalid: {
      name: "",
      email: "ada@example",
      password: "correct horse",
      confirmPassword: "correct horse",
    },
  },
  order: {
    valid: order,
    invalid: {
      ...order,
      status: "lost",
      customer: { ...order.customer, email: "ada" },
      items: order.items.map((item, index) =>
        index === 3 ? { ...item, quantity: 1.5 } : item
      ),
    },
  },
  list: {
    valid: list(() => true),
    invalid: list((index) => index % 50 !== 0),
  },
  product: {
    valid: product,
    invalid: {
      ...product,
      title: "",
      price: 0,
      quantity: 1000,
      tags: ["juice", null, "sweet", 7, "local", "glass"],
      images: [
        { ...images[0], id: undefined, created: null, type: "mp4" },
        { ...images[1], url: undefined },
        images[2],
      ],
      ratings: [
        { ...product.ratings[0], text: "" },
        {
          ...product.ratings[1],
          stars: 7,
          images: [{ ...images[0], id: "1" }],
        },
      ],
    },
  },
});

/** Inputs come out of JSON, so let the engine see them that way. */
function parsed<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value),
    (key, part) => key === "created" && part ? new Date(part) : part,
  );
}

function list(isValid: (index: number) => boolean): unknown[] {
  return Array.from({ length: 1000 }, (_, index) => ({
    id: isValid(index) ? index : String(index),
    name: `item ${index}`,
    active: index % 2 === 0,
    tags: ["a", "b"],
  }));
}
