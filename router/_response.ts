// On Deno these globals are getters: to look one up costs more than all that is
// done with it here.
const RequestClass = /* @__PURE__ */ (() => Request)();
const ResponseClass = /* @__PURE__ */ (() => Response)();

/** A promise of a response that is there: quicker than `Promise.resolve`. */
// deno-lint-ignore require-await -- to be async is all that it is for
export async function promiseOf(response: Response): Promise<Response> {
  return response;
}

/** Whether a value is a request. */
export function isRequest(value: unknown): value is Request {
  return value instanceof RequestClass;
}

/** Whether a value is a response. */
export function isResponse(value: unknown): value is Response {
  return value instanceof ResponseClass;
}
