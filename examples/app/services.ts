import {
  createEmailThrottle,
  createThrottle,
  type Throttle,
} from "@gatehouse/web/auth";
import {
  createEmailLogin,
  type EmailLogin,
} from "@gatehouse/web/auth/email-login";
import {
  createPasswordQueue,
  type PasswordOptions,
  type PasswordQueue,
} from "@gatehouse/web/auth/password";
import { createPasskeys, type Passkeys } from "@gatehouse/web/auth/passkey";
import {
  createSecondFactors,
  type SecondFactors,
} from "@gatehouse/web/auth/second-factor";
import type { SessionStore } from "@gatehouse/web/session";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import type { ExternalLogin } from "./external_logins.ts";
import { AccessTokens } from "./data/access_tokens.ts";
import { APIKeys } from "./data/api_keys.ts";
import { AuditLog } from "./data/audit_log.ts";
import type { Query } from "./data/database.ts";
import { Identities } from "./data/identities.ts";
import { Notices } from "./data/notices.ts";
import { PasskeyTable } from "./data/passkeys.ts";
import type { DemoAccount } from "./data/seed.ts";
import { Users } from "./data/users.ts";

/** Options for {@linkcode createServices}. */
export interface ServicesOptions {
  readonly database: Query;
  /** The store of sessions, one-time links and counts of attempts. */
  readonly store: SessionStore;
  readonly logins: readonly ExternalLogin[];
  /** The address that browsers see. */
  readonly baseURL: string;
  /** The secrets that encrypt second factors and emailed codes. */
  readonly secrets: readonly string[];
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  /** Returns the accounts that the login page shows on this computer. */
  readonly demoAccounts?: (() => Promise<DemoAccount[]>) | undefined;
  /** Reads a file of the repository. */
  readonly readFile?: ReadFile | undefined;
  /** The cost of password hashes. */
  readonly passwords: PasswordOptions;
}

/** Reads a file by its path in the repository. */
export type ReadFile = (path: string) => Promise<string>;

/** The services that the features of the application share. */
export interface Services extends Omit<ServicesOptions, "database"> {
  readonly users: Users;
  readonly identities: Identities;
  readonly notices: Notices;
  readonly audit: AuditLog;
  readonly keys: APIKeys;
  readonly tokens: AccessTokens;
  /** The authenticator apps, recovery codes and remembered devices. */
  readonly factors: SecondFactors;
  /** Logins by email. */
  readonly emailLogin: EmailLogin;
  /** Proofs of the address of a registration. */
  readonly emailProof: EmailLogin;
  /** Proofs of a new address. */
  readonly emailChange: EmailLogin;
  /** Registration of passkeys and login with them. */
  readonly passkeys: Passkeys;
  readonly passkeyTable: PasskeyTable;
  /** Slows down guesses of passwords. */
  readonly loginThrottle: Throttle;
  /** Slows down requests for links that reset passwords. */
  readonly resetThrottle: Throttle;
  /** Slows down registrations, and tests of addresses with them. */
  readonly registrationThrottle: Throttle;
  /** Hashes passwords of registrations, so that logins do not wait for them. */
  readonly registrationQueue: PasswordQueue;
  /** Slows down requests for links that confirm a login. */
  readonly confirmThrottle: Throttle;
}

/** Creates the services over one database. */
export function createServices(options: ServicesOptions): Services {
  const { database, store, secrets, now } = options;
  const emails = { store, secrets, now };
  const passkeyTable = new PasskeyTable(database);
  const loginThrottle = createThrottle({ store, now });
  const users = new Users(database);
  const { hostname, origin } = new URL(options.baseURL);
  return {
    ...options,
    passkeyTable,
    passkeys: createPasskeys({
      // An address, such as 127.0.0.1, can have no passkeys.
      rpId: /[\d\]]$/.test(hostname) ? "localhost" : hostname,
      rpName: "Noticeboard",
      origins: /[\d\]]$/.test(hostname) ? ["http://localhost"] : [origin],
      store: passkeyTable,
      now,
    }),
    users,
    identities: new Identities(database),
    notices: new Notices(database),
    audit: new AuditLog(database),
    keys: new APIKeys(database),
    tokens: new AccessTokens(database),
    factors: createSecondFactors({
      issuer: "Noticeboard",
      // In the database, because the store of sessions may be a cache.
      store: createSQLSessionStore(database, { table: "second_factors", now }),
      loginThrottle,
      secrets,
      version: (id) => users.accessVersion(Number(id)),
      now,
    }),
    emailLogin: createEmailLogin(emails),
    emailProof: createEmailLogin({ ...emails, purpose: "verify-email" }),
    emailChange: createEmailLogin({ ...emails, purpose: "change-email" }),
    loginThrottle,
    registrationThrottle: createThrottle({
      name: "registration",
      store,
      now,
      perAddress: { attempts: 20, delay: 60_000, maxDelay: 900_000 },
    }),
    registrationQueue: createPasswordQueue({ running: 1, waiting: 16 }),
    confirmThrottle: createEmailThrottle({ name: "confirm", store, now }),
    resetThrottle: createEmailThrottle({ name: "password-reset", store, now }),
  };
}
