import {
  form,
  type FormRoutes,
  get,
  post,
  type Route,
  route,
} from "../../router/routes/mod.ts";
import type { AccountPaths } from "./names.ts";

/** The two routes of a page with a form: `index` shows it, `action` takes it. */
export type PageRoutes<Path extends string> = FormRoutes<
  Path,
  Record<never, never>
>;

/**
 * The routes of the account pages. The types have the default paths; the option
 * `paths` of `defineAccounts` changes the paths, and `href()` returns them.
 */
export type AccountRoutes = {
  /** The login by password. */
  readonly login: PageRoutes<"/login">;
  /** The start of a login at a provider. */
  readonly providerLogin: Route<"GET", "/login/with/:provider">;
  /** The callback of a provider, for its option `redirectUri`. */
  readonly providerCallback: Route<"GET", "/login/with/:provider/callback">;
  /** The address of a new account, if the provider has verified none. */
  readonly providerEmail: PageRoutes<"/login/address">;
  /** The login with a passkey. */
  readonly passkeyLogin: Route<"POST", "/login/passkey">;
  /** The options of this login, for the script. */
  readonly passkeyLoginOptions: Route<"POST", "/login/passkey/options">;
  /** The request for an email that logs in. */
  readonly emailLogin: PageRoutes<"/login/email">;
  /** The code of that email. */
  readonly emailLoginCode: PageRoutes<"/login/email/code">;
  /** The link of that email. */
  readonly emailLoginLink: PageRoutes<"/login/email/link">;
  /** The second factor of a login. */
  readonly secondFactor: PageRoutes<"/login/code">;
  /**
   * The second factor that a login must set up, or prove with a passkey, if
   * `secondFactorRequired` says so; `action` sets up an authenticator app.
   */
  readonly secondFactorSetup: PageRoutes<"/login/two-step">;
  /** The same with a passkey. */
  readonly secondFactorPasskey: Route<"POST", "/login/two-step/passkey">;
  /** The options of this passkey, for the script. */
  readonly secondFactorPasskeyOptions: Route<
    "POST",
    "/login/two-step/passkey/options"
  >;
  /** The logout. */
  readonly logout: Route<"POST", "/login/out">;
  /** The registration. */
  readonly register: PageRoutes<"/register">;
  /** The code of the email that a registration sends. */
  readonly registerCode: PageRoutes<"/register/code">;
  /** The link of that email. */
  readonly registerLink: PageRoutes<"/register/link">;
  /** The request for an email that resets the password. */
  readonly reset: PageRoutes<"/login/reset">;
  /** The link of that email. */
  readonly resetLink: PageRoutes<"/login/reset/link">;
  /** The confirmation of the login before a sensitive change. */
  readonly confirm: PageRoutes<"/account/confirm">;
  /** The same with a passkey. */
  readonly passkeyConfirm: Route<"POST", "/account/confirm/passkey">;
  /** The options of this confirmation, for the script. */
  readonly passkeyConfirmOptions: Route<
    "POST",
    "/account/confirm/passkey/options"
  >;
  /** The same at a provider. */
  readonly providerConfirm: Route<"POST", "/account/confirm/provider">;
  /** The same with a code of the authenticator app. */
  readonly codeConfirm: Route<"POST", "/account/confirm/code">;
  /** The authenticator app; `action` sets it up. */
  readonly twoStep: PageRoutes<"/account/two-step">;
  /** The removal of the authenticator app. */
  readonly twoStepRemoval: Route<"POST", "/account/two-step/remove">;
  /** The end of a browser that needs no code. */
  readonly browserRemoval: Route<"POST", "/account/two-step/forget">;
  /** New recovery codes. */
  readonly recoveryCodes: Route<"POST", "/account/two-step/codes">;
  /** The sessions; `action` ends one or all others. */
  readonly sessions: PageRoutes<"/account/sessions">;
  /** The linked logins; `action` links one. */
  readonly logins: PageRoutes<"/account/logins">;
  /** The removal of a linked login. */
  readonly loginRemoval: Route<"POST", "/account/logins/remove">;
  /** The passkeys; `action` adds one. */
  readonly passkeys: PageRoutes<"/account/passkeys">;
  /** The options of a new passkey, for the script. */
  readonly passkeyOptions: Route<"POST", "/account/passkeys/options">;
  /** The name of a passkey; `action` changes it. */
  readonly passkeyName: PageRoutes<"/account/passkeys/name">;
  /** The removal of a passkey. */
  readonly passkeyRemoval: Route<"POST", "/account/passkeys/remove">;
  /** The script of passkeys. */
  readonly passkeyScript: Route<"GET", "/account/passkeys.js">;
  /** The page that says how safe the account is, with links to its ways in. */
  readonly security: Route<"GET", "/account/security">;
  /** The page with links to the logins, apps and teams of the account. */
  readonly connected: Route<"GET", "/account/connected">;
  /** The name and the application's own fields. */
  readonly profile: PageRoutes<"/account">;
  /** The password. */
  readonly password: PageRoutes<"/account/password">;
  /** The change of the address. */
  readonly email: PageRoutes<"/account/email">;
  /** The code of the email to the new address. */
  readonly emailCode: PageRoutes<"/account/email/code">;
  /** The link of that email. */
  readonly emailLink: PageRoutes<"/account/email/link">;
  /** The link "this was not me" of notices. */
  readonly notMe: PageRoutes<"/account/not-me">;
  /** The API keys; `action` creates one. */
  readonly keys: PageRoutes<"/account/keys">;
  /** The revocation of an API key. */
  readonly keyRemoval: PageRoutes<"/account/keys/remove">;
  /**
   * The applications that an authorization server has connected; `action` disconnects
   * one, or all of them.
   */
  readonly apps: PageRoutes<"/account/apps">;
  /** The teams of the user; `action` creates one. */
  readonly teams: PageRoutes<"/teams">;
  /** A team with its members. */
  readonly team: Route<"GET", "/teams/:team">;
  /** The invitation of an address to a team. */
  readonly invite: PageRoutes<"/teams/:team/invite">;
  /** The withdrawal of an invitation. */
  readonly withdrawal: Route<"POST", "/teams/:team/invite/withdraw">;
  /** An invitation, which its address accepts or declines. */
  readonly invitation: PageRoutes<"/teams/invitations/:invitation">;
  /** The role of a member. */
  readonly member: PageRoutes<"/teams/:team/members/:member">;
  /** The end of a membership. */
  readonly memberRemoval: PageRoutes<"/teams/:team/members/:member/remove">;
  /** The data of the account; `action` downloads it as JSON. */
  readonly data: PageRoutes<"/account/data">;
  /** The deletion of the account. */
  readonly remove: PageRoutes<"/account/delete">;
  /** The logged-in account as JSON. */
  readonly session: Route<"GET", "/account/session">;
  /** The stylesheet. */
  readonly style: Route<"GET", "/account/style.css">;
};

