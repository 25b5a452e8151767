import { checkedCaller } from "../../auth/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url, timingSafeEqual } from "../../session/secrets.ts";
import { ClientAssertions } from "./_client_assertion.ts";
import { ClientDocuments } from "./_client_documents.ts";
import { readCredentials } from "./_credentials.ts";
import { documentURL } from "./_document_url.ts";
import { publicFetch } from "./_public_fetch.ts";
import { CLIENT_ID, registeredClients } from "./_registered_clients.ts";
import type {
  Client,
  Clients,
  GrantedClient,
  RegisteredClients,
  TokenClient,
  TokenRequest,
} from "./client.ts";
import type { ClientDocumentOptions } from "./options.ts";
import type { RegistrationPart } from "./registration_part.ts";

/** The sources of clients, and the server that they belong to. */
export interface ClientsOptions {
  /** The issuer of the server. */
  readonly issuer: string;
  /** The store of registrations and used assertions. */
  readonly store: SessionStore;
  /** The clients that the application knows in advance. */
  readonly clients?: RegisteredClients | undefined;
  /** Clients whose id is a URL; `false` to have none. */
  readonly cimd?: false | ClientDocumentOptions | undefined;
  /** Clients that register themselves. The default is that no client can. */
  readonly registration?: RegistrationPart | null;
  /** Returns the time in epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates the clients of a server.
 *
 * @throws {TypeError} If a client is invalid, if the store is only eventually
 * consistent, or if this runtime cannot fetch metadata documents safely.
 * @throws {RangeError} If a limit is not a positive number.
 */
export function createClients(options: ClientsOptions): Clients {
  return new AllClients(options);
}

class AllClients implements Clients {
  readonly hasDocuments: boolean;
  readonly #allow: (url: URL) => boolean;
  readonly #assertions: ClientAssertions;
  readonly #documents: ClientDocuments | null;
  readonly #dynamic: RegistrationPart | null;
  readonly #registered: (id: string) => Promise<Client | null>;

  constructor(options: ClientsOptions) {
    const { cimd = {}, issuer, now = Date.now, store } = options;
    const owner = "authorization server";
    const race = "which request uses an assertion first";
    const call = checkedCaller(store, { owner, race });
    const { allow = () => true, onError = console.warn } = cimd || {};
    const fetch = (cimd || {}).fetch ?? publicFetch();
    const needsFetch = cimd !== false || hasKeyURL(options.clients);
    if (needsFetch && fetch === null) {
      throw new TypeError(
        "Cannot create authorization server: this runtime cannot fetch from public hosts only. On Workers, set the compatibility flag global_fetch_strictly_public; else set cimd to { fetch }, or to false if no client has a jwksUri",
      );
    }
    this.#registered = registeredClients(options.clients ?? []);
    this.#allow = allow;
    this.#documents = cimd === false
      ? null
      : new ClientDocuments({ fetch: fetch!, now, onError });
    this.#dynamic = options.registration ?? null;
    this.#assertions = new ClientAssertions({
      ...{ call, fetch, issuer, now, onError },
      documentKeys: async (id) =>
        (await this.#documents?.load(new URL(id)))?.jwks,
    });
    this.hasDocuments = this.#documents !== null;
  }

  async find(id: string): Promise<Client | null> {
    // A database may throw for other characters.
    if (!CLIENT_ID.test(id)) return null;
    const client = await this.#registered(id) ?? await this.#dynamic?.find(id);
    const url = client ? null : this.#urlOf(id);
    return client ?? (url && this.#documents!.cached(url)?.client) ?? null;
  }

  async resolve(id: string, userId: string): Promise<Client | null> {
    const client = await this.find(id);
    const url = client === null ? this.#urlOf(id) : null;
    return url === null
      ? client
      : (await this.#documents!.load(url, userId))?.client ?? null;
  }

  async ofGrant(granted: GrantedClient): Promise<TokenClient | null> {
    const { authentication = "none", id, isPublic = false, source } = granted;
    if (source === "registered") return await this.#registered(id);
    const isAllowed = source === "document"
      ? this.#urlOf(id) !== null
      : this.#dynamic !== null;
    return isAllowed ? { authentication, id, isPublic, source } : null;
  }

  claimedId(request: TokenRequest): string | null {
    return readCredentials(request)?.id ?? null;
  }

  async authenticate(
    request: TokenRequest,
    client: TokenClient,
  ): Promise<boolean> {
    const credentials = readCredentials(request);
    if (credentials === null) return false;
    const { authentication, id, isPublic } = client;
    if (credentials.kind === "none") {
      return isPublic && credentials.id === id;
    }
    if (credentials.id !== id) return false;
    if (credentials.kind === "assertion") {
      return await this.#assertions.verify(credentials.jwt, client);
    }
    return typeof authentication === "object" &&
      "secretHashes" in authentication &&
      await hasSecret(authentication.secretHashes, credentials.secret);
  }

  async approved({ id, source }: Client): Promise<void> {
    if (source === "dynamic") await this.#dynamic?.keep(id);
  }

  /** Returns the URL of a document that the application allows, or `null`. */
  #urlOf(id: string): URL | null {
    const url = this.#documents === null ? null : documentURL(id);
    return url !== null && this.#allow(url) ? url : null;
  }
}

/** Returns `true` if a client of a list has keys at a URL. */
function hasKeyURL(clients: RegisteredClients = []): boolean {
  return typeof clients !== "function" &&
    clients.some(({ authentication = "none" }) =>
      typeof authentication === "object" && "jwksUri" in authentication
    );
}

/** Compares a secret with all hashes, in constant time. */
async function hasSecret(
  hashes: readonly string[],
  secret: string,
): Promise<boolean> {
  const hash = await sha256Base64Url(secret);
  return hashes.filter((one) => timingSafeEqual(one, hash)).length > 0;
}
