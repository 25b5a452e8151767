// Wrong, slow, huge and hostile responses of each endpoint.
import { assert, assertEquals } from "@std/assert";
import { afterTimers, until } from "../../_wait.ts";
import { errorOf, Login } from "../_login.ts";
import { type SeenRequest, TestProvider, USER } from "../_test_provider.ts";

/** Each endpoint and its error code. */
const endpoints = [
  { path: "/.well-known/openid-configuration", code: "discovery_failed" },
  { path: "/token", code: "token_request_failed" },
  { path: "/keys", code: "keys_failed" },
  { path: "/userinfo", code: "userinfo_failed" },
] as const;

const json = { "Content-Type": "application/json" };

const answers: [
  string,
  (request: SeenRequest) => Response | Promise<Response>,
][] = [
  [
    "can't be reached",
    () => Promise.reject(new TypeError("connection refused")),
  ],
  ["throws a string", () => Promise.reject("nothing")],
  [
    "responds with 500 in HTML",
    () =>
      new Response("<h1>Oops</h1>", {
        status: 500,
        headers: { "Content-Type": "text/html" },
      }),
  ],
  [
    "responds with 200 in HTML",
    () => new Response("{}", { headers: { "Content-Type": "text/html" } }),
  ],
  [
    "responds without a content type",
    () => new Response(new TextEncoder().encode("{}")),
  ],
  [
    "answers a form",
    () =>
      new Response("access_token=a&token_type=bearer", {
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      }),
  ],
  [
    "answers a JWT",
    () =>
      new Response("a.b.c", { headers: { "Content-Type": "application/jwt" } }),
  ],
  ["answers broken JSON", () => new Response('{"a":', { headers: json })],
  ["answers nothing", () => new Response(null, { headers: json })],
  ["answers 204", () => new Response(null, { status: 204 })],
  ["answers null", () => Response.json(null)],
  ["answers a text", () => Response.json("text")],
  ["answers a number", () => Response.json(1)],
  [
    "responds with invalid UTF-8",
    () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]), { headers: json }),
  ],
  ["redirects with 302", () => redirect(302)],
  ["redirects with 307", () => redirect(307)],
  ["redirects with 308", () => redirect(308)],
  ["answers 64 MB", () => new Response(endless(1024), { headers: json })],
  ["breaks off", () => new Response(brokenOff(), { headers: json })],
];

for (const { path, code } of endpoints) {
  for (const [name, answer] of answers) {
    Deno.test(`${path} ${name}: the login fails with ${code} without an error`, async () => {
      const provider = await TestProvider.create();
      const { codes, login } = await failing(provider, path, answer);
      assertEquals(codes, [code]);
      assert(
        provider.requests.every((request) => request.path !== "/elsewhere"),
      );
      provider.faults = {};
      assertEquals((await login.run()).profile, USER);
    });
  }

  Deno.test(`${path} never responds: the login fails with ${code} after the timeout`, async () => {
    const provider = await TestProvider.create();
    const never = () => new Promise<Response>(() => {});
    const { codes } = await failing(provider, path, never, { timeout: 500 });
    assertEquals(codes, [code]);
  });

  Deno.test(`${path} responds byte by byte: the login fails with ${code} after the timeout`, async () => {
    const provider = await TestProvider.create();
    let isCancelled = false;
    const drops = () =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await afterTimers(20);
          if (!isCancelled) controller.enqueue(new TextEncoder().encode(" "));
        },
        cancel() {
          isCancelled = true;
        },
      });
    const { codes } = await failing(
      provider,
      path,
      () => new Response(drops(), { headers: json }),
      { timeout: 500 },
    );
    assertEquals(codes, [code]);
    // The connection must not stay open.
    await until(() => isCancelled);
    await afterTimers(20);
  });
}

const statuses = [
  { path: "/.well-known/openid-configuration", code: "discovery_failed" },
  { path: "/token", code: "token_request_refused" },
  { path: "/keys", code: "keys_failed" },
  { path: "/userinfo", code: "userinfo_failed" },
];

for (const { path, code } of statuses) {
  for (const status of [201, 400, 401, 403, 404, 429, 500, 503]) {
    Deno.test(`${path} responds with ${status} and a valid body: the login fails with ${code}`, async () => {
      const provider = await TestProvider.create();
      const right = { sub: USER.sub, access_token: "a", token_type: "Bearer" };
      const { codes } = await failing(
        provider,
        path,
        () => Response.json(right, { status }),
      );
      assertEquals(codes, [code]);
    });
  }
}

