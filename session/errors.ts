import type { RequestContext } from "../router/mod.ts";

/**
 * Thrown by {@linkcode Session.commit} if a concurrent request took the same
 * value first, or ended the session.
 *
 * If nothing catches it, the router answers 409, without calling `onError`.
 *
 * @example Check the code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { SessionConflictError } from "@gatehouse/web/session";
 *
 * const error = new SessionConflictError("taken");
 * assertEquals(error.code, "session_conflict");
 * assertEquals(error.reason, "taken");
 * ```
 */
export class SessionConflictError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "SessionConflictError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "session_conflict";

  /** The cause: another request took the value, or ended the session. */
  readonly reason: "taken" | "ended";

  /**
   * Creates the error.
   *
   * @param reason The cause of the conflict.
   */
  constructor(reason: "taken" | "ended") {
    super(
      reason === "taken"
        ? "Cannot commit session: another request took the same value first"
        : "Cannot commit session: another request ended it",
    );
    this.reason = reason;
  }

  /**
   * Creates the response that the router sends: 409 Conflict.
   *
   * @param context The context of the request.
   * @returns The response.
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    return context.createErrorResponse({ status: 409 }, {
      "Cache-Control": "no-store",
    });
  }
}

const TOO_MANY = {
  address: "too many anonymous sessions from this address",
  total: "too many anonymous sessions in total",
  user: "the user has too many sessions",
} as const;

/**
 * Thrown when a session cannot begin because of a limit: an anonymous session
 * beyond `anonymousLimit`, or a login beyond `maxSessions` with the action
 * `"refuse"`.
 *
 * If nothing catches it, the router answers 429 (limit per address) or
 * 503 (total limit) with `Retry-After`, or 409 (limit per user), without calling
 * `onError`.
 *
 * @example Read the limit
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { SessionLimitError } from "@gatehouse/web/session";
 *
 * const error = new SessionLimitError("address", 30);
 * assertEquals(error.code, "session_limit");
 * assertEquals(error.retryAfter, 30);
 * ```
 */
export class SessionLimitError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "SessionLimitError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "session_limit";

  /**
   * The limit that was reached: of anonymous sessions per address or in total, or
   * of the sessions of a user.
   */
  readonly limit: "address" | "total" | "user";

  /**
   * Seconds until anonymous sessions can begin again. It is 0 for the limit of a
   * user.
   */
  readonly retryAfter: number;

  /**
   * Creates the error.
   *
   * @param limit The limit that was reached.
   * @param retryAfter Seconds until sessions can begin again.
   */
  constructor(limit: "address" | "total" | "user", retryAfter = 0) {
    super(`Cannot begin session: ${TOO_MANY[limit]}`);
    this.limit = limit;
    this.retryAfter = retryAfter;
  }

  /**
   * Creates the response that the router sends: 429 Too Many Requests, 503
   * Service Unavailable, or 409 Conflict.
   *
   * @param context The context of the request.
   * @returns The response.
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    const headers = new Headers({ "Cache-Control": "no-store" });
    if (this.limit === "user") {
      return context.createErrorResponse({ status: 409 }, headers);
    }
    headers.set("Retry-After", String(this.retryAfter));
    const status = this.limit === "address" ? 429 : 503;
    return context.createErrorResponse({ status }, headers);
  }
}

/**
 * Thrown when the session store fails. The request fails too, because an
 * unavailable store must not look like a logout.
 *
 * The error is safe to log. Database drivers attach the arguments of a failed
 * command to their errors, and those contain session data. The `cause`
 * therefore contains only the name, the code and the beginning of the message
 * of the driver's error, up to the first quote, bracket or other sign of an
 * argument.
 *
 * @example Respond with 503
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { SessionStoreError } from "@gatehouse/web/session";
 *
 * const router = createRouter({
 *   onError: (error, context) =>
 *     context.createErrorResponse({
 *       status: error instanceof SessionStoreError ? 503 : 500,
 *     }),
 * });
 * router.get("/", () => {
 *   throw new SessionStoreError("read");
 * });
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(response.status, 503);
 * ```
 */
export class SessionStoreError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "SessionStoreError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "session_store_failed";

  /** The status of the response, if the router has no `onError`. */
  readonly status = 503;

  /** The name, code and safe part of the message of the driver's error. */
  declare readonly cause?: SafeCause;

  /**
   * Creates the error.
   *
   * @param verb The action that failed, such as `"read"`.
   * @param options The store's error as `cause`.
   */
  constructor(verb: string, options: ErrorOptions = {}) {
    const cause = safeCause(options.cause);
    super(
      `Cannot ${verb} session: the store failed`,
      cause === undefined ? undefined : { cause },
    );
  }
}

/** The part of an error that is safe to print. */
export interface SafeCause {
  /** The name of the error's class. */
  readonly name: string;
  /** The beginning of the message. */
  readonly message: string;
  /** The code, such as `"ECONNREFUSED"`. */
  readonly code?: string | number;
}

/** The maximum length of a message, in characters. */
const MAX_MESSAGE = 160;

/**
 * The first sign of an argument in a message. Databases and drivers quote invalid
 * values ("invalid input syntax for type bigint: "x"", "with args beginning with:
 * 'x'"), and stored sessions are JSON. A URL can contain a password, and wrappers
 * such as Drizzle print the parameters on a second line.
 */
const ARGUMENT =
  /["'`“‘«{[(<%=]|:\/\/|\p{Cc}|\p{Zl}|\p{Zp}|[\w+/~-]{25,}|\b(?:args|params|parameters|values?)\b/iu;

/** A name or a code: one short word. */
const WORD = /^[\w.-]{1,64}$/;

/**
 * Reduces the error of a driver to its name, its code and its message before the
 * first argument. The rest can contain session data: ioredis attaches the
 * command, postgres.js the parameters.
 *
 * @param cause The driver's error.
 * @returns A plain object, or `undefined` if there is no cause.
 */
export function safeCause(cause: unknown): SafeCause | undefined {
  if (cause === undefined) return undefined;
  const { code, message, name } = propertiesOf(cause);
  // A wrapper has no code, but its cause may have one.
  const known = codeOf(code) ??
    codeOf(propertiesOf(propertiesOf(cause).cause).code);
  return {
    name: typeof name === "string" && WORD.test(name) ? name : "Error",
    message: typeof message === "string" ? shorten(message) : "",
    ...known !== undefined && { code: known },
  };
}

function propertiesOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null
    ? value as Record<string, unknown>
    : {};
}

function codeOf(code: unknown): string | number | undefined {
  if (typeof code === "number") return code;
  return typeof code === "string" && WORD.test(code) ? code : undefined;
}

/** Cuts off a message before the first argument. */
function shorten(message: string): string {
  const end = message.search(ARGUMENT);
  if (end < 0 && message.length <= MAX_MESSAGE) return message;
  const length = Math.min(end < 0 ? Infinity : end, MAX_MESSAGE);
  return `${message.slice(0, length).trimEnd()} …`.trimStart();
}
