import type {
  ResourceServer,
  ResourceServerOptions,
} from "../auth/access_tokens/mod.ts";
import type { ConnectedApps } from "../auth/internal.ts";
import type { AuthenticatedUser } from "../auth/middleware/mod.ts";
import type { Controller, Middleware } from "../router/mod.ts";
import type { Route } from "../router/routes/mod.ts";
import type { ResourceOf, Resources } from "./options.ts";

/** The routes of the pages. */
export type ServerRoutes = {
  /** The authorization endpoint. */
  readonly authorize: Route<"GET", string>;
  /** The form of the consent page, at the same path. */
  readonly consent: Route<"POST", string>;
};

/** The routes of the page for devices. */
export type DeviceRoutes = {
  /** The page on which users type a code, and approve the device. */
  readonly device: Route<"GET", string>;
  /** Its form, at the same path. */
  readonly decision: Route<"POST", string>;
};

/**
 * Options for {@linkcode AuthorizationServer.resource}. With `dpopTokens()`, `dpop` is
 * by default a verifier with the store of the server, and `requireDPoP` is `true` if
 * all clients need a key.
 */
export type ResourceOptions<User extends AuthenticatedUser> = Pick<
  ResourceServerOptions<User, string>,
  "dpop" | "metadata" | "requireDPoP"
>;

/** The scopes of a resource. */
export type ScopesOf<Resource> = Resource extends ResourceOf<infer Scope>
  ? Scope
  : never;

/**
 * An authorization server.
 *
 * @typeParam User The type of the users.
 * @typeParam R The resources.
 */
export interface AuthorizationServer<
  User extends AuthenticatedUser,
  R extends Resources,
> extends ConnectedApps {
  /**
   * Serves the metadata, the token endpoint and the revocation endpoint. Put it first
   * in the middleware of the outermost router: these requests have no cookies, and
   * their own CORS and limits.
   */
  readonly endpoints: Middleware<readonly []>;

  /** The routes of the pages. */
  readonly routes: ServerRoutes;

  /**
   * The controller of these routes. The session, the protection against other sites
   * and `auth` must run before it.
   */
  readonly controller: Controller<ServerRoutes>;

  /** The routes of the page for devices. Map them with the option `device`. */
  readonly deviceRoutes: DeviceRoutes;

  /** The controller of these routes. It needs the same middleware. */
  readonly deviceController: Controller<DeviceRoutes>;

  /**
   * Creates the resource server of a resource: the scheme for its tokens, its metadata
   * and its guard. It makes no request to another server.
   *
   * @param url The URL of the resource.
   * @param options Other options of the resource server.
   * @throws {TypeError} If the URL is not one of the resources.
   */
  readonly resource: <Url extends keyof R & string>(
    url: Url,
    options?: ResourceOptions<User>,
  ) => ResourceServer<User, ScopesOf<R[Url]>>;

  /** The metadata of the server (RFC 8414). */
  readonly metadata: Readonly<Record<string, unknown>>;

  /** Removes expired grants from a store that does not do so itself. */
  readonly sweep: () => Promise<void>;
}
