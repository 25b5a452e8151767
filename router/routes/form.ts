import type { JoinPatterns } from "./route_map.ts";
import type { Operation } from "./operation.ts";
import type { OperationOf } from "./resources.ts";
import { Route } from "./route.ts";

/** Options for {@linkcode form}. */
export interface FormOptions {
  /**
   * The method that submits the form.
   *
   * @default {"POST"}
   */
  readonly formMethod?: FormMethod;
  /**
   * The names of the two routes.
   *
   * @default {index: "index", action: "action"}
   */
  readonly names?: {
    /** The name of the route that shows the form. */
    readonly index?: string;
    /** The name of the route that the form is submitted to. */
    readonly action?: string;
  };
  /**
   * The descriptions of the two routes.
   *
   * @default {no descriptions}
   */
  readonly operations?: {
    /** The description of the route that shows the form. */
    readonly index?: Operation;
    /** The description of the route that the form is submitted to. */
    readonly action?: Operation;
  };
}

/** The methods that can submit a form. */
export type FormMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** The pair of routes that {@linkcode form} creates. */
export type FormRoutes<Path extends string, Options> =
  & {
    readonly [
      Key in Options extends
        { readonly names: { readonly index: infer Name extends string } } ? Name
        : "index"
    ]: Route<"GET", JoinPatterns<"", Path>, OperationOf<Options, "index">>;
  }
  & {
    readonly [
      Key in Options extends
        { readonly names: { readonly action: infer Name extends string } }
        ? Name
        : "action"
    ]: Route<
      Options extends { readonly formMethod: infer Method extends FormMethod }
        ? Method
        : "POST",
      JoinPatterns<"", Path>,
      OperationOf<Options, "action">
    >;
  };

/**
 * Creates the two routes of a form: one shows it, the other handles it.
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
 * @param path The path of both, with or without a leading slash.
 * @param options The method of the second route, and other names.
 * @returns The two routes.
 * @throws {TypeError} If both have the same name, or the path is an invalid
 * pattern.
 */
export function form<
  const Path extends string,
  const Options extends FormOptions = Record<never, never>,
>(path: Path, options?: Options): FormRoutes<Path, Options> {
  const { formMethod = "POST", names = {}, operations = {} } = options ??
    {} as FormOptions;
  const { index = "index", action = "action" } = names;
  if (index === action) {
    throw new TypeError(
      `Cannot create the routes of "${path}": two are called "${index}"`,
    );
  }
  return {
    [index]: new Route("GET", path, operations.index),
    [action]: new Route(formMethod, path, operations.action),
  } as FormRoutes<Path, Options>;
}
