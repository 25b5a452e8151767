import type { Middleware } from "../middleware.ts";
import type { InputSchemas } from "./input_schema.ts";

/** A description of a middleware, for documents such as OpenAPI. */
export interface MiddlewareDescription {
  /** The schemas of the input that it validates. */
  readonly input?: InputSchemas;
  /**
   * The authentication schemes that it tries, by name. `undefined` is one that
   * OpenAPI can't describe.
   */
  readonly schemes?: Readonly<Record<string, SecurityScheme | undefined>>;
  /**
   * `true` if the schemes of middleware before it do not count.
   *
   * @default {false}
   */
  readonly onlySchemes?: boolean;
  /**
   * The roles, permissions or scopes that it requires: one of these sets. `[[]]`
   * means any user.
   */
  readonly requires?: readonly (readonly string[])[];
  /**
   * The errors that it responds with as problem details: their descriptions by
   * status code. An empty string stands for the title of the status code.
   */
  readonly responses?: Readonly<Record<number, string>>;
  /**
   * `true` if it responds with these errors only to methods such as POST, and
   * never to GET, HEAD and OPTIONS.
   *
   * @default {false}
   */
  readonly unsafeOnly?: boolean;
  /** The name of the cookie of the session, for schemes that read the session. */
  readonly cookie?: string;
}

/** The flow of OAuth 2.0 with a code. */
export interface AuthorizationCodeFlow {
  /** The URL of the authorization endpoint. */
  readonly authorizationUrl: string;
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The URL for refresh tokens. */
  readonly refreshUrl?: string;
  /** The scopes, and what each of them allows. */
  readonly scopes: Readonly<Record<string, string>>;
}

/**
 * The flows of OAuth 2.0 by which clients get tokens. OAuth 2.1 has no others.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#oauth-flows-object | OpenAPI 3.1.1, OAuth Flows Object}
 */
export interface OAuthFlows {
  /** The flow with a code, for users. */
  readonly authorizationCode?: AuthorizationCodeFlow;
  /** The flow with the credentials of a client, without a user. */
  readonly clientCredentials?: Omit<AuthorizationCodeFlow, "authorizationUrl">;
}

/**
 * A security scheme object of OpenAPI.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object | OpenAPI 3.1.1, Security Scheme Object}
 */
export type SecurityScheme =
  & {
    /** The documentation, in CommonMark. */
    readonly description?: string;
  }
  & (
    | {
      /** An HTTP authentication scheme. */
      readonly type: "http";
      /** The name of the scheme, such as `bearer`. */
      readonly scheme: string;
      /** The format of bearer tokens. */
      readonly bearerFormat?: string;
    }
    | {
      /** A key in a request. */
      readonly type: "apiKey";
      /** The place of the key. */
      readonly in: "header" | "query" | "cookie";
      /** The name of the header, parameter or cookie. */
      readonly name: string;
    }
    | {
      /** OAuth 2.0. The requirements of routes name only scopes of its flows. */
      readonly type: "oauth2";
      /** The flows. */
      readonly flows: OAuthFlows;
    }
    | {
      /** OpenID Connect. */
      readonly type: "openIdConnect";
      /** The URL of the metadata. */
      readonly openIdConnectUrl: string;
    }
    | {
      /** Mutual TLS. */
      readonly type: "mutualTLS";
    }
  );

/**
 * Describes a middleware, so that the OpenAPI document of a router knows the
 * guards that run before each route.
 *
 * Trust: the description must be true. It has no effect on requests.
 *
 * @example A custom guard
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter, describeMiddleware, HTTPError } from "@gatehouse/web/fetch-router";
 *
 * const officeHours = describeMiddleware(() => {
 *   if (new Date().getUTCHours() < 8) throw new HTTPError(403);
 * }, { responses: { 403: "Closed until 8:00 UTC" } });
 *
 * const router = createRouter({ middleware: [officeHours] });
 * assertEquals(router.routes, []);
 * ```
 *
 * @param middleware The middleware.
 * @param description The description.
 * @returns The same middleware.
 */
export function describeMiddleware<Kind extends Middleware>(
  middleware: Kind,
  description: MiddlewareDescription,
): Kind {
  return Object.assign(middleware, { "~describes": description });
}

/** Returns the description of a middleware, if it has one. */
export function descriptionOf(
  middleware: object,
): MiddlewareDescription | undefined {
  return (middleware as { "~describes"?: MiddlewareDescription })["~describes"];
}
