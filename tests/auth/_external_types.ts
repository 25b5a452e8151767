import { assertEquals } from "@std/assert";
import {
  backChannelLogout,
  type CodeHostProfile,
  createCodeHostAuthProvider,
  createOAuthProvider,
  createOIDCAuthProvider,
  endSessionUrl,
  type ExternalAuthData,
  type ExternalAuthProvider,
  externalAuthResult,
  finishExternalAuth,
  type OIDCProfile,
  refreshExternalAuth,
  revokeExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { compiles } from "../router/_assert_type.ts";

const registration = {
  clientId: "app",
  clientSecret: "s3cret",
  redirectUri: "https://app.example/callback",
};

const codeHost = createCodeHostAuthProvider(registration);

const music = createOAuthProvider({
  ...registration,
  name: "music",
  issuer: "https://music.example",
  authorizationEndpoint: "https://music.example/authorize",
  tokenEndpoint: "https://music.example/token",
  profileEndpoint: "https://music.example/me",
  scopes: [],
  parseProfile: ({ id }) => typeof id === "string" ? { id } : null,
});

compiles("the types of profiles and results depend on the provider", () => {
  // Only the compiler checks this.
  const _check = async (context: RequestContext) => {
    const profile: CodeHostProfile | null = await finishExternalAuth(
      codeHost,
      context,
    );
    // @ts-expect-error The profile may be null.
    profile.login;
    const result = await externalAuthResult(music, context);
    // @ts-expect-error It is not known to be a success yet.
    result.profile;
    if (result.ok) {
      const id: string = result.profile.id;
      // @ts-expect-error The profile has the type of the parser's result.
      result.profile.name;
      const data: ExternalAuthData = result.data;
      // @ts-expect-error Its type is unknown.
      const _linkTo: number = data.linkTo;
      return id;
    }
    // @ts-expect-error It is not known which login failed.
    const _returnTo: string = result.returnTo;
    return result.error.code === "access_denied";
  };
  // One of several providers, chosen at run time.
  const _one = async (context: RequestContext) => {
    const providers = { codeHost, music, own: oidc };
    const name = context.url.searchParams.get("name") as keyof typeof providers;
    const result = await externalAuthResult(providers[name], context);
    if (!result.ok) return null;
    const { profile } = result;
    // @ts-expect-error Not every one of them has it.
    profile.login;
    const id: string | number = "sub" in profile ? profile.sub : profile.id;
    const some = await finishExternalAuth(providers[name], context);
    return some !== null && "login" in some ? some.login : id;
  };
  // A custom function for any profile.
  const _generic = async <Profile>(
    provider: ExternalAuthProvider<Profile>,
    context: RequestContext,
  ): Promise<Profile | null> => {
    const result = await externalAuthResult(provider, context);
    return result.ok ? result.profile : null;
  };
  // Functions without a profile accept any provider.
  const _any = (context: RequestContext) =>
    [codeHost, music].map((provider) => [
      startExternalAuth(provider, context),
      backChannelLogout(provider, context, {
        store: createMemorySessionStore(),
      }),
      endSessionUrl(provider),
      refreshExternalAuth(provider, { refreshToken: "r" }),
      revokeExternalAuth(provider, { accessToken: "a" }),
    ]);
  const _start = (context: RequestContext) => [
    startExternalAuth(music, context, { data: { linkTo: 7, of: ["a"] } }),
    // @ts-expect-error JSON has no dates.
    startExternalAuth(music, context, { data: { at: new Date() } }),
    // @ts-expect-error The data is an object.
    startExternalAuth(music, context, { data: "text" }),
  ];
  const oidc: ExternalAuthProvider<OIDCProfile> = createOIDCAuthProvider({
    ...registration,
    name: "test",
    issuer: "https://id.example",
  });
  // @ts-expect-error Providers of different profiles are different.
  const _other: ExternalAuthProvider<CodeHostProfile> = oidc;
  // @ts-expect-error A provider of OpenID Connect needs an issuer.
  const _missing = () => createOIDCAuthProvider({ ...registration, name: "x" });
  const options = { ...registration, clientAuthentication: "jwt" } as const;
  // @ts-expect-error There is no such way to authenticate.
  const _unknown = () => createCodeHostAuthProvider(options);
  assertEquals(codeHost.name, "code-host");
});
