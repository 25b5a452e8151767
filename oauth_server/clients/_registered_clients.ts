import { isRedirectURI } from "./redirect_uri.ts";
import type {
  Client,
  ClientAuthentication,
  RegisteredClient,
  RegisteredClients,
} from "./client.ts";

/**
 * Returns a function that finds the clients of an application.
 *
 * @throws {TypeError} If a client of the array is invalid. The function throws it for
 * clients that a function returned.
 */
export function registeredClients(
  clients: RegisteredClients,
): (id: string) => Promise<Client | null> {
  if (typeof clients === "function") {
    return async (id) => {
      const client = await clients(id);
      // A database may ignore the case of the id.
      return client?.id === id ? checkClient(client) : null;
    };
  }
  const byId = new Map<string, Client>();
  for (const client of clients) {
    if (byId.has(client.id)) fail(client, "another client has the same id");
    byId.set(client.id, checkClient(client));
  }
  return (id) => Promise.resolve(byId.get(id) ?? null);
}

/** The characters of a client id (RFC 6749, appendix A.1), without spaces. */
export const CLIENT_ID = /^[!-~]{1,1000}$/;

/** A SHA-256 hash as base64url. */
const HASH = /^[\w-]{43}$/;

function checkClient(client: RegisteredClient): Client {
  const { authentication = "none", grants = ["code"], id, name } = client;
  const { redirectUris = [], trusted = false } = client;
  if (typeof id !== "string" || !CLIENT_ID.test(id)) {
    fail(client, "its id is not 1 to 1000 printable ASCII characters");
  }
  if (typeof name !== "string" || name === "") fail(client, "it has no name");
  const isPublic = authentication === "none";
  // A public client is a native application or runs in a browser.
  const rules = { privateSchemes: isPublic };
  const wrong = redirectUris.find((uri) => !isRedirectURI(uri, rules));
  if (wrong !== undefined) {
    fail(client, `"${wrong}" is not a redirect URI that it can have`);
  }
  if (isPublic && (trusted || grants.includes("introspection"))) {
    fail(
      client,
      "without authentication it can neither be trusted nor introspect",
    );
  }
  checkAuthentication(client, authentication);
  const { scopes } = client;
  return {
    ...{ id, name, redirectUris, authentication, isPublic, grants, trusted },
    ...scopes && { scopes },
    source: "registered",
  };
}

function checkAuthentication(
  client: RegisteredClient,
  authentication: ClientAuthentication,
): void {
  if (authentication === "none") return;
  if ("secretHashes" in authentication) {
    const { secretHashes: hashes } = authentication;
    // Two are for the time in which the client changes its secret.
    const isRight = hashes.every((hash) => HASH.test(hash));
    if (!isRight || hashes.length < 1 || hashes.length > 2) {
      fail(client, "it needs one or two results of hashToken()");
    }
  } else if ("jwksUri" in authentication) {
    if (URL.parse(authentication.jwksUri)?.protocol !== "https:") {
      fail(client, "its jwksUri is not an https URL");
    }
  } else if (
    !Array.isArray((authentication.jwks as { keys?: unknown })?.keys)
  ) {
    fail(client, "its jwks is not a key set");
  }
}

function fail({ id }: RegisteredClient, reason: string): never {
  throw new TypeError(`Cannot use OAuth client "${id}": ${reason}`);
}
