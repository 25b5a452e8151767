/** Strings that resemble tokens, and tokens of other servers. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { auth, requireAuth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  browserOf,
  callAPI,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  refresh,
  startServer,
  type TestServer,
  type TokenBody,
} from "./_server.ts";
import { changed, outcomeOf } from "./_attacks.ts";

const INVALID = "400 invalid_grant";
const OTHER_SECRET = "T5kXw8nBq3vRz7mHc1yGj6sPd4fLa0uE";

/** Returns a code for user 1 and the client `web`. */
const codeOf = async (app: TestServer) => await getCode(await browserOf(app));

/** Strings that resemble a token, by name. */
const FORGERIES: Readonly<Record<string, (token: string) => string>> = {
  "no characters": () => "",
  "only the prefix": (token) => token.slice(0, 4),
  "no prefix": (token) => token.slice(4),
  "another prefix": (token) => `oax_${token.slice(4)}`,
  "a prefix in upper case": (token) =>
    token.slice(0, 4).toUpperCase() + token.slice(4),
  "one character less": (token) => token.slice(0, -1),
  "one character more": (token) => `${token}A`,
  "half of the characters": (token) => token.slice(0, token.length / 2),
  "all characters twice": (token) => token + token,
  "another version": (token) => changed(token, 4),
  "another key": (token) => changed(token, 10),
  "another MAC": (token) => changed(token, -20),
  "no MAC": (token) => `${token.slice(0, -43)}${"A".repeat(43)}`,
  "padding": (token) => `${token}==`,
  "a padding instead of a character": (token) => `${token.slice(0, -1)}=`,
  "characters of base64": (token) => token.slice(0, -1) + "+",
  "a slash of base64": (token) => token.slice(0, -1) + "/",
  "another case": (token) => token.slice(0, 4) + token.slice(4).toLowerCase(),
  "a space before": (token) => ` ${token}`,
  "a space after": (token) => `${token} `,
  "a line break after": (token) => `${token}\n`,
  "a NUL byte after": (token) => `${token}\0`,
  "a NUL byte inside": (token) => `${token.slice(0, -1)}\0`,
  "a letter that is not ASCII": (token) => `${token.slice(0, -1)}\u00e9`,
  "a dot": (token) => `${token.slice(0, 30)}.${token.slice(31)}`,
  "a JWT without a signature": () => "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
  "the name of a prototype": () => "__proto__",
  "a megabyte": () => "A".repeat(10_000),
};

for (const [name, forge] of Object.entries(FORGERIES)) {
  Deno.test(`a token with ${name} does not count as a token of any kind`, async () => {
    const app = startServer();
    const code = await codeOf(app);
    const tokens = await connect(app);
    const { access_token, refresh_token } = tokens;
    // A string without characters is a missing parameter.
    assertEquals(await outcomeOf(exchange(app, forge(code))), INVALID);
    assertEquals(await outcomeOf(refresh(app, forge(refresh_token))), INVALID);
    assertEquals(await callForged(app, forge(access_token)), 401);
    // Nothing of it has ended the genuine ones.
    assertEquals(await outcomeOf(exchange(app, code)), "200 tokens");
    assertEquals(await callAPI(app, access_token), 200);
  });
}

/** Calls the API, unless no header can contain the token unchanged. */
async function callForged(app: TestServer, token: string): Promise<number> {
  return /^[!-\xff]*$/.test(token) ? await callAPI(app, token) : 401;
}

Deno.test("no other last character of a token is the same token (RFC 4648, section 3.5)", async () => {
  const app = startServer();
  const code = await codeOf(app);
  const { access_token, refresh_token } = await connect(app);
  for (
    const last
      of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  ) {
    const change = (token: string) => token.slice(0, -1) + last;
    if (change(code) !== code) {
      assertEquals(await outcomeOf(exchange(app, change(code))), INVALID);
    }
    if (change(refresh_token) !== refresh_token) {
      const response = refresh(app, change(refresh_token));
      assertEquals(await outcomeOf(response), INVALID);
    }
    if (change(access_token) !== access_token) {
      assertEquals(await callAPI(app, change(access_token)), 401);
    }
  }
});

Deno.test("no byte of a token can be another one", async () => {
  const app = startServer();
  const { access_token, refresh_token } = await connect(app);
  for (let index = 0; index < access_token.length; index++) {
    const status = await callAPI(app, changed(access_token, index));
    assertEquals(status, 401, String(index));
  }
  for (let index = 0; index < refresh_token.length; index++) {
    const response = refresh(app, changed(refresh_token, index));
    assertEquals(await outcomeOf(response), INVALID, String(index));
  }
  assertEquals(await outcomeOf(refresh(app, refresh_token)), "200 tokens");
});

Deno.test("tokens of another server are not valid, not even with the same store", async () => {
  const store = createMemorySessionStore({ now: () => 1_800_000_000_000 });
  const others = [
    { secrets: [OTHER_SECRET] },
    { issuer: `${ORIGIN}/tenant` },
    { issuer: "https://other.example" },
  ];
  for (const options of others) {
    const app = startServer({ store });
    const other = startServer({ store, ...options });
    const { access_token, refresh_token } = await connect(app);
    const code = await codeOf(app);
    assertEquals(await callAPI(other, access_token), 401);
    assertEquals(await outcomeOf(refresh(other, refresh_token)), INVALID);
    assertEquals(await outcomeOf(exchange(other, code)), INVALID);
    const form = { client_id: "web", token: refresh_token };
    assertEquals(await outcomeOf(post(other, "/revoke", form)), "200");
    assertEquals(await callAPI(app, access_token), 200);
    assertEquals(await outcomeOf(exchange(app, code)), "200 tokens");
  }
});

Deno.test("the scheme of a resource accepts no token of another resource", async () => {
  const app = startServer();
  const resource = `${ORIGIN}/files`;
  const router = createRouter({
    middleware: [auth({ schemes: [app.server.resource(resource).scheme] })],
  });
  router.get("/api", {
    middleware: [requireAuth()],
    handler: () => new Response("files"),
  });
  const { access_token } = await connect(app);
  assertEquals(await callAPI({ router }, access_token), 401);
  const files = await connect(app, { resource });
  assertEquals(await callAPI({ router }, files.access_token), 200);
});

Deno.test("tokens stay valid while their secret is listed, and only then", async () => {
  const store = createMemorySessionStore({ now: () => 1_800_000_000_000 });
  const before = await connect(startServer({ store, secrets: [OTHER_SECRET] }));
  const during = startServer({
    store,
    secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n", OTHER_SECRET],
  });
  assertEquals(await callAPI(during, before.access_token), 200);
  const tokens = await refreshed(during, before.refresh_token);
  const after = startServer({ store });
  assertEquals(await callAPI(after, before.access_token), 401);
  assertEquals(await outcomeOf(refresh(after, before.refresh_token)), INVALID);
  assertEquals(await callAPI(after, tokens.access_token), 200);
});

Deno.test("two grants have no token in common", async () => {
  const app = startServer();
  const [one, two] = [await connect(app), await connect(app)];
  assertNotEquals(one.access_token, two.access_token);
  assertNotEquals(one.refresh_token, two.refresh_token);
});

async function refreshed(app: TestServer, token: string): Promise<TokenBody> {
  const response = await refresh(app, token);
  assertEquals(response.status, 200);
  return await response.json();
}
