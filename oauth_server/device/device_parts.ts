import type { RequestContext } from "../../router/mod.ts";
import type { SessionStore } from "../../session/mod.ts";
import type { Settings } from "../settings.ts";
import type { FormHandler } from "../token/token_endpoint.ts";

/** The functions of the device grant. A server without it does not bundle them. */
export interface DeviceParts {
  /** Exchanges a device code for tokens. */
  readonly exchange: FormHandler;
  /** Answers the endpoint at which devices get their codes. */
  readonly start: DeviceHandler;
  /** Shows the page on which users type a code. */
  readonly show: DeviceHandler;
  /** Answers the forms of the pages. */
  readonly decide: DeviceHandler;
}

/** Answers a request. */
export type DeviceHandler = (
  settings: Settings,
  context: RequestContext,
) => Promise<Response>;

/** Creates the functions for a server. */
export type CreateDeviceParts = (
  store: SessionStore,
  now: () => number,
) => DeviceParts;

/** The grant type of devices. */
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
