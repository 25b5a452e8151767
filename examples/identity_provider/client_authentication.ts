import { base64url } from "jose";
import type { Client } from "./authorization.ts";

/**
 * Finds the client that a token request comes from: by HTTP Basic, with both
 * parts form-encoded, or by the body (RFC 6749, section 2.3.1).
 */
export async function authenticateClient(
  headers: Headers,
  body: FormData,
  findClient: (id: string) => Client | undefined,
): Promise<Client | null> {
  const [id, secret] = basicCredentials(headers.get("Authorization")) ??
    [body.get("client_id"), body.get("client_secret")];
  const client = typeof id === "string" ? findClient(id) : undefined;
  if (client === undefined || typeof secret !== "string") return null;
  // Compares digests, so that response time does not reveal the secret.
  return await s256(secret) === await s256(client.secret) ? client : null;
}

function basicCredentials(
  authorization: string | null,
): [id: string, secret: string] | null {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    const [id, secret = ""] = atob(encoded).split(":");
    return [formDecode(id), formDecode(secret)];
  } catch {
    return null;
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

/** Computes the S256 challenge of a verifier (RFC 7636, section 4.2). */
export async function s256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return base64url.encode(new Uint8Array(digest));
}
