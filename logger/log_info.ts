/**
 * The end of a response: it was sent (`complete`), the client left
 * (`aborted`), or its body failed (`failed`).
 *
 * Without `countBytes` the logger does not see the end of a body. A response is
 * then `complete` as soon as the handler returns it, and `aborted` if the
 * handler gave up because the client left.
 */
export type LogOutcome = "complete" | "aborted" | "failed";

/**
 * The facts about a request that a format receives. Except for redacted
 * secrets, strings are as the client sent them: escape them.
 */
export interface LogInfo {
  /** The HTTP method that the client sent. */
  readonly method: string;
  /** The path and the query of the URL, with secrets redacted. */
  readonly url: string;
  /**
   * The status of the response. It is 499 if the handler gave up because the
   * client left.
   */
  readonly status: number;
  /**
   * The milliseconds from the request to the response, or with `countBytes` to
   * the end of its body.
   */
  readonly responseTime: number;
  /** The length of the response body in bytes, if it is known. */
  readonly contentLength: number | undefined;
  /** The `User-Agent` header. */
  readonly userAgent: string | undefined;
  /** The `Referer` header without its fragment, with secrets redacted. */
  readonly referrer: string | undefined;
  /** The client's address, if the router knows it. */
  readonly remoteAddress: string | undefined;
  /** The time of the request, in epoch milliseconds. */
  readonly timestamp: number;
  /** The protocol. It is `HTTP/1.1` unless the runtime provides another. */
  readonly protocol: string;
  /** The scheme of the URL, such as `https`. */
  readonly scheme: string;
  /** The host of the URL, with the port unless it is the scheme's default. */
  readonly host: string;
  /** The pattern of the matched route, with the prefixes of mounts. */
  readonly route: string | undefined;
  /** The result of the `user` option. */
  readonly user: string | undefined;
  /** The end of the response. */
  readonly outcome: LogOutcome;
  /**
   * The name of the error that the handler threw, unless it was answered with a
   * status from 400 to 499, or of the error that the body failed with.
   */
  readonly error: string | undefined;
  /** The id of the request, for `json` and functions. */
  readonly requestId: string | undefined;
  /** The id of the trace (W3C Trace Context), for `json` and functions. */
  readonly traceId: string | undefined;
  /** The id of the request within the trace, for `json` and functions. */
  readonly spanId: string | undefined;
}
