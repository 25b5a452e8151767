/** Programs on the user's computer and apps on a phone (RFC 8252). */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  createDPoPKey,
  thumbprintOfDPoPKey,
} from "@gatehouse/web/auth/access-tokens";
import {
  approveInBrowser,
  type OAuthApp,
  serveOAuthApp,
} from "./_oauth_app.ts";
import { programs } from "./_guide.ts";
import { HTTPBrowser } from "./_http_browser.ts";
import { serveLocally } from "./_serve.ts";

/** The verifier of PKCE, and its challenge. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** The hosts by which a program names its own computer. */
const HOSTS = ["127.0.0.1", "[::1]", "localhost"];

const CLIENTS = [
  {
    id: "cli",
    name: "CLI",
    redirectUris: HOSTS.map((host) => `http://${host}/callback`),
  },
  {
    id: "phone",
    name: "Notes",
    redirectUris: [
      "com.example.notes:/callback",
      "https://app.notes.example/callback",
    ],
  },
];

/** Listens on a random port for the URL that the browser returns to. */
function listen(host = "127.0.0.1") {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const hostname = host.replace(/[[\]]/g, "");
  const server = serveLocally(({ url }) => {
    resolve(new URL(url));
    return new Response("Return to your terminal.");
  }, { hostname });
  return {
    redirectUri: `http://${host}:${server.addr.port}/callback`,
    returned: promise,
    [Symbol.asyncDispose]: server.shutdown,
  };
}

/** Returns the URL that a program opens in the browser. */
function authorizationURL(
  { issuer, resource }: OAuthApp,
  redirectUri: string,
  clientId = "cli",
): URL {
  const url = new URL("/authorize", issuer);
  url.search = String(
    new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      resource,
      state: "s1",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
    }),
  );
  return url;
}

/** Exchanges the code of a URL, and returns the status and the body. */
async function exchange(
  { issuer }: OAuthApp,
  returned: URL,
  form: Readonly<Record<string, string>>,
) {
  const { searchParams } = returned;
  assertEquals(searchParams.get("iss"), issuer);
  assertEquals(searchParams.get("state"), "s1");
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "cli",
      code: searchParams.get("code")!,
      code_verifier: VERIFIER,
      ...form,
    }),
  });
  return { status: response.status, ...await response.json() };
}

async function nameOfUser({ resource }: OAuthApp, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  return (await (await fetch(resource, { headers })).json()).name;
}

for (const host of HOSTS) {
  Deno.test(`a program that listens on a random port of ${host} gets tokens (RFC 8252, section 7.3)`, async () => {
    await using app = serveOAuthApp(CLIENTS);
    await using program = listen(host);
    const { redirectUri, returned } = program;
    const link = await approveInBrowser(authorizationURL(app, redirectUri));
    assertEquals(await (await fetch(link)).text(), "Return to your terminal.");
    const { access_token, status } = await exchange(app, await returned, {
      redirect_uri: redirectUri,
    });
    assertEquals(status, 200);
    assertEquals(await nameOfUser(app, access_token), "Ada");
  });
}

Deno.test("a program learns that the user has refused", async () => {
  await using app = serveOAuthApp(CLIENTS);
  await using program = listen();
  const url = authorizationURL(app, program.redirectUri);
  const link = await approveInBrowser(url, "deny");
  await (await fetch(link)).body?.cancel();
  const { searchParams } = await program.returned;
  assertEquals(searchParams.get("error"), "access_denied");
  assertEquals(searchParams.get("iss"), app.issuer);
  assertEquals(searchParams.has("code"), false);
});

Deno.test("two programs at once get their own codes, each for its own port", async () => {
  await using app = serveOAuthApp(CLIENTS);
  await using one = listen();
  await using other = listen();
  const links = await Promise.all(
    [one, other].map(({ redirectUri }) =>
      approveInBrowser(authorizationURL(app, redirectUri))
    ),
  );
  for (const link of links) await (await fetch(link)).body?.cancel();
  const [first, second] = await Promise.all([one.returned, other.returned]);
  const wrong = await exchange(app, first, { redirect_uri: other.redirectUri });
  assertEquals([wrong.status, wrong.error], [400, "invalid_grant"]);
  const right = { redirect_uri: one.redirectUri };
  assertEquals((await exchange(app, first, right)).status, 200);
  const last = { redirect_uri: other.redirectUri };
  assertEquals((await exchange(app, second, last)).status, 200);
});

Deno.test("another program that gets the code has no verifier, and does not use it up (RFC 7636, section 1)", async () => {
  await using app = serveOAuthApp(CLIENTS);
  await using program = listen();
  const { redirectUri } = program;
  const link = await approveInBrowser(authorizationURL(app, redirectUri));
  const stolen = await exchange(app, link, {
    redirect_uri: redirectUri,
    code_verifier: "A".repeat(43),
  });
  assertEquals([stolen.status, stolen.error], [400, "invalid_grant"]);
  const form = { redirect_uri: redirectUri };
  assertEquals((await exchange(app, link, form)).status, 200);
});

for (
  const [kind, redirectUri, shown] of [
    ["a scheme", "com.example.notes:/callback", "com.example.notes"],
    ["an https URL", "https://app.notes.example/callback", "app.notes.example"],
  ] as const
) {
  Deno.test(`an app on a phone is opened by ${kind} that it has registered, and gets tokens (RFC 8252, sections 7.1 and 7.2)`, async () => {
    await using app = serveOAuthApp(CLIENTS);
    const url = authorizationURL(app, redirectUri, "phone");
    const browser = new HTTPBrowser();
    const login = await browser.open(String(url));
    assertMatch(await browser.submit(login, {}), new RegExp(`<dd>${shown}<`));
    const link = await approveInBrowser(url);
    assert(link.href.startsWith(`${redirectUri}?code=`));
    const { access_token, status } = await exchange(app, link, {
      client_id: "phone",
      redirect_uri: redirectUri,
    });
    assertEquals(status, 200);
    assertEquals(await nameOfUser(app, access_token), "Ada");
  });
}

