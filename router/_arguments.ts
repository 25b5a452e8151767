/** What `fetch` was called with, told apart. */
export interface FetchArguments {
  /** The request, built where there was only a URL. */
  readonly request: Request;
  /** What the runtime passed besides. */
  readonly platform: readonly unknown[];
}

const none: readonly unknown[] = Object.freeze([]);

/** The members of RequestInit, of the standard and of the three runtimes. */
const initMembers = new Set([
  "body",
  "cache",
  "cf",
  "client",
  "credentials",
  "duplex",
  "fetcher",
  "headers",
  "integrity",
  "keepalive",
  "method",
  "mode",
  "priority",
  "proxy",
  "redirect",
  "referrer",
  "referrerPolicy",
  "signal",
  "tls",
  "verbose",
  "window",
]);

/**
 * Tells an init from what a runtime passes as second argument: an init stands
 * alone, is a plain object, and all its keys are members of RequestInit.
 */
export function readArguments(
  input: string | URL | Request,
  second: unknown,
  rest: readonly unknown[],
): FetchArguments {
  if (!(input instanceof Request)) {
    const request = new Request(input, second as RequestInit | undefined);
    return { request, platform: rest };
  }
  if (second === undefined && rest.length === 0) {
    return { request: input, platform: none };
  }
  if (rest.length === 0 && isInit(second)) {
    return { request: new Request(input, second), platform: none };
  }
  return { request: input, platform: [second, ...rest] };
}

function isInit(value: unknown): value is RequestInit {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => initMembers.has(key));
}
