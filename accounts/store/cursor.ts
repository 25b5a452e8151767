import type {
  AccountListOptions,
  AccountPage,
  StoredAccount,
} from "./store.ts";

/** The place at which a page begins, and its size. */
export interface Cursor {
  readonly after:
    | { readonly createdAt: number; readonly id: string }
    | undefined;
  readonly limit: number;
}

/** Checks the size of a page. */
export function checkLimit({ limit = 50 }: AccountListOptions): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new RangeError(
    `Cannot read accounts: limit "${limit}" is not from 1 to 1,000`,
  );
}

/** Reads a cursor, which may come from a URL: `null` if it is malformed. */
export function readCursor(options: AccountListOptions): Cursor | null {
  const limit = checkLimit(options);
  const { after } = options;
  if (after === undefined) return { after, limit };
  const [, time, id] = /^(\d{1,15})\.(.{1,200})$/.exec(after) ?? [];
  if (time === undefined || id === undefined) return null;
  return { after: { createdAt: Number(time), id }, limit };
}

/** Returns a page of accounts. The caller has read one more than the limit. */
export function toPage(
  found: readonly StoredAccount[],
  limit: number,
): AccountPage {
  const accounts = found.slice(0, limit);
  const last = accounts.at(-1);
  const next = found.length > limit && last !== undefined
    ? `${last.createdAt}.${last.id}`
    : undefined;
  return { accounts, next };
}
