import type { SecurityScheme } from "../middleware/describe_middleware.ts";
import type { InputSchema } from "../middleware/input_schema.ts";
import { registeredOn } from "../mount.ts";
import type { RegisteredRoute } from "../router.ts";
import {
  describeOperation,
  type OpenAPIObject,
  PROBLEM_SCHEMA,
} from "./_operation.ts";
import { type OpenAPIPath, pathsOf, shapeOf } from "./_paths.ts";
import { findRoutes, type FoundRoute } from "./_routes.ts";
import { DocumentSchemas } from "./_schemas.ts";
import { SecuritySchemes } from "./_security.ts";

/** Options for {@linkcode openapi}. */
export interface OpenAPIOptions {
  /** The title and the version of the API, and more. */
  readonly info: OpenAPIInfo;
  /**
   * The servers that serve the API.
   *
   * @default {the server of the document}
   */
  readonly servers?: readonly OpenAPIServer[];
  /**
   * Returns `true` for the routes that the document contains.
   *
   * @default {() => true}
   */
  readonly include?: (route: IncludedRoute) => boolean;
  /**
   * The schemas that get a name. The document refers to them by their name,
   * wherever they occur.
   *
   * @default {no names}
   */
  readonly schemas?: Readonly<Record<string, InputSchema>>;
}

/** The metadata of an API. */
export interface OpenAPIInfo {
  /** The title. */
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  /** A short summary. */
  readonly summary?: string;
  /** The documentation, in CommonMark. */
  readonly description?: string;
  /** The URL of the terms of service. */
  readonly termsOfService?: string;
  /** The contact of the API. */
  readonly contact?: OpenAPIContact;
  /** The license of the API. */
  readonly license?: OpenAPILicense;
}

/** The contact of an API. */
export interface OpenAPIContact {
  /** The name of the person or the organization. */
  readonly name?: string;
  /** The URL of the contact. */
  readonly url?: string;
  /** The email address of the contact. */
  readonly email?: string;
}

/** The license of an API. */
export interface OpenAPILicense {
  /** The name of the license. */
  readonly name: string;
  /** The SPDX expression. */
  readonly identifier?: string;
  /** The URL of the license. It must be absent if there is an `identifier`. */
  readonly url?: string;
}

/** A server of an API. */
export interface OpenAPIServer {
  /** The URL, without a slash at the end. */
  readonly url: string;
  /** The documentation, in CommonMark. */
  readonly description?: string;
}

/** A route that a document may contain. */
export interface IncludedRoute extends RegisteredRoute {
  /** The name in the route map; empty without a map. */
  readonly name: string;
  /** The prefix of the mounts that the route is in. */
  readonly prefix: string;
}

/** An OpenAPI document. */
export interface OpenAPIDocument {
  /** The version of OpenAPI. */
  readonly openapi: "3.1.1";
  /** The metadata. */
  readonly info: OpenAPIInfo;
  /** The servers. */
  readonly servers?: readonly OpenAPIServer[];
  /** The operations by path and method. */
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, OpenAPIObject>>>
  >;
  /** The schemas and security schemes by name. */
  readonly components: {
    /** The schemas. */
    readonly schemas: Readonly<Record<string, OpenAPIObject>>;
    /** The security schemes. */
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
  /** The groups of operations. */
  readonly tags: readonly { readonly name: string }[];
}

/** A part of a router that the document does not describe. */
export interface OpenAPIOmission {
  /** The method and the pattern of the route, or the prefix of a mount. */
  readonly route: string;
  /** The reason for the omission. */
  readonly reason: string;
}

/** The document of a router. */
export interface OpenAPIResult {
  /** The document. `JSON.stringify` writes it. */
  readonly document: OpenAPIDocument;
  /** The parts of the router that it does not describe. */
  readonly omissions: readonly OpenAPIOmission[];
}

/** The methods that a path of OpenAPI can have. */
const METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/**
 * Creates the OpenAPI document of a router, from its routes, their descriptions
 * and the middleware before them. The security of a route is that of its guards,
 * so the document claims no guard that does not run.
 *
 * @example The document of a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, string } from "@gatehouse/web/data-schema";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { get, route } from "@gatehouse/web/fetch-router/routes";
 * import { openapi } from "@gatehouse/web/openapi";
 *
 * const routes = route({
 *   note: get("/notes/:id", {
 *     summary: "Returns a note",
 *     responses: { 200: object({ text: string() }) },
 *   }),
 * });
 * const router = createRouter();
 * router.get(routes.note, () => Response.json({ text: "Buy tea" }));
 *
 * const { document } = openapi(router, {
 *   info: { title: "Notes", version: "1.0.0" },
 * });
 * assertEquals(document.paths["/notes/{id}"]?.get?.operationId, "note");
 * ```
 *
 * @param router The router.
 * @param options The metadata, the servers and the names of schemas.
 * @returns The document, and the parts of the router that it omits.
 * @throws {TypeError} If the router was not created by `createRouter`.
 */
export function openapi(
  router: OpenAPIRouter,
  options: OpenAPIOptions,
): OpenAPIResult {
  const registered = registeredOn(router);
  if (registered === undefined) {
    throw new TypeError(
      "Cannot create the OpenAPI document: createRouter() did not create the router",
    );
  }
  const writer = new DocumentWriter(options);
  const { foreign, routes } = findRoutes(registered);
  for (const found of routes) writer.addRoute(found);
  for (const prefix of foreign) {
    writer.omit(`${prefix}/*`, "it is not a router of this library");
  }
  return writer.finish();
}

/** A router: the return value of `createRouter`. */
export interface OpenAPIRouter {
  /** Dispatches a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

class DocumentWriter {
  readonly #options: OpenAPIOptions;
  readonly #omissions: OpenAPIOmission[] = [];
  readonly #paths: Record<string, Record<string, OpenAPIObject>> = {};
  /** The paths by their template without the names of parameters. */
  readonly #templates = new Map<string, OpenAPIPath>();
  readonly #ids = new Set<string>();
  readonly #tags = new Set<string>();
  readonly #security = new SecuritySchemes();
  readonly #schemas: DocumentSchemas;
  /** The route that is written. */
  #route = "";

