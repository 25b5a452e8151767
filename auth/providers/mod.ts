// The seven named providers of `@gatehouse/web/auth`.
export {
  type CodeHostAuthProviderOptions,
  type CodeHostProfile,
  createCodeHostAuthProvider,
  createCodeHostAuthProvider as createGitHubAuthProvider,
} from "./code_host.ts";
export {
  createIdentityCloudAuthProvider,
  createIdentityCloudAuthProvider as createAuth0AuthProvider,
  type IdentityCloudAuthProviderOptions,
} from "./identity_cloud.ts";
export {
  createMicroblogAuthProvider,
  createMicroblogAuthProvider as createXAuthProvider,
  type MicroblogProfile,
} from "./microblog.ts";
export {
  createOfficeSuiteAuthProvider,
  createOfficeSuiteAuthProvider as createMicrosoftAuthProvider,
  type OfficeSuiteAuthProviderOptions,
} from "./office_suite.ts";
export {
  createPortalAuthProvider,
  createPortalAuthProvider as createGoogleAuthProvider,
  type PortalAuthProviderOptions,
} from "./portal.ts";
export {
  createSocialAuthProvider,
  createSocialAuthProvider as createFacebookAuthProvider,
  type SocialAuthProviderOptions,
  type SocialProfile,
} from "./social.ts";
export {
  createWorkforceIdAuthProvider,
  createWorkforceIdAuthProvider as createOktaAuthProvider,
  type WorkforceIdAuthProviderOptions,
} from "./workforce_id.ts";
