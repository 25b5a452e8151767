/** The methods that routes can be registered for. */
export type RequestMethod =
  | "GET"
  | "HEAD"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "OPTIONS";

/** The methods that routes can be registered for, as a list. */
export const requestMethods: readonly RequestMethod[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/** Whether routes can be registered for a method. */
export function isMethod(method: string): boolean {
  return method === "ANY" || requestMethods.includes(method as RequestMethod);
}

/**
 * The method as it is.
 *
 * @throws {TypeError} If it is none, which types can't always tell.
 */
export function checkMethod<Method extends string>(method: Method): Method {
  if (isMethod(method)) return method;
  throw new TypeError(
    `Cannot create a route for "${method}": it is no method such as "GET"`,
  );
}
