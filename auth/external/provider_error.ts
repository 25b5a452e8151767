import { type JSONObject, redact } from "../issuer/mod.ts";

/** The error in a provider's response, without secrets. */
export interface ErrorDetails {
  readonly providerError: string;
  readonly providerErrorDescription?: string;
}

/** The maximum length of a description, in characters. */
const MAX_DESCRIPTION = { read: 10_000, kept: 300 };

/**
 * Matches a few words such as `invalid_grant`, or a class name such as
 * `OAuthException`. Codes and tokens have digits, or no word boundaries.
 */
const ERROR_CODE =
  /^(?=.{1,64}$)(?:[a-z]{1,20}(?:[_.: -][a-z]{1,20})*|(?:[A-Z]{1,5}[a-z]{1,19}){1,5})$/;

/** Matches characters that may be part of a code, a token or a secret. */
const RUN = /[\w+/=.~%-]{16,}/g;

/**
 * Reads the error in a provider's response. It is a string (RFC 6749, section
 * 5.2), or an object with `type` and `message`, as Facebook sends it.
 *
 * @returns The error, or `undefined` if the response has no error.
 */
export function readErrorDetails(
  body: JSONObject,
  secrets: readonly string[] = [],
): ErrorDetails | undefined {
  if (!Object.hasOwn(body, "error")) return undefined;
  const { error, error_description } = body;
  const { type, message } = typeof error === "object" && error !== null
    ? error as JSONObject
    : { type: error, message: error_description };
  return cleanErrorDetails(type, message, secrets);
}

/** Removes secrets and control characters from an error and its description. */
export function cleanErrorDetails(
  error: unknown,
  description: unknown,
  secrets: readonly string[] = [],
): ErrorDetails {
  const clean = cleanDescription(description, secrets);
  return {
    providerError: cleanCode(error, secrets) ?? "unknown",
    ...clean !== undefined && { providerErrorDescription: clean },
  };
}

function cleanCode(
  code: unknown,
  secrets: readonly string[],
): string | undefined {
  if (typeof code !== "string" || !ERROR_CODE.test(code)) return undefined;
  return secrets.some((secret) => secret !== "" && code.includes(secret))
    ? undefined
    : code;
}

function cleanDescription(
  text: unknown,
  secrets: readonly string[],
): string | undefined {
  if (typeof text !== "string" || text.length > MAX_DESCRIPTION.read) {
    return undefined;
  }
  const clean = redact(text, secrets)
    .replaceAll(RUN, (run) => /\d/.test(run) || run.length >= 32 ? "…" : run)
    .slice(0, MAX_DESCRIPTION.kept).trim();
  return clean === "" ? undefined : clean;
}
