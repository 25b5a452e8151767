import { decodeBase64Url, encodeBase64Url } from "../../session/secrets.ts";

/** The parts of a string in the PHC format, which are not yet checked. */
export interface PhcString {
  /** The identifier of the function, such as `argon2id`. */
  readonly id: string;
  /** The version, or `null` if the string has none. */
  readonly version: number | null;
  /** The parameters, in the order of the string. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The salt. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** The hash. */
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** The maximum length, which exceeds the longest string with valid parts. */
const MAX_LENGTH = 512;

/**
 * Parses a PHC string, or returns `null`.
 *
 * Each hash has only one spelling: base64 without padding or stray bits, and no
 * duplicate parameters.
 */
export function parsePhcString(input: string): PhcString | null {
  if (input.length > MAX_LENGTH) return null;
  const [before, id = "", ...parts] = input.split("$");
  if (before !== "" || !/^[a-z0-9-]{1,32}$/.test(id)) return null;
  let version: number | null = null;
  if (parts[0]?.startsWith("v=")) {
    version = parseDecimal(parts.shift()?.slice(2));
  }
  if (parts.length !== 3) return null;
  const [pairs = "", salt = "", hash = ""] = parts;
  const parameters = parseParameters(pairs);
  const saltBytes = decodeBase64(salt);
  const hashBytes = decodeBase64(hash);
  if (parameters === null || saltBytes === null || hashBytes === null) {
    return null;
  }
  return { id, version, parameters, salt: saltBytes, hash: hashBytes };
}

function parseParameters(pairs: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  for (const pair of pairs.split(",")) {
    const [, name, value] = /^([a-z0-9-]{1,32})=([a-zA-Z0-9/+.-]+)$/
      .exec(pair) ?? [];
    if (name === undefined || value === undefined) return null;
    if (parameters.has(name)) return null;
    parameters.set(name, value);
  }
  return parameters;
}

/** Parses a decimal number without sign or leading zeros, or returns `NaN`. */
export function parseDecimal(digits: string | undefined): number {
  return digits !== undefined && /^(0|[1-9][0-9]{0,9})$/.test(digits)
    ? Number(digits)
    : NaN;
}

/** Returns `true` for a number within the limits, and `false` for `NaN`. */
export function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Encodes bytes as base64 without padding, as in PHC strings. */
export function encodeBase64(bytes: Uint8Array): string {
  return encodeBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");
}

/** Decodes canonical base64 without padding, or returns `null`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+$/.test(text)) return null;
  return decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_"));
}
