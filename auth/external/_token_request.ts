import { fetchJSON, type JSONObject } from "./_bounded_fetch.ts";
import { proveClient } from "./_client_authentication.ts";
import type { ProviderEngine } from "./_engine.ts";
import { refusalOf, unanswered } from "./_provider_error.ts";
import { ExternalAuthError } from "./errors.ts";

/** What a token endpoint granted, checked for shape. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  readonly idToken?: string;
  readonly scope?: string;
}

/** The longest token that is accepted, in characters. */
const MAX_TOKEN = 65_536;

/** RFC 6749, appendix A.12: visible characters and space. */
const VISIBLE = /^[\x20-\x7e]+$/;

/**
 * Asks the token endpoint for tokens.
 *
 * @throws {ExternalAuthError} If there are none.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749, sections 4.1.3 and 5}
 */
export async function requestTokens(
  engine: ProviderEngine<unknown>,
  params: Readonly<Record<string, string>>,
): Promise<TokenResponse> {
  const { client, now, transport } = engine;
  const metadata = await engine.metadata();
  const proof = await proveClient(client, metadata, now());
  const form = new URLSearchParams({ ...params, ...proof.params });
  const { code = "", code_verifier = "", refresh_token = "" } = params;
  const secrets = [code, code_verifier, refresh_token, ...proof.secrets];
  const asked = now();
  let answer;
  try {
    answer = await fetchJSON(transport, {
      url: metadata.token_endpoint,
      headers: proof.headers,
      form,
      secrets,
    });
  } catch (cause) {
    throw unanswered(
      "token_request_failed",
      "Cannot get tokens: the token endpoint gave no usable answer",
      cause,
    );
  }
  const body = answer.body as JSONObject;
  const refusal = refusalOf(body, secrets);
  const { status } = answer;
  // Some providers refuse with status 200.
  if (status !== 200 || refusal !== undefined) {
    throw new ExternalAuthError(
      "token_request_refused",
      `Cannot get tokens: the token endpoint answered ${status}${
        refusal === undefined ? "" : `, ${refusal.providerError}`
      }`,
      { status, ...refusal },
    );
  }
  return parseTokens(body, asked);
}

function parseTokens(body: JSONObject, asked: number): TokenResponse {
  const { access_token, expires_in, id_token, refresh_token, scope } = body;
  const { token_type } = body;
  if (!isToken(access_token)) throw invalid("access_token");
  // RFC 6749, section 7.1: what we do not understand, we must not use.
  if (typeof token_type !== "string" || !/^bearer$/i.test(token_type)) {
    throw invalid("token_type");
  }
  if (refresh_token !== undefined && refresh_token !== null) {
    if (!isToken(refresh_token)) throw invalid("refresh_token");
  }
  if (id_token !== undefined && id_token !== null) {
    if (!isToken(id_token)) throw invalid("id_token");
  }
  const seconds = typeof expires_in === "string" && /^\d{1,9}$/.test(expires_in)
    ? Number(expires_in)
    : expires_in;
  return {
    accessToken: access_token,
    ...isDuration(seconds) && { expiresAt: asked + seconds * 1000 },
    ...isToken(refresh_token) && { refreshToken: refresh_token },
    ...isToken(id_token) && { idToken: id_token },
    ...typeof scope === "string" && { scope },
  };
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN &&
    VISIBLE.test(value);
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1e9;
}

function invalid(name: string): ExternalAuthError {
  return new ExternalAuthError(
    "token_response_invalid",
    `Cannot use the tokens: "${name}" is missing or malformed`,
  );
}
