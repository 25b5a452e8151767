/**
 * Sends four requests with one code or one refresh token to authorization servers.
 *
 * `deno run -A tests/deno/_peer_races.ts` prints the table of
 * `docs/compare.md`.
 */
import { assert } from "@std/assert";
import { HTTPBrowser } from "./_http_browser.ts";
import { type Peer, PEERS } from "./_peer_servers.ts";
import { serveLocally } from "./_serve.ts";

/** The columns of the table, in their order. */
const COLUMNS = [
  "one code, at once",
  "one refresh token, at once",
  "one refresh token, one after another",
  "a refresh token before the last two",
] as const;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const VERIFIER = "v".repeat(43);
const CHALLENGE = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";

/** Serves the page of the client, which shows the code. */
function serveClient() {
  return serveLocally((request) =>
    new Response(new URL(request.url).searchParams.get("code"))
  );
}

/** Creates the requests of a client. */
function clientOf(peer: Peer, redirectUri: string) {
  async function post(fields: Record<string, string>): Promise<Tokens | null> {
    const response = await fetch(peer.token, {
      method: "POST",
      body: new URLSearchParams({ client_id: peer.clientId, ...fields }),
    });
    const body = await response.text();
    return response.ok ? JSON.parse(body) : null;
  }
  return {
    async code(): Promise<string> {
      const browser = new HTTPBrowser();
      await peer.logIn?.(browser);
      const url = new URL(peer.authorize);
      const parameters = {
        response_type: "code",
        client_id: peer.clientId,
        redirect_uri: redirectUri,
        scope: peer.scope,
        state: "s".repeat(32),
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, value);
      }
      const page = await browser.open(url.href);
      const code = await peer.approve?.(browser, page) ?? page;
      assert(/^[\w:.~-]+$/.test(code), code);
      return code;
    },
    exchange: (code: string) =>
      post({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: VERIFIER,
      }),
    refresh: (token: string) =>
      post({ grant_type: "refresh_token", refresh_token: token }),
    async works({ access_token }: Tokens): Promise<boolean> {
      const headers = { Authorization: `Bearer ${access_token}` };
      const { body, status } = await fetch(peer.api, { headers });
      await body?.cancel();
      return status !== 401;
    },
  };
}

/** Measures the four columns at a server, as texts of cells. */
async function measure(
  start: (redirectUri: string) => Promise<Peer>,
): Promise<string[]> {
  await using web = serveClient();
  const redirectUri = `http://127.0.0.1:${web.addr.port}/callback`;
  await using peer = await start(redirectUri);
  const client = clientOf(peer, redirectUri);
  const logIn = async () => {
    const tokens = await client.exchange(await client.code());
    assert(tokens !== null && await client.works(tokens));
    return tokens;
  };
  const describe = async (responses: readonly (Tokens | null)[]) => {
    const given = responses.filter((tokens) => tokens !== null);
    const working = await Promise.all(given.map(client.works));
    const { size } = new Set(given.map((tokens) => tokens.refresh_token));
    const tokens = size === given.length ? "tokens" : "the same tokens";
    const verb = given.length === 1 ? "gets" : "get";
    const count = working.filter(Boolean).length;
    return `${given.length} ${verb} ${tokens}, ${count} work${
      count === 1 ? "s" : ""
    }`;
  };
  const four = [1, 2, 3, 4];

  const code = await client.code();
  const codes = await Promise.all(four.map(() => client.exchange(code)));
  const cells = [await describe(codes)];

  const { refresh_token: once } = await logIn();
  cells.push(
    await describe(await Promise.all(four.map(() => client.refresh(once)))),
  );

  const { refresh_token: again } = await logIn();
  const responses = [];
  for (const _ of four) responses.push(await client.refresh(again));
  cells.push(await describe(responses));

  const { refresh_token: old } = await logIn();
  let newest = await client.refresh(old);
  for (const _ of [1, 2]) newest = await client.refresh(newest!.refresh_token);
  const reused = await client.refresh(old);
  const remains = await client.works(newest!);
  cells.push(
    `${reused === null ? "refused" : "gets tokens"}, ${
      remains ? "the newest tokens work" : "and the grant ends"
    }`,
  );
  return cells;
}

console.log(["| four requests with", ...COLUMNS, ""].join(" | "));
for (const [name, start] of Object.entries(PEERS)) {
  console.log([`| ${name}`, ...await measure(start), ""].join(" | "));
}
