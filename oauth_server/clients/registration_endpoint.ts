import type { RegistrationEndpoint } from "../options.ts";
import type { CreatePart } from "../server_part.ts";
import { DynamicClients } from "./_dynamic_clients.ts";
import type { RegistrationOptions } from "./options.ts";
import type { RegistrationPart } from "./registration_part.ts";

/**
 * Creates the option `registration` of an authorization server: an endpoint at which
 * clients register themselves. Anyone can register with any name, so prefer clients
 * with the URL of a metadata document.
 *
 * @example Clients that support nothing else
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createAuthorizationServer,
 *   registrationEndpoint,
 * } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find: (id) => ({ id }) },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://app.example/mcp": {
 *       name: "Notes",
 *       scopes: { "notes:read": "Read your notes" },
 *     },
 *   },
 *   registration: registrationEndpoint({ perAddress: 10 }),
 *   loginPath: "/login",
 * });
 *
 * assertEquals(
 *   server.metadata.registration_endpoint,
 *   "https://app.example/oauth/register",
 * );
 * ```
 *
 * @param options The limits.
 * @returns The option.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7591 | RFC 7591}
 */
export function registrationEndpoint(
  options: RegistrationOptions = {},
): RegistrationEndpoint {
  const parts: CreatePart<RegistrationPart> = ({ now, store }) =>
    new DynamicClients({ now, options, store });
  return { parts };
}
