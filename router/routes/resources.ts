import type { RequestMethod } from "../method.ts";
import { joinPaths, withSlash } from "../pattern/join_paths.ts";
import type { NoOperation, Operation } from "./operation.ts";
import type { JoinPatterns } from "./route_map.ts";
import { Route } from "./route.ts";

/** The routes that a resource can have. */
export type ResourcesMethod =
  | "index"
  | "new"
  | "create"
  | "show"
  | "edit"
  | "update"
  | "destroy";

/** The routes that a singular resource can have. */
export type ResourceMethod = Exclude<
  ResourcesMethod,
  "index" | "new" | "create"
>;

/** Options for {@linkcode resource}. */
export interface ResourceOptions<
  Only extends ResourcesMethod = ResourceMethod,
  Names extends ResourceNames = ResourceNames,
> {
  /**
   * The routes to create.
   *
   * @default {all of them}
   */
  readonly only?: readonly Only[];
  /**
   * The routes to omit. It must be absent if there is an `only`.
   *
   * @default {[]}
   */
  readonly exclude?: readonly Only[];
  /**
   * Other names for the routes.
   *
   * @default {the names of the methods}
   */
  readonly names?: Names;
  /**
   * The descriptions of the routes, by method.
   *
   * @default {no descriptions}
   */
  readonly operations?: ResourceOperations;
}

/** The descriptions of the routes. */
export type ResourceOperations = {
  readonly [Key in ResourcesMethod]?: Operation;
};

/** The names of the routes. */
export type ResourceNames = { readonly [Key in ResourcesMethod]?: string };

/** Options for {@linkcode resources}. */
export interface ResourcesOptions<
  Param extends string = string,
  Only extends ResourcesMethod = ResourcesMethod,
  Names extends ResourceNames = ResourceNames,
> extends ResourceOptions<Only, Names> {
  /**
   * The name of the param that identifies a member.
   *
   * @default {"id"}
   */
  readonly param?: Param;
}

/** The method and the pattern's end for every route of a collection. */
export interface ResourcesTable<Param extends string> {
  /** Lists the members. */
  readonly index: ["GET", ""];
  /** Shows the form for a new member. */
  readonly new: ["GET", "/new"];
  /** Adds a member. */
  readonly create: ["POST", ""];
  /** Shows a member. */
  readonly show: ["GET", `/:${Param}`];
  /** Shows the form of a member. */
  readonly edit: ["GET", `/:${Param}/edit`];
  /** Changes a member. */
  readonly update: ["PUT", `/:${Param}`];
  /** Removes a member. */
  readonly destroy: ["DELETE", `/:${Param}`];
}

/** The method and the pattern's end for every route of a single resource. */
export interface ResourceTable {
  /** Shows it. */
  readonly show: ["GET", ""];
  /** Shows its form. */
  readonly edit: ["GET", "/edit"];
  /** Changes it. */
  readonly update: ["PUT", ""];
  /** Removes it. */
  readonly destroy: ["DELETE", ""];
}

/** The routes of a table that `Options` select, by their names. */
export type ResourceRows<Table, Name extends string, Options> = {
  readonly [
    Key in keyof Table as Key extends
      (Options extends { readonly only: readonly (infer Only)[] } ? Only
        : Options extends { readonly exclude: readonly (infer Excluded)[] }
          ? Exclude<keyof Table, Excluded>
        : keyof Table) ? Options extends {
        readonly names: { readonly [Other in Key]: infer Given extends string };
      } ? Given
      : Key
      : never
  ]: Table[Key] extends
    [infer Method extends RequestMethod, infer End extends string]
    ? Route<Method, JoinPatterns<Name, End>, OperationOf<Options, Key>>
    : never;
};

/** The description in the options of a resource. */
export type OperationOf<Options, Key extends PropertyKey> = Options extends {
  readonly operations: {
    readonly [Other in Key]: infer Description extends Operation;
  };
} ? Description
  : NoOperation;

/** The routes that {@linkcode resources} creates. */
export type ResourcesRoutes<Name extends string, Options> = ResourceRows<
  ResourcesTable<
    Options extends { readonly param: infer Param extends string } ? Param
      : "id"
  >,
  Name,
  Options
>;

/** The routes that {@linkcode resource} creates. */
export type ResourceRoutes<Name extends string, Options> = ResourceRows<
  ResourceTable,
  Name,
  Options
>;

/**
 * Creates up to seven routes of a collection: its index, and those to show, create,
 * update and delete a member.
 *
 * @example Two of the seven routes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { resources, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({
 *   users: resources("users", { only: ["index", "show"], param: "name" }),
 * });
 * assertEquals(routes.users.index.href(), "/users");
 * assertEquals(routes.users.show.href({ name: "ada" }), "/users/ada");
 * ```
 *
 * @param name The path of the collection.
 * @param options The routes, their names, and the name of the param.
 * @returns The routes by name.
 * @throws {TypeError} If `only` and `exclude` are both given, two routes have the
 * same name, or the path is an invalid pattern.
 */
export function resources<
  const Name extends string,
  const Options extends ResourcesOptions = Record<never, never>,
>(name: Name, options?: Options): ResourcesRoutes<Name, Options> {
  const member = `/:${options?.param ?? "id"}`;
  const rows: Row[] = [
    ["index", "GET", ""],
    ["new", "GET", "/new"],
    ["create", "POST", ""],
    ["show", "GET", member],
    ["edit", "GET", `${member}/edit`],
    ["update", "PUT", member],
    ["destroy", "DELETE", member],
  ];
  return createRoutes(rows, name, options) as ResourcesRoutes<Name, Options>;
}

/**
 * Creates the routes of a single resource, such as the account of the user.
 *
 * @example The account of a user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { resource, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({ account: resource("account") });
 * assertEquals(routes.account.edit.href(), "/account/edit");
 * assertEquals(routes.account.update.method, "PUT");
 * ```
 *
 * @param name The path of the resource.
 * @param options The routes and their names.
 * @returns The routes by name.
 * @throws {TypeError} If `only` and `exclude` are both given, two routes have the
 * same name, or the path is an invalid pattern.
 */
export function resource<
  const Name extends string,
  const Options extends ResourceOptions = Record<never, never>,
>(name: Name, options?: Options): ResourceRoutes<Name, Options> {
  const rows: Row[] = [
    ["show", "GET", ""],
    ["edit", "GET", "/edit"],
    ["update", "PUT", ""],
    ["destroy", "DELETE", ""],
  ];
  return createRoutes(rows, name, options) as ResourceRoutes<Name, Options>;
}

type Row = [name: ResourcesMethod, method: RequestMethod, end: string];

function createRoutes(
  rows: Row[],
  name: string,
  options: ResourceOptions<ResourcesMethod> = {},
): Record<string, Route> {
  const { only, exclude = [], names = {}, operations = {} } = options;
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot make the routes of "${name}": ${reason}`);
  };
  if (only !== undefined && exclude.length > 0) {
    fail("only and exclude are both given");
  }
  const routes: Record<string, Route> = {};
  for (const [key, method, end] of rows) {
    if (only === undefined ? exclude.includes(key) : !only.includes(key)) {
      continue;
    }
    const given = names[key] ?? key;
    if (Object.hasOwn(routes, given)) fail(`two are called "${given}"`);
    const pattern = joinPaths(withSlash(name), end || "/");
    routes[given] = new Route(method, pattern, operations[key]);
  }
  return routes;
}
