import { connect } from "node:net";
import { assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker, type Worker } from "../runtimes/workers.ts";
import { serveLocally } from "../deno/_serve.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** The delay of the provider's first response at a path, in milliseconds. */
const SLOW = 300;

Deno.test("external login on Workers continues after a client aborts during the provider's response", async () => {
  await using provider = serveProvider();
  await using worker = await startLogins(provider.origin);
  await leave(worker, "/login");
  // It continues the work of the aborted request, and later ones reuse the result.
  assertEquals(await statusOf(worker, "/login"), 302);
  assertEquals(await statusOf(worker, "/login"), 302);
  assertEquals(provider.asked, [METADATA, METADATA]);
});

Deno.test("refreshExternalAuth() on Workers can be retried after a client aborts", async () => {
  await using provider = serveProvider();
  await using worker = await startLogins(provider.origin);
  await leave(worker, "/refresh");
  assertEquals(await statusOf(worker, "/refresh"), 200);
  assertEquals(provider.asked, ["/token", "/token"]);
});

const METADATA = "/.well-known/openid-configuration";

/** Serves a provider whose first response is slow. */
function serveProvider() {
  const asked: string[] = [];
  const server = serveLocally(async (request) => {
    const { pathname } = new URL(request.url);
    const isFirst = !asked.includes(pathname);
    asked.push(pathname);
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, SLOW));
    return pathname === METADATA
      ? Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
      })
      : Response.json({ access_token: "new", token_type: "Bearer" });
  });
  const origin: string = `http://127.0.0.1:${server.addr.port}`;
  return {
    asked,
    origin,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts a Worker that begins logins and refreshes tokens. */
async function startLogins(issuer: string): Promise<Worker> {
  const script = await bundle(`
    import { createOAuthProvider, createOIDCAuthProvider, refreshExternalAuth,
      startExternalAuth } from "${ROOT}auth/mod.ts";
    import { createRouter } from "${ROOT}router/mod.ts";
    import { session } from "${ROOT}session/middleware.ts";
    const options = {
      clientId: "app", clientSecret: "s3cret", allowInsecureLoopback: true,
      redirectUri: "http://localhost/callback", timeout: 1_000,
    };
    const issuer = "${issuer}";
    const oidc = createOIDCAuthProvider({ ...options, name: "oidc", issuer });
    const oauth = createOAuthProvider({
      ...options, name: "oauth", issuer, scopes: [], parseProfile: () => null,
      authorizationEndpoint: issuer + "/authorize",
      tokenEndpoint: issuer + "/token", profileEndpoint: issuer + "/profile",
    });
    const router = createRouter({ middleware: [session()] });
    router.get("/", () => new Response("Hello"));
    router.get("/login", (context) => startExternalAuth(oidc, context));
    router.get("/refresh", async () => {
      const { ok } = await refreshExternalAuth(oauth, { refreshToken: "old" });
      return new Response(null, { status: ok ? 200 : 502 });
    });
    export default { fetch: router.fetch };`);
  const worker = await startWorker({ script });
  assertEquals(await statusOf(worker, "/"), 200);
  return worker;
}

/** Sends a request and closes the connection before the response. */
async function leave({ url }: Worker, path: string): Promise<void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, SLOW / 2));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resetAndDestroy();
  await closed;
}

/** Returns the status of a response, which must arrive within seconds. */
async function statusOf({ url }: Worker, path: string): Promise<number> {
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(new URL(path, url), {
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  return response.status;
}
