/**
 * A process that is killed anywhere between the consent and the tenth refresh leaves
 * one token at most: the client continues with it, or starts again.
 */
import { assertEquals, assertGreater } from "@std/assert";
import { openStore } from "../deno/_session_stores.ts";
import {
  callAPI,
  exchange,
  refresh,
  startServer,
  type TestServer,
} from "../oauth_server/_server.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const PLACES = 50;

Deno.test(`kill -9 in ${PLACES} places of an authorization server leaves no second token`, async () => {
  await crashEverywhere();
});

async function crashEverywhere(): Promise<void> {
  const outcomes = new Map<string, string>();
  for (let place = 1; place <= PLACES; place++) {
    const folder = await makeDataFolder();
    const file = `${folder}/grants.sqlite`;
    const client = await crash(file, place);
    const { close, store } = await openStore("sqlite", file);
    try {
      const outcome = await continueAs(client, startServer({ store }));
      assertEquals(outcomes.get(client.place) ?? outcome, outcome);
      outcomes.set(client.place, outcome);
    } finally {
      await close();
      await Deno.remove(folder, { recursive: true });
    }
  }
  assertGreater(outcomes.size, 14);
  for (const [place, outcome] of outcomes) {
    // The client has no token yet, or the answer with it was lost.
    const expected = place.startsWith("consent")
      ? "no code"
      : isLost(place)
      ? "starts again"
      : place.startsWith("exchange") && place !== "exchange: after the response"
      ? "one token"
      : "one successor";
    assertEquals(outcome, expected, place);
  }
}

/** Returns `true` if the code was used, and the client has no answer. */
function isLost(place: string): boolean {
  return place === "exchange: after put" ||
    place === "exchange: before the response";
}

/** The things that a client has received when the server was killed. */
interface Received {
  readonly place: string;
  readonly code?: string;
  readonly token?: string;
}

/** Continues as the client does after the server is there again. */
async function continueAs(
  { code, place, token }: Received,
  app: TestServer,
): Promise<string> {
  if (code === undefined) {
    assertEquals(await app.server.grants("1"), [], place);
    return "no code";
  }
  if (token === undefined) {
    const tokens = await resultsOf(app, await exchangeTwice(app, code));
    assertEquals((await app.server.grants("1")).length, 1);
    if (tokens.length === 0) return "starts again";
    assertEquals(await successors(app, tokens[0]!), 1, place);
    return "one token";
  }
  assertEquals(await resultsOf(app, [await exchange(app, code)]), []);
  assertEquals(await successors(app, token), 1, place);
  assertEquals((await app.server.grants("1")).length, 1);
  return "one successor";
}

async function exchangeTwice(
  app: TestServer,
  code: string,
): Promise<Response[]> {
  const responses = [await exchange(app, code), await exchange(app, code)];
  assertEquals(responses[1]!.status, 400);
  return responses;
}

/** Refreshes a token several times, and returns the number of its successors. */
async function successors(app: TestServer, token: string): Promise<number> {
  const responses = [];
  for (let count = 0; count < 3; count++) {
    responses.push(await refresh(app, token));
  }
  const tokens = await resultsOf(app, responses);
  assertEquals(tokens.length, 3);
  return new Set(tokens).size;
}

/** Returns the refresh tokens of responses. Their access tokens must work. */
async function resultsOf(
  app: TestServer,
  responses: readonly Response[],
): Promise<string[]> {
  const tokens: string[] = [];
  for (const response of responses) {
    const { access_token, refresh_token } = await response.json();
    if (response.status === 400) continue;
    assertEquals(await callAPI(app, access_token), 200);
    tokens.push(refresh_token);
  }
  return tokens;
}

/** Runs the server until it kills itself. */
async function crash(file: string, place: number): Promise<Received> {
  const { signal, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "../deno/_grant_crash.ts"]
      .concat(file, String(place)),
    cwd: import.meta.dirname,
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals(signal, "SIGKILL", decode(stderr));
  const lines = decode(stdout).trim().split("\n");
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}
