import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  array,
  object,
  optional,
  parseSafe,
  string,
} from "@gatehouse/web/data-schema";
import type { Client } from "./authorization.ts";

/** The most registered clients that are kept: it is a demo. */
const MOST = 100;

/** The clients that registered themselves, in memory: they end with the process. */
export class Registrations {
  readonly #clients = new Map<string, Client>();

  /** Returns a client. */
  find(id: string): Client | undefined {
    return this.#clients.get(id);
  }

  /** Adds a client, and removes the oldest one if there are too many. */
  add(client: Client): void {
    this.#clients.set(client.id, client);
    if (this.#clients.size <= MOST) return;
    const [oldest = ""] = this.#clients.keys();
    this.#clients.delete(oldest);
  }
}

/** The metadata of a client that the provider uses (RFC 7591, section 2). */
const ClientMetadata = object({
  redirect_uris: array(string()),
  client_name: optional(string()),
});

/**
 * Registers a public client, such as an MCP client (RFC 7591, section 3). It gets
 * no secret, because a client on a user's computer could not keep it.
 */
export async function registrationResponse(
  { request }: RequestContext,
  registrations: Registrations,
): Promise<Response> {
  const body = await request.json().catch(() => null);
  const parsed = parseSafe(ClientMetadata, body);
  if (!parsed.success) return refusal("invalid_client_metadata");
  const { client_name, redirect_uris } = parsed.value;
  if (
    redirect_uris.length === 0 || redirect_uris.length > 5 ||
    !redirect_uris.every(isAllowed)
  ) return refusal("invalid_redirect_uri");
  const client: Client = {
    id: crypto.randomUUID(),
    redirectUris: redirect_uris,
  };
  registrations.add(client);
  return Response.json({
    client_id: client.id,
    client_name,
    redirect_uris,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  }, { status: 201, headers: { "Cache-Control": "no-store" } });
}

/** Allows https, and http on this computer (RFC 8252, section 7.3). */
function isAllowed(redirectUri: string): boolean {
  const { hostname, protocol } = URL.parse(redirectUri) ?? {};
  return redirectUri.length <= 1_000 && (protocol === "https:" ||
    protocol === "http:" &&
      ["localhost", "127.0.0.1", "[::1]"].includes(hostname ?? ""));
}

function refusal(error: string): Response {
  return Response.json({ error }, { status: 400 });
}
