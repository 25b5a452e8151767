import * as auth from "@gatehouse/web/auth";
import { assertStrictEquals } from "@std/assert";

const names = {
  createAuth0AuthProvider: "createIdentityCloudAuthProvider",
  createFacebookAuthProvider: "createSocialAuthProvider",
  createGitHubAuthProvider: "createCodeHostAuthProvider",
  createGoogleAuthProvider: "createPortalAuthProvider",
  createMicrosoftAuthProvider: "createOfficeSuiteAuthProvider",
  createOktaAuthProvider: "createWorkforceIdAuthProvider",
  createXAuthProvider: "createMicroblogAuthProvider",
} as const;

for (const [name, neutral] of Object.entries(names)) {
  Deno.test(`${name}() is ${neutral}()`, () => {
    assertStrictEquals(
      auth[name as keyof typeof names],
      auth[neutral as keyof typeof auth],
    );
  });
}
