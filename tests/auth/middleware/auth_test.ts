import {
  Auth,
  auth,
  type AuthenticatedUser,
  type AuthScheme,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { turns } from "../../_wait.ts";

const ada = { id: 1, name: "Ada", role: "admin" };
const api = { id: 7, name: "Reports", role: "api" };

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => token === "t0ken" ? ada : null,
});
const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => key === "k3y" ? api : null,
});

/** Returns the user of a request after `auth` with these schemes. */
async function userOf(
  schemes: readonly AuthScheme<AuthenticatedUser>[],
  headers: Record<string, string>,
): Promise<unknown> {
  const router = createRouter({ middleware: [auth({ schemes })] });
  router.get("/", (context) => Response.json(context.get(Auth)));
  const response = await router.fetch("https://example.com/", { headers });
  assertEquals(response.status, 200, "auth() never rejects a request");
  return await response.json();
}

const bearer = "Bearer t0ken";
const cases: [string, Record<string, string>, unknown][] = [
  ["null without credentials", {}, null],
  ["the user of the token", { Authorization: bearer }, ada],
  ["the user of the key", { "X-API-Key": "k3y" }, api],
  ["the first user of two", { Authorization: bearer, "X-API-Key": "k3y" }, ada],
  [
    "the second user if the first scheme rejects",
    { Authorization: "Bearer wrong", "X-API-Key": "k3y" },
    api,
  ],
  [
    "the first user if the second scheme would reject",
    { Authorization: bearer, "X-API-Key": "wrong" },
    ada,
  ],
  ["null for a rejected token", { Authorization: "Bearer wrong" }, null],
  ["null for a malformed header", { Authorization: "Bearer a b" }, null],
];

for (const [name, headers, expected] of cases) {
  Deno.test(`auth() sets ${name} (spec 5.3.1, 5.3.2)`, async () => {
    assertEquals(await userOf([tokens, keys], headers), expected);
  });
}

Deno.test("auth() tries the schemes in order (spec 5.3.1)", async () => {
  const headers = { Authorization: bearer, "X-API-Key": "k3y" };
  assertEquals(await userOf([keys, tokens], headers), api);
});

Deno.test("auth() does not try the schemes after a successful one (spec 5.3.1)", async () => {
  let asked = 0;
  const last: AuthScheme<AuthenticatedUser> = {
    name: "last",
    authenticate() {
      asked++;
      return { status: "absent" };
    },
  };
  await userOf([tokens, last], { Authorization: bearer });
  assertEquals(asked, 0);
  await userOf([tokens, last], {});
  assertEquals(asked, 1);
});

Deno.test("auth() passes an error of verify to onError instead of treating the request as anonymous", async () => {
  const broken = createBearerTokenAuthScheme({
    name: "broken",
    verify: () => Promise.reject(new Error("no database")),
  });
  const router = createRouter({
    middleware: [auth({ schemes: [broken, keys] })],
    onError: (error) => new Response((error as Error).message, { status: 503 }),
  });
  router.get("/", () => new Response("in"));

  const response = await router.fetch("https://example.com/", {
    headers: { Authorization: bearer, "X-API-Key": "k3y" },
  });
  assertEquals([response.status, await response.text()], [503, "no database"]);
});

for (const result of [undefined, false, 0, "", true, "ada", 1]) {
  Deno.test(`auth() sets null if verify returns ${JSON.stringify(result)}`, async () => {
    const scheme = createBearerTokenAuthScheme({
      name: "sloppy",
      verify: () => result as unknown as null,
    });
    assertEquals(await userOf([scheme], { Authorization: bearer }), null);
  });
}

Deno.test("context.get(Auth) is null if auth() did not run (spec 2.2)", () => {
  const context = new RequestContext(new Request("https://example.com/"));
  assertEquals(context.get(Auth), null);
  assertEquals(context.has(Auth), false);
});

Deno.test("context.get(Auth) works in the default handler (spec 2.2)", async () => {
  const router = createRouter({
    middleware: [auth({ schemes: [tokens] })],
    defaultHandler: (context) => Response.json(context.get(Auth)),
  });
  const response = await router.fetch("https://example.com/nowhere", {
    headers: { Authorization: bearer },
  });
  assertEquals(await response.json(), ada);
});

Deno.test("auth() keeps the users of concurrent requests apart", async () => {
  const scheme = createBearerTokenAuthScheme({
    name: "slow",
    verify: async (token) => {
      await turns(5 - Number(token));
      return { id: Number(token) };
    },
  });
  const users = await Promise.all(
    [0, 1, 2, 3, 4].map((id) =>
      userOf([scheme], { Authorization: `Bearer ${id}` })
    ),
  );
  assertEquals(users, [0, 1, 2, 3, 4].map((id) => ({ id })));
});

Deno.test("auth() throws without schemes, or for two with the same name", () => {
  assertThrows(() => auth({ schemes: [] }), TypeError, "at least one scheme");
  for (const options of [undefined, null, {}, { schemes: tokens }]) {
    const make = () => auth(options as unknown as { schemes: [] });
    assertThrows(make, TypeError, "at least one scheme");
  }
  assertThrows(
    () => auth({ schemes: [tokens, tokens] }),
    TypeError,
    'two schemes have the name "tokens"',
  );
});
