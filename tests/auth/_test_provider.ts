import {
  createTestProvider,
  type TestProvider as InMemoryProvider,
} from "@gatehouse/web/testing";
import {
  base64url,
  calculateJwkThumbprint,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  SignJWT,
} from "jose";

/** An algorithm that the provider can sign with. */
export type SigningAlgorithm = "RS256" | "PS256" | "ES256" | "EdDSA";

type Body = Record<string, unknown>;

interface SigningKey {
  readonly alg: SigningAlgorithm;
  readonly privateKey: CryptoKey;
  readonly jwk: Body;
}

/** A request to the provider. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
  readonly query: URLSearchParams;
}

/** The provider's faults. Each function gets the correct value and may change it. */
export interface Faults {
  /** The response to any request. */
  respond?: (
    request: SeenRequest,
  ) => Response | Promise<Response | undefined> | undefined;
  /** The metadata. */
  metadata?: (metadata: Body) => unknown;
  /** The key set. */
  keys?: (keys: { keys: Body[] }) => unknown;
  /** The parameters of the callback. */
  callback?: (params: URLSearchParams) => void;
  /** The claims of the ID token. */
  claims?: (claims: Body) => Body;
  /** The header of the ID token. */
  header?: (header: Body) => Body;
  /** The signed ID token. */
  idToken?: (idToken: string, claims: Body) => string | Promise<string>;
  /** The response of the token endpoint. */
  token?: (token: Body) => unknown;
  /** The response of the userinfo endpoint. */
  userinfo?: (claims: Body) => unknown;
}

/** The first key pair of each kind. All tests share it because creating one is slow. */
const shared = new Map<SigningAlgorithm, Promise<SigningKey>>();

/** Other key pairs of each kind, which tests take in turn. */
const others = new Map<SigningAlgorithm, Promise<SigningKey>[]>();

/** The number of the others. A test must not need more of a kind. */
const OTHERS = 6;

/**
 * Returns a key pair. A `fresh` one differs from the shared one, and from the
 * last five fresh ones.
 */
export function signingKey(
  alg: SigningAlgorithm,
  fresh = false,
): Promise<SigningKey> {
  if (fresh) return otherKey(alg);
  const known = shared.get(alg) ?? makeKey(alg);
  shared.set(alg, known);
  return known;
}

function otherKey(alg: SigningAlgorithm): Promise<SigningKey> {
  // Only RSA keys are slow, by 0.1 s each.
  if (alg === "ES256" || alg === "EdDSA") return makeKey(alg);
  const keys = others.get(alg) ?? [];
  const key = keys.length < OTHERS ? makeKey(alg) : keys.shift()!;
  others.set(alg, [...keys, key]);
  return key;
}

async function makeKey(alg: SigningAlgorithm): Promise<SigningKey> {
  const options = { extractable: true };
  const { privateKey, publicKey } = await generateKeyPair(
    alg === "EdDSA" ? "Ed25519" : alg,
    options,
  );
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { alg, privateKey, jwk: { ...jwk, kid, use: "sig", alg } };
}

/** A verifier and its challenge, for a provider that ignores PKCE. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** The user who logs in at the provider. */
export const USER = {
  sub: "248289761001",
  name: "Jane Doe",
  email: "jane@example.com",
  email_verified: true,
  picture: "https://id.example/jane.png",
};

/**
 * The provider of `./testing` with other keys, algorithms and ways to
 * authenticate the client. It follows the rules unless a test sets faults.
 */
export class TestProvider {
  readonly issuer: string;
  readonly requests: SeenRequest[] = [];
  faults: Faults = {};
  signing: SigningAlgorithm = "RS256";
  clientId = "app";
  clientSecret = "s3cret-of-the-client";
  authMethods: string[] | undefined = ["client_secret_basic"];
  now: () => number = Date.now;
  user: Body = { ...USER };
  keys: SigningKey[];
  /** `false` if the provider ignores the code verifier. */
  isPKCEChecked = true;
  readonly #provider: InMemoryProvider;
  readonly #pushed = new Map<string, URLSearchParams>();

