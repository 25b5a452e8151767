import { type JSONObject, redact, RequestError } from "./_bounded_fetch.ts";
import { ExternalAuthError, type ExternalAuthErrorCode } from "./errors.ts";

/** The provider's words for a refusal, without secrets. */
export interface ProviderRefusal {
  readonly providerError: string;
  readonly providerErrorDescription?: string;
}

/** The longest description that is read, and that is kept, in characters. */
const MAX_DESCRIPTION = { read: 10_000, kept: 300 };

/**
 * An error code: a few words such as `invalid_grant`, or a class name such as
 * `OAuthException`. A code or a token has digits, or no word boundaries.
 */
const ERROR_CODE =
  /^(?=.{1,64}$)(?:[a-z]{1,20}(?:[_.: -][a-z]{1,20})*|(?:[A-Z]{1,5}[a-z]{1,19}){1,5})$/;

/** A run of characters that may be part of a code, a token or a secret. */
const RUN = /[\w+/=.~%-]{16,}/g;

/** Creates the error for a request that got no usable answer. */
export function unanswered(
  code: ExternalAuthErrorCode,
  state: string,
  cause: unknown,
): ExternalAuthError {
  const { message, status } = cause instanceof RequestError
    ? cause
    : { message: "unknown", status: undefined };
  return new ExternalAuthError(code, `${state}: ${message}`, { cause, status });
}

/**
 * Reads the refusal in a provider's answer. The error is a string (RFC 6749,
 * section 5.2), or an object with `type` and `message`, as one provider has it.
 *
 * @returns The refusal, or `undefined` if the answer has no error.
 */
export function refusalOf(
  body: JSONObject,
  secrets: readonly string[] = [],
): ProviderRefusal | undefined {
  if (!Object.hasOwn(body, "error")) return undefined;
  const { error, error_description } = body;
  const { type, message } = typeof error === "object" && error !== null
    ? error as JSONObject
    : { type: error, message: error_description };
  return toRefusal(type, message, secrets);
}

/** Cleans the provider's words, wherever they come from. */
export function toRefusal(
  error: unknown,
  description: unknown,
  secrets: readonly string[] = [],
): ProviderRefusal {
  const text = cleanDescription(description, secrets);
  return {
    providerError: cleanCode(error, secrets) ?? "unknown",
    ...text !== undefined && { providerErrorDescription: text },
  };
}

function cleanCode(
  text: unknown,
  secrets: readonly string[],
): string | undefined {
  if (typeof text !== "string" || !ERROR_CODE.test(text)) return undefined;
  return secrets.some((secret) => secret !== "" && text.includes(secret))
    ? undefined
    : text;
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
