import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type {
  ClientAuthentication,
  TokenClient,
} from "../../../oauth_server/clients/client.ts";
import type { ClientWorld } from "./_client_world.ts";

export const ISSUER = "https://app.example";

export const ID = "partner";

export const TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Asks for authentication with a form and an `Authorization` header. */
export function authenticate(
  { clients }: ClientWorld,
  client: TokenClient,
  form: Record<string, string>,
  authorization?: string,
): Promise<boolean> {
  const headers = new Headers();
  if (authorization !== undefined) headers.set("Authorization", authorization);
  const request = { form: new Map(Object.entries(form)), headers };
  return clients.authenticate(request, client);
}

export function clientWith(authentication: ClientAuthentication): TokenClient {
  const isPublic = authentication === "none";
  return { id: ID, source: "registered", authentication, isPublic };
}

/** Creates a client with a key. */
export async function createSigner(alg = "ES256") {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...await exportJWK(publicKey), kid: "1", alg };
  return {
    jwks: { keys: [jwk] },
    async sign(
      claims: Record<string, unknown> = {},
      header: Record<string, unknown> = {},
    ): Promise<Record<string, string>> {
      const jwt = await new SignJWT({
        iss: ID,
        sub: ID,
        aud: ISSUER,
        exp: 1_700_000_060,
        jti: crypto.randomUUID(),
        ...claims,
      }).setProtectedHeader({ alg, kid: "1", ...header }).sign(privateKey);
      return { client_assertion: jwt, client_assertion_type: TYPE };
    },
  };
}

/** Returns a form with an assertion whose signature is invalid. */
export function unsignedForm(claims: object): Record<string, string> {
  const [header, payload] = [{ alg: "none" }, claims]
    .map((part) => btoa(JSON.stringify(part)).replaceAll("=", ""));
  return {
    client_assertion: `${header}.${payload}.a`,
    client_assertion_type: TYPE,
  };
}
