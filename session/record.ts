import type { RequestContext } from "../router/mod.ts";
import { SessionStoreError } from "./errors.ts";

/** A JSON value, as sessions store it. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | readonly JSONValue[]
  | { readonly [key: string]: JSONValue };

/**
 * A type whose values are JSON, but which `JSONValue` does not cover:
 * interfaces, and objects with optional members. A member that JSON cannot
 * represent becomes an error message.
 *
 * @typeParam Value The type of the value.
 */
export type Storable<Value> = Value extends JSONValue ? Value
  : Value extends readonly unknown[]
    ? { readonly [Key in keyof Value]: Storable<Value[Key]> }
  : Value extends
    | Iterable<unknown>
    | { toJSON(): unknown }
    | ((...args: never[]) => unknown) ? "JSON can't hold this"
  // The type `object` has no known members: the value may be a Map.
  : keyof Value extends never ? "JSON can't hold this"
  : Value extends object ? {
      readonly [Key in keyof Value]:
        | Storable<Exclude<Value[Key], undefined>>
        | Extract<Value[Key], undefined>;
    }
  : "JSON can't hold this";

/** The browser in which a session began, as its user sees it in a list. */
export interface SessionLabel {
  /** The `User-Agent` header, shortened. */
  readonly userAgent?: string;
  /** The client's address. */
  readonly address?: string;
}

/**
 * The authentication methods of a login, such as `pwd` or `otp`, and the times at
 * which the user last used each of them, in epoch milliseconds.
 */
export type AuthMethodTimes = Readonly<Record<string, number>>;

/** The first line of a stored session: its user and its times. */
interface Head {
  readonly userId: string | number | undefined;
  readonly createdAt: number;
  readonly authenticatedAt: number | undefined;
  readonly methods: AuthMethodTimes | undefined;
  /** The version of the user's credentials at the login. */
  readonly version?: number | undefined;
  readonly seenAt: number;
  readonly expiresAt: number;
  readonly idle?: number | undefined;
  /** The first id of a session whose id has changed. */
  readonly firstId?: string | undefined;
}

/** The second line of a stored session. */
interface Content {
  readonly values: Map<string, JSONValue>;
  readonly flash: Map<string, JSONValue>;
  label: SessionLabel;
  /** The index names of the session, in addition to that of its user. */
  names: readonly string[];
}

/** The maximum size of a stored session, in bytes. */
export const MAX_RECORD_BYTES = 32 * 1024;

/** The prefix of the keys that `auth` uses. A login removes their values. */
export const RESERVED_PREFIX = "__auth.";

/** The maximum length of a stored `User-Agent`, in characters. */
const MAX_USER_AGENT = 256;

/**
 * A session as the store has it. All times are epoch milliseconds. The content
 * is parsed when it is first read, because most requests only need the user.
 */
export class SessionRecord {
  userId: string | number | undefined;
  createdAt: number;
  authenticatedAt: number | undefined;
  methods: AuthMethodTimes | undefined;
  /** The version of the user's credentials at the login. */
  version: number | undefined;
  seenAt: number;
  expiresAt: number;
  /** The idle timeout in milliseconds, if the login has its own timeouts. */
  idle: number | undefined;
  /** The first id of a session whose id has changed. */
  firstId: string | undefined;
  #content: Content | string;

  constructor(head: Head, content: Content | string) {
    this.userId = head.userId;
    this.createdAt = head.createdAt;
    this.authenticatedAt = head.authenticatedAt;
    this.methods = head.methods;
    this.version = head.version;
    this.seenAt = head.seenAt;
    this.expiresAt = head.expiresAt;
    this.idle = head.idle;
    this.firstId = head.firstId;
    this.#content = content;
  }

  /**
   * The values, flash values, label and index names.
   *
   * @throws {SessionStoreError} If the stored content is malformed.
   */
  get content(): Content {
    if (typeof this.#content === "string") {
      this.#content = parseContent(this.#content);
    }
    return this.#content;
  }

  /** `true` if there is no user and no value. Such a session is not stored. */
  get isEmpty(): boolean {
    const { flash, values } = this.content;
    return this.userId === undefined && values.size === 0 && flash.size === 0;
  }