  constructor(options: OpenAPIOptions) {
    this.#options = options;
    const { schemas = {} } = options;
    this.#schemas = new DocumentSchemas(
      schemas,
      (reason) => this.omit(this.#route, reason),
    );
  }

  /** Reports a part that the document does not describe, once. */
  omit(route: string, reason: string): void {
    const isKnown = this.#omissions.some((one) =>
      one.route === route && one.reason === reason
    );
    if (!isKnown) this.#omissions.push({ route, reason });
  }

  addRoute(found: FoundRoute): void {
    const { prefix, route: { method, name, pattern } } = found;
    const { include = () => true } = this.#options;
    const { source } = pattern;
    if (!include({ method, name, pattern: source, prefix })) return;
    this.#route = `${method} ${prefix}${source}`;
    const paths = pathsOf(pattern, prefix);
    if (typeof paths === "string") return this.omit(this.#route, paths);
    const methods = method === "ANY" ? METHODS.slice(0, 5) : [method];
    for (const one of methods) {
      if (METHODS.includes(one)) {
        for (const path of paths) this.#addOperation(one, path, found);
      } else this.omit(this.#route, `OpenAPI 3.1 has no method ${one}`);
    }
  }

  #addOperation(method: string, own: OpenAPIPath, found: FoundRoute): void {
    const { template, params } = this.#unify(own);
    const operations = this.#paths[template] ??= {};
    const key = method.toLowerCase();
    if (operations[key] !== undefined) {
      return this.omit(
        this.#route,
        `another route has the same path ${template}`,
      );
    }
    const { before, route: { operation, name } } = found;
    for (const tag of operation.tags ?? []) this.#tags.add(tag);
    const operationId = this.#uniqueId(operation.operationId ?? name);
    const { problem, requirements } = this.#security.securityOf(before);
    if (problem !== undefined) this.omit(this.#route, problem);
    operations[key] = describeOperation(operation, {
      before,
      method,
      operationId,
      params,
      path: own,
      schemas: this.#schemas,
      security: requirements,
      title: `${method} ${template}`,
    });
  }

  /** Returns the path with the parameter names of an equal path, if there is one. */
  #unify(own: OpenAPIPath): OpenAPIPath {
    const shape = shapeOf(own);
    const known = this.#templates.get(shape) ?? own;
    this.#templates.set(shape, known);
    return known;
  }

  /** Returns the id, with a number if another operation has the same one. */
  #uniqueId(id: string): string {
    let unique = id;
    for (let count = 2; id !== "" && this.#ids.has(unique); count++) {
      unique = `${id}.${count}`;
    }
    this.#ids.add(unique);
    return unique;
  }

  finish(): OpenAPIResult {
    const { info, servers } = this.#options;
    const schemas = {
      Problem: PROBLEM_SCHEMA,
      ...this.#schemas.components,
    };
    const securitySchemes = this.#security.components;
    return {
      document: {
        openapi: "3.1.1",
        info,
        ...servers && { servers },
        paths: this.#paths,
        components: { schemas, securitySchemes },
        tags: [...this.#tags].map((name) => ({ name })),
      },
      omissions: this.#omissions,
    };
  }
}
