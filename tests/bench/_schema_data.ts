/** One thing to validate: a value that passes, and one that does not. */
export interface Workload {
  readonly valid: unknown;
  readonly invalid: unknown;
}

/** The names of the things that every library validates. */
export type WorkloadName = "login" | "registration" | "order" | "list";

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
});

/** Inputs come out of JSON, so let the engine see them that way. */
function parsed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

function list(isValid: (index: number) => boolean): unknown[] {
  return Array.from({ length: 1000 }, (_, index) => ({
    id: isValid(index) ? index : String(index),
    name: `item ${index}`,
    active: index % 2 === 0,
    tags: ["a", "b"],
  }));
}
