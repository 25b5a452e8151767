import type { Handler, ServerPart } from "../server_part.ts";
import type { FormHandler } from "../token/token_endpoint.ts";

/** The functions of the device grant. A server without it does not bundle them. */
export interface DeviceParts extends ServerPart {
  /** Exchanges a device code for tokens. */
  readonly exchange: FormHandler;
  /** Shows the page on which users type a code. */
  readonly show: Handler;
  /** Answers the forms of the pages. */
  readonly decide: Handler;
}

/** The grant type of devices. */
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
