/** The library openid-client as a client of the authorization server. */
import * as openid from "npm:openid-client@6.9.0";
import { approveInBrowser } from "./_oauth_app.ts";

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

/** Connects the client to a resource, which the user approves. Returns the tokens. */
export async function connectClient(
  config: openid.Configuration,
  resource: string,
): Promise<Awaited<ReturnType<typeof openid.authorizationCodeGrant>>> {
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const page = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: "notes:read",
    resource,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const callback = await approveInBrowser(page);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  return await openid.authorizationCodeGrant(config, callback, checks);
}
