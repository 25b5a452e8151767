import { createOIDCAuthProvider } from "@gatehouse/web/auth";

/** Creates a provider that can start a login but rejects every code. */
export function createProvider() {
  return createOIDCAuthProvider({
    name: "example",
    issuer: "https://id.example",
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: "https://example.com/callback",
    metadata: {
      issuer: "https://id.example",
      authorization_endpoint: "https://id.example/authorize",
      token_endpoint: "https://id.example/token",
      jwks_uri: "https://id.example/keys",
    },
    fetch: () => Promise.resolve(new Response("Bad Request", { status: 400 })),
  });
}
