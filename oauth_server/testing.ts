import type { TestClient, TestRequestInit } from "../router/testing.ts";
import { randomToken, sha256Base64Url } from "../session/secrets.ts";

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

/** The endpoints of a server. */
interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
}

class Connection implements TestConnection {
  accessToken = "";
  refreshToken = "";
  scopes: readonly string[] = [];
  readonly #browser: TestClient;
  readonly #metadata: Metadata;
  readonly #options: ConnectTestOptions;

  constructor(
    browser: TestClient,
    options: ConnectTestOptions,
    metadata: Metadata,
  ) {
    this.#browser = browser;
    this.#options = options;
    this.#metadata = metadata;
  }

  async fetch(path: string, init: TestRequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${this.accessToken}`);
    return await this.#browser
      .fetch(path, { ...init, headers, credentials: "omit" });
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
    return await this.#browser
      .fetch(url, { method: "POST", headers, body, credentials: "omit" });
  }
}

function fail(reason: string): never {
  throw new Error(`Cannot connect the client: ${reason}`);
}

/** Reads the metadata (RFC 8414, section 3). */
async function readMetadata(
  browser: TestClient,
  issuer: string,
): Promise<Metadata> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname;
  const url = `${origin}/.well-known/oauth-authorization-server${path}`;
  const response = await browser.fetch(url, { credentials: "omit" });
  if (!response.ok) fail(`"${url}" returned the status ${response.status}`);
  const metadata: Metadata = await response.json();
  return metadata.issuer === issuer
    ? metadata
    : fail(`the issuer is "${metadata.issuer}"`);
}

/** Approves a request in the browser, and returns the code. */
async function authorize(
  browser: TestClient,
  { challenge, metadata, options, state }: {
    readonly challenge: string;
    readonly metadata: Metadata;
    readonly options: ConnectTestOptions;
    readonly state: string;
  },
): Promise<string> {
  const { clientId, redirectUri, resource, scopes } = options;
  const params = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...redirectUri !== undefined && { redirect_uri: redirectUri },
    ...resource !== undefined && { resource },
    ...scopes !== undefined && { scope: scopes.join(" ") },
  });
  const url = metadata.authorization_endpoint;
  const page = await browser.fetch(`${url}?${params}`);
  const response = page.status === 200
    ? await approve(browser, url, await page.text())
    : page;
  const target = targetOf(response);
  if (target === null) fail(await response.text());
  const { searchParams } = target;
  if (searchParams.has("returnTo")) fail("the browser is not logged in");
  // The client must compare the issuer (RFC 9207, section 2.4).
  if (searchParams.get("iss") !== metadata.issuer) fail("iss is wrong");
  if (searchParams.get("state") !== state) fail("state is wrong");
  return searchParams.get("code") ?? fail(String(searchParams));
}

/** Sends the form of the consent page with all its scopes. */
async function approve(
  browser: TestClient,
  url: string,
  page: string,
): Promise<Response> {
  const body = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of page.matchAll(INPUT)) {
    body.append(name!, value!);
  }
  const headers = { Origin: new URL(url).origin };
  return await browser.fetch(url, { method: "POST", headers, body });
}

/** Matches the inputs of the consent page. */
const INPUT = /name="(request|scope)" value="([^"]*)"/g;

/** Returns the URL of a redirect, or of the page that opens the client. */
function targetOf({ headers }: Response): URL | null {
  const location = headers.get("Location") ??
    headers.get("Refresh")?.replace("0; url=", "");
  // A path is that of the login page.
  return location === undefined ? null : URL.parse(location, "http://login/");
}