for (
  const redirectUri of [
    "com.example.other:/callback",
    "com.example.notes:/callback/other",
    "com.example.notes://callback",
    "COM.EXAMPLE.NOTES:/callback",
    "https://app.notes.example:8443/callback",
    "http://app.notes.example/callback",
    "http://127.0.0.1:5000/callback",
  ]
) {
  Deno.test(`an app on a phone is not opened by ${redirectUri}, which it has not registered`, async () => {
    await using app = serveOAuthApp(CLIENTS);
    const browser = new HTTPBrowser();
    const url = authorizationURL(app, redirectUri, "phone");
    const login = await browser.open(String(url));
    const page = await browser.submit(login, {});
    assertMatch(page, /an address that it has not registered/);
    assert(!page.includes("<form"));
    assert(!page.includes(redirectUri));
  });
}

/** The program of the guide. */
interface CommandLine {
  login(open: (url: string) => void): Promise<Tokens>;
  accessToken(keychain: Keychain): Promise<string>;
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
}

interface Keychain {
  read(): Promise<Tokens>;
  write(tokens: Tokens): Promise<void>;
}

/** Loads the program of the guide, for a server of this machine. */
async function commandLineOf({ issuer }: OAuthApp): Promise<CommandLine> {
  const { "cli.ts": text } = await programs("connect_programs.md");
  const program = text!.replace("https://notes.example", issuer);
  const url = `data:application/typescript,${encodeURIComponent(program)}`;
  return await import(url);
}

/** Creates a keychain that several processes share. */
function keychainOf(tokens: Tokens) {
  let kept = tokens;
  const keychain: Keychain = {
    read: () => Promise.resolve(kept),
    write: (next) => {
      kept = next;
      return Promise.resolve();
    },
  };
  const expire = () => {
    kept = { ...kept, expiresAt: 0 };
  };
  return { keychain, expire };
}

Deno.test("the command-line program of the guide logs in, and two processes refresh its tokens", async () => {
  await using app = serveOAuthApp([{ ...CLIENTS[0]!, id: "notes-cli" }]);
  const program = await commandLineOf(app);
  const texts: Promise<string>[] = [];
  const tokens = await program.login((url) => {
    texts.push(openWithStranger(url));
  });
  assertEquals(await Promise.all(texts), ["Return to your terminal."]);
  assertEquals(await nameOfUser(app, tokens.accessToken), "Ada");

  const { expire, keychain } = keychainOf(tokens);
  assertEquals(await program.accessToken(keychain), tokens.accessToken);
  for (let round = 0; round < 3; round++) {
    expire();
    const both = await Promise.all(
      [1, 2].map(() => program.accessToken(keychain)),
    );
    for (const token of both) {
      assertEquals(await nameOfUser(app, token), "Ada");
    }
  }
});

Deno.test("the command-line program of the guide says that the login was refused", async () => {
  await using app = serveOAuthApp([{ ...CLIENTS[0]!, id: "notes-cli" }]);
  const program = await commandLineOf(app);
  const opened: Promise<string>[] = [];
  await assertRejects(
    () =>
      program.login((url) => {
        opened.push(openWithStranger(url, "deny"));
      }),
    Error,
    "The login was refused",
  );
  await Promise.all(opened);
});

Deno.test("the proofs of the guide get bound tokens, with the nonces of the server and of its API", async () => {
  await using app = serveOAuthApp(CLIENTS);
  await using program = listen();
  const { redirectUri, returned } = program;
  const { "proofs.ts": text } = await programs("connect_programs.md");
  const { fetchWithProof } = await import(
    `data:application/typescript,${encodeURIComponent(text!)}`
  );
  const key = await createDPoPKey();
  const url = authorizationURL(app, redirectUri);
  url.searchParams.set("dpop_jkt", await thumbprintOfDPoPKey(key));
  await (await fetch(await approveInBrowser(url))).body?.cancel();
  const code = (await returned).searchParams.get("code")!;

  const tokensOf = async (form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: "cli", ...form });
    const init = { method: "POST", body };
    const response = await fetchWithProof(key, `${app.issuer}/token`, init);
    return await response.json();
  };
  const first = await tokensOf({
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    code_verifier: VERIFIER,
    code,
  });
  assertEquals(first.token_type, "DPoP");
  const second = await tokensOf({
    grant_type: "refresh_token",
    refresh_token: first.refresh_token,
  });
  for (const { access_token: token } of [first, second]) {
    const response = await fetchWithProof(key, app.resource, { token });
    assertEquals((await response.json()).name, "Ada");
  }
  const { error } = await tokensOf({
    grant_type: "refresh_token",
    refresh_token: "oar_unknown",
  });
  assertEquals(error, "invalid_grant");
});

/** Opens the page of a program, after another page has called the program. */
async function openWithStranger(
  url: string,
  decision?: string,
): Promise<string> {
  const callback = new URL(url).searchParams.get("redirect_uri")!;
  const forged = await fetch(`${callback}?code=other&state=guess`);
  assertEquals(forged.status, 400);
  await forged.body?.cancel();
  return await (await fetch(await approveInBrowser(url, decision))).text();
}
