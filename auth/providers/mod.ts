// These are the seven named providers of `@gatehouse/web/auth`.
export {
  type CodeHostAuthProviderOptions,
  type CodeHostProfile,
  createCodeHostAuthProvider,
  createCodeHostAuthProvider as createGitHubAuthProvider,
} from "./github.ts";
export {
  createIdentityCloudAuthProvider,
  createIdentityCloudAuthProvider as createAuth0AuthProvider,
  type IdentityCloudAuthProviderOptions,
} from "./auth0.ts";
export {
  createMicroblogAuthProvider,
  createMicroblogAuthProvider as createXAuthProvider,
  type MicroblogProfile,
} from "./x.ts";
export {
  createOfficeSuiteAuthProvider,
  createOfficeSuiteAuthProvider as createMicrosoftAuthProvider,
  type OfficeSuiteAuthProviderOptions,
} from "./microsoft.ts";
export {
  createPortalAuthProvider,
  createPortalAuthProvider as createGoogleAuthProvider,
  type PortalAuthProviderOptions,
} from "./google.ts";
export {
  createSocialAuthProvider,
  createSocialAuthProvider as createFacebookAuthProvider,
  type SocialAuthProviderOptions,
  type SocialProfile,
} from "./facebook.ts";
export {
  createWorkforceIdAuthProvider,
  createWorkforceIdAuthProvider as createOktaAuthProvider,
  type WorkforceIdAuthProviderOptions,
} from "./okta.ts";
