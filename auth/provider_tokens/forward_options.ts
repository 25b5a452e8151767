import { checkPositive, MAX_TIMEOUT } from "../../router/internal.ts";
import type { TokenSource } from "./token_result.ts";

/** A method that can be forwarded. A path with `GET` also allows `HEAD`. */
export type ForwardMethod =
  | "GET"
  | "HEAD"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "QUERY";

/** Options for `forwardTo`. */
export interface ForwardOptions {
  /** The tokens of the users, such as those of `keepTokens`. */
  readonly tokens: TokenSource;
  /**
   * The allowed methods by path: patterns such as `/notes/:id` and `/notes/*`,
   * below the target and the mount. Everything else gets a 404 or a 405.
   */
  readonly paths: Readonly<Record<`/${string}`, readonly ForwardMethod[]>>;
  /**
   * More request headers for the API, such as `X-Request-Id`.
   *
   * @default {[]}
   */
  readonly requestHeaders?: readonly string[];
  /**
   * More response headers for the browser, such as `Link`.
   *
   * @default {[]}
   */
  readonly responseHeaders?: readonly string[];
  /**
   * The largest request body, in bytes.
   *
   * @default {1_048_576} 1 MiB
   */
  readonly maxRequestBytes?: number;
  /**
   * The largest response body, in bytes.
   *
   * @default {104_857_600} 100 MiB
   */
  readonly maxResponseBytes?: number;
  /**
   * The milliseconds until the API's response must begin.
   *
   * @default {30_000}
   */
  readonly responseTimeout?: number;
  /**
   * The longest time between two parts of the API's response, in milliseconds.
   *
   * @default {60_000}
   */
  readonly idleTimeout?: number;
  /**
   * The milliseconds until the API's response must end, even if it is a stream.
   *
   * @default {600_000}
   */
  readonly totalTimeout?: number;
  /**
   * Receives the reason if the API's response is missing or incomplete. It
   * contains no token and no query.
   *
   * @default {console.error}
   */
  readonly onError?: (error: Error) => void;
  /**
   * Sends the requests.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The options with their defaults. */
export type ResolvedForwardOptions = Required<ForwardOptions>;

/**
 * Returns the options with their defaults.
 *
 * @throws {RangeError} If a number is not positive.
 */
export function resolveForwardOptions(
  options: ForwardOptions,
): ResolvedForwardOptions {
  const {
    fetch,
    idleTimeout = 60_000,
    maxRequestBytes = 1_048_576,
    maxResponseBytes = 104_857_600,
    onError = (error) => console.error(error),
    requestHeaders = [],
    responseHeaders = [],
    responseTimeout = 30_000,
    totalTimeout = 600_000,
  } = options;
  const times = { responseTimeout, idleTimeout, totalTimeout };
  for (const [name, time] of Object.entries(times)) {
    checkPositive("forwarder", name, time, MAX_TIMEOUT);
  }
  checkPositive("forwarder", "maxResponseBytes", maxResponseBytes);
  return {
    ...options,
    ...times,
    maxRequestBytes,
    maxResponseBytes,
    onError,
    requestHeaders,
    responseHeaders,
    // It is called as a plain function, because workerd rejects fetch with
    // another `this`.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
  };
}
