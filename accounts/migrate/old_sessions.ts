import { readCookies } from "../../session/internal.ts";
import {
  encodeBase64,
  encodeHex,
  hmac,
  sha256,
  timingSafeEqual,
} from "../../session/secrets.ts";
import type { SQLQuery } from "../../session/stores/sql.ts";
import { type OldRow, OldTable } from "./_old_tables.ts";

/** A session of the old system. */
export interface OldSession {
  /** The id of the user. */
  readonly userId: string;
  /** The time of the login, in epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * Ends the old session of a request, and returns it. Returns `null` if the request
 * has none that is valid, or another request has taken it.
 */
export type TakeOldSession = (
  request: Request,
) => OldSession | null | Promise<OldSession | null>;

/** Options for the sessions of another system in a SQL database. */
export interface OldSessionOptions {
  /**
   * The SQL dialect.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * The name of the cookie. The prefixes `__Secure-` and `__Host-` are read too.
   *
   * @default {the one of the other system}
   */
  readonly cookie?: string;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The facts of a kind of sessions. */
interface SessionKind {
  readonly cookie: string;
  /** The names of the table. */
  readonly tables: readonly string[];
  /** The column with the key. */
  readonly column: string;
  readonly expires: string;
  /** Returns the key of a cookie's value, or `null` if it is malformed. */
  readonly keyOf: (value: string) => string | null | Promise<string | null>;
}

/** The cookies of a name that are read: others may be planted. */
export const MAX_COOKIES = 4;

/** The longest value of a cookie, in characters. */
const MAX_LENGTH = 500;

/**
 * Creates a function that takes sessions of better-auth, for `adoptSessions`. It does
 * not take those of administrators who act as another user.
 *
 * @example A request without a session
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { takeBetterAuthSession } from "@gatehouse/web/accounts/migrate";
 *
 * const take = takeBetterAuthSession(() => [], { secret: "the old secret" });
 * assertEquals(await take(new Request("https://example.com/")), null);
 * ```
 *
 * @param query The function that runs a statement in the database of better-auth.
 * @param options The secret of better-auth.
 * @returns The function.
 * @throws {TypeError} If the secret is empty.
 */
export function takeBetterAuthSession(
  query: SQLQuery,
  options: OldSessionOptions & {
    /** The `secret` of better-auth, which signs its cookies. */
    readonly secret: string;
  },
): TakeOldSession {
  const { secret } = options;
  if (typeof secret !== "string" || secret === "") {
    throw new TypeError("Cannot take sessions: the secret is empty");
  }
  return takeSession(query, options, {
    cookie: "better-auth.session_token",
    tables: ["session", "sessions"],
    column: "token",
    expires: "expiresAt",
    keyOf: (value) => verifySigned(value, secret),
  });
}

/**
 * Creates a function that takes sessions of Lucia 2 and 3, for `adoptSessions`. The
 * cookie contains the id of the session, or, as in the later guides of Lucia, a
 * token whose SHA-256 hash is the id.
 *
 * @example A request without a session
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { takeLuciaSession } from "@gatehouse/web/accounts/migrate";
 *
 * const take = takeLuciaSession(() => [], { hashed: true, cookie: "session" });
 * assertEquals(await take(new Request("https://example.com/")), null);
 * ```
 *
 * @param query The function that runs a statement in the database.
 * @param options `hashed`, if the id is a hash of the cookie's value.
 * @returns The function.
 */
export function takeLuciaSession(
  query: SQLQuery,
  options: OldSessionOptions & {
    /**
     * `true` if the id is the hash of the cookie's value.
     *
     * @default {false}
     */
    readonly hashed?: boolean;
  } = {},
): TakeOldSession {
  return takeSession(query, options, {
    cookie: "auth_session",
    tables: ["session", "sessions", "user_session", "user_sessions"],
    column: "id",
    expires: "expiresAt",
    keyOf: async (value) =>
      options.hashed ? encodeHex(await sha256(value)) : value,
  });
}

/**
 * Creates a function that takes sessions of Auth.js in a database, for
 * `adoptSessions`.
 *
 * @example A request without a session
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { takeAuthJSSession } from "@gatehouse/web/accounts/migrate";
 *
 * const take = takeAuthJSSession(() => [], { cookie: "next-auth.session-token" });
 * assertEquals(await take(new Request("https://example.com/")), null);
 * ```
 *
 * @param query The function that runs a statement in the database.
 * @param options The name of the cookie, such as `next-auth.session-token`.
 * @returns The function.
 */
export function takeAuthJSSession(
  query: SQLQuery,
  options: OldSessionOptions = {},
): TakeOldSession {
  return takeSession(query, options, {
    cookie: "authjs.session-token",
    tables: ["sessions", "session"],
    column: "sessionToken",
    expires: "expires",
    keyOf: (value) => value,
  });
}

/** Returns the names of a cookie, with each prefix. */
export function namesOf(cookie: string): string[] {
  return ["", "__Secure-", "__Host-"].map((prefix) => prefix + cookie);
}

function takeSession(
  query: SQLQuery,
  options: OldSessionOptions,
  kind: SessionKind,
): TakeOldSession {
  const { cookie = kind.cookie, dialect = "sqlite", now = Date.now } = options;
  const names = namesOf(cookie);
  let table: OldTable | null = null;
  return async (request) => {
    const header = request.headers.get("Cookie");
    const values = names.flatMap((name) => readCookies(header, name))
      .slice(0, MAX_COOKIES);
    for (const value of values) {
      const key = await keyOf(kind, value);
      if (key === null) continue;
      table ??= await OldTable.find({ dialect, query }, ...kind.tables);
      const [row] = await table?.take(kind.column, key) ?? [];
      const session = row && sessionOf(row, kind, now());
      if (session) return session;
    }
    return null;
  };
}

function sessionOf(
  row: OldRow,
  { expires }: SessionKind,
  now: number,
): OldSession | null {
  const userId = row.text("userId");
  const expiresAt = row.time(expires);
  if (userId === null || expiresAt === null || expiresAt <= now) return null;
  // This session is not of the user but of an administrator.
  if (row.text("impersonatedBy") !== null) return null;
  return { userId, createdAt: row.time("createdAt") ?? 0 };
}

async function keyOf(
  kind: SessionKind,
  encoded: string,
): Promise<string | null> {
  if (encoded === "" || encoded.length > MAX_LENGTH) return null;
  let value: string;
  try {
    value = decodeURIComponent(encoded);
  } catch {
    return null;
  }
  // PostgreSQL accepts no string with this character.
  return value.includes("\0") ? null : await kind.keyOf(value);
}

/** Returns the value of a cookie whose HMAC-SHA256 is valid, or `null`. */
async function verifySigned(
  signed: string,
  secret: string,
): Promise<string | null> {
  const [, value = "", signature = ""] =
    /^([^.]+)\.([A-Za-z0-9+/]{43}=)$/.exec(signed) ?? [];
  if (value === "") return null;
  const expected = encodeBase64(await hmac(secret, value));
  return timingSafeEqual(signature, expected) ? value : null;
}
