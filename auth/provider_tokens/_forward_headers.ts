import { containsSecret } from "./_forward_body.ts";

/** The request headers that reach the API, in addition to those of the option. */
const REQUEST_HEADERS: readonly string[] = [
  "Accept",
  "Accept-Language",
  "Content-Language",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-Modified-Since",
  "If-None-Match",
  "If-Range",
  "If-Unmodified-Since",
  "Last-Event-ID",
  "Prefer",
  "Range",
];

/**
 * The response headers that reach the browser, in addition to those of the
 * option.
 */
const RESPONSE_HEADERS: readonly string[] = [
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Language",
  "Content-Range",
  "Content-Type",
  "Deprecation",
  "ETag",
  "Last-Modified",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
];

/**
 * The request headers that never reach the API: credentials, hop-by-hop headers,
 * the addresses of proxies, and headers that change the host, path or method.
 */
const NEVER_SENT =
  /^(?:authorization|connection|content-(?:encoding|length)|cookie2?|dpop|expect|forwarded|host|http2-settings|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|true-client-ip|upgrade|via|x-(?:client-ip|forwarded.*|host|http-.*|method.*|original-.*|real-ip|rewrite-.*)|cf-.*|x-csrf.*)$/i;

/**
 * The response headers that never reach the browser: credentials, hop-by-hop
 * headers, and those with which the API would control the application's origin.
 */
const NEVER_RETURNED =
  /^(?:access-control-.*|alt-svc|authentication-info|cache-control|clear-site-data|connection|content-(?:encoding|length|security-policy.*)|cross-origin-.*|dpop-nonce|expires|keep-alive|location|nel|origin-agent-cluster|permissions-policy|proxy-.*|refresh|report(?:-to|ing-endpoints)|service-worker.*|set-(?:cookie2?|login)|sourcemap|strict-transport-security|te|trailer|transfer-encoding|upgrade|vary|www-authenticate|x-(?:content-type-options|frame-options|sourcemap))$/i;

/** Selects the headers that a forwarder passes. */
export class HeaderRules {
  readonly #request: readonly string[];
  readonly #response: readonly string[];

  /** @throws {TypeError} If a name is invalid, or of a header that never passes. */
  constructor(request: readonly string[], response: readonly string[]) {
    checkNames(request, NEVER_SENT);
    checkNames(response, NEVER_RETURNED);
    this.#request = [...REQUEST_HEADERS, ...request];
    this.#response = [...RESPONSE_HEADERS, ...response];
  }

  /** Returns the headers for the API, without the token. */
  forRequest(headers: Headers): Headers {
    // These headers belong to this connection only (RFC 9110, section 7.6.1).
    const ofConnection = (headers.get("Connection") ?? "").toLowerCase()
      .split(",").map((name) => name.trim());
    const passed = this.#request
      .filter((name) => !ofConnection.includes(name.toLowerCase()));
    const copy = copyOf(headers, passed);
    // Some APIs require this header, and workerd does not send one.
    copy.set("User-Agent", "Gatehouse");
    return copy;
  }

  /** Returns the headers for the browser. A header with the token is left out. */
  forResponse(headers: Headers, token: string): Headers {
    const copy = copyOf(headers, this.#response, token);
    // Another user of the same browser must not see the response.
    copy.set("Cache-Control", "no-store");
    // A document of the API must not run scripts in the application's origin.
    copy.set("Content-Security-Policy", "default-src 'none'; sandbox");
    copy.set("X-Content-Type-Options", "nosniff");
    return copy;
  }
}

function copyOf(
  headers: Headers,
  names: readonly string[],
  secret?: string,
): Headers {
  const copy = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    const isPassed = value !== null &&
      (secret === undefined || !containsSecret(value, secret));
    if (isPassed) copy.set(name, value);
  }
  return copy;
}

function checkNames(names: readonly string[], never: RegExp): void {
  for (const name of names) {
    if (/^[\w-]+$/.test(name) && !never.test(name)) continue;
    throw new TypeError(
      `Cannot forward the header "${name}": it can't be passed`,
    );
  }
}
