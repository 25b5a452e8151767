import type { ExternalAuthError } from "../../auth/internal.ts";

/** Options for clients whose id is the URL of a metadata document. */
export interface ClientDocumentOptions {
  /**
   * Sends the GET requests for metadata documents and keys of clients, for example
   * through a proxy for outgoing requests.
   *
   * Trust: users choose the URLs. The function must refuse hosts that are not on the
   * internet, after it has resolved their names, and must not follow redirects.
   *
   * @default {connects only to public addresses, on Deno, Bun, Node, and on Workers with the flag `global_fetch_strictly_public`}
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;

  /**
   * Returns `true` for a client that may be used. The server also calls it when the
   * client uses a grant, so that a client can be excluded later.
   *
   * @default {() => true}
   */
  readonly allow?: (url: URL) => boolean;

  /**
   * Receives the reason if a document or the keys of a client are unavailable or
   * invalid. The user sees only that the client cannot be used.
   *
   * @default {console.warn}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** Options for {@linkcode registrationEndpoint}. */
export interface RegistrationOptions {
  /**
   * The number of registrations per hour and address. An IPv6 /64 counts as one
   * address. Behind a proxy, set the router's `trustedProxies`.
   *
   * @default {20}
   */
  readonly perAddress?: number;

  /**
   * The time after which a client is removed if no user approves it, in
   * milliseconds.
   *
   * @default {86_400_000}
   */
  readonly unusedTtl?: number;

  /**
   * The number of registrations within `unusedTtl`, from all addresses. The store
   * has at most twice as many clients that no user has approved.
   *
   * @default {1_000}
   */
  readonly maxUnused?: number;
}
