// The seven named providers of `@gatehouse/web/auth`.
export {
  type CodeHostAuthProviderOptions,
  type CodeHostProfile,
  createCodeHostAuthProvider,
} from "./code_host.ts";
export {
  createIdentityCloudAuthProvider,
  type IdentityCloudAuthProviderOptions,
} from "./identity_cloud.ts";
export {
  createMicroblogAuthProvider,
  type MicroblogProfile,
} from "./microblog.ts";
export {
  createOfficeSuiteAuthProvider,
  type OfficeSuiteAuthProviderOptions,
} from "./office_suite.ts";
export {
  createPortalAuthProvider,
  type PortalAuthProviderOptions,
} from "./portal.ts";
export {
  createSocialAuthProvider,
  type SocialAuthProviderOptions,
  type SocialProfile,
} from "./social.ts";
export {
  createWorkforceIdAuthProvider,
  type WorkforceIdAuthProviderOptions,
} from "./workforce_id.ts";
