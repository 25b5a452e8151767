/**
 * The example application: a noticeboard with accounts, roles and an API. It is
 * given its world by value, and imports nothing of a runtime, so that tests and
 * other runtimes can run it.
 */
import { passkeyEndpoints } from "@gatehouse/web/auth/passkey";
import { createRouter, type TrustedProxies } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { secureHeaders, securityEvents } from "@gatehouse/web/middleware";
import type { SQLQuery } from "@gatehouse/web/session/sql";
import { Notices } from "./data/notices.ts";
import type { DemoAccounts } from "./data/demo_accounts.ts";
import { type BoardAccounts, definition } from "./definition.ts";
import { errorPages } from "./error_pages.ts";
import { addAPI } from "./features/api.ts";
import { addEditor } from "./features/editor.ts";
import { addHome } from "./features/home.ts";
import { addOutbox, type Outbox } from "./features/outbox.ts";
import { showDemoAccounts } from "./pages/demo_table.ts";
import icon from "./pages/icon.svg" with { type: "text" };
import stylesheet from "./pages/style.css" with { type: "text" };
import { routes } from "./routes.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  readonly accounts: BoardAccounts;
  /** Runs SQL, on a database that has the table of the notices. */
  readonly database: SQLQuery;
  /** The address that browsers see, such as `https://board.example`. */
  readonly baseURL: string;
  /** The accounts that the login page shows to browsers on this computer. */
  readonly demo?: Pick<DemoAccounts, "list"> | undefined;
  /** The emails that browsers on this computer can read. */
  readonly outbox?: Outbox | undefined;
  /** Receives the lines of the log, by default `console.log`. */
  readonly log?: (line: string) => void;
  /** The proxies in front, which report the addresses of clients. */
  readonly trustedProxies?: TrustedProxies;
}

/** The policy of pages: no scripts, only our own styles, no frames. */
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Creates the application: a router with all its routes. */
export function createApp(options: AppOptions) {
  const { accounts, baseURL, database, log = console.log } = options;
  const router = createRouter({
    trustedProxies: options.trustedProxies ?? 0,
    middleware: [
      logger({ output: log }),
      securityEvents((event) => log(JSON.stringify(event))),
      secureHeaders({ contentSecurityPolicy: POLICY }),
      ...accounts.middleware,
      showDemoAccounts(options.demo),
    ],
    errorResponse: errorPages(baseURL),
  });
  const notices = new Notices(database);
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  router.get(
    routes.stylesheet,
    () => asset(stylesheet, "text/css; charset=utf-8"),
  );
  router.get(routes.icon, () => asset(icon, "image/svg+xml"));
  const enroll = baseURL + definition.routes.passkeys.index.href();
  const endpoints = passkeyEndpoints({ enroll, manage: enroll });
  router.get(routes.passkeyEndpoints, endpoints);
  addHome(router, notices);
  addEditor(router, { accounts, notices });
  addAPI(router, { accounts, notices });
  addOutbox(router, options.outbox);
  return router;
}

/** The router of the application. */
export type AppRouter = ReturnType<typeof createApp>;

function asset(text: string, type: string): Response {
  const headers = { "Content-Type": type, "Cache-Control": "max-age=300" };
  return new Response(text, { headers });
}
