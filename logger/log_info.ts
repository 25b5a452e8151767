/**
 * How a response ended: sent whole, left by the client, or broken off because
 * its body failed. Without `countBytes` a response counts as complete as soon
 * as it is there; only a handler that gave up tells of a client that left.
 */
export type LogOutcome = "complete" | "aborted" | "failed";

/**
 * What is known of a request once its response is there. Texts are as the
 * client sent them, secrets in queries aside: escape them.
 */
export interface LogInfo {
  /** The HTTP method, as the client sent it. */
  readonly method: string;
  /** The path and the query of the URL, secrets in the query redacted. */
  readonly url: string;
  /**
   * The status of the response. It is 499 if the handler gave up because the
   * client left.
   */
  readonly status: number;
  /**
   * Milliseconds from the request to the response; with `countBytes`, to the
   * end of its body.
   */
  readonly responseTime: number;
  /** Bytes of the response's body, where they are known. */
  readonly contentLength: number | undefined;
  /** The `User-Agent` header. */
  readonly userAgent: string | undefined;
  /** The `Referer` header, without fragment, secrets in its query redacted. */
  readonly referrer: string | undefined;
  /** The client's address, where the router knows it. */
  readonly remoteAddress: string | undefined;
  /** When the request came in, in epoch milliseconds. */
  readonly timestamp: number;
  /** The protocol; `HTTP/1.1` where the runtime does not tell it. */
  readonly protocol: string;
  /** The scheme of the URL, such as `https`. */
  readonly scheme: string;
  /** The host of the URL, with the port where it is not the scheme's own. */
  readonly host: string;
  /** The pattern of the matched route. */
  readonly route: string | undefined;
  /** What the `user` option gave. */
  readonly user: string | undefined;
  /** How the response ended. */
  readonly outcome: LogOutcome;
  /**
   * The name of the error that the handler threw, unless it was answered with a
   * status from 400 to 499, or of the error that the body failed with.
   */
  readonly error: string | undefined;
  /** The id of the request; `undefined` in formats that have no place for it. */
  readonly requestId: string | undefined;
  /** The id of the trace, likewise (W3C Trace Context). */
  readonly traceId: string | undefined;
  /** The id of the request within the trace, likewise. */
  readonly spanId: string | undefined;
}
