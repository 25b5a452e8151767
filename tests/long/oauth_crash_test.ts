/**
 * A process that is killed anywhere leaves no second token: a code works once, and the
 * client continues with the refresh token that it has.
 */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { openStore } from "../deno/_session_stores.ts";
import {
  callAPI,
  exchange,
  refresh,
  startServer,
  type TestApp,
  type TokenBody,
} from "../oauth_server/_server.ts";

const PLACES = 50;

Deno.test(`kill -9 at ${PLACES} places of an authorization server leaves no second token`, async () => {
  const folder = await Deno.makeTempDir();
  const places = new Set<string>();
  for (let place = 1; place <= PLACES; place++) {
    const file = `${folder}/${place}.sqlite`;
    const lines = await crash([file, String(place)]);
    const { close, store } = await openStore("sqlite", file);
    const app = startServer({ store });
    places.add(lines.at(-1)!);
    const known = lines.slice(0, -1);
    const codes = known.filter((line) => line.startsWith("code "));
    const tokens = known.filter((line) => line.startsWith("tokens "))
      .map((line): TokenBody => JSON.parse(line.slice("tokens ".length)));
    await checkCode(app, codes[0]?.slice("code ".length), tokens.length > 0);
    await checkTokens(app, tokens);
    await close();
  }
  assertGreater(places.size, 40);
  await Deno.remove(folder, { recursive: true });
});

/** Sends a code again, twice. At most one of all requests has got tokens. */
async function checkCode(
  app: TestApp,
  code: string | undefined,
  isUsed: boolean,
): Promise<void> {
  if (code === undefined) return;
  const first = await exchange(app, code);
  const second = await exchange(app, code);
  assertEquals(second.status, 400);
  assert(first.status === 400 || !isUsed);
  if (first.status !== 200) return;
  const tokens: TokenBody = await first.json();
  assertEquals(await callAPI(app, tokens.access_token), 200);
}

/** Continues with the last tokens of the client, which may repeat a refresh. */
async function checkTokens(
  app: TestApp,
  tokens: readonly TokenBody[],
): Promise<void> {
  const last = tokens.at(-1);
  if (last === undefined) return;
  assertEquals(await callAPI(app, last.access_token), 200);
  const responses = await Promise.all(
    [1, 2, 3].map(() => refresh(app, last.refresh_token)),
  );
  const bodies = await Promise.all(responses.map((one) => one.text()));
  assertEquals(new Set(bodies).size, 1);
  const next: TokenBody = JSON.parse(bodies[0]!);
  assertEquals(await callAPI(app, next.access_token), 200);
  assertEquals((await refresh(app, next.refresh_token)).status, 200);
}

/** Runs a process until it kills itself, and returns the lines that it has printed. */
async function crash(args: readonly string[]): Promise<string[]> {
  const { signal, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "../deno/_oauth_crash.ts", ...args],
    cwd: import.meta.dirname,
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals(signal, "SIGKILL", decode(stderr));
  return decode(stdout).trim().split("\n");
}
