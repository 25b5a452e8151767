import type { DPoPKey } from "../dpop/mod.ts";
import {
  ExternalAuthError,
  fetchJSON,
  type JSONObject,
  type ProviderRequest,
} from "../issuer/mod.ts";
import { sendWithProof } from "./bound_request.ts";
import { authenticateClient } from "./client_authentication.ts";
import type { ProviderEngine } from "./engine.ts";
import { readErrorDetails } from "./provider_error.ts";

/** The well-formed members of a token response. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  readonly idToken?: string;
  readonly scope?: string;
  readonly dpopKey?: DPoPKey;
}

/** A response of the token endpoint with status 200, not yet checked. */
export interface UncheckedTokens {
  readonly body: JSONObject;
  /** The time of the request, in epoch milliseconds. */
  readonly requestedAt: number;
  /** The key that the tokens must be bound to. */
  readonly dpopKey: DPoPKey | undefined;
}

/** The maximum length of a token, in characters. */
const MAX_TOKEN = 65_536;

/** Visible characters and spaces (RFC 6749, appendix A.12). */
const VISIBLE = /^[\x20-\x7e]+$/;

/**
 * Gets tokens from the token endpoint.
 *
 * @param dpopKey The key to bind the tokens to.
 * @throws {ExternalAuthError} If the provider issues none.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749, sections 4.1.3 and 5}
 */
export async function requestTokens(
  engine: ProviderEngine<unknown>,
  params: Readonly<Record<string, string>>,
  dpopKey?: DPoPKey,
): Promise<TokenResponse> {
  return parseTokens(await fetchTokens(engine, params, dpopKey));
}

/**
 * Sends a request to the token endpoint, and does not check the tokens.
 *
 * @param dpopKey The key to bind the tokens to.
 * @throws {ExternalAuthError} If the provider issues none.
 */
export async function fetchTokens(
  engine: ProviderEngine<unknown>,
  params: Readonly<Record<string, string>>,
  dpopKey?: DPoPKey,
): Promise<UncheckedTokens> {
  const { client, now } = engine;
  const metadata = await engine.metadata();
  const credentials = await authenticateClient(client, metadata, now());
  const { code = "", code_verifier = "", refresh_token = "" } = params;
  const secrets = [code, code_verifier, refresh_token, ...credentials.secrets];
  const requestedAt = now();
  const request: ProviderRequest = {
    url: metadata.token_endpoint,
    headers: credentials.headers,
    form: new URLSearchParams({ ...params, ...credentials.params }),
    secrets,
    code: "token_request_failed",
    errorPrefix: "Cannot get tokens",
  };
  const response = await sendWithProof(engine, { dpopKey }, request, fetchJSON);
  const { status } = response;
  const body = response.body as JSONObject;
  const details = readErrorDetails(body, secrets);
  // Some providers send errors with status 200.
  if (status !== 200 || details !== undefined) {
    throw new ExternalAuthError(
      "token_request_refused",
      `Cannot get tokens: the token endpoint answered ${status}${
        details === undefined ? "" : `, ${details.providerError}`
      }`,
      { status, ...details },
    );
  }
  return { body: convert(engine, body), requestedAt, dpopKey };
}

/** Converts the response of a provider that deviates. */
function convert(
  { definition: { parseTokenResponse } }: ProviderEngine<unknown>,
  body: JSONObject,
): JSONObject {
  if (parseTokenResponse === undefined) return body;
  let converted: JSONObject | null = null;
  try {
    converted = parseTokenResponse(body);
  } catch {
    // The parser did not expect this response. Its error may contain secrets.
  }
  if (typeof converted === "object" && converted !== null) return converted;
  throw new ExternalAuthError(
    "token_response_invalid",
    "Cannot use the tokens: parseTokenResponse found none",
  );
}

/**
 * Checks the tokens of a response.
 *
 * @throws {ExternalAuthError} If a member is missing or malformed.
 */
export function parseTokens(
  { body, dpopKey, requestedAt }: UncheckedTokens,
): TokenResponse {
  const { access_token, expires_in, id_token, refresh_token, scope } = body;
  const { token_type } = body;
  if (!isToken(access_token)) throw malformed("access_token");
  // A client must not use a token type that it does not know (section 7.1).
  const type = dpopKey ? "dpop" : "bearer";
  if (typeof token_type !== "string" || token_type.toLowerCase() !== type) {
    throw malformed("token_type");
  }
  for (const [name, token] of Object.entries({ refresh_token, id_token })) {
    if (token !== undefined && token !== null && !isToken(token)) {
      throw malformed(name);
    }
  }
  const seconds = typeof expires_in === "string" && /^\d{1,9}$/.test(expires_in)
    ? Number(expires_in)
    : expires_in;
  return {
    accessToken: access_token,
    ...isDuration(seconds) && { expiresAt: requestedAt + seconds * 1000 },
    ...isToken(refresh_token) && { refreshToken: refresh_token },
    ...isToken(id_token) && { idToken: id_token },
    ...typeof scope === "string" && { scope },
    ...dpopKey && { dpopKey },
  };
}

/** Returns `true` for a well-formed token. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN &&
    VISIBLE.test(value);
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1e9;
}

function malformed(name: string): ExternalAuthError {
  return new ExternalAuthError(
    "token_response_invalid",
    `Cannot use the tokens: "${name}" is missing or malformed`,
  );
}
