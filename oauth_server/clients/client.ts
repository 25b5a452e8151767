/**
 * The authentication of a client at the token endpoint: none for public clients,
 * SHA-256 hashes of its secrets as base64url, its public keys, or their URL.
 */
export type ClientAuthentication =
  | "none"
  | { readonly secretHashes: readonly string[] }
  | { readonly jwks: object }
  | { readonly jwksUri: string };

/** A way in which a client uses the server. */
export type ClientGrant = "code" | "device" | "introspection";

/** A client that the application knows in advance. */
export interface RegisteredClient {
  /** The client id. */
  readonly id: string;

  /** The name, which the consent page shows. */
  readonly name: string;

  /**
   * The redirect URIs, which requests must contain exactly. Only the port of a
   * loopback URI such as `http://127.0.0.1/callback` may differ (RFC 8252, section
   * 7.3). A native application can have a scheme with a dot, such as
   * `com.example.app:/callback`.
   *
   * @default {[]}
   */
  readonly redirectUris?: readonly string[];

  /**
   * The authentication at the token endpoint.
   *
   * @default {"none"}
   */
  readonly authentication?: ClientAuthentication;

  /**
   * The uses of the server.
   *
   * @default {["code"]}
   */
  readonly grants?: readonly ClientGrant[];

  /**
   * The scopes that the client may request.
   *
   * @default {all of the resource}
   */
  readonly scopes?: readonly string[];

  /**
   * `true` for a client of the application itself, which needs no consent. It must
   * authenticate.
   *
   * @default {false}
   */
  readonly trusted?: boolean;
}

/** The clients of an application, or a function that finds one by its id. */
export type RegisteredClients =
  | readonly RegisteredClient[]
  | ((
    id: string,
  ) => RegisteredClient | null | Promise<RegisteredClient | null>);

/** A client, whatever its source. */
export interface Client {
  /** The client id. */
  readonly id: string;
  /** The name, for users. */
  readonly name: string;
  /**
   * The host of its metadata document.
   *
   * @default {undefined}
   */
  readonly host?: string;
  /** The redirect URIs. */
  readonly redirectUris: readonly string[];
  /** The authentication at the token endpoint. */
  readonly authentication: ClientAuthentication;
  /**
   * `true` if requests without authentication are accepted: always with `"none"`,
   * and for documents that offer keys and `none`, as ChatGPT's does.
   */
  readonly isPublic: boolean;
  /** The uses of the server. */
  readonly grants: readonly ClientGrant[];
  /**
   * The scopes that it may request.
   *
   * @default {all of the resource}
   */
  readonly scopes?: readonly string[];
  /** `true` if it needs no consent. */
  readonly trusted: boolean;
  /** The source: the application's options, a metadata document, registration. */
  readonly source: "registered" | "document" | "dynamic";
  /**
   * `true` if its document or registration says that it always binds its tokens to a key (RFC 9449,
   * section 5.2).
   *
   * @default {false}
   */
  readonly needsProof?: boolean;
}

/** The part of a client that the token endpoint needs. */
export type TokenClient = Pick<
  Client,
  "authentication" | "id" | "isPublic" | "needsProof" | "source"
>;

/**
 * The part of a client that a code and a grant keep. Registered clients have only
 * their id and source, because the application decides about the rest each time.
 */
export type GrantedClient =
  & Pick<Client, "id" | "source">
  & Partial<TokenClient>;

/** A request to an endpoint that authenticates clients. */
export interface TokenRequest {
  /** The form. Each name occurs once. */
  readonly form: ReadonlyMap<string, string>;
  /** The headers. */
  readonly headers: Headers;
}

/** The clients of a server. */
export interface Clients {
  /** `true` if clients can have a URL as their id, for the metadata. */
  readonly hasDocuments: boolean;

  /**
   * Returns a client without a request to another server: registered and dynamic
   * ones, and cached documents.
   *
   * @param id The client id, from the network.
   */
  find(id: string): Promise<Client | null>;

  /**
   * Returns a client, and may fetch its metadata document.
   *
   * @param id The client id, from the network.
   * @param userId The id of the user, who must be logged in.
   */
  resolve(id: string, userId: string): Promise<Client | null>;

  /**
   * Returns the client of a code or a grant, without a request to another server,
   * or `null` if the application does not allow it any more. Registered clients are
   * as they are now. Others are as they were when the user approved them: their
   * document may have changed since, and their server may be unavailable.
   *
   * @param granted The client, as the grant kept it.
   */
  ofGrant(granted: GrantedClient): Promise<TokenClient | null>;

  /**
   * Returns the client id that a request claims, or `null` if it has none, or
   * malformed credentials.
   *
   * @param request The request.
   */
  claimedId(request: TokenRequest): string | null;

  /**
   * Returns `true` if a request has the client's authentication. It may fetch the
   * keys of the client, so only call it after the code or the grant of the request
   * was found, or for a registered client.
   *
   * @param request The request.
   * @param client The client.
   */
  authenticate(request: TokenRequest, client: TokenClient): Promise<boolean>;

  /**
   * Notes that a user has approved a client, so that a dynamic one is kept.
   *
   * @param client The client.
   */
  approved(client: Client): Promise<void>;
}

/** Returns the part of a client that a grant keeps. */
export function grantedClient(client: Client): GrantedClient {
  const { authentication, id, isPublic, needsProof, source } = client;
  return source === "registered"
    ? { id, source }
    : { id, source, authentication, isPublic, needsProof };
}
