import type { TestClient, TestRequestInit } from "../router/testing.ts";
import { randomToken, sha256Base64Url } from "../session/secrets.ts";
import {
  authorize,
  fail,
  type Metadata,
  readMetadata,
} from "./_test_authorization.ts";
import { TestProofs } from "./_test_proofs.ts";

/** Options for {@linkcode connectTest}. */
export interface ConnectTestOptions {
  /** The issuer of the authorization server, such as `https://app.example`. */
  readonly server: string;
  /** The client id. */
  readonly clientId: string;
  /**
   * The secret of the client, which it sends with Basic.
   *
   * @default {none, as a public client}
   */
  readonly clientSecret?: string;
  /**
   * The redirect URI, if the client has several.
   *
   * @default {the only one}
   */
  readonly redirectUri?: string;
  /**
   * The URL of the resource.
   *
   * @default {the first one of the server}
   */
  readonly resource?: string;
  /**
   * The scopes that the client asks for, and the user gives.
   *
   * @default {the default scopes of the resource}
   */
  readonly scopes?: readonly string[];
  /**
   * Binds the tokens to a new key: `createDPoPBinding()` of
   * `@gatehouse/web/auth/access-tokens`.
   *
   * @default {bearer tokens}
   */
  readonly dpop?: TestDPoPBinding;
  /**
   * Returns the time of proofs in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The keys and proofs of clients: the result of `createDPoPBinding()`. */
export interface TestDPoPBinding {
  /** Creates the key of a client. */
  createKey(): Promise<object>;
  /** Creates the proof of a request. */
  createProof(key: object, request: TestProofRequest): Promise<string>;
  /** Reads the nonce of a response. */
  readNonce(response: Response): string | null;
}

/** The request of a proof. */
export interface TestProofRequest {
  /** The method. */
  readonly method: string;
  /** The complete URL. */
  readonly url: string;
  /** The access token, if the request has one. */
  readonly token: string | undefined;
  /** The last nonce of the server. */
  readonly nonce: string | null;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
}

/** A client that a user has connected. */
export interface TestConnection {
  /** The current access token. */
  readonly accessToken: string;
  /** The current refresh token. */
  readonly refreshToken: string;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  /**
   * Sends a request with the access token and without cookies.
   *
   * @param path The path, or a URL.
   * @param init The options of the request.
   * @returns The response.
   */
  fetch(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Refreshes the tokens. If the server refuses it, they stay as they are.
   *
   * @returns The response of the server.
   */
  refresh(): Promise<Response>;
  /**
   * Revokes the refresh token, which ends the grant.
   *
   * @returns The response of the server.
   */
  revoke(): Promise<Response>;
}

/**
 * Connects a client to the account of a user, as a browser and the client would:
 * finds the endpoints, approves the request on the consent page, checks the response
 * and exchanges the code.
 *
 * @example Testing an API with a token
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { testAccounts } from "@gatehouse/web/accounts/testing";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
 * import { connectTest, createTestClient } from "@gatehouse/web/testing";
 *
 * const accounts = testAccounts();
 * const server = createAuthorizationServer({
 *   issuer: "https://test.example",
 *   users: accounts,
 *   store: accounts.store,
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://test.example/api": {
 *       name: "Notes",
 *       scopes: { "notes:read": "Read your notes" },
 *     },
 *   },
 *   clients: [{
 *     id: "notes-cli",
 *     name: "Notes CLI",
 *     redirectUris: ["http://127.0.0.1/callback"],
 *   }],
 *   loginPath: "/login",
 * });
 * const api = server.resource("https://test.example/api");
 * const router = createRouter({
 *   middleware: [server.endpoints, ...accounts.withSchemes(api.scheme)],
 * });
 * router.map(server.routes, server.controller);
 * router.get("/api", api.requireScope("notes:read"), () => {
 *   return new Response("Notes");
 * });
 *
 * const browser = createTestClient(router);
 * const user = await accounts.users.create({
 *   email: "ada@example.com",
 *   name: "Ada",
 * });
 * await accounts.logInTest(browser, user!.id);
 * const app = await connectTest(browser, {
 *   server: "https://test.example",
 *   clientId: "notes-cli",
 * });
 *
 * assertEquals((await app.fetch("/api")).status, 200);
 * await server.revoke(user!.id);
 * assertEquals((await app.fetch("/api")).status, 401);
 * ```
 *
 * @param browser A browser in which a user is logged in.
 * @param options The server and the client.
 * @returns The tokens, and functions that use them.
 * @throws {Error} If the user is not logged in, or the server refuses the request.
 */
export async function connectTest(
  browser: TestClient,
  options: ConnectTestOptions,
): Promise<TestConnection> {
  const metadata = await readMetadata(browser, options.server);
  const verifier = randomToken();
  const state = randomToken();
  const code = await authorize(browser, {
    options,
    metadata,
    state,
    challenge: await sha256Base64Url(verifier),
  });
  const connection = new Connection(browser, options, metadata);
  const { redirectUri } = options;
  const response = await connection.request({
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    ...redirectUri !== undefined && { redirect_uri: redirectUri },
  });
  if (!response.ok) fail(await response.text());
  return connection;
}

class Connection implements TestConnection {
  accessToken = "";
  refreshToken = "";
  scopes: readonly string[] = [];
  readonly #browser: TestClient;
  readonly #metadata: Metadata;
  readonly #options: ConnectTestOptions;
  readonly #proofs: TestProofs | undefined;
  #type = "Bearer";

  constructor(
    browser: TestClient,
    options: ConnectTestOptions,
    metadata: Metadata,
  ) {
    this.#browser = browser;
    this.#options = options;
    this.#metadata = metadata;
    const { dpop, now = Date.now } = options;
    this.#proofs = dpop && new TestProofs(dpop, now);
  }

  async fetch(path: string, init: TestRequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `${this.#type} ${this.accessToken}`);
    return await this.#fetch(path, { ...init, headers }, this.accessToken);
  }

  async refresh(): Promise<Response> {
    return await this.request({
      grant_type: "refresh_token",
      refresh_token: this.refreshToken,
    });
  }

  async revoke(): Promise<Response> {
    const { revocation_endpoint: url } = this.#metadata;
    return await this.#send(url, { token: this.refreshToken });
  }

  /** Sends a request to the token endpoint, and keeps the tokens. */
  async request(form: Readonly<Record<string, string>>): Promise<Response> {
    const response = await this.#send(this.#metadata.token_endpoint, form);
    if (response.ok) {
      const body = await response.clone().json();
      this.#type = body.token_type;
      this.accessToken = body.access_token;
      this.refreshToken = body.refresh_token;
      this.scopes = body.scope.split(" ");
    }
    return response;
  }

  async #send(
    url: string,
    form: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { clientId, clientSecret } = this.#options;
    const headers = new Headers();
    const body = new URLSearchParams(form);
    if (clientSecret === undefined) body.set("client_id", clientId);
    else {
      const parts = [clientId, clientSecret].map(encodeURIComponent);
      headers.set("Authorization", `Basic ${btoa(parts.join(":"))}`);
    }
    return await this.#fetch(url, { method: "POST", headers, body });
  }

  async #fetch(
    path: string,
    init: TestRequestInit,
    token?: string,
  ): Promise<Response> {
    const request: TestRequestInit = { ...init, credentials: "omit" };
    if (this.#proofs === undefined) {
      return await this.#browser.fetch(path, request);
    }
    const url = String(new URL(path, this.#options.server));
    return await this.#proofs.fetch(this.#browser, url, request, token);
  }
}
