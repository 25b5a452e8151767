/** The library openid-client as a client of the authorization server. */
import * as openid from "npm:openid-client@6.9.0";

/** The address to which the client asks to return. */
export const REDIRECT_URI = "http://127.0.0.1:3000/callback";

/** A public client of the server. */
export const CLIENT = {
  id: "cli",
  name: "CLI",
  redirectUris: ["http://127.0.0.1/callback"],
};

/** Options of tests whose clients keep their connections for a moment. */
export const SANITIZERS = {
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

/** Reads the metadata of a server on this computer. */
export async function discover(issuer: string): Promise<openid.Configuration> {
  return await openid.discovery(
    new URL(issuer),
    CLIENT.id,
    undefined,
    openid.None(),
    { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
  );
}
