import type { ResolvedTimeouts } from "./_lifetime.ts";
import { SessionStoreError } from "./errors.ts";
import type { JSONValue } from "./json.ts";

/** Where a session was begun, for the list that its user sees. */
export interface SessionLabel {
  /** The `User-Agent` header, shortened. */
  readonly userAgent?: string;
  /** The client's address. */
  readonly address?: string;
}

/** What decides whether a session lives, and whose it is. Epoch milliseconds. */
interface Head {
  readonly userId: string | number | undefined;
  readonly createdAt: number;
  readonly authenticatedAt: number | undefined;
  readonly seenAt: number;
  readonly expiresAt: number;
}

/** What a session holds besides. */
interface Content {
  readonly values: Map<string, JSONValue>;
  readonly flash: Map<string, JSONValue>;
  label: SessionLabel;
  /** What else it is found by, besides its user. */
  names: readonly string[];
}

/**
 * What is stored of a session: a line that says how long it lives and whose it
 * is, and one with its content, which is only parsed for those who want it.
 */
export class SessionRecord {
  userId: string | number | undefined;
  createdAt: number;
  authenticatedAt: number | undefined;
  seenAt: number;
  expiresAt: number;
  #content: Content | string;

  constructor(head: Head, content: Content | string) {
    this.userId = head.userId;
    this.createdAt = head.createdAt;
    this.authenticatedAt = head.authenticatedAt;
    this.seenAt = head.seenAt;
    this.expiresAt = head.expiresAt;
    this.#content = content;
  }

  /**
   * What the session holds.
   *
   * @throws {SessionStoreError} If what was stored is none.
   */
  get content(): Content {
    if (typeof this.#content === "string") {
      this.#content = parseContent(this.#content);
    }
    return this.#content;
  }

  /** What handlers have set. */
  get values(): Map<string, JSONValue> {
    return this.content.values;
  }

  /** What is shown once. */
  get flash(): Map<string, JSONValue> {
    return this.content.flash;
  }

  /** Whether it holds nothing worth storing. */
  get isEmpty(): boolean {
    return this.userId === undefined && this.values.size === 0 &&
      this.flash.size === 0;
  }

  /** Copies it, with other values. */
  withValues(values: Map<string, JSONValue>): SessionRecord {
    return new SessionRecord(this, { ...this.content, values });
  }

  /**
   * Writes it as text.
   *
   * @throws {RangeError} If it is too large.
   */
  serialize(): string {
    // The public fields are the first line.
    const text = `${JSON.stringify(this)}\n${this.#serializedContent()}`;
    const size = byteLength(text);
    if (size <= MAX_RECORD_BYTES) return text;
    throw new RangeError(
      `Cannot save session: it takes ${size} bytes, and at most ${MAX_RECORD_BYTES} are allowed`,
    );
  }

  #serializedContent(): string {
    if (typeof this.#content === "string") return this.#content;
    const { flash, label, names, values } = this.#content;
    return JSON.stringify({
      label,
      values: Object.fromEntries(values),
      flash: flash.size > 0 ? Object.fromEntries(flash) : undefined,
      names: names.length > 0 ? names : undefined,
    });
  }
}

/** The most bytes that a session may take. */
export const MAX_RECORD_BYTES = 32 * 1024;

/** A session's id is 32 bytes as base64url: the hash of its token. */
const SESSION_ID = /^[\w-]{43}$/;

/** Returns `true` if a string has the form of a session's id. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Makes the record of a session that begins now. */
export function createRecord(
  now: number,
  timeouts: ResolvedTimeouts,
  label: SessionLabel,
): SessionRecord {
  const head: Head = {
    userId: undefined,
    createdAt: now,
    authenticatedAt: undefined,
    seenAt: now,
    expiresAt: now + timeouts.absolute,
  };
  const values = new Map<string, JSONValue>();
  return new SessionRecord(head, {
    values,
    flash: new Map(),
    label,
    names: [],
  });
}

/** Reads a stored record; `null` for one that ended or is not a session. */
export function parseRecord(text: string): SessionRecord | null {
  const end = text.indexOf("\n");
  if (end < 0) return null;
  let head;
  try {
    head = JSON.parse(text.slice(0, end));
  } catch {
    return null;
  }
  return isHead(head) ? new SessionRecord(head, text.slice(end + 1)) : null;
}

function isHead(head: unknown): head is Head {
  return isObject(head) && typeof head.createdAt === "number" &&
    typeof head.seenAt === "number" && typeof head.expiresAt === "number";
}

function parseContent(text: string): Content {
  let cause;
  try {
    const content = JSON.parse(text);
    if (isObject(content) && isObject(content.values)) {
      const { flash, label, names, values } = content;
      return {
        values: toMap(values),
        flash: isObject(flash) ? toMap(flash) : new Map(),
        label: isObject(label) ? label : {},
        names: Array.isArray(names) ? names : [],
      };
    }
  } catch (error) {
    cause = error;
  }
  throw new SessionStoreError("read", { cause });
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

/** Counts UTF-8 bytes, or is sure that there are few enough. */
function byteLength(text: string): number {
  return text.length * 3 <= MAX_RECORD_BYTES
    ? text.length
    : new TextEncoder().encode(text).length;
}

/** What the index names of users begin with. */
export const USER_PREFIX = "user:";

/** The index name of a user. */
export function userIndexName(userId: string | number): string {
  return USER_PREFIX + userId;
}

/** The names that a record is to be found by. */
export function indexNamesOf({ content, userId }: SessionRecord): string[] {
  return userId === undefined ? [] : [userIndexName(userId), ...content.names];
}
