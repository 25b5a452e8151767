import type { TestClient, TestRequestInit } from "../router/testing.ts";
import type { TestDPoPBinding } from "./testing.ts";

/** Sends the requests of a client with proofs of its key (RFC 9449). */
export class TestProofs {
  readonly #binding: TestDPoPBinding;
  readonly #now: () => number;
  #key: object | undefined;
  #nonce: string | null = null;

  constructor(binding: TestDPoPBinding, now: () => number) {
    this.#binding = binding;
    this.#now = now;
  }

  /**
   * Sends a request, and repeats it if the server asks for a nonce.
   *
   * @param url The complete URL.
   * @param token The access token, if the request has one.
   */
  async fetch(
    browser: TestClient,
    url: string,
    init: TestRequestInit,
    token?: string,
  ): Promise<Response> {
    const response = await this.#send(browser, url, init, token);
    return await asksForNonce(response)
      ? await this.#send(browser, url, init, token)
      : response;
  }

  async #send(
    browser: TestClient,
    url: string,
    init: TestRequestInit,
    token: string | undefined,
  ): Promise<Response> {
    const binding = this.#binding;
    this.#key ??= await binding.createKey();
    const proof = await binding.createProof(this.#key, {
      method: init.method ?? "GET",
      url,
      token,
      nonce: this.#nonce,
      now: this.#now,
    });
    const headers = new Headers(init.headers);
    headers.set("DPoP", proof);
    const response = await browser.fetch(url, { ...init, headers });
    this.#nonce = binding.readNonce(response) ?? this.#nonce;
    return response;
  }
}

/** Returns `true` for the error of a token endpoint or an API (sections 8 and 9). */
async function asksForNonce(response: Response): Promise<boolean> {
  if (response.status !== 400 && response.status !== 401) return false;
  const challenge = response.headers.get("WWW-Authenticate") ?? "";
  const text = challenge + await response.clone().text();
  return text.includes("use_dpop_nonce");
}
