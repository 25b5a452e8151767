import { parseJSON } from "../../session/internal.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { SQLRow } from "../../session/stores/sql.ts";
import { isObject } from "../option_checks.ts";
import { AccountStoreError } from "./errors.ts";
import type { StoredAccount, WayIn } from "./store.ts";

/**
 * Returns the account of a row. Drivers return numbers as numbers or as strings.
 */
export function toAccount(row: SQLRow): StoredAccount {
  const { disabled_reason: reason } = row;
  return {
    id: String(row.id),
    email: String(row.email),
    emailVerified: Number(row.email_verified) === 1,
    name: String(row.name),
    role: String(row.role),
    language: toText(row.language),
    fields: fieldsOf(row.fields),
    hasPassword: String(row.password_hash) !== "",
    version: Number(row.version),
    createdAt: Number(row.created_at),
    disabled: toText(reason) === null
      ? null
      : { reason: String(reason), until: toNumber(row.disabled_until) },
    deleteAt: toNumber(row.delete_at),
  };
}

/** Returns the way in of a row whose columns have the prefix `way_`. */
export function toWayIn(row: SQLRow): WayIn {
  return {
    kind: String(row.way_kind),
    id: String(row.way_id),
    accountId: String(row.way_user_id),
    name: String(row.way_name),
    createdAt: Number(row.way_created_at),
    usedAt: toNumber(row.way_used_at),
    counter: Number(row.way_counter),
    data: parse(row.way_data),
  };
}

function fieldsOf(column: unknown): StoredAccount["fields"] {
  const fields = parse(column);
  if (!isObject(fields)) throw malformed();
  return fields as StoredAccount["fields"];
}

/** Parses JSON. An error of the parser would contain a part of it. */
function parse(column: unknown): JSONValue {
  const value = parseJSON(String(column)) as JSONValue;
  if (value === null && column !== "null") throw malformed();
  return value;
}

function malformed(): AccountStoreError {
  const cause = new TypeError("a column has a malformed value");
  return new AccountStoreError({ cause });
}

function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Returns a number. An end that is `NaN` would count as past. */
function toNumber(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  if (Number.isNaN(number)) throw malformed();
  return number;
}