Deno.test("requests follow no redirects and contain only the necessary headers", async () => {
  const provider = await TestProvider.create();
  const inits: RequestInit[] = [];
  const login = new Login(provider, {
    fetch: (url, init) => {
      inits.push(init);
      return provider.fetch(url, init);
    },
  });
  assertEquals((await login.run()).profile, USER);
  for (const init of inits) {
    assertEquals(init.redirect, "manual");
    const headers = new Headers(init.headers);
    assertEquals(headers.get("Accept"), "application/json");
    assertEquals(headers.get("User-Agent"), "Gatehouse");
    assert(init.signal instanceof AbortSignal);
  }
});

Deno.test("a response of the maximum size is accepted, a larger one is not", async () => {
  const provider = await TestProvider.create();
  const metadata = JSON.stringify(provider.metadata());
  const sizes = [
    [4096, 302, { maxResponseBytes: 4096 }],
    [4097, 502, { maxResponseBytes: 4096 }],
    [262_144, 302, {}],
    [262_145, 502, {}],
  ] as const;
  for (const [size, expected, limits] of sizes) {
    provider.faults = {
      respond: ({ path }) =>
        path.startsWith("/.well-known")
          ? new Response(metadata.padEnd(size), { headers: json })
          : undefined,
    };
    const login = new Login(provider, limits);
    assertEquals((await login.visit("/login")).status, expected);
  }
});

Deno.test("responses and tokens cannot set a prototype", async () => {
  const provider = await TestProvider.create();
  const evil = (claims: Record<string, unknown>) =>
    JSON.parse(
      `{"__proto__":{"isAdmin":true},${JSON.stringify(claims).slice(1)}`,
    );
  provider.faults = { claims: evil, userinfo: evil };
  const { result } = await new Login(provider).run();
  assert(result.ok);
  assertEquals(Object.hasOwn(result.claims, "__proto__"), false);
  assertEquals(isAdmin(result.claims), undefined);
  const { result: alone } = await new Login(provider, { userinfo: false })
    .run();
  assert(alone.ok);
  assertEquals(isAdmin(alone.claims), undefined);
});

Deno.test("an error message has the reason without query and secrets", async () => {
  const provider = await TestProvider.create();
  const { error } = await failing(provider, "/token", ({ form, headers }) => {
    const told = `${
      headers.get("Authorization")
    } ${form} https://x.example/a?code=1`;
    return Promise.reject(new Error(`refused: ${told}`));
  });
  const cause = error!.cause as Error;
  assert(cause.message.includes("refused: "));
  assert(!cause.message.includes("?code"));
  for (const { form, headers } of provider.requests) {
    const secrets = [
      headers.get("Authorization")?.split(" ")[1],
      form.get("code"),
      form.get("code_verifier"),
    ];
    for (const secret of secrets) {
      assert(!secret || !cause.message.includes(secret), cause.message);
    }
  }
});

function isAdmin(claims: object): unknown {
  return (Object.assign({}, claims) as { isAdmin?: unknown }).isAdmin;
}

/** Logs in while one endpoint fails. */
async function failing(
  provider: TestProvider,
  path: string,
  answer: (request: SeenRequest) => Response | Promise<Response>,
  limits: { readonly timeout?: number } = {},
) {
  const codes: string[] = [];
  const login = new Login(provider, {
    ...limits,
    onError: ({ code }) => codes.push(code),
  });
  provider.faults = {
    respond: (request) => request.path === path ? answer(request) : undefined,
  };
  const response = await login.visit("/login");
  if (response.status === 502) return { codes, login };
  const callback = provider.authorize(response.headers.get("Location"));
  const outcome = await login.end(callback);
  assertEquals(outcome.profile, null);
  return { codes, login, error: errorOf(outcome) };
}

function redirect(status: number): Response {
  const headers = { ...json, Location: "https://id.example/elsewhere" };
  return new Response("{}", { status, headers });
}

/** Creates a body with chunks of 64 kB. */
function endless(count: number): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(0x20);
  return new ReadableStream({
    pull(controller) {
      if (count-- > 0) controller.enqueue(chunk);
      else controller.close();
    },
  });
}

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"sub":'));
    },
    pull(controller) {
      controller.error(new TypeError("connection reset"));
    },
  });
}
