/**
 * A process that is killed anywhere in a refresh loses no session. At a provider
 * that replaces refresh tokens without an overlap, it loses the tokens only
 * between the provider's response and the next write.
 */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { freePort } from "../deno/_programs.ts";
import { HTTPBrowser } from "../deno/_http_browser.ts";
import { SECRET, serveOIDCProvider } from "../deno/_oidc_provider.ts";
import { openStore } from "../deno/_session_stores.ts";
import { createTokenService, LEASE } from "../deno/_token_service.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const PLACES = 50;
/** The lifetime of access tokens at the provider, in seconds. */
const TTL = 20;

for (
  const [rotate, name] of [
    [false, "loses no tokens if the provider accepts the old refresh token"],
    [true, "loses tokens only that no store has yet"],
  ] as const
) {
  Deno.test({
    name:
      `kill -9 in ${PLACES} places of a refresh loses no session, and ${name}`,
    // Clients and the provider keep sockets and timers after a test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => crashEverywhere(rotate),
  });
}

async function crashEverywhere(rotate: boolean): Promise<void> {
  const folder = await makeDataFolder();
  const file = `${folder}/sessions.sqlite`;
  const { close, store } = await openStore("sqlite", file);
  const port = freePort();
  const origin = `http://localhost:${port}`;
  await using provider = await serveOIDCProvider(origin, {
    accessTokenTTL: TTL,
    rotate,
  });
  const options = { issuer: provider.issuer, clientSecret: SECRET, origin };
  const service = createTokenService(store, options);
  const onListen = () => {};
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen },
    (one) => service.fetch(one),
  );
  const setClock = (time: number) => service.fetch(`${origin}/clock/${time}`);
  const killed = new Map<string, string>();
  try {
    for (let place = 1; place <= PLACES; place++) {
      await setClock(0);
      const cookie = await logIn(origin);
      const clock = TTL * 1_000 + 1;
      const args = [file, options.issuer, SECRET, origin, cookie, clock, place];
      const name = await crash(args.map(String));
      // The expiry of all tokens, and of the lease of the process.
      await setClock(clock + 4 * TTL * 1_000 + LEASE);
      const answer = await tokenOf(origin, cookie);
      assertEquals(answer.userId, "jane", name);
      const isLost = rotate && isWindow(name);
      const state = answer.ok ? "ok" : answer.reason;
      assertEquals(state, isLost ? "ended" : "ok", `${place}: ${name}`);
      // A connection that has ended is not tried again.
      const { refused } = provider.counts;
      assertEquals((await tokenOf(origin, cookie)).ok, answer.ok);
      assertEquals(provider.counts.refused, refused);
      killed.set(name, state);
    }
    assertGreater(killed.size, 15);
    assert([...killed.keys()].some(isWindow));
  } finally {
    await server.shutdown();
    await close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns `true` if the provider has answered, and the store has no answer. */
function isWindow(place: string): boolean {
  return place === "after /token" ||
    /^(?:before|after) with new tokens get/.test(place) ||
    place === "before with new tokens put tokens";
}

/** Runs a process until it kills itself, and returns the place. */
async function crash(args: readonly string[]): Promise<string> {
  const { signal, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "../deno/_token_crash.ts", ...args],
    cwd: import.meta.dirname,
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals(signal, "SIGKILL", decode(stderr));
  return decode(stdout);
}

async function logIn(origin: string): Promise<string> {
  const browser = new HTTPBrowser();
  const page = await browser.open(`${origin}/login`);
  const consent = await browser.submit(page, { login: "jane", password: "x" });
  assertEquals(await browser.submit(consent, {}), "jane");
  return await browser.open(`${origin}/cookie`);
}

async function tokenOf(origin: string, Cookie: string) {
  const response = await fetch(`${origin}/token`, { headers: { Cookie } });
  const { ok, reason, userId } = await response.json();
  return { ok, reason, userId };
}
