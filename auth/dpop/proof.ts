import { randomToken, sha256Base64Url } from "../../session/secrets.ts";
import { signJWT } from "../issuer/mod.ts";
import { type DPoPKey, publicKeyOf } from "./key.ts";
import { targetURI } from "./_target_uri.ts";

/** The request that a proof is for. */
export interface DPoPRequest {
  /** The method of the request, such as `GET`. */
  readonly method: string;

  /** The URL of the request. */
  readonly url: string | URL;

  /**
   * The access token of the request. A request to the token endpoint has none.
   *
   * @default {undefined}
   */
  readonly token?: string | undefined;

  /**
   * The last nonce of the server, as {@linkcode readDPoPNonce} returns it.
   *
   * @default {undefined}
   */
  readonly nonce?: string | null | undefined;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Creates the proof of one request: the value of its header `DPoP`. A retry needs
 * a new proof, because servers accept each proof once.
 *
 * @example A request to an API
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createDPoPKey,
 *   createDPoPProof,
 * } from "@gatehouse/web/auth/access-tokens";
 *
 * const key = await createDPoPKey();
 * const token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";
 * const url = "https://api.example/notes";
 * const headers = {
 *   Authorization: `DPoP ${token}`,
 *   DPoP: await createDPoPProof(key, { method: "GET", url, token }),
 * };
 * assertEquals(headers.DPoP.split(".").length, 3);
 * ```
 *
 * @param key The key that the token is bound to, or will be.
 * @param request The method, the URL and the token of the request.
 * @returns The proof.
 * @throws {TypeError} If the URL is not an http or https URL, or the key is
 * malformed.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.2 | RFC 9449, DPoP proof JWT syntax}
 */
export async function createDPoPProof(
  key: DPoPKey,
  request: DPoPRequest,
): Promise<string> {
  const { method, nonce, now = Date.now, token, url } = request;
  const target = targetURI(String(url));
  if (target === null) {
    throw new TypeError(
      "Cannot create DPoP proof: the URL is not an http or https URL without userinfo",
    );
  }
  const claims = {
    jti: randomToken(),
    htm: method,
    htu: target,
    iat: Math.floor(now() / 1000),
    ath: token === undefined ? undefined : await sha256Base64Url(token),
    nonce: nonce ?? undefined,
  };
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: publicKeyOf(key) };
  return await signJWT(claims, header, { ...key }).catch((cause) => {
    throw new TypeError("Cannot create DPoP proof: the key is malformed", {
      cause,
    });
  });
}

/** The characters of a nonce (RFC 9449, section 8.1), and a length for headers. */
const NONCE = /^[!#-[\]-~]{1,1024}$/;

/**
 * Reads the nonce of a response. The next proof for the same server must have it.
 *
 * @example The next nonce
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readDPoPNonce } from "@gatehouse/web/auth/access-tokens";
 *
 * const response = new Response(null, { headers: { "DPoP-Nonce": "n-1" } });
 * assertEquals(readDPoPNonce(response), "n-1");
 * assertEquals(readDPoPNonce(new Response()), null);
 * ```
 *
 * @param response The response of an authorization server or an API.
 * @returns The nonce, or `null` if it is missing or malformed.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8.2 | RFC 9449, providing a new nonce value}
 */
export function readDPoPNonce(
  response: Pick<Response, "headers">,
): string | null {
  const nonce = response.headers.get("DPoP-Nonce");
  return nonce !== null && NONCE.test(nonce) ? nonce : null;
}
