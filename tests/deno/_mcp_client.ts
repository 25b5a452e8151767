import {
  Client,
  type DpopSession,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "npm:@modelcontextprotocol/client@2.4.0";

const REDIRECT_URI = "http://localhost:3000/callback";

/** Options for {@linkcode MCPUser}. */
export interface MCPUserOptions {
  /**
   * Approves on the page that the client opens, and returns the URL to which the
   * browser goes.
   */
  readonly approve: (page: URL) => Promise<URL>;
  /**
   * The URL of the client's metadata document, which is its id.
   *
   * @default {undefined, so that it registers}
   */
  readonly documentURL?: string;
  /**
   * Authenticates the client at the token endpoint.
   *
   * @default {undefined}
   */
  readonly authenticate?: OAuthClientProvider["addClientAuthentication"];
  /**
   * The key of the client, which its tokens are bound to.
   *
   * @default {undefined, for bearer tokens}
   */
  readonly dpop?: DpopSession;
}

/** The memory of an MCP client, and the page that it opens for its user. */
class ClientMemory implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadataUrl?: string;
  readonly addClientAuthentication?: OAuthClientProvider[
    "addClientAuthentication"
  ];
  readonly clientMetadata = {
    client_name: "Test client",
    redirect_uris: [REDIRECT_URI],
  };
  /** The page of the authorization server that the client opened last. */
  page: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  readonly dpop?: () => DpopSession;

  constructor({ authenticate, documentURL, dpop }: MCPUserOptions) {
    if (dpop !== undefined) this.dpop = () => dpop;
    if (documentURL !== undefined) this.clientMetadataUrl = documentURL;
    if (authenticate !== undefined) {
      this.addClientAuthentication = authenticate;
    }
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  invalidateCredentials(): void {
    this.#tokens = undefined;
  }
  redirectToAuthorization(page: URL): void {
    this.page = page;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
}

/** The official MCP client, with a user who logs in. */
export class MCPUser {
  readonly #url: URL;
  readonly #approve: (page: URL) => Promise<URL>;
  readonly #memory: ClientMemory;
  /** The scopes that the client asked for at each login. */
  readonly logins: string[] = [];

  constructor(url: string, options: MCPUserOptions) {
    this.#url = new URL(url);
    this.#approve = options.approve;
    this.#memory = new ClientMemory(options);
  }

  /** Calls a tool, and logs in if the server requires it. */
  async callTool(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<string> {
    return await this.#use(async (client) => {
      const { content } = await client.callTool({ name, arguments: args });
      const [part] = content;
      return part?.type === "text" ? part.text : "";
    });
  }

  /** Returns the names of the tools. */
  async listTools(): Promise<string[]> {
    return await this.#use(async (client) =>
      (await client.listTools()).tools.map(({ name }) => name)
    );
  }

  /** Returns the access token of the last login. */
  get accessToken(): string | undefined {
    return this.#memory.tokens()?.access_token;
  }

  async #use<Value>(
    call: (client: Client) => Promise<Value>,
  ): Promise<Value> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const transport = new StreamableHTTPClientTransport(this.#url, {
        authProvider: this.#memory,
      });
      const client = new Client({ name: "test", version: "1.0.0" });
      try {
        await client.connect(transport);
        return await call(client);
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        await transport.finishAuth(await this.#logIn());
      } finally {
        await client.close();
      }
    }
    throw new Error("The client must log in again and again");
  }

  /** Approves on the page of the authorization server. */
  async #logIn(): Promise<URLSearchParams> {
    const { page } = this.#memory;
    if (page === undefined) throw new Error("The client opened no page");
    this.logins.push(page.searchParams.get("scope") ?? "");
    return (await this.#approve(page)).searchParams;
  }
}