  /** Creates a copy with other values. */
  withValues(values: Map<string, JSONValue>): SessionRecord {
    return new SessionRecord(this, { ...this.content, values });
  }

  /**
   * Converts the session to a string.
   *
   * @throws {RangeError} If it is too large.
   */
  serialize(): string {
    let content = this.#content;
    if (typeof content !== "string") {
      const { flash, label, names, values } = content;
      content = JSON.stringify({
        label,
        values: Object.fromEntries(values),
        flash: flash.size > 0 ? Object.fromEntries(flash) : undefined,
        names: names.length > 0 ? names : undefined,
      });
    }
    // The public fields are the first line. The spread creates a plain object,
    // which Bun converts in a third of the time.
    const text = `${JSON.stringify({ ...this })}\n${content}`;
    // Most strings are short enough even with three bytes per character.
    if (text.length * 3 <= MAX_RECORD_BYTES) return text;
    const size = new TextEncoder().encode(text).length;
    if (size <= MAX_RECORD_BYTES) return text;
    throw new RangeError(
      `Cannot save session: it takes ${size} bytes, and at most ${MAX_RECORD_BYTES} are allowed`,
    );
  }
}

/** Creates the record of a new session. */
export function createRecord(
  now: number,
  timeouts: { readonly absolute: number },
  label: SessionLabel,
): SessionRecord {
  const head: Head = {
    userId: undefined,
    createdAt: now,
    authenticatedAt: undefined,
    methods: undefined,
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

/** Creates the label of a session that begins with this request. */
export function createLabel(context: RequestContext): SessionLabel {
  try {
    const userAgent = context.request.headers.get("User-Agent")
      ?.slice(0, MAX_USER_AGENT);
    const address = context.remoteAddress;
    return { ...userAgent && { userAgent }, ...address && { address } };
  } catch {
    // Deno closes a request that is upgraded. Its session has no label.
    return {};
  }
}

/**
 * Parses a stored session. Returns `null` for a tombstone and for any string
 * that is not a session.
 */
export function parseRecord(text: string): SessionRecord | null {
  const end = text.indexOf("\n");
  if (end < 0) return null;
  let head;
  try {
    head = JSON.parse(text.slice(0, end));
  } catch {
    return null;
  }
  return isObject(head) && typeof head.createdAt === "number" &&
      typeof head.seenAt === "number" && typeof head.expiresAt === "number"
    ? new SessionRecord(head as unknown as Head, text.slice(end + 1))
    : null;
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

// A loop is faster than `Object.entries`. The result of JSON.parse inherits no
// keys.
function toMap(object: Record<string, JSONValue>): Map<string, JSONValue> {
  const map = new Map<string, JSONValue>();
  for (const key of Object.keys(object)) map.set(key, object[key]!);
  return map;
}

/** Returns `true` for an object that is not an array. */
export function isObject(
  value: unknown,
): value is Record<string, JSONValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds the methods of a new proof of identity to earlier ones. */
export function addMethods(
  earlier: AuthMethodTimes | undefined,
  methods: readonly string[],
  time: number,
): AuthMethodTimes | undefined {
  if (methods.length === 0) return earlier;
  const added = methods.map((name) => [name, time]);
  return { ...earlier, ...Object.fromEntries(added) };
}

/** A session id has 43 characters: 32 bytes as base64url. */
const SESSION_ID = /^[\w-]{43}$/;

/** Returns `true` if a string has the form of a session id, or of a token. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/**
 * Converts a value to JSON.
 *
 * @param maxLength The maximum length of the result.
 * @throws {TypeError} If JSON cannot represent the value.
 * @throws {RangeError} If the result is too long.
 */
export function stringify(value: unknown, maxLength = Infinity): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) {
    throw new TypeError("Cannot store value in session: it is not JSON");
  }
  if (text.length <= maxLength) return text;
  throw new RangeError(
    `Cannot store value in session: it takes ${text.length} characters, and at most ${maxLength} are allowed`,
  );
}

/**
 * Returns a user's id.
 *
 * @throws {TypeError} If the value cannot be a user's id.
 */
export function checkUserId(value: unknown): string | number {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError(
    'Cannot set "userId": it is not a finite number or a non-empty string',
  );
}
