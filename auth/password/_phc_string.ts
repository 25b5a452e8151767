import { decodeBase64Url, encodeBase64Url } from "../../session/secrets.ts";

/** A string of the PHC format, taken apart but not yet believed. */
export interface PhcString {
  /** The identifier of the function, such as `argon2id`. */
  readonly id: string;
  /** The version, where the string states one. */
  readonly version: number | null;
  /** The parameters, in the order in which they stand. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The salt. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** The hash. */
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** Longer than any string whose parts are within their bounds. */
const MAX_LENGTH = 512;

/**
 * Takes a PHC string apart, or gives `null` where it is anything else.
 *
 * Strict: one spelling for one hash. Base64 has no padding and no stray bits,
 * no parameter stands twice.
 */
export function parsePhcString(text: string): PhcString | null {
  if (text.length > MAX_LENGTH) return null;
  const [before, id = "", ...parts] = text.split("$");
  if (before !== "" || !/^[a-z0-9-]{1,32}$/.test(id)) return null;
  let version: number | null = null;
  if (parts[0]?.startsWith("v=")) {
    version = parseDecimal(parts.shift()?.slice(2));
  }
  if (parts.length !== 3) return null;
  const [list = "", salt = "", hash = ""] = parts;
  const parameters = parseParameters(list);
  const saltBytes = decodeBase64(salt);
  const hashBytes = decodeBase64(hash);
  if (parameters === null || saltBytes === null || hashBytes === null) {
    return null;
  }
  return { id, version, parameters, salt: saltBytes, hash: hashBytes };
}

function parseParameters(list: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  for (const pair of list.split(",")) {
    const [, name, value] = /^([a-z0-9-]{1,32})=([a-zA-Z0-9/+.-]+)$/
      .exec(pair) ?? [];
    if (name === undefined || value === undefined) return null;
    if (parameters.has(name)) return null;
    parameters.set(name, value);
  }
  return parameters;
}

/** Reads a decimal number without sign or leading zero, or gives `NaN`. */
export function parseDecimal(text: string | undefined): number {
  return text !== undefined && /^(0|[1-9][0-9]{0,9})$/.test(text)
    ? Number(text)
    : NaN;
}

/** Tells whether a number lies within bounds; `NaN` never does. */
export function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Writes Base64 as PHC strings want it: without padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return encodeBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");
}

/** Reads Base64 without padding and with its last bits zero, or gives `null`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+$/.test(text)) return null;
  return decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_"));
}
