// On Deno these globals are getters: to look one up costs more than all that is
// done with it here.
const RequestClass = /* @__PURE__ */ (() => Request)();
const ResponseClass = /* @__PURE__ */ (() => Response)();

/** Whether a value is a request. */
export function isRequest(value: unknown): value is Request {
  return value instanceof RequestClass;
}

/** Whether a status is that of a redirect (Fetch, redirect status). */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Whether a value is a response. */
export function isResponse(value: unknown): value is Response {
  return value instanceof ResponseClass;
}
