import {
  createCredentialsAuthProvider,
  createEmailThrottle,
  createSecondFactorsWith,
  createThrottle,
  type CredentialsAuthProvider,
  type LoginFactors,
  type Throttle,
} from "../../auth/internal.ts";
import {
  createEmailLogin,
  type EmailLogin,
} from "../../auth/email_login/mod.ts";
import {
  createPasswordQueue,
  type PasswordOptions,
  type PasswordQueue,
} from "../../auth/password/mod.ts";
import type { LoginTimeouts, SessionStore } from "../../session/mod.ts";
import type { Apps } from "../apps/apps.ts";
import type { Account, Names } from "../definition/names.ts";
import type { AdminRoutes } from "../definition/admin_routes.ts";
import type { AccountRoutes } from "../definition/routes.ts";
import type { TeamService } from "../teams/team_service.ts";
import type { APIKeys } from "../keys/api_keys.ts";
import type { AccountFeature } from "../options.ts";
import type { AccountProvider } from "../providers.ts";
import type { Outbox } from "../mails/outbox.ts";
import { createPasskeys, type Passkeys } from "../../auth/passkey/mod.ts";
import type { AccountLogin, AccountStore } from "../store/store.ts";
import { Invitations } from "../invitations/invitations.ts";
import type { HookRunner } from "../hooks/run_hooks.ts";
import { createCompleteLogin } from "../hooks/held_login.ts";
import { createPasskeyStore } from "./passkey_store.ts";
import { readCredentials, verifyLogin } from "./_passwords.ts";
import type { Credentials } from "./_passwords.ts";

/** The checked options of an application's accounts. */
export interface Settings {
  readonly name: string;
  readonly origin: string;
  readonly names: Names;
  readonly routes: AccountRoutes;
  readonly adminRoutes: AdminRoutes;
  /** The role of administrators; `undefined` if new accounts have the only role. */
  readonly adminRole: string | undefined;
  /** The time after which entries of the audit log are removed, in milliseconds. */
  readonly auditRetention: number;
  readonly store: AccountStore;
  readonly sessions: SessionStore;
  readonly remember: LoginTimeouts | undefined;
  readonly registration: "open" | "invited" | "closed";
  /** The features that are on. */
  readonly features: ReadonlySet<AccountFeature>;
  readonly admins: readonly string[];
  readonly passwords: PasswordOptions;
  /** Returns the application's data of an account, for its download. */
  readonly exportData: ((account: Account) => unknown) | undefined;
  readonly hooks: HookRunner;
  readonly deletionDelay: number;
  readonly home: string;
  readonly outbox: Outbox;
  readonly keys: APIKeys;
  /** The applications that users have connected. */
  readonly apps: Apps;
  readonly teams: TeamService;
  /** The maximum number of requests per minute with one API key. */
  readonly keyLimit: number;
  /** The providers of logins, by their names in URLs. */
  readonly providers: Readonly<Record<string, AccountProvider>>;
  readonly now: () => number;
}

/** Everything that the actions use. */
export interface Services extends Settings {
  readonly factors: LoginFactors;
  readonly invitations: Invitations;
  readonly registrationMails: EmailLogin;
  readonly emailChanges: EmailLogin;
  readonly emailLogins: EmailLogin;
  readonly password: CredentialsAuthProvider<Credentials, AccountLogin>;
  readonly passkeys: Passkeys;
  readonly loginThrottle: Throttle;
  readonly resetThrottle: Throttle;
  readonly inviteThrottle: Throttle;
  readonly appThrottle: Throttle;
  readonly downloadThrottle: Throttle;
  readonly registrationThrottle: Throttle;
  readonly registrationQueue: PasswordQueue;
}

/** Creates the services, as soon as the secrets are known. */
export function createServices(
  settings: Settings,
  secrets: readonly string[],
  registrationQueue: PasswordQueue,
): Services {
  const { name, now, store: { values: store } } = settings;
  const emails = { store, secrets, now };
  const loginThrottle = createThrottle({ store, now });
  return {
    ...settings,
    loginThrottle,
    registrationQueue,
    factors: createFactors({ ...settings, loginThrottle }, secrets),
    invitations: new Invitations(settings),
    registrationMails: createEmailLogin({ ...emails, purpose: "register" }),
    emailLogins: createEmailLogin(emails),
    emailChanges: createEmailLogin({ ...emails, purpose: "change-email" }),
    password: createCredentialsAuthProvider({
      name: "password",
      parse: readCredentials,
      throttle: loginThrottle,
      account: ({ email }) => email,
      verify: (credentials) => verifyLogin(settings, credentials),
    }),
    passkeys: createPasskeys({
      ...passkeyDomain(settings),
      rpName: name,
      store: createPasskeyStore(settings.store),
      now,
    }),
    ...throttlesOf(settings),
  };
}

/** Creates the throttles of all actions but logins. */
function throttlesOf({ now, store: { values: store } }: Settings) {
  return {
    downloadThrottle: createThrottle({
      name: "download",
      store,
      now,
      perAccount: { attempts: 5, delay: 60_000, maxDelay: 900_000 },
    }),
    inviteThrottle: createEmailThrottle({ name: "invite", store, now }),
    appThrottle: createEmailThrottle({ name: "app", store, now }),
    resetThrottle: createEmailThrottle({ name: "reset", store, now }),
    registrationThrottle: createThrottle({
      name: "registration",
      store,
      now,
      perAddress: { attempts: 20, delay: 60_000, maxDelay: 900_000 },
    }),
  };
}

/** Creates the second factors. Each login that they complete asks the hooks. */
function createFactors(
  settings: Settings & Pick<Services, "loginThrottle">,
  secrets: readonly string[],
): LoginFactors {
  const { loginThrottle, name, now, store } = settings;
  return createSecondFactorsWith({
    issuer: name.replaceAll(":", " "),
    store: store.values,
    loginThrottle,
    secrets,
    version: async (id) => (await store.find(String(id)))?.version ?? null,
    now,
  }, createCompleteLogin(settings));
}

/** Returns the domain of passkeys. An address, such as 127.0.0.1, can't be one. */
function passkeyDomain({ origin }: Settings): {
  readonly rpId: string;
  readonly origins: readonly string[];
} {
  const { hostname } = new URL(origin);
  return /[\d\]]$/.test(hostname)
    ? { rpId: "localhost", origins: ["http://localhost"] }
    : { rpId: hostname, origins: [origin] };
}

/**
 * Creates the queue that hashes the passwords of new accounts, separate from
 * that of logins.
 */
export function createRegistrationQueue(): PasswordQueue {
  return createPasswordQueue({ running: 1, waiting: 16 });
}