/** Creates the routes of the account pages. */
export function createRoutes(paths: AccountPaths = {}): AccountRoutes {
  const { login = "/login", register = "/register", account = "/account" } =
    paths;
  const routes = route({
    ...areaRoutes(account),
    data: form(`${account}/data`),
    ...teamRoutes(paths.teams ?? "/teams"),
    ...providerRoutes(login, account),
    login: form(login),
    passkeyLogin: post(`${login}/passkey`),
    passkeyLoginOptions: post(`${login}/passkey/options`),
    emailLogin: form(`${login}/email`),
    emailLoginCode: form(`${login}/email/code`),
    emailLoginLink: form(`${login}/email/link`),
    ...factorRoutes(login),
    logout: post(`${login}/out`),
    register: form(register),
    registerCode: form(`${register}/code`),
    registerLink: form(`${register}/link`),
    reset: form(`${login}/reset`),
    resetLink: form(`${login}/reset/link`),
    confirm: form(`${account}/confirm`),
    passkeyConfirm: post(`${account}/confirm/passkey`),
    passkeyConfirmOptions: post(`${account}/confirm/passkey/options`),
    codeConfirm: post(`${account}/confirm/code`),
    twoStep: form(`${account}/two-step`),
    twoStepRemoval: post(`${account}/two-step/remove`),
    browserRemoval: post(`${account}/two-step/forget`),
    recoveryCodes: post(`${account}/two-step/codes`),
    sessions: form(`${account}/sessions`),
    passkeys: form(`${account}/passkeys`),
    passkeyOptions: post(`${account}/passkeys/options`),
    passkeyName: form(`${account}/passkeys/name`),
    passkeyRemoval: post(`${account}/passkeys/remove`),
    passkeyScript: get(`${account}/passkeys.js`),
    profile: form(account),
    password: form(`${account}/password`),
    email: form(`${account}/email`),
    emailCode: form(`${account}/email/code`),
    emailLink: form(`${account}/email/link`),
    notMe: form(`${account}/not-me`),
    remove: form(`${account}/delete`),
    session: get(`${account}/session`),
    style: get(`${account}/style.css`),
  });
  return routes as unknown as AccountRoutes;
}

function areaRoutes(account: string) {
  return {
    keys: form(`${account}/keys`),
    keyRemoval: form(`${account}/keys/remove`),
    apps: form(`${account}/apps`),
    security: get(`${account}/security`),
    connected: get(`${account}/connected`),
  };
}

function factorRoutes(login: string) {
  return {
    secondFactor: form(`${login}/code`),
    secondFactorSetup: form(`${login}/two-step`),
    secondFactorPasskey: post(`${login}/two-step/passkey`),
    secondFactorPasskeyOptions: post(`${login}/two-step/passkey/options`),
  };
}

function providerRoutes(login: string, account: string) {
  return {
    providerLogin: get(`${login}/with/:provider`),
    providerCallback: get(`${login}/with/:provider/callback`),
    providerEmail: form(`${login}/address`),
    providerConfirm: post(`${account}/confirm/provider`),
    logins: form(`${account}/logins`),
    loginRemoval: post(`${account}/logins/remove`),
  };
}

function teamRoutes(teams: string) {
  return {
    teams: form(teams),
    invitation: form(`${teams}/invitations/:invitation`),
    team: get(`${teams}/:team`),
    invite: form(`${teams}/:team/invite`),
    withdrawal: post(`${teams}/:team/invite/withdraw`),
    member: form(`${teams}/:team/members/:member`),
    memberRemoval: form(`${teams}/:team/members/:member/remove`),
  };
}
