import {
  MAX_RECORD_BYTES,
  type SessionLabel,
  type SessionRecord,
} from "./_record.ts";
import type { JSONValue } from "./json.ts";

/**
 * One change to a session. A session remembers its changes instead of writing
 * its whole content, so that two requests can both have theirs.
 */
export type Change =
  | {
    readonly type: "set" | "flash";
    readonly key: string;
    readonly text: string;
  }
  | { readonly type: "unset"; readonly key: string }
  | {
    readonly type: "update";
    readonly key: string;
    readonly change: (value: JSONValue | undefined) => unknown;
  }
  /** `text` is what was seen: only that is read, or must still be there. */
  | {
    readonly type: "read" | "take";
    readonly key: string;
    readonly text: string;
  }
  | {
    readonly type: "login";
    readonly userId: string | number | undefined;
    readonly now: number;
    /** The time at which the user proved their identity, if it is not now. */
    readonly authenticatedAt: number | undefined;
    readonly expiresAt: number;
    readonly label: SessionLabel;
    readonly names: readonly string[];
  };

/** The keys that a login drops: what a login or a step-up has begun. */
export const RESERVED_PREFIX = "__auth.";

/**
 * Applies a change to a record.
 *
 * @returns `false` where a value was to be taken that is not there any more.
 */
export function applyChange(
  record: SessionRecord,
  change: Change,
): boolean {
  const { values, flash } = record;
  switch (change.type) {
    case "set":
      values.set(change.key, JSON.parse(change.text));
      flash.delete(change.key);
      return true;
    case "flash":
      flash.set(change.key, JSON.parse(change.text));
      return true;
    case "unset":
      values.delete(change.key);
      flash.delete(change.key);
      return true;
    case "read":
      removeSeen(flash, change);
      return true;
    case "update":
      values.set(
        change.key,
        JSON.parse(stringify(change.change(values.get(change.key)))),
      );
      flash.delete(change.key);
      return true;
    case "take":
      return removeSeen(flash, change) || removeSeen(values, change);
    case "login":
      logIn(record, change);
      return true;
  }
}

/** Removes a value, if it is the one that was seen. */
function removeSeen(
  map: Map<string, JSONValue>,
  { key, text }: Change & { type: "read" | "take" },
): boolean {
  return map.has(key) && JSON.stringify(map.get(key)) === text &&
    map.delete(key);
}

function logIn(
  record: SessionRecord,
  change: Change & { type: "login" },
): void {
  const { content, userId: previous } = record;
  const { flash, values } = content;
  if (previous !== undefined && previous !== change.userId) {
    // One user's values are none of another's business.
    values.clear();
    flash.clear();
  }
  for (const key of values.keys()) {
    if (key.startsWith(RESERVED_PREFIX)) values.delete(key);
  }
  record.userId = change.userId;
  record.authenticatedAt = change.userId === undefined
    ? undefined
    : change.authenticatedAt ?? change.now;
  record.createdAt = change.now;
  record.expiresAt = change.expiresAt;
  content.label = change.label;
  // Who confirms by password that they are there is still logged in by what
  // the names stand for.
  if (previous !== change.userId || change.names.length > 0) {
    content.names = change.names;
  }
}

/**
 * Writes a value as JSON.
 *
 * @throws {TypeError} If JSON cannot hold it.
 */
export function stringify(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) {
    throw new TypeError("Cannot store value in session: it is not JSON");
  }
  return text;
}

/**
 * Writes a value as JSON, if it is not larger than a session may be.
 *
 * @throws {TypeError} If JSON cannot hold it.
 * @throws {RangeError} If it is too large.
 */
export function stringifyWithinLimit(value: unknown): string {
  const text = stringify(value);
  if (text.length <= MAX_RECORD_BYTES) return text;
  throw new RangeError(
    `Cannot store value in session: it takes ${text.length} characters, and a session at most ${MAX_RECORD_BYTES} bytes`,
  );
}

/**
 * Returns what can be a user's id.
 *
 * @throws {TypeError} If it cannot.
 */
export function checkUserId(value: unknown): string | number {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError(
    'Cannot set "userId": it is neither a number nor a text that is not empty',
  );
}
