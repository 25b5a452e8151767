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

/** The error of a failed check. Any test runner shows its message. */
export class CheckError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "CheckError";
}

/** The number of concurrent calls in a check for races. */
export const CALLERS = 20;

/** Creates an account. */
export async function create(
  store: AccountStore,
  values: Partial<NewAccount> = {},
): Promise<StoredAccount> {
  const account = await store.create(newAccount(values));
  if (account !== null) return account;
  throw new CheckError("create: expected an account, got null");
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

/** Returns the numbers from 0. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_value, index) => index);
}

/** Sorts the keys of an object, so that their order does not matter. */
export function sorted(value: object | null | undefined): unknown {
  return value && Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** Throws if two values have different JSON. */
export function expect(name: string, actual: unknown, expected: unknown): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  if (is === should) return;
  throw new CheckError(`${name}: expected ${should}, got ${is}`);
}
