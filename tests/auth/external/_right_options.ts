import type { OIDCAuthProviderOptions } from "@gatehouse/web/auth";

export const right: OIDCAuthProviderOptions = {
  name: "test",
  issuer: "https://id.example",
  clientId: "app",
  clientSecret: "s3cret",
  redirectUri: "https://app.example/callback",
};
