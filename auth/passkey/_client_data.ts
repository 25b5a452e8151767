import type { PasskeySettings } from "./options.ts";
import type { PasskeyFailureReason } from "./result.ts";

/** The client data: the browser's description of the ceremony. */
export interface ClientData {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  /** `true` in a frame of another origin. */
  readonly crossOrigin?: boolean;
  /** The origin of the page that contains the frame. */
  readonly topOrigin?: string;
}

/**
 * Parses client data. Returns `null` if it is malformed.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#dictionary-client-data | Web Authentication Level 3, section 5.8.1}
 */
export function parseClientData(bytes: Uint8Array): ClientData | null {
  let data;
  try {
    // The decoder removes a byte order mark, as the specification demands.
    data = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
  if (typeof data !== "object" || data === null) return null;
  const { type, challenge, origin, crossOrigin, topOrigin } = data;
  const areStrings = [type, challenge, origin, topOrigin ?? ""]
    .every((value) => typeof value === "string");
  const isFlag = crossOrigin === undefined || typeof crossOrigin === "boolean";
  if (!areStrings || !isFlag || topOrigin === null) return null;
  return { type, challenge, origin, crossOrigin, topOrigin };
}

/** Checks client data, except the challenge. Returns the first problem. */
export function checkClientData(
  { allowUnknownTopOrigin, origins, topOrigins }: PasskeySettings,
  { crossOrigin, origin, topOrigin, type }: ClientData,
  expectedType: string,
): PasskeyFailureReason | null {
  // Sections 7.1 and 7.2 of Web Authentication Level 3, steps 7 and 10.
  if (type !== expectedType) return "type_mismatch";
  // Steps 9 and 12.
  if (!origins.includes(origin)) return "origin_mismatch";
  // Steps 10 and 11, 13 and 14.
  const isFramed = crossOrigin === true || topOrigin !== undefined;
  if (!isFramed) return null;
  const isAllowed = topOrigin === undefined
    ? allowUnknownTopOrigin
    : topOrigins.includes(topOrigin);
  return isAllowed ? null : "cross_origin";
}