  private constructor(issuer: string, keys: SigningKey[]) {
    this.issuer = issuer;
    this.keys = keys;
    this.#provider = createTestProvider({ issuer, now: () => this.now() });
  }

  static async create(
    issuer = "https://id.example",
    algorithms: readonly SigningAlgorithm[] = ["RS256"],
  ): Promise<TestProvider> {
    const keys = await Promise.all(algorithms.map((alg) => signingKey(alg)));
    const provider = new TestProvider(issuer, keys);
    provider.signing = algorithms[0]!;
    return provider;
  }

  /** Returns the requests to a path. */
  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  /** Returns the last request to a path. */
  last(path: string): SeenRequest {
    return this.requests.findLast((request) => request.path === path)!;
  }

  /** Replaces the keys with a fresh one. */
  async rotate(alg = this.signing): Promise<void> {
    this.keys = [await signingKey(alg, true)];
  }

  /** Replaces the network. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<
    Response
  > => {
    // As in Workers, which support only some modes.
    if (init.redirect === "error") throw new TypeError("Invalid redirect mode");
    const { pathname, searchParams } = new URL(url);
    const request: SeenRequest = {
      method: init.method ?? "GET",
      path: pathname,
      headers: new Headers(init.headers),
      form: new URLSearchParams(init.body as string ?? ""),
      query: searchParams,
    };
    this.requests.push(request);
    init.signal?.throwIfAborted();
    const answer = await this.faults.respond?.(request);
    return answer ?? await this.#answer(request);
  };

  async #answer(request: SeenRequest): Promise<Response> {
    const { path } = request;
    const base = new URL(this.issuer).pathname.replace(/\/$/, "");
    if (path === `${base}/.well-known/openid-configuration`) {
      const metadata = this.metadata();
      return Response.json(this.faults.metadata?.(metadata) ?? metadata);
    }
    if (path === "/keys") {
      const keys = { keys: this.keys.map(({ jwk }) => ({ ...jwk })) };
      return Response.json(this.faults.keys?.(keys) ?? keys);
    }
    if (path === "/userinfo") return await this.#userinfo(request);
    if (!["/token", "/par", "/revoke"].includes(path)) {
      return new Response("Not Found", { status: 404 });
    }
    if (!this.#isClient(request)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    if (path === "/par") return this.#push(request);
    return path === "/token"
      ? await this.#token(request)
      : await this.#delegate(request);
  }

  /** Sends a request of an authenticated client to the provider in memory. */
  #delegate({ path, method, headers, form }: SeenRequest): Promise<Response> {
    const { clientId, clientSecret, fetch } = this.#provider.client;
    const url = this.issuer.replace(/\/$/, "") + path;
    if (method === "GET") return fetch(url, { headers });
    const body = new URLSearchParams(form);
    body.set("client_id", clientId);
    body.set("client_secret", clientSecret);
    return fetch(url, { method, body });
  }

  /** Returns the discovery document. */
  metadata(): Body {
    const origin = new URL(this.issuer).origin;
    return {
      issuer: this.issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      userinfo_endpoint: `${origin}/userinfo`,
      jwks_uri: `${origin}/keys`,
      revocation_endpoint: `${origin}/revoke`,
      end_session_endpoint: `${origin}/logout`,
      pushed_authorization_request_endpoint: `${origin}/par`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [
        ...new Set(["RS256", ...this.keys.map(({ alg }) => alg)]),
      ],
      token_endpoint_auth_methods_supported: this.authMethods,
      code_challenge_methods_supported: ["S256"],
    };
  }

  /**
   * Acts as the browser: the user agrees, and the provider redirects back.
   *
   * @returns The URL of the callback.
   */
  authorize(location: string | null): string {
    const url = new URL(location!);
    const uri = url.searchParams.get("request_uri");
    const params = this.#pushed.get(uri ?? "") ?? url.searchParams;
    const request = new URLSearchParams(params);
    request.set("client_id", this.#provider.client.clientId);
    // Providers without OpenID Connect do not require the scope.
    request.set("scope", `openid ${params.get("scope")}`);
    if (!this.isPKCEChecked) request.set("code_challenge", CHALLENGE);
    const callback = new URL(this.#provider.authorize(
      `${this.issuer.replace(/\/$/, "")}/authorize?${request}`,
      { user: this.user as Body & { sub: string } },
    ));
    const answer = new URLSearchParams({
      code: callback.searchParams.get("code")!,
      state: params.get("state")!,
    });
    this.faults.callback?.(answer);
    const redirectUri = new URL(params.get("redirect_uri")!);
    // Setting the query once is faster: each append parses the URL again.
    redirectUri.search = String(
      new URLSearchParams([...redirectUri.searchParams, ...answer]),
    );
    return redirectUri.href;
  }

  async #token(request: SeenRequest): Promise<Response> {
    const form = new URLSearchParams(request.form);
    if (!this.isPKCEChecked) form.set("code_verifier", VERIFIER);
    const response = await this.#delegate({ ...request, form });
    if (!response.ok) return response;
    const { scope: _, ...token } = await response.json();
    const { auth_time, nonce } = decodeJwt(token.id_token);
    const id_token = await this.idToken({
      auth_time,
      ...nonce !== undefined && { nonce },
      at_hash: await hashOf(token.access_token, this.signing),
    });
    const signed = { ...token, id_token };
    return Response.json(this.faults.token?.(signed) ?? signed);
  }

  /** Signs an ID token with the current key. */
  async idToken(extra: Body = {}): Promise<string> {
    const seconds = Math.floor(this.now() / 1000);
    const all: Body = {
      iss: this.issuer,
      aud: this.clientId,
      iat: seconds,
      exp: seconds + 300,
      auth_time: seconds,
      ...this.user,
      ...extra,
    };
    const claims = this.faults.claims?.(all) ?? all;
    const { alg, jwk, privateKey } = this.keys.find((key) =>
      key.alg === this.signing
    )!;
    const header = { alg, kid: jwk.kid as string };
    const idToken = await new SignJWT(claims)
      .setProtectedHeader(
        (this.faults.header?.(header) ?? header) as { alg: string },
      )
      .sign(privateKey);
    return await this.faults.idToken?.(idToken, claims) ?? idToken;
  }

  async #userinfo(request: SeenRequest): Promise<Response> {
    const response = await this.#delegate(request);
    if (!response.ok) return response;
    const claims = await response.json();
    return Response.json(this.faults.userinfo?.({ ...claims }) ?? claims);
  }

  #push({ form }: SeenRequest): Response {
    const uri = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`;
    this.#pushed.set(uri, form);
    const answer = { request_uri: uri, expires_in: 60 };
    return Response.json(answer, { status: 201 });
  }

  #isClient({ form, headers }: SeenRequest): boolean {
    const method = this.authMethods?.[0] ?? "client_secret_basic";
    if (method === "none" || method === "private_key_jwt") {
      return form.get("client_id") === this.clientId;
    }
    if (method === "client_secret_post") {
      return form.get("client_id") === this.clientId &&
        form.get("client_secret") === this.clientSecret;
    }
    const encode = (text: string) =>
      new URLSearchParams({ x: text }).toString().slice(2);
    const pair = `${encode(this.clientId)}:${encode(this.clientSecret)}`;
    return headers.get("Authorization") === `Basic ${btoa(pair)}`;
  }
}

/** Returns the `at_hash` of an access token (Core 1.0, section 3.1.3.6). */
export async function hashOf(
  token: string,
  alg: SigningAlgorithm,
): Promise<string> {
  const hash = await digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", token);
  return base64url.encode(hash.subarray(0, hash.length / 2));
}

async function digest(name: string, text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest(name, bytes));
}
