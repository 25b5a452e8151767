import {
  base64url,
  calculateJwkThumbprint,
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

/** A request that the provider got. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
  readonly query: URLSearchParams;
}

/** What the provider does wrong. Each gets the right thing and may change it. */
export interface Faults {
  /** The answer to any request, in place of the right one. */
  respond?: (
    request: SeenRequest,
  ) => Response | Promise<Response> | undefined;
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
  /** The answer of the token endpoint. */
  token?: (token: Body) => unknown;
  /** The answer of the userinfo endpoint. */
  userinfo?: (claims: Body) => unknown;
}

interface Grant {
  readonly params: URLSearchParams;
  readonly redirectUri: string;
}

/** Key pairs take long to make: every test shares the first of each kind. */
const shared = new Map<SigningAlgorithm, Promise<SigningKey>>();

/** Makes a key pair; `fresh` ones are nobody else's. */
export function signingKey(
  alg: SigningAlgorithm,
  fresh = false,
): Promise<SigningKey> {
  const known = shared.get(alg);
  if (known !== undefined && !fresh) return known;
  const made = makeKey(alg);
  if (!fresh) shared.set(alg, made);
  return made;
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

/** Who logs in at the provider. */
export const USER = {
  sub: "248289761001",
  name: "Jane Doe",
  email: "jane@example.com",
  email_verified: true,
  picture: "https://id.example/jane.png",
};

/**
 * An OpenID provider behind a `fetch` function. It signs with real keys, keeps
 * to the rules, and breaks them where a test says so.
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
  /** Whether it holds the code verifier against the challenge. */
  isPKCEChecked = true;
  #grants = new Map<string, Grant>();
  #pushed = new Map<string, URLSearchParams>();
  #tokens = new Map<string, Body>();
  #refresh = new Map<string, number>();
  #serial = 0;

  private constructor(issuer: string, keys: SigningKey[]) {
    this.issuer = issuer;
    this.keys = keys;
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

  /** The requests to one path. */
  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  /** The last request to one path. */
  last(path: string): SeenRequest {
    return this.requests.findLast((request) => request.path === path)!;
  }

  /** Replaces the keys by new ones. */
  async rotate(alg = this.signing): Promise<void> {
    this.keys = [await signingKey(alg, true)];
  }

  /** Stands in for the network. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<
    Response
  > => {
    // As Workers do it: which modes there are is a fact of that runtime.
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
    switch (path) {
      case "/keys": {
        const keys = { keys: this.keys.map(({ jwk }) => ({ ...jwk })) };
        return Response.json(this.faults.keys?.(keys) ?? keys);
      }
      case "/token":
        return await this.#token(request);
      case "/userinfo":
        return this.#userinfo(request);
      case "/par":
        return this.#push(request);
      case "/revoke":
        return this.#revoke(request);
    }
    return new Response("Not Found", { status: 404 });
  }

  /** What it says of itself. */
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
   * What happens in the browser: the user agrees, and is sent back.
   *
   * @returns The URL of the callback.
   */
  authorize(location: string | null): string {
    const url = new URL(location!);
    const uri = url.searchParams.get("request_uri");
    const params = this.#pushed.get(uri ?? "") ?? url.searchParams;
    const redirectUri = params.get("redirect_uri")!;
    const code = `code-${++this.#serial}-${crypto.randomUUID()}`;
    this.#grants.set(code, { params, redirectUri });
    const callback = new URL(redirectUri);
    const answer = new URLSearchParams({ code, state: params.get("state")! });
    this.faults.callback?.(answer);
    // At once: a URL is parsed anew for each parameter that is appended.
    callback.search = String(
      new URLSearchParams([...callback.searchParams, ...answer]),
    );
    return callback.href;
  }

  async #token(request: SeenRequest): Promise<Response> {
    if (!this.#isClient(request)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const { form } = request;
    if (form.get("grant_type") === "refresh_token") return this.#renew(form);
    const grant = this.#grants.get(form.get("code") ?? "");
    this.#grants.delete(form.get("code") ?? "");
    const isRight = grant !== undefined &&
      grant.redirectUri === form.get("redirect_uri") &&
      (!this.isPKCEChecked || grant.params.get("code_challenge") ===
          await challengeOf(form.get("code_verifier") ?? ""));
    if (!isRight) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const nonce = grant.params.get("nonce");
    return await this.#issue({ nonce }, Math.floor(this.now() / 1000));
  }

  async #issue(extra: Body, authTime: number): Promise<Response> {
    const accessToken = `access-${++this.#serial}-${crypto.randomUUID()}`;
    const refreshToken = `refresh-${++this.#serial}-${crypto.randomUUID()}`;
    this.#tokens.set(accessToken, this.user);
    this.#refresh.set(refreshToken, authTime);
    const idToken = await this.idToken({
      auth_time: authTime,
      ...extra,
      at_hash: await hashOf(accessToken, this.signing),
    });
    const token = {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: refreshToken,
      id_token: idToken,
    };
    return Response.json(this.faults.token?.(token) ?? token);
  }

  async #renew(form: URLSearchParams): Promise<Response> {
    const token = form.get("refresh_token") ?? "";
    const authTime = this.#refresh.get(token);
    if (authTime === undefined) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    this.#refresh.delete(token);
    // A refresh is no new authentication (Core 1.0, section 12.2).
    return await this.#issue({}, authTime);
  }

  /** Signs an ID token with the present key. */
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

  #userinfo({ headers }: SeenRequest): Response {
    const token = headers.get("Authorization")?.replace(/^Bearer /, "");
    const user = this.#tokens.get(token ?? "");
    if (user === undefined) {
      return Response.json({ error: "invalid_token" }, { status: 401 });
    }
    return Response.json(this.faults.userinfo?.({ ...user }) ?? user);
  }

  #push(request: SeenRequest): Response {
    if (!this.#isClient(request)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const uri = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`;
    this.#pushed.set(uri, request.form);
    const answer = { request_uri: uri, expires_in: 60 };
    return Response.json(answer, { status: 201 });
  }

  #revoke(request: SeenRequest): Response {
    if (!this.#isClient(request)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const token = request.form.get("token") ?? "";
    this.#tokens.delete(token);
    this.#refresh.delete(token);
    return new Response(null, { status: 200 });
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

async function challengeOf(verifier: string): Promise<string> {
  return base64url.encode(await digest("SHA-256", verifier));
}

/** The `at_hash` of an access token (Core 1.0, section 3.1.3.6). */
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
