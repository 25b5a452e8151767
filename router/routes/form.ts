import type { JoinPatterns } from "./route_map.ts";
import { Route } from "./route.ts";

/** Options for {@linkcode form}. */
export interface FormOptions<
  Method extends FormMethod = FormMethod,
  IndexName extends string = string,
  ActionName extends string = string,
> {
  /**
   * The method that takes the form.
   *
   * @default {"POST"}
   */
  readonly formMethod?: Method;
  /**
   * The names of the two routes.
   *
   * @default {index: "index", action: "action"}
   */
  readonly names?: {
    /** The name of the route that shows the form. */
    readonly index?: IndexName;
    /** The name of the route that takes it. */
    readonly action?: ActionName;
  };
}

/** The methods that can take a form. */
export type FormMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** The pair of routes that {@linkcode form} makes. */
export type FormRoutes<
  Name extends string,
  Method extends FormMethod,
  IndexName extends string,
  ActionName extends string,
> =
  & { readonly [Key in IndexName]: Route<"GET", JoinPatterns<"", Name>> }
  & { readonly [Key in ActionName]: Route<Method, JoinPatterns<"", Name>> };

/**
 * Makes the pair of routes of a form: one that shows it, one that takes it.
 *
 * @example A login form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { form, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({ login: form("login") });
 * assertEquals(routes.login.index.method, "GET");
 * assertEquals(routes.login.action.method, "POST");
 * assertEquals(routes.login.action.href(), "/login");
 * ```
 *
 * @param name The path of both, without or with a leading slash.
 * @param options The method of the second, and other names.
 * @returns The two routes.
 * @throws {TypeError} If both get one name, or the path is not a valid pattern.
 */
export function form<
  const Name extends string,
  const Method extends FormMethod = "POST",
  const IndexName extends string = "index",
  const ActionName extends string = "action",
>(
  name: Name,
  options: FormOptions<Method, IndexName, ActionName> = {},
): FormRoutes<Name, NoInfer<Method>, NoInfer<IndexName>, NoInfer<ActionName>> {
  const { formMethod = "POST", names = {} } = options;
  const { index = "index", action = "action" } = names;
  if (index as string === action) {
    throw new TypeError(
      `Cannot make the routes of "${name}": two are called "${index}"`,
    );
  }
  return {
    [index]: new Route("GET", name),
    [action]: new Route(formMethod, name),
  } as FormRoutes<Name, Method, IndexName, ActionName>;
}
