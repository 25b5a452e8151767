import type { RequestContext } from "../context/context.ts";
import type { ProblemInit } from "./error_response.ts";

/** Options for {@linkcode HTTPError}. */
export interface HTTPErrorOptions {
  /**
   * The error that led to this one. The response does not contain it.
   *
   * @default {undefined}
   */
  readonly cause?: unknown;
  /**
   * Headers of the response, such as `Retry-After`.
   *
   * @default {no headers}
   */
  readonly headers?: HeadersInit;
  /**
   * Other members of the problem details, such as `type` or `errors`.
   *
   * @default {no other members}
   */
  readonly problem?: Omit<ProblemInit, "status" | "detail">;
}

/**
 * An error with a status, to throw from a handler or from a function that it
 * calls. The router responds with problem details to clients that prefer JSON,
 * and with text to others, without calling `onError`.
 *
 * Trust: the response contains the message. It never contains the `cause`.
 *
 * @example A note that does not exist
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter, HTTPError } from "@gatehouse/web/fetch-router";
 *
 * const router = createRouter();
 * router.get("/notes/:id", ({ params }) => {
 *   throw new HTTPError(404, `There is no note ${params.id}`);
 * });
 *
 * const response = await router.fetch("https://example.com/notes/7", {
 *   headers: { Accept: "application/json" },
 * });
 * assertEquals(await response.json(), {
 *   title: "Not Found",
 *   status: 404,
 *   detail: "There is no note 7",
 * });
 * ```
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 | RFC 9457, Problem Details for HTTP APIs}
 */
export class HTTPError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "HTTPError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "http_error";

  /** The status code of the response. */
  readonly status: number;

  /** The headers of the response. */
  readonly headers: Headers;

  /** The problem details. */
  readonly problem: ProblemInit;

  /**
   * Creates the error.
   *
   * @param status The status code, from 400 to 599.
   * @param message The explanation that the client gets. An empty one stands for
   * the standard text of the status.
   * @param options The headers, the problem details and the cause.
   * @throws {RangeError} If the status is not one of an error.
   */
  constructor(status: number, message = "", options: HTTPErrorOptions = {}) {
    super(message, options);
    if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
      throw new RangeError(
        `Cannot create HTTP error with status "${status}": it is not 400 to 599`,
      );
    }
    this.status = status;
    this.headers = new Headers(options.headers);
    const detail = message === "" ? undefined : message;
    this.problem = { ...options.problem, status, detail };
  }

  /**
   * Creates the response that the router sends.
   *
   * @param context The context of the request.
   * @returns The response.
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    return context.createErrorResponse(this.problem, this.headers);
  }
}
