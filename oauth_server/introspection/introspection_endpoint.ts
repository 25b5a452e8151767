import type { IntrospectionEndpoint } from "../options.ts";
import { ASYMMETRIC_ALGORITHMS } from "../../auth/internal.ts";
import { AUTHENTICATION_METHODS } from "../metadata.ts";
import { verifyToken } from "../resource.ts";
import type { CreatePart, ServerPart } from "../server_part.ts";
import { type GrantRequest, registeredClient } from "../token/grant_checks.ts";
import { answerForm } from "../token/token_endpoint.ts";
import type { TokenResult } from "../token/token_response.ts";

/**
 * Creates the option `introspection` of an authorization server: an endpoint at which
 * APIs on other machines ask about access tokens. These APIs are clients with the
 * grant `"introspection"` and a secret or keys, and use `createIntrospection()`.
 *
 * @example An API on another machine
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createToken, hashToken } from "@gatehouse/web/auth";
 * import {
 *   createAuthorizationServer,
 *   introspectionEndpoint,
 * } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const secret = createToken({ prefix: "billing" });
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find: (id) => ({ id }) },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://billing.example": {
 *       name: "Billing",
 *       scopes: { "bills:read": "Read your bills" },
 *     },
 *   },
 *   clients: [{
 *     id: "billing",
 *     name: "Billing",
 *     grants: ["introspection"],
 *     authentication: { secretHashes: [await hashToken(secret)] },
 *   }],
 *   introspection: introspectionEndpoint(),
 *   loginPath: "/login",
 * });
 *
 * assertEquals(
 *   server.metadata.introspection_endpoint,
 *   "https://app.example/introspect",
 * );
 * ```
 *
 * @returns The option.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 | RFC 7662}
 */
export function introspectionEndpoint(): IntrospectionEndpoint {
  const parts: CreatePart<ServerPart> = () => ({
    path: "introspect",
    metadata: (url) => ({
      introspection_endpoint: url,
      introspection_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
      introspection_endpoint_auth_signing_alg_values_supported:
        ASYMMETRIC_ALGORITHMS,
    }),
    answer: (settings, context) => answerForm(settings, context, introspect),
  });
  return { parts };
}

/**
 * Answers a question about a token. All that is not an access token, and works now,
 * is only inactive: the reason would help those who guess.
 */
async function introspect(request: GrantRequest): Promise<TokenResult> {
  const client = await registeredClient(request, "introspection");
  if ("error" in client) return client;
  const token = request.form.get("token");
  if (token === undefined) {
    return { error: "invalid_request", description: "There is no token" };
  }
  const result = await verifyToken(request.settings, token, () => true);
  if (!result.ok) return { body: { active: false } };
  const { claims } = result;
  const token_type = claims.cnf === undefined ? "Bearer" : "DPoP";
  return { body: { active: true, ...claims, token_type } };
}
