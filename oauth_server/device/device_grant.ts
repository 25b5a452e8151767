import type { DeviceGrant } from "../options.ts";
import { exchangeDeviceCode } from "./device_code_exchange.ts";
import { decideDevice, showDevice } from "./device_consent.ts";
import { answerDeviceCode } from "./device_endpoint.ts";
import type { CreatePart } from "../server_part.ts";
import type { DeviceParts } from "./device_parts.ts";
import { createDeviceLimits } from "./limits.ts";

/**
 * Creates the option `device` of an authorization server: clients on devices without
 * a browser, whose user types a code in another one. They need the grant
 * `"device"`, and the router needs `deviceRoutes`.
 *
 * @example A television
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createAuthorizationServer,
 *   deviceGrant,
 * } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find: (id) => ({ id }) },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://app.example/api": {
 *       name: "Films",
 *       scopes: { "films:read": "See your films" },
 *     },
 *   },
 *   clients: [{ id: "tv", name: "Films for TV", grants: ["device"] }],
 *   device: deviceGrant(),
 *   loginPath: "/login",
 * });
 *
 * assertEquals(
 *   server.metadata.device_authorization_endpoint,
 *   "https://app.example/device/code",
 * );
 * ```
 *
 * @returns The option.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628 | RFC 8628}
 */
export function deviceGrant(): DeviceGrant {
  const parts: CreatePart<DeviceParts> = ({ now, store }) => {
    const limits = createDeviceLimits(store, now);
    return {
      path: "deviceCode",
      metadata: (url) => ({ device_authorization_endpoint: url }),
      answer: (settings, context) =>
        answerDeviceCode(settings, limits, context),
      exchange: (request) => exchangeDeviceCode(request, limits),
      show: showDevice,
      decide: (settings, context) => decideDevice(settings, limits, context),
    };
  };
  return { parts };
}
