import type { Middleware } from "../mod.ts";

/** Options for {@linkcode methodOverride}. */
export interface MethodOverrideOptions {
  /**
   * The form field that names the method.
   *
   * @default {"_method"}
   */
  readonly fieldName?: string;
}

const overridable: readonly string[] = ["PUT", "PATCH", "DELETE"];

/**
 * Creates a middleware that dispatches a POST as the PUT, PATCH or DELETE that
 * a field of its form names. `context.method` then differs from the request's.
 *
 * Put it after `formData()`, which reads the form. Other methods and other values
 * change nothing.
 *
 * @example Deleting by a form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData, methodOverride } from "@gatehouse/web/middleware";
 *
 * const router = createRouter({ middleware: [formData(), methodOverride()] });
 * router.delete("/notes/:id", ({ params }) => new Response(`Gone: ${params.id}`));
 *
 * const response = await router.fetch("https://example.com/notes/7", {
 *   method: "POST",
 *   body: new URLSearchParams({ _method: "DELETE" }),
 * });
 * assertEquals(await response.text(), "Gone: 7");
 * ```
 *
 * @param options The name of the field.
 * @returns The middleware.
 */
export function methodOverride(
  options: MethodOverrideOptions = {},
): Middleware<readonly []> {
  const { fieldName = "_method" } = options;
  return (context, next) => {
    if (context.method === "POST" && context.has(FormData)) {
      const wanted = context.get(FormData).get(fieldName);
      const method = typeof wanted === "string" ? wanted.toUpperCase() : "";
      if (overridable.includes(method)) {
        context.method = method as "PUT" | "PATCH" | "DELETE";
      }
    }
    return next();
  };
}
