import type { TestClient } from "../../router/testing.ts";
import {
  encodeBase64Url,
  randomToken,
  sha256,
  sha256Base64Url,
} from "../../session/secrets.ts";
import { TestSigner } from "./_test_signer.ts";

/** The issuer, the client registration and the clock. */
export interface InMemoryProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly now: () => number;
}

type Claims = Readonly<Record<string, unknown>>;

/** A user who has logged in. */
interface Login {
  readonly user: Claims;
  readonly sid: string;
  readonly authTime: number;
  readonly scope: string;
}

/** A login that is waiting for its code to be exchanged. */
interface Grant extends Login {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string | null;
}

/** The event claim of logout tokens (Back-Channel Logout 1.0, section 2.4). */
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The provider behind `createTestProvider`. */
export class InMemoryProvider {
  readonly #options: InMemoryProviderOptions;
  readonly #base: string;
  readonly #signer = new TestSigner();
  readonly #grants = new Map<string, Grant>();
  readonly #access = new Map<string, Login>();
  readonly #refresh = new Map<string, Login>();

  constructor(options: InMemoryProviderOptions) {
    this.#options = options;
    this.#base = options.issuer.replace(/\/$/, "");
  }

  /** Replaces the network. */
  readonly fetch = async (
    url: string,
    init: RequestInit,
  ): Promise<Response> => {
    const request = new Request(url, init);
    const [place] = url.split("?");
    if (!place.startsWith(`${this.#base}/`)) {
      throw new TypeError(
        `Cannot fetch "${place}": the test provider only answers below its issuer`,
      );
    }
    switch (`${request.method} ${place.slice(this.#base.length)}`) {
      case "GET /.well-known/openid-configuration":
        return Response.json(this.#metadata());
      case "GET /keys":
        return Response.json({ keys: [await this.#signer.publicKey()] });
      case "GET /userinfo":
        return this.#userinfo(request.headers);
      case "POST /token":
        return await this.#withClient(request, (form) => this.#token(form));
      case "POST /revoke":
        return await this.#withClient(request, (form) => this.#revoke(form));
    }
    return errorResponse(404, "not_found");
  };

  /** Answers an authorization request in place of the user. */
  authorize(
    location: string | null,
    { error, user }: { readonly error?: string; readonly user: Claims },
  ): URL {
    const url = URL.parse(location ?? "");
    if (url?.href.split("?")[0] !== `${this.#base}/authorize`) {
      throw new Error(
        `Cannot log in at the test provider: "${location}" does not lead there`,
      );
    }
    const params = url.searchParams;
    this.#checkRequest(params);
    const callback = new URL(params.get("redirect_uri")!);
    const { searchParams } = callback;
    searchParams.set("state", params.get("state") ?? "");
    searchParams.set("iss", this.#options.issuer);
    if (error !== undefined) {
      searchParams.set("error", error);
      return callback;
    }
    const code = `code-${randomToken()}`;
    this.#grants.set(code, {
      user,
      sid: randomToken(),
      authTime: this.#seconds(),
      scope: params.get("scope")!,
      redirectUri: params.get("redirect_uri")!,
      challenge: params.get("code_challenge")!,
      nonce: params.get("nonce"),
    });
    searchParams.set("code", code);
    return callback;
  }

  /** Sends the answer back with a browser, in the requested response mode. */
  async sendBack(
    browser: TestClient,
    location: string,
    callback: string,
  ): Promise<Response> {
    const { searchParams: requested } = new URL(location);
    if (requested.get("response_mode") !== "form_post") {
      return await browser.fetch(callback);
    }
    const redirectUri = requested.get("redirect_uri")!;
    const { searchParams } = new URL(callback);
    for (const [name] of new URL(redirectUri).searchParams) {
      searchParams.delete(name);
    }
    const posted = await browser.fetch(redirectUri, {
      method: "POST",
      headers: {
        "Origin": new URL(this.#base).origin,
        "Sec-Fetch-Site": "cross-site",
      },
      body: searchParams,
    });
    const next = posted.headers.get("Location");
    return next === null ? posted : await browser.fetch(next);
  }

  /** Signs a logout token. */
  logoutToken(subject: Claims): Promise<string> {
    const claims = {
      ...this.#claims(),
      jti: randomToken(),
      events: { [LOGOUT_EVENT]: {} },
      ...subject,
    };
    return this.#signer.sign(claims, "logout+jwt");
  }

  #metadata() {
    const base = this.#base;
    return {
      issuer: this.#options.issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      userinfo_endpoint: `${base}/userinfo`,
      jwks_uri: `${base}/keys`,
      revocation_endpoint: `${base}/revoke`,
      end_session_endpoint: `${base}/logout`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      code_challenge_methods_supported: ["S256"],
      id_token_signing_alg_values_supported: [this.#signer.algorithm],
      token_endpoint_auth_methods_supported: [
        "client_secret_basic",
        "client_secret_post",
      ],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #checkRequest(params: URLSearchParams): void {
    const is = (name: string, value: string) => params.get(name) === value;
    const problems = [
      is("client_id", this.#options.clientId) || "client_id",
      is("response_type", "code") || "response_type",
      is("code_challenge_method", "S256") || "code_challenge_method",
      URL.canParse(params.get("redirect_uri") ?? "") || "redirect_uri",
      params.get("scope")?.split(" ").includes("openid") || "scope",
    ].filter((problem) => problem !== true);
    if (problems.length === 0) return;
    throw new Error(
      `Cannot log in at the test provider: ${problems.join(", ")} is wrong`,
    );
  }

  async #withClient(
    request: Request,
    answer: (form: URLSearchParams) => Response | Promise<Response>,
  ): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const { clientId, clientSecret } = this.#options;
    const encode = (value: string) =>
      new URLSearchParams({ x: value }).toString().slice(2);
    const pair = `${encode(clientId)}:${encode(clientSecret)}`;
    const authorization = request.headers.get("Authorization");
    const isClient = authorization === null
      ? form.get("client_id") === clientId &&
        form.get("client_secret") === clientSecret
      : authorization === `Basic ${btoa(pair)}`;
    return isClient ? await answer(form) : errorResponse(401, "invalid_client");
  }

  async #token(form: URLSearchParams): Promise<Response> {
    switch (form.get("grant_type")) {
      case "authorization_code":
        return await this.#exchange(form);
      case "refresh_token": {
        const login = takeOnce(this.#refresh, form.get("refresh_token"));
        if (login === undefined) return errorResponse(400, "invalid_grant");
        return await this.#issue(login, {});
      }
    }
    return errorResponse(400, "unsupported_grant_type");
  }

  async #exchange(form: URLSearchParams): Promise<Response> {
    const grant = takeOnce(this.#grants, form.get("code"));
    const verifier = form.get("code_verifier") ?? "";
    const challenge = await sha256Base64Url(verifier);
    const isValid = grant?.challenge === challenge &&
      grant.redirectUri === form.get("redirect_uri");
    if (!isValid) return errorResponse(400, "invalid_grant");
    const { nonce } = grant;
    return await this.#issue(grant, nonce === null ? {} : { nonce });
  }

  async #issue(
    login: Login,
    extra: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const accessToken = `access-${randomToken()}`;
    const refreshToken = `refresh-${randomToken()}`;
    this.#access.set(accessToken, login);
    this.#refresh.set(refreshToken, login);
    const hash = await sha256(accessToken);
    const idToken = await this.#signer.sign({
      ...this.#claims(),
      auth_time: login.authTime,
      sid: login.sid,
      at_hash: encodeBase64Url(hash.subarray(0, hash.length / 2)),
      ...extra,
      ...login.user,
    }, "JWT");
    return Response.json({
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: refreshToken,
      id_token: idToken,
      scope: login.scope,
    });
  }

  #userinfo(headers: Headers): Response {
    const token = headers.get("Authorization")?.replace(/^Bearer /, "");
    const login = this.#access.get(token ?? "");
    return login === undefined
      ? errorResponse(401, "invalid_token")
      : Response.json(login.user);
  }

  #revoke(form: URLSearchParams): Response {
    takeOnce(this.#access, form.get("token"));
    takeOnce(this.#refresh, form.get("token"));
    return new Response(null);
  }

  #claims() {
    const { clientId, issuer } = this.#options;
    const iat = this.#seconds();
    return { iss: issuer, aud: clientId, iat, exp: iat + 300 };
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** Returns a value that works once, and removes it. */
function takeOnce<Value>(
  map: Map<string, Value>,
  key: string | null,
): Value | undefined {
  const value = map.get(key ?? "");
  map.delete(key ?? "");
  return value;
}

function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
