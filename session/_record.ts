import type { JSONValue } from "./json.ts";

/** Where a session was begun, for the list that its user sees. */
export interface SessionLabel {
  /** The `User-Agent` header, shortened. */
  readonly userAgent?: string;
  /** The client's address. */
  readonly address?: string;
}

/** What is stored of a session. Times are epoch milliseconds. */
export interface SessionRecord {
  readonly values: Map<string, JSONValue>;
  readonly flash: Map<string, JSONValue>;
  createdAt: number;
  authenticatedAt: number | undefined;
  seenAt: number;
  expiresAt: number;
  label: SessionLabel;
  /** What else it is found by, besides its user. */
  names: readonly string[];
}

/** How long sessions last, in milliseconds. */
export interface ResolvedTimeouts {
  readonly idle: number;
  readonly absolute: number;
  readonly anonymous: number;
}

/** The most bytes that a session may take. */
export const MAX_RECORD_BYTES = 32 * 1024;

/** Stands in the place of a session that ended a moment ago. */
export const ENDED = '{"ended":true}';

/** Makes the record of a session that begins now. */
export function createRecord(
  now: number,
  timeouts: ResolvedTimeouts,
  label: SessionLabel,
): SessionRecord {
  return {
    values: new Map(),
    flash: new Map(),
    createdAt: now,
    authenticatedAt: undefined,
    seenAt: now,
    expiresAt: now + timeouts.absolute,
    label,
    names: [],
  };
}

/** Reads a stored record; `null` for one that ended or is not a session. */
export function parseRecord(text: string): SessionRecord | null {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(data) || !isObject(data.values)) return null;
  const { createdAt, expiresAt, flash, label, names, seenAt } = data;
  if (
    typeof createdAt !== "number" || typeof seenAt !== "number" ||
    typeof expiresAt !== "number"
  ) return null;
  const authenticatedAt = data.authenticatedAt as number | undefined;
  return {
    values: toMap(data.values),
    flash: isObject(flash) ? toMap(flash) : new Map(),
    createdAt,
    authenticatedAt,
    seenAt,
    expiresAt,
    label: isObject(label) ? label : {},
    names: Array.isArray(names) ? names : [],
  };
}

/** Quicker than by `Object.entries`; what JSON.parse made inherits nothing. */
function toMap(object: Record<string, JSONValue>): Map<string, JSONValue> {
  const map = new Map<string, JSONValue>();
  for (const key of Object.keys(object)) map.set(key, object[key]!);
  return map;
}

function isObject(value: unknown): value is Record<string, JSONValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Writes a record as text.
 *
 * @throws {RangeError} If it is too large.
 */
export function serializeRecord(record: SessionRecord): string {
  const { values, flash, names, ...rest } = record;
  const text = JSON.stringify({
    ...rest,
    values: Object.fromEntries(values),
    flash: flash.size > 0 ? Object.fromEntries(flash) : undefined,
    names: names.length > 0 ? names : undefined,
  });
  const size = byteLength(text);
  if (size > MAX_RECORD_BYTES) {
    throw new RangeError(
      `Cannot save session: it takes ${size} bytes, and at most ${MAX_RECORD_BYTES} are allowed`,
    );
  }
  return text;
}

/** Counts UTF-8 bytes, or is sure that there are few enough. */
function byteLength(text: string): number {
  return text.length * 3 <= MAX_RECORD_BYTES
    ? text.length
    : new TextEncoder().encode(text).length;
}

/** Tells the user of a record. */
export function userIdOf(record: SessionRecord): string | number | undefined {
  const userId = record.values.get("userId");
  return typeof userId === "string" || typeof userId === "number"
    ? userId
    : undefined;
}

/** What the index names of users begin with. */
export const USER_PREFIX = "user:";

/** The index name of a user. */
export function userIndex(userId: string | number): string {
  return USER_PREFIX + userId;
}

/** The names that a record is to be found by. */
export function indexOf(record: SessionRecord): string[] {
  const userId = userIdOf(record);
  return userId === undefined ? [] : [userIndex(userId), ...record.names];
}

/** The idle timeout of a record: anonymous visitors have a shorter one. */
export function idleTimeout(
  record: SessionRecord,
  timeouts: ResolvedTimeouts,
): number {
  return userIdOf(record) === undefined ? timeouts.anonymous : timeouts.idle;
}

/** When a record ends, unless it is used before. */
export function endOf(
  record: SessionRecord,
  timeouts: ResolvedTimeouts,
): number {
  return Math.min(
    record.seenAt + idleTimeout(record, timeouts),
    record.createdAt + timeouts.absolute,
    record.expiresAt,
  );
}

/** Whether a record holds nothing worth storing. */
export function isEmpty(record: SessionRecord): boolean {
  return record.values.size === 0 && record.flash.size === 0;
}
