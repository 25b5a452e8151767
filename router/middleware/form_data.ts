/**
 * Reads the forms that clients send, within bounds.
 *
 * @module
 */
import type { ContextEntry, Middleware } from "../mod.ts";
import { bound, REASONS } from "./_body.ts";
import { FORM_BOUNDS, hasForm, readForm } from "./_form_body.ts";

/** Options for {@linkcode formData}. */
export interface FormDataOptions {
  /**
   * The largest body, in bytes.
   *
   * @default {2097152}
   */
  readonly maxBytes?: number;
  /**
   * The most parts, fields and files together.
   *
   * @default {100}
   */
  readonly maxParts?: number;
  /**
   * The most files.
   *
   * @default {10}
   */
  readonly maxFiles?: number;
  /**
   * The longest time that a body may take to arrive, in milliseconds.
   *
   * @default {30000}
   */
  readonly timeout?: number;
}

/** What {@linkcode formData} provides: the form, under the class `FormData`. */
export type FormDataEntry = ContextEntry<typeof FormData, FormData>;

/** The forms that bodies were read as. */
const readForms = /* @__PURE__ */ new WeakSet<FormData>();

/**
 * Creates a middleware that reads the form in a request's body, for
 * `context.get(FormData)`.
 *
 * Where the body is no form (another content type, or a GET) the form is empty
 * and the body is left alone. A form that is too large or has too many parts is
 * answered 413, one that is malformed 400, one in an encoding that is not read
 * 415, one that does not arrive in time 408. A form that was read before stays:
 * the bounds of the first `formData()` count.
 *
 * @example Reading a field
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/form-data-middleware";
 *
 * const router = createRouter({ middleware: [formData()] });
 * router.post("/greet", (context) => {
 *   const name = context.get(FormData).get("name");
 *   return new Response(`Hello ${name}`);
 * });
 *
 * const response = await router.fetch("https://example.com/greet", {
 *   method: "POST",
 *   body: new URLSearchParams({ name: "Ada" }),
 * });
 * assertEquals(await response.text(), "Hello Ada");
 * ```
 *
 * @param options The bounds.
 * @returns The middleware.
 * @throws {RangeError} If a bound is no number of at least zero.
 */
export function formData(
  options: FormDataOptions = {},
): Middleware<readonly [FormDataEntry]> {
  const bounds = bound(FORM_BOUNDS, options);
  return async (context, next) => {
    const { request } = context;
    // A mounted router has the body once more, and the same values.
    const isRead = context.has(FormData) &&
      (request.bodyUsed || readForms.has(context.get(FormData)));
    if (isRead) return next();
    if (request.body === null || !hasForm(request)) {
      context.set(FormData, new FormData());
      return next();
    }
    const form = await readForm(request, bounds);
    if (typeof form === "number") {
      return new Response(REASONS[form], { status: form });
    }
    readForms.add(form);
    context.set(FormData, form);
    return next();
  };
}
