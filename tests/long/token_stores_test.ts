/**
 * Two processes refresh the tokens of a session once, at a certified provider
 * that revokes everything if a refresh token is used twice.
 */
import { assert, assertEquals } from "@std/assert";
import { freePort } from "../deno/_programs.ts";
import { HTTPBrowser } from "../deno/_http_browser.ts";
import { SECRET, serveOIDCProvider } from "../deno/_oidc_provider.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";

const redis = findProgram("redis-server", "token refreshes on Redis");
const postgres = findProgram("postgres", "token refreshes on PostgreSQL");

/** The lifetime of access tokens at the provider, in seconds. */
const TTL = 20;
const ROUNDS = 20;
const REQUESTS = 100;

const NAME =
  "2 processes with 100 requests each make one grant at each of 20 expiries, and no revocation";

/** Clients and the provider keep sockets and timers after a test. */
const LEAKS = { sanitizeOps: false, sanitizeResources: false };

/** A service in several processes, each with its own address. */
interface Service extends AsyncDisposable {
  /** The addresses of the processes. The first one has the logins. */
  readonly processes: readonly string[];
}

for (const [kind, program] of [["redis", redis], ["postgres", postgres]]) {
  Deno.test({
    name: `${NAME}, on ${kind}`,
    ignore: program === null,
    ...LEAKS,
    fn: () =>
      refreshAtExpiry(
        () => freePort(),
        (...args) => startProcesses(kind!, program!, ...args),
      ),
  });
}

Deno.test({
  name: `${NAME}, on Durable Objects`,
  ...LEAKS,
  fn: () => refreshAtExpiry(() => freePort(), startWorkers),
});

async function refreshAtExpiry(
  newPort: () => number,
  start: (port: number, issuer: string) => Promise<Service>,
): Promise<void> {
  const port = newPort();
  const origin = `http://localhost:${port}`;
  await using provider = await serveOIDCProvider(origin, {
    accessTokenTTL: TTL,
  });
  await using service = await start(port, provider.issuer);
  const cookie = await logIn(origin);
  const seen = new Set<string>();
  for (let round = 1; round <= ROUNDS; round++) {
    // Each round is at the expiry of the last token.
    const offset = round * (TTL * 1_000 + 1);
    for (const address of service.processes) {
      await (await fetch(`${address}/clock/${offset}`)).body?.cancel();
    }
    const answers = await Promise.all(
      service.processes.flatMap((address) =>
        Array.from({ length: REQUESTS }, () => tokenOf(address, cookie))
      ),
    );
    assertEquals(answers.length, 2 * REQUESTS);
    const tokens = new Set(answers);
    assertEquals([...tokens].length, 1, `round ${round}: ${[...tokens]}`);
    for (const token of tokens) {
      assert(!seen.has(token));
      seen.add(token);
    }
    assertEquals(provider.counts, { refreshes: round, refused: 0, revoked: 0 });
  }
}

async function logIn(origin: string): Promise<string> {
  const browser = new HTTPBrowser();
  const page = await browser.open(`${origin}/login`);
  const consent = await browser.submit(page, { login: "jane", password: "x" });
  assertEquals(await browser.submit(consent, {}), "jane");
  return await browser.open(`${origin}/cookie`);
}

/** Returns the access token that a process has for the session. */
async function tokenOf(address: string, cookie: string): Promise<string> {
  const response = await fetch(`${address}/token`, {
    headers: { Cookie: cookie },
  });
  const text = await response.text();
  assertEquals(response.status, 200, text);
  const { accessToken, ok } = JSON.parse(text);
  assert(ok, text);
  return accessToken;
}

/** Starts two processes on a store server. */
async function startProcesses(
  kind: string,
  program: string,
  port: number,
  issuer: string,
): Promise<Service> {
  const server = kind === "redis"
    ? await startRedis(program)
    : await startPostgres(program);
  const origin = `http://localhost:${port}`;
  const ports = [port, freePort()];
  const children: Deno.ChildProcess[] = [];
  for (const own of ports) {
    const args = [kind, server.port, issuer, SECRET, origin, own].map(String);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "../deno/_token_process.ts", ...args],
      cwd: import.meta.dirname,
      stdout: "piped",
    }).spawn();
    children.push(child);
    const output = child.stdout.getReader();
    assert(!(await output.read()).done, "the process does not serve");
    output.releaseLock();
  }
  return {
    processes: ports.map((port) => `http://localhost:${port}`),
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        child.kill("SIGKILL");
        await child.stdout.cancel();
        await child.status;
      }
      await server.stop();
    },
  };
}

/** Starts two Workers with the same Durable Objects. */
async function startWorkers(port: number, issuer: string): Promise<Service> {
  const service = new URL("../deno/_token_service.ts", import.meta.url).href;
  const script = await bundle(`
    import { createDurableObjectSessionStore, SessionObject }
      from "@gatehouse/web/session/cloudflare";
    import { createTokenService } from "${service}";
    export { SessionObject };
    let router;
    export default {
      async fetch(request, env, ctx) {
        // The second Worker is below another host.
        const { hostname } = new URL(request.url);
        if (env.SECOND && hostname === "127.0.0.1") {
          return await env.SECOND.fetch(request);
        }
        const store = createDurableObjectSessionStore(env.SESSIONS);
        router ??= createTokenService(store, {
          issuer: "${issuer}",
          clientSecret: ${JSON.stringify(SECRET)},
          origin: "http://localhost:${port}",
        });
        return await router.fetch(request, env, ctx);
      },
    };`);
  const common = {
    modules: [{ type: "ESModule", path: "main.js", contents: script }],
    compatibilityDate: "2026-07-01",
  };
  const className = "SessionObject";
  const worker = await startWorker({
    port,
    host: "127.0.0.1",
    workers: [
      {
        ...common,
        name: "first",
        durableObjects: { SESSIONS: { className, useSQLite: true } },
        serviceBindings: { SECOND: "second" },
      },
      {
        ...common,
        name: "second",
        durableObjects: {
          SESSIONS: { className, scriptName: "first", useSQLite: true },
        },
      },
    ],
  });
  return {
    processes: [`http://localhost:${port}`, `http://127.0.0.1:${port}`],
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
