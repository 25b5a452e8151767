/**
 * The example application: a noticeboard with accounts, roles and an API. It is
 * given its world by value, and imports nothing of a runtime, so that tests and
 * other runtimes can run it.
 */
import { createRouter, type TrustedProxies } from "@gatehouse/web/fetch-router";
import type { PasswordOptions } from "@gatehouse/web/auth/password";
import { type SessionStore, SessionStoreError } from "@gatehouse/web/session";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import icon from "./pages/icon.svg" with { type: "text" };
import stylesheet from "./pages/style.css" with { type: "text" };
import { appMiddleware, type AppRouter } from "./app_middleware.ts";
import type { Query } from "./data/database.ts";
import type { DemoAccount } from "./data/seed.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { errorPages } from "./error_pages.ts";
import { addAccount } from "./features/account.ts";
import { addAccountEmail } from "./features/account_email.ts";
import { addAccountPassword } from "./features/account_password.ts";
import { addAccountLogins } from "./features/account_logins.ts";
import { addAccountPasskeys } from "./features/account_passkeys.ts";
import { addAccountSecrets } from "./features/account_secrets.ts";
import { addAccountSessions } from "./features/account_sessions.ts";
import { addAdmin } from "./features/admin.ts";
import { addAPI } from "./features/api.ts";
import { addAudit } from "./features/audit.ts";
import { addAuthenticatorApp } from "./features/authenticator_app.ts";
import { addConfirmation } from "./features/confirmation.ts";
import { addEditor } from "./features/editor.ts";
import { addEmailLogin } from "./features/email_login.ts";
import { addEmailConfirmation } from "./features/email_confirmation.ts";
import { addExternalLogin } from "./features/external_login.ts";
import { addHome } from "./features/home.ts";
import { addLogin } from "./features/login.ts";
import { addLoginCode } from "./features/login_code.ts";
import { addPasskeyConfirmation } from "./features/passkey_confirmation.ts";
import { addNotMe } from "./features/not_me.ts";
import { addPasskeyLogin } from "./features/passkey_login.ts";
import { addPasswordReset } from "./features/password_reset.ts";
import { addRegistration } from "./features/registration.ts";
import { addSecurity } from "./features/security.ts";
import { addSource } from "./features/source.ts";
import { copyScript } from "./pages/copy_script.ts";
import { routes } from "./routes.ts";
import { type Mail, outbox } from "./outbox.ts";
import { createServices, type ReadFile } from "./services.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** Runs SQL, on a database that has the tables. */
  readonly database: Query;
  /**
   * The store of sessions, one-time links and counts of attempts.
   *
   * @default {the database}
   */
  readonly store?: SessionStore;
  /** The address that browsers see, such as `https://board.example`. */
  readonly baseURL: string;
  /**
   * The secrets that encrypt second factors and emailed codes, the latest first.
   *
   * @default {a random one, until the process ends}
   */
  readonly secrets?: readonly string[];
  /**
   * The external logins.
   *
   * @default {[]}
   */
  readonly logins?: readonly ExternalLogin[];
  /**
   * Receives the lines of the request log.
   *
   * @default {console.log}
   */
  readonly log?: (line: string) => void;
  /**
   * Receives the errors that handlers throw.
   *
   * @default {console.error}
   */
  readonly reportError?: (error: unknown) => void;
  /**
   * Sends an email.
   *
   * @default {prints it to the console}
   */
  readonly sendMail?: (mail: Mail) => void | Promise<void>;
  /**
   * The proxies in front, which report the addresses of clients.
   *
   * @default {0}
   */
  readonly trustedProxies?: TrustedProxies;
  /**
   * Returns the accounts that the login page shows, with their passwords, to
   * browsers on this computer.
   *
   * @default {undefined}
   */
  readonly demoAccounts?: (() => Promise<DemoAccount[]>) | undefined;
  /**
   * Reads a file of the repository, for the links to the source code.
   *
   * @default {links lead to the public repository}
   */
  readonly readFile?: ReadFile | undefined;
  /**
   * The cost of password hashes. Tests use less than the default.
   *
   * @default {{}}
   */
  readonly passwords?: PasswordOptions;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Creates the application: a router with all its routes. */
export function createApp(options: AppOptions): AppRouter {
  const {
    database,
    baseURL,
    logins = [],
    log = console.log,
    reportError = console.error,
    sendMail = printMail,
    trustedProxies = 0,
    demoAccounts,
    readFile,
    passwords = {},
    now = Date.now,
    secrets = [crypto.randomUUID() + crypto.randomUUID()],
    store = createSQLSessionStore(database, { now }),
  } = options;
  const services = createServices({
    database,
    store,
    logins,
    baseURL,
    secrets,
    demoAccounts,
    readFile,
    passwords,
    now,
  });
  const router = createRouter({
    trustedProxies,
    middleware: appMiddleware({
      services,
      log,
      outbox: outbox(sendMail, reportError),
    }),
    errorResponse: errorPages(new URL(baseURL).origin),
    onError(error, context) {
      reportError(error);
      // If the session store fails, users stay logged in and try again.
      return error instanceof SessionStoreError
        ? context.createErrorResponse({ status: 503 }, { "Retry-After": "5" })
        : context.createErrorResponse({ status: 500 });
    },
  });
  router.get(routes.stylesheet, () => asset(stylesheet, "text/css"));
  router.get(routes.copyScript, () => asset(copyScript, "text/javascript"));
  router.get(routes.icon, () => asset(icon, "image/svg+xml"));
  addHome(router, services);
  addRegistration(router, services);
  addLogin(router, services);
  addLoginCode(router, services);
  addEmailLogin(router, services);
  addPasskeyLogin(router, services);
  addPasswordReset(router, services);
  addNotMe(router, services);
  addExternalLogin(router, services);
  addAccount(router, services);
  addConfirmation(router, services);
  addPasskeyConfirmation(router, services);
  addEmailConfirmation(router, services);
  addAccountPassword(router, services);
  addAccountEmail(router, services);
  addSecurity(router, services);
  addAuthenticatorApp(router, services);
  addAccountLogins(router, services);
  addAccountPasskeys(router, services);
  addAccountSessions(router);
  addAccountSecrets(router, services);
  addEditor(router, services);
  addAdmin(router, services);
  addAudit(router, services);
  addAPI(router, services);
  addSource(router, services);
  return router;
}

function printMail({ to, subject, text }: Mail): void {
  console.log(`\n  Email to ${to}: ${subject}\n\n${text}\n`);
}

function asset(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "max-age=300",
    },
  });
}
