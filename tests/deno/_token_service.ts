/** A service that keeps the tokens of its users, on any runtime. */
import {
  completeAuth,
  createOIDCAuthProvider,
  type ExternalAuthProviderOptions,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { Session, type SessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

/** The provider of a service. */
export interface TokenServiceOptions {
  readonly issuer: string;
  readonly clientSecret: string;
  /** The address of the service. */
  readonly origin: string;
  readonly fetch?: ExternalAuthProviderOptions["fetch"];
}

/** The timeout of requests to the provider. A lease is 5 seconds longer. */
const TIMEOUT = 10_000;

/** Milliseconds after which a process takes the lease of another one. */
export const LEASE = 2 * TIMEOUT + 5_000;

/** Creates the service of one process. Its clock can be set. */
export function createTokenService(
  store: SessionStore,
  { origin, ...registration }: TokenServiceOptions,
): Router {
  let offset = 0;
  const now = () => Date.now() + offset;
  const provider = createOIDCAuthProvider({
    ...registration,
    name: "basic",
    clientId: "basic",
    redirectUri: `${origin}/basic/callback`,
    scopes: ["openid", "offline_access"],
    prompt: "consent",
    userinfo: false,
    allowInsecureLoopback: true,
    // The clock runs ahead of the provider's.
    clockTolerance: 600,
    timeout: TIMEOUT,
    now,
  });
  const tokens = keepTokens(provider, {
    store,
    secrets: ["dGhlIHNlY3JldCBvZiB0aGUgc2VydmljZXMgMTIz"],
  });
  const router = createRouter({ middleware: [session({ store, now })] });
  router.get("/login", (context) => startExternalAuth(provider, context));
  router.get("/basic/callback", async (context) => {
    const result = await externalAuthResult(provider, context);
    if (!result.ok) return new Response(result.error.message, { status: 401 });
    await completeAuth(context, result.subject);
    await tokens.save(context, result);
    return new Response(result.subject);
  });
  router.get("/token", async (context) => {
    const { userId = null } = context.get(Session);
    return Response.json({ userId, ...await tokens.get(context) });
  });
  // The cookie of this browser, for requests by other clients.
  router.get("/cookie", ({ request }) => {
    return new Response(request.headers.get("Cookie"));
  });
  router.get("/clock/:offset", ({ params }) => {
    offset = Number(params.offset);
    return new Response();
  });
  return router;
}
