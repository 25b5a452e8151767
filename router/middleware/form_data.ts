import { type ContextKey, createContextKey } from "../context/context_key.ts";
import type { ContextEntry, Middleware } from "../mod.ts";
import { describeMiddleware } from "./describe_middleware.ts";
import { limitsOf } from "./_body.ts";
import { FORM_LIMITS, hasForm, readForm } from "./_form_body.ts";

/** Options for {@linkcode formData}. */
export interface FormDataOptions {
  /**
   * The largest body, in bytes.
   *
   * @default {2097152}
   */
  readonly maxBytes?: number;
  /**
   * The maximum number of parts, fields and files together.
   *
   * @default {100}
   */
  readonly maxParts?: number;
  /**
   * The maximum number of files.
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

/** The entry of {@linkcode formData}: the form, with the key `FormData`. */
export type FormDataEntry = ContextEntry<typeof FormData, FormData>;

/** The context key of the form that this middleware has read, within limits. */
const ReadForm: ContextKey<FormData | null> = /* @__PURE__ */ createContextKey<
  FormData | null
>(null, { name: "ReadForm" });

/**
 * Creates a middleware that reads the form in a request's body, for
 * `context.get(FormData)`.
 *
 * For other content types and for GET, the form is empty and the body is not
 * read. A form that is too large or has too many parts gets a 413, a malformed one
 * a 400, one in an unsupported encoding a 415, and one that is late a 408. A form
 * that was read before stays: the limits of the first `formData()` count.
 *
 * @example Reading a field
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/middleware";
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
 * If several of these middleware are in a chain, the outermost one reads the body,
 * so only its limits count.
 *
 * @param options The limits.
 * @returns The middleware.
 * @throws {RangeError} If a limit is not a number of at least zero.
 */
export function formData(
  options: FormDataOptions = {},
): Middleware<readonly [FormDataEntry]> {
  const limits = limitsOf(FORM_LIMITS, options);
  const middleware: Middleware<readonly [FormDataEntry]> = (context, next) => {
    const { request } = context;
    // A mounted router gets a new body and the same values.
    const isRead = context.has(FormData) &&
      (request.bodyUsed || context.get(ReadForm) === context.get(FormData));
    if (isRead) return next();
    if (hasForm(request)) return read(context, next);
    context.set(FormData, new FormData());
    return next();
  };
  const read: typeof middleware = async (context, next) => {
    const form = await readForm(context, limits);
    if (typeof form === "number") {
      return await context.createErrorResponse({ status: form });
    }
    context.set(ReadForm, form);
    context.set(FormData, form);
    return next();
  };
  return describeMiddleware(middleware, {
    responses: { 400: "", 408: "", 413: "", 415: "" },
    unsafeOnly: true,
  });
}
