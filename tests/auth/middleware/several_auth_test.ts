import {
  Auth,
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  requireAuth,
  requireUser,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => token === "t0ken" ? { id: "token" } : null,
});

const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => key === "k3y" ? { id: "key" } : null,
});

/** Creates a router with two `auth`, also around a mounted router. */
function createApp() {
  const inner = createRouter({ middleware: [auth({ schemes: [keys] })] });
  inner.get("/", [requireAuth()], (context) => {
    return new Response(String(context.get(Auth).id));
  });
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get(
    "/chain",
    [auth({ schemes: [keys] }), requireAuth()],
    (context) => new Response(String(context.get(Auth).id)),
  );
  router.mount("/mounted", inner);
  return router;
}

const requests: [Record<string, string>, string][] = [
  [{ Authorization: "Bearer t0ken" }, "token"],
  [{ "X-API-Key": "k3y" }, "key"],
  [{ Authorization: "Bearer t0ken", "X-API-Key": "k3y" }, "token"],
  [{ Authorization: "Bearer t0ken", "X-API-Key": "wrong" }, "token"],
  [{ Authorization: "Bearer wrong", "X-API-Key": "k3y" }, "key"],
  [{}, "Unauthorized"],
  [{ Authorization: "Bearer wrong" }, "Unauthorized"],
];

for (const path of ["/chain", "/mounted"]) {
  for (const [headers, expected] of requests) {
    Deno.test(`a second auth() keeps the user of the first: ${path} ${JSON.stringify(headers)}`, async () => {
      const url = `https://example.com${path}`;
      const response = await createApp().fetch(url, { headers });
      assertEquals(await response.text(), expected);
    });
  }
}

Deno.test("a guard after two auth() sends the challenges of both", async () => {
  const response = await createApp().fetch("https://example.com/chain");
  assertEquals(response.status, 401);
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer realm="tokens"',
  );
});

Deno.test("auth({ only: true }) does not keep the user of an outer auth()", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get(
    "/",
    [auth({ schemes: [keys], only: true }), requireAuth()],
    (context) => new Response(String(context.get(Auth).id)),
  );
  const send = async (headers: Record<string, string>) =>
    await (await router.fetch("https://example.com/", { headers })).text();
  assertEquals(await send({ Authorization: "Bearer t0ken" }), "Unauthorized");
  assertEquals(await send({ "X-API-Key": "k3y" }), "key");
});

Deno.test("a scheme or a guard that throws ends the request before the handler (ASVS 16.5.3)", async () => {
  const down = () => {
    throw new Error("s3cret: the database is down");
  };
  const broken = createBearerTokenAuthScheme({ name: "broken", verify: down });
  for (
    const [scheme, guard] of [
      [broken, requireAuth()],
      [tokens, requireUser(down)],
    ] as const
  ) {
    const errors: unknown[] = [];
    const router = createRouter({
      middleware: [auth({ schemes: [scheme] })],
      onError: (error) => {
        errors.push(error);
        return new Response("Internal Server Error", { status: 500 });
      },
    });
    let calls = 0;
    router.get("/", [guard], () => new Response(String(++calls)));
    const response = await router.fetch("https://example.com/", {
      headers: { Authorization: "Bearer t0ken" },
    });
    assertEquals(response.status, 500);
    assertEquals((await response.text()).includes("s3cret"), false);
    assertEquals([calls, errors.length], [0, 1]);
  }
});
