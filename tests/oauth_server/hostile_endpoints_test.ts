/** The revocation endpoint, paths of metadata, and scripts of other sites. */
import { assertEquals } from "@std/assert";
import {
  browserOf,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  refresh,
  startServer,
} from "./_server.ts";
import { both, outcomeOf, testAttacks } from "./_attacks.ts";

testAttacks("the revocation endpoint", [
  [
    "answers 405 to GET",
    "405 invalid_request",
    async ({ router }) =>
      await outcomeOf(router.fetch(`${ORIGIN}/revoke?token=x`)),
  ],
  [
    "answers 400 without a token",
    "400 invalid_request",
    async (app) => await outcomeOf(post(app, "/revoke", { client_id: "web" })),
  ],
  [
    "answers 200 to an unknown token",
    "200",
    async (app) =>
      await outcomeOf(post(app, "/revoke", { client_id: "web", token: "x" })),
  ],
  [
    "keeps the grant of another client",
    "400 invalid_grant, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connect(app);
      const form = { client_id: "other", token };
      return await both(
        outcomeOf(post(app, "/revoke", form)),
        () => outcomeOf(refresh(app, token)),
      );
    },
  ],
  [
    "keeps the grant if no client is named",
    "401 invalid_client, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connect(app);
      return await both(
        outcomeOf(post(app, "/revoke", { token })),
        () => outcomeOf(refresh(app, token)),
      );
    },
  ],
  [
    "does not accept a code",
    "200, then 200 tokens",
    async (app) => {
      const token = await getCode(await browserOf(app));
      return await both(
        outcomeOf(post(app, "/revoke", { client_id: "web", token })),
        () => outcomeOf(exchange(app, token)),
      );
    },
  ],
]);

/** Paths of metadata that do not exist. Clients try some of them. */
const NO_METADATA = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server/",
  "/.well-known/oauth-authorization-server/api",
  "/.well-known/oauth-authorization-server/../x",
  "/.well-known/OAUTH-authorization-server",
  "/x/.well-known/oauth-authorization-server",
  "/.well-known/jwks.json",
  "/jwks",
  "/oauth/register",
  "/introspect",
];

for (const path of NO_METADATA) {
  Deno.test(`${path} does not exist, and sends no page`, async () => {
    const { router } = startServer();
    const response = await router.fetch(ORIGIN + path);
    assertEquals(response.status, 404);
    assertEquals((await response.text()).includes("<"), false);
  });
}

Deno.test("no endpoint reads cookies, or lets scripts of other sites send them", async () => {
  const app = startServer();
  const paths = [
    "/token",
    "/revoke",
    "/.well-known/oauth-authorization-server",
  ];
  for (const path of paths) {
    for (const method of ["OPTIONS", "POST", "GET"]) {
      const { headers } = await app.router.fetch(
        new Request(ORIGIN + path, {
          method,
          headers: {
            Origin: "https://evil.example",
            Cookie: "session=x",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization",
          },
        }),
      );
      assertEquals(headers.get("Access-Control-Allow-Origin"), "*");
      assertEquals(headers.get("Access-Control-Allow-Credentials"), null);
      assertEquals(headers.getSetCookie(), []);
    }
  }
  const page = await app.router.fetch(
    new Request(`${ORIGIN}/authorize`, {
      headers: { Origin: "https://evil.example" },
    }),
  );
  assertEquals(page.headers.get("Access-Control-Allow-Origin"), null);
});

Deno.test("only listed origins can read the endpoints if the application lists them", async () => {
  const app = startServer({ cors: ["https://client.example"] });
  const origins = [
    ["https://client.example", "https://client.example"],
    ["https://client.example.evil.example", null],
    ["https://CLIENT.example", null],
    ["null", null],
  ] as const;
  for (const [Origin, expected] of origins) {
    const { headers } = await app.router.fetch(
      new Request(`${ORIGIN}/token`, { method: "POST", headers: { Origin } }),
    );
    assertEquals(headers.get("Access-Control-Allow-Origin"), expected);
    assertEquals(headers.get("Vary"), "Origin");
  }
});
