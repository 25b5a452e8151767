import { type SafeCause, safeCause } from "./_safe_cause.ts";

export type { SafeCause };

/**
 * Thrown by {@linkcode Session.commit} when what must happen once has already
 * happened elsewhere: another request took the same value, or the session ended.
 *
 * If nothing catches it, the router answers 409, without calling `onError`.
 *
 * @example Telling it apart by its code
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

  /** What got in the way. */
  readonly reason: "taken" | "ended";

  /**
   * Creates the error.
   *
   * @param reason What got in the way.
   */
  constructor(reason: "taken" | "ended") {
    super(
      reason === "taken"
        ? "Cannot commit session: another request took the same value first"
        : "Cannot commit session: it has ended meanwhile",
    );
    this.reason = reason;
  }

  /**
   * Creates the response that the router sends: 409 Conflict.
   *
   * @returns The response.
   */
  toResponse(): Response {
    return new Response("Conflict", {
      status: 409,
      headers: { "Cache-Control": "no-store" },
    });
  }
}

/**
 * Thrown when the session store fails. The request fails with it: an
 * unavailable store must not look like a logout.
 *
 * The error is safe to log. Drivers attach the arguments of the failed command
 * to their errors, which include what sessions hold. So the `cause` has only the
 * name, the code and the beginning of the message of the driver's error, up to
 * the first quote, bracket or other sign of an argument.
 *
 * @example Answering 503
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { SessionStoreError } from "@gatehouse/web/session";
 *
 * const router = createRouter({
 *   onError: (error) =>
 *     error instanceof SessionStoreError
 *       ? new Response("Service Unavailable", { status: 503 })
 *       : new Response("Internal Server Error", { status: 500 }),
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

  /** The name, code and safe part of the message of the driver's error. */
  declare readonly cause?: SafeCause;

  /**
   * Creates the error.
   *
   * @param verb The action that failed, such as `"read"`.
   * @param options The error of the store, as `cause`.
   */
  constructor(verb: string, options: ErrorOptions = {}) {
    const cause = safeCause(options.cause);
    super(
      `Cannot ${verb} session: the store failed`,
      cause === undefined ? undefined : { cause },
    );
  }
}
