import { expectValue } from "../../session/testing.ts";
import type {
  AccountStore,
  NewAccount,
  StoredAccount,
  WayIn,
} from "../store/store.ts";

/** A named test of a store. */
export type Check = readonly [
  name: string,
  run: (store: AccountStore) => Promise<void>,
];

/** The number of concurrent calls in a check for races. */
export const CALLERS = 20;

/** Creates an account. */
export async function create(
  store: AccountStore,
  values: Partial<NewAccount> = {},
): Promise<StoredAccount> {
  return expectValue("create", await store.create(newAccount(values)));
}

/** Returns a new account with a free address. */
export function newAccount(values: Partial<NewAccount> = {}): NewAccount {
  const id = newId();
  return {
    id,
    email: `${id.toLowerCase()}-${crypto.randomUUID()}@example.com`,
    emailVerified: true,
    name: "Ada",
    role: "user",
    language: null,
    fields: {},
    passwordHash: "",
    createdAt: 1_700_000_000_000,
    ...values,
  };
}

/** Returns a new way into an account. */
export function newWayIn(
  { id: accountId }: StoredAccount,
  values: Partial<WayIn> = {},
): WayIn {
  return {
    kind: "key",
    id: newId(),
    accountId,
    name: "Key",
    createdAt: 1_700_000_000_000,
    usedAt: null,
    counter: 0,
    data: null,
    ...values,
  };
}

/** Returns an id that no other check uses. */
export function newId(): string {
  return crypto.randomUUID();
}

/** Sorts the keys of an object, so that their order does not matter. */
export function sorted(value: object | null | undefined): unknown {
  return value && Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1),
  );
}
