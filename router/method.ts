/**
 * A method that routes can be registered for: one of HTTP's, or another in upper
 * case, such as `QUERY` or `PROPFIND`.
 */
export type RequestMethod =
  | "GET"
  | "HEAD"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "OPTIONS"
  // This type lets editors suggest the names above.
  | (Uppercase<string> & Record<never, never>);

/** The method of a route, several methods that share a handler, or `"ANY"`. */
export type RouteMethod = RequestMethod | "ANY" | readonly RequestMethod[];

/** The methods that a router has functions for, and that `"ANY"` allows. */
export const requestMethods: readonly RequestMethod[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/** Returns `true` for `"ANY"` and the methods that a router has functions for. */
export function isKnownMethod(method: string): boolean {
  return method === "ANY" || requestMethods.includes(method as RequestMethod);
}

/** The methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Returns `true` for a token, such as a method or the name of a header or a
 * cookie (RFC 9110, section 5.6.2).
 */
export function isToken(value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(value);
}

/** No request has these (Fetch, "forbidden method"). */
const FORBIDDEN = /^(?:connect|trace|track)$/i;

/**
 * Returns the method.
 *
 * @throws {TypeError} If it is not a method, or in lower case: methods are
 * case-sensitive, and a route for "get" would never match.
 */
function checkMethod<Method extends string>(method: Method): Method {
  const isMethod = isToken(method) && !FORBIDDEN.test(method);
  const isKnown = isKnownMethod(method);
  if (isKnown || isMethod && !isKnownMethod(method.toUpperCase())) {
    return method;
  }
  throw new TypeError(
    `Cannot create a route for "${method}": it is not a method such as "GET"`,
  );
}

/**
 * Returns the methods of a route as an array.
 *
 * @throws {TypeError} If the array is empty, or an element is not a method.
 */
export function methodsOf(method: RouteMethod): (RequestMethod | "ANY")[] {
  const methods = typeof method === "string" ? [method] : [...method];
  if (methods.length === 0) {
    throw new TypeError("Cannot create a route: it has no method");
  }
  return methods.map(checkMethod);
}
