import type { DPoPKey } from "../dpop/mod.ts";
import {
  ExternalAuthError,
  type JSONObject,
  type ProviderRequest,
} from "../issuer/mod.ts";
import type { ProviderEngine } from "./engine.ts";

/** The part of a response that can demand a nonce. */
interface NonceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
}

/** Sends a request, such as `fetchJSON`. */
type Send<Answer> = (
  engine: ProviderEngine<unknown>,
  request: ProviderRequest,
) => Promise<Answer>;

/** An access token, and the key that it is bound to, if there is one. */
export interface TokenAccess {
  readonly accessToken: string;
  readonly dpopKey?: DPoPKey | undefined;
}

/** Sends a request with an access token, and with a proof if it is bound. */
export function sendWithToken<Answer extends NonceResponse>(
  engine: ProviderEngine<unknown>,
  { accessToken, dpopKey }: TokenAccess,
  request: ProviderRequest,
  send: Send<Answer>,
): Promise<Answer> {
  const scheme = dpopKey ? "DPoP" : "Bearer";
  // The token is only sent in a header, never in the query (RFC 9700, section
  // 4.3.2).
  const Authorization = `${scheme} ${accessToken}`;
  const headers = { ...request.headers, Authorization };
  const bound = { dpopKey, token: accessToken };
  return sendWithProof(engine, bound, { ...request, headers }, send);
}

/**
 * Sends a request with a proof of the key, if there is one. If the server demands
 * a nonce, sends it once more (RFC 9449, sections 8 and 9).
 *
 * @throws {ExternalAuthError} If the provider has no option `dpop`.
 */
export async function sendWithProof<Answer extends NonceResponse>(
  engine: ProviderEngine<unknown>,
  { dpopKey, token }: {
    readonly dpopKey: DPoPKey | undefined;
    readonly token?: string;
  },
  request: ProviderRequest,
  send: Send<Answer>,
): Promise<Answer> {
  if (!dpopKey) return await send(engine, request);
  const { now, options: { dpop } } = engine;
  const { code, errorPrefix, form, headers, url } = request;
  if (!dpop) {
    throw new ExternalAuthError(
      code,
      `${errorPrefix}: the provider has no option dpop`,
    );
  }
  const method = form ? "POST" : "GET";
  const attempt = async (nonce: string | null) => {
    const target = { method, nonce, now, token, url };
    const DPoP = await dpop.createProof(dpopKey, target);
    return await send(engine, { ...request, headers: { ...headers, DPoP } });
  };
  const response = await attempt(null);
  const nonce = demandsNonce(response) ? dpop.readNonce(response) : null;
  return nonce === null ? response : await attempt(nonce);
}

/** Returns `true` for the error of a token endpoint, or of an API. */
function demandsNonce({ body, headers, status }: NonceResponse): boolean {
  const error = status === 400
    ? (body as JSONObject | undefined)?.error
    : status === 401 && headers.get("WWW-Authenticate");
  return String(error).includes("use_dpop_nonce");
}
