import { externalAuthCallbacks } from "@gatehouse/web/auth";
import { auth } from "@gatehouse/web/auth-middleware";
import type {
  EntriesOfAll,
  Middleware,
  RequestContext,
  Router,
} from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  crossOriginProtection,
  formData,
  methodOverride,
  secureHeaders,
  securityEvents,
} from "@gatehouse/web/middleware";
import { session } from "@gatehouse/web/session-middleware";
import { sessionScheme } from "./log_in.ts";
import { pagePolicy } from "./page_policy.ts";
import { HasSource } from "./pages/source_links.ts";
import type { Services } from "./services.ts";

/** Options for {@linkcode appMiddleware}. */
export interface MiddlewareOptions {
  readonly services: Services;
  /** Receives the lines of the request log. */
  readonly log: (line: string) => void;
  /** Sends the emails of a request. */
  readonly outbox: Middleware<readonly []>;
}

/** Creates the middleware of all routes, the outermost first (spec 5.3.5). */
export function appMiddleware(options: MiddlewareOptions) {
  const { services, log } = options;
  const { store, now } = services;
  const { origin } = new URL(services.baseURL);
  return [
    logger({ output: log }),
    options.outbox,
    securityEvents((event) => services.audit.add(event), { now }),
    (context: RequestContext) => {
      context.set(HasSource, services.readFile !== undefined);
    },
    secureHeaders({ contentSecurityPolicy: pagePolicy() }),
    formData({ maxBytes: 65_536 }),
    methodOverride(),
    crossOriginProtection({ origin }),
    externalAuthCallbacks(services.logins.map(({ provider }) => provider)),
    session({ store, origin, now }),
    auth({ schemes: [sessionScheme(services.users)] }),
  ] as const;
}

/** A router with that middleware: what the features add their routes to. */
export type AppRouter = Router<EntriesOfAll<ReturnType<typeof appMiddleware>>>;
