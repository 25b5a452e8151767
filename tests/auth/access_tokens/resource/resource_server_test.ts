import { auth, requireFreshAuth } from "@gatehouse/web/auth-middleware";
import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import {
  createAPI,
  metadataUrl,
  now,
  resource,
  seconds,
} from "../../_resource.ts";

const start = `Bearer realm="notes", resource_metadata="${metadataUrl}"`;

Deno.test("createResourceServer() accepts a token for the resource (RFC 9068, 4; RFC 8707)", async () => {
  const { send, sign } = await createAPI();
  const response = await send(await sign());
  assertEquals(response.status, 200);
  assertEquals((await response.json()).id, "https://id.example user-1");
});

Deno.test("createResourceServer() sends the metadata's URL in the challenge of a 401 (RFC 9728, 5.1)", async () => {
  const { send } = await createAPI();
  const response = await send();
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("WWW-Authenticate"), start);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
});

const refusals: [name: string, claims: Record<string, unknown>, string][] = [
  ["expired", { exp: seconds - 31 }, "The access token has expired"],
  [
    "for another resource",
    { aud: "https://other.example" },
    "The access token is for another resource",
  ],
  [
    "bound to a key",
    { cnf: { jkt: "x" } },
    "The access token is bound to a key",
  ],
  ["without a subject", { sub: "" }, "The access token is invalid"],
];

for (const [name, claims, description] of refusals) {
  Deno.test(`createResourceServer() says why it refuses a token that is ${name} (RFC 6750, 3)`, async () => {
    const { send, sign } = await createAPI();
    const response = await send(await sign(claims), "GET", "application/json");
    assertEquals(response.status, 401);
    assertEquals(
      response.headers.get("WWW-Authenticate"),
      `${start}, error="invalid_token", error_description="${description}"`,
    );
    assertEquals(await response.json(), {
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      detail: description,
    });
  });
}

Deno.test("createResourceServer() refuses a token if verify returns null", async () => {
  const { send, sign } = await createAPI({ verify: () => null });
  const response = await send(await sign());
  assertEquals(response.status, 401);
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    `${start}, error="invalid_token", error_description="The access token is invalid"`,
  );
});

Deno.test("requireScope() of a resource names the scope in 401 and 403 (RFC 6750, 3.1)", async () => {
  const { send, sign } = await createAPI();
  const anonymous = await send(undefined, "POST");
  assertEquals(anonymous.status, 401);
  assertEquals(
    anonymous.headers.get("WWW-Authenticate"),
    `${start}, scope="notes:write"`,
  );
  const reader = await send(await sign(), "POST", "application/json");
  assertEquals(reader.status, 403);
  assertEquals(
    reader.headers.get("WWW-Authenticate"),
    `${start}, scope="notes:write", error="insufficient_scope", error_description="The request needs the scope notes:write"`,
  );
  assertEquals(await reader.json(), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    detail: "The request needs the scope notes:write",
  });
  const writer = await sign({ scope: "notes:read notes:write" });
  assertEquals((await send(writer, "POST")).status, 201);
});

const granted: [name: string, claims: Record<string, unknown>, number][] = [
  ["scope", { scope: "a notes:write b" }, 201],
  [
    "scp as a string, as some issuers",
    { scope: undefined, scp: "notes:write" },
    201,
  ],
  ["scp as an array, as some issuers", {
    scope: undefined,
    scp: ["notes:write"],
  }, 201],
  ["scope rather than scp", { scope: "", scp: "notes:write" }, 403],
  ["no part of a scope", { scope: "notes:write:all xnotes:write" }, 403],
  ["no scope with another case", { scope: "Notes:Write" }, 403],
  ["no scope", { scope: undefined }, 403],
  ["no scope that is a number", { scope: 7 }, 403],
  ["no scope of an object", { scope: { "notes:write": true } }, 403],
  ["no scope in an array of an array", { scope: [["notes:write"]] }, 403],
];

for (const [name, claims, status] of granted) {
  Deno.test(`requireScope() reads ${name}`, async () => {
    const { send, sign } = await createAPI();
    assertEquals((await send(await sign(claims), "POST")).status, status);
  });
}

Deno.test("requireScope() refuses a token whose user has a scope that the token has not, and the reverse", async () => {
  const { send, sign } = await createAPI({
    verify: ({ sub, ...claims }) => ({
      id: sub,
      claims: { sub, ...claims },
      scopes: sub === "writer" ? ["notes:read", "notes:write"] : ["notes:read"],
    }),
  });
  const statusOf = async (sub: string, scope: string) =>
    (await send(await sign({ sub, scope }), "POST")).status;
  assertEquals(await statusOf("writer", "notes:read"), 403);
  assertEquals(await statusOf("reader", "notes:write"), 403);
  assertEquals(await statusOf("writer", "notes:write"), 201);
});

Deno.test("requireScope() reads the scopes that tokenScopes returns", async () => {
  const { send, sign } = await createAPI({
    tokenScopes: ({ permissions }) => permissions as string[],
    verify: (claims) => ({ id: claims.sub, claims, scopes: ["notes:write"] }),
  });
  const statusOf = async (permissions: unknown) =>
    (await send(await sign({ permissions }), "POST")).status;
  assertEquals(await statusOf(["notes:write"]), 201);
  assertEquals(await statusOf(["notes:read"]), 403);
  assertEquals(await statusOf(undefined), 403);
  assertEquals(await statusOf("notes:write"), 403);
});

Deno.test("requireScope() of a resource accepts only its scopes", async () => {
  const { api } = await createAPI();
  assertThrows(
    // @ts-expect-error The name is misspelled.
    () => api.requireScope("notes:wriet"),
    TypeError,
    'Cannot require the scope "notes:wriet": it is not listed',
  );
});

for (
  const url of [
    metadataUrl,
    "https://api.example/.well-known/oauth-protected-resource",
  ]
) {
  Deno.test(`createResourceServer() serves ${url} to all origins (RFC 9728, 2 and 3)`, async () => {
    const { router } = await createAPI({
      metadata: { resource_name: "Notes" },
    });
    const response = await router.fetch(url, {
      headers: { Origin: "https://app.example" },
    });
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("Content-Type"), "application/json");
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    assertEquals(response.headers.get("Cache-Control"), "public, max-age=3600");
    assertEquals(await response.json(), {
      resource,
      authorization_servers: ["https://id.example"],
      scopes_supported: ["notes:read", "notes:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Notes",
    });
    const head = await router.fetch(url, { method: "HEAD" });
    assertEquals([head.status, await head.text()], [200, ""]);
    const preflight = await router.fetch(url, {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "mcp-protocol-version",
      },
    });
    assertEquals(preflight.status, 204);
    assertEquals(preflight.headers.get("Access-Control-Allow-Origin"), "*");
    assertEquals(preflight.headers.get("Access-Control-Allow-Headers"), "*");
    const post = await router.fetch(url, { method: "POST" });
    assertEquals(post.status, 405);
    assertEquals(post.headers.get("Allow"), "GET, HEAD, OPTIONS");
    await post.body?.cancel();
  });
}

Deno.test("createResourceServer() lets no option replace the issuers and the resource of the metadata", async () => {
  const { api, router } = await createAPI({
    metadata: { resource: "https://evil.example" } as never,
  });
  const response = await router.fetch(api.metadataUrl);
  assertEquals((await response.json()).resource, resource);
});

const others = [
  "/.well-known/oauth-protected-resource/",
  "/.well-known/oauth-protected-resource/other",
  "/.well-known/oauth-protected-resource/notes/",
  "/.well-known/oauth-protected-resourcenotes",
];

for (const path of others) {
  Deno.test(`createResourceServer() serves no metadata at ${path}`, async () => {
    const { router } = await createAPI();
    const response = await router.fetch(`https://api.example${path}`);
    assertEquals(response.status, 404);
    await response.body?.cancel();
  });
}

const urls: [resource: string, url: string][] = [
  [
    "https://api.example",
    "https://api.example/.well-known/oauth-protected-resource",
  ],
  [
    "https://api.example/",
    "https://api.example/.well-known/oauth-protected-resource",
  ],
  [
    "https://api.example/a/b/",
    "https://api.example/.well-known/oauth-protected-resource/a/b/",
  ],
  [
    "https://api.example:8443/mcp",
    "https://api.example:8443/.well-known/oauth-protected-resource/mcp",
  ],
];

for (const [of, url] of urls) {
  Deno.test(`the metadata of ${of} is at ${url} (RFC 9728, 3.1)`, async () => {
    const { api } = await createAPI({ resource: of });
    assertEquals(api.metadataUrl, url);
  });
}

const audiences: [resource: string, audience: string, status: number][] = [
  ["https://api.example", "https://api.example", 200],
  ["https://api.example", "https://api.example/", 200],
  ["https://api.example/", "https://api.example", 200],
  ["https://api.example", "https://api.example.evil.example", 401],
  ["https://api.example", "https://api.example/notes", 401],
  ["https://api.example/notes", "https://api.example", 401],
  ["https://api.example/notes", "https://api.example/notes/", 401],
];

for (const [of, audience, status] of audiences) {
  Deno.test(`the resource ${of} answers ${status} to a token for ${audience} (RFC 8707)`, async () => {
    const { send, sign } = await createAPI({ resource: of });
    assertEquals((await send(await sign({ aud: audience }))).status, status);
  });
}

Deno.test("createResourceServer() accepts the audience of an issuer instead of the resource", async () => {
  const issuer = { issuer: "https://id.example", audience: "api://notes" };
  const { send, sign } = await createAPI({ issuers: [issuer] });
  assertEquals((await send(await sign({ aud: "api://notes" }))).status, 200);
  assertEquals((await send(await sign())).status, 401);
});

Deno.test("createResourceServer() accepts tokens without RFC 9068 if the issuer has another type", async () => {
  const bare = { client_id: undefined, jti: undefined, iat: undefined };
  for (const [type, typ] of [["JWT", "JWT"], ["", undefined]] as const) {
    const { send, sign } = await createAPI({
      issuers: [{ issuer: "https://id.example", type }],
    });
    assertEquals((await send(await sign(bare, { typ }))).status, 200);
    const other = typ === undefined ? "JWT" : undefined;
    assertEquals((await send(await sign(bare, { typ: other }))).status, 401);
    assertEquals((await send(await sign(bare))).status, 401);
    const forApp = await sign({ ...bare, aud: "app" }, { typ });
    assertEquals((await send(forApp)).status, 401);
  }
});

Deno.test("requireFreshAuth() asks for an authentication context class (RFC 9470, 3)", async () => {
  const { api, sign } = await createAPI();
  const router = createRouter({
    middleware: [auth({ schemes: [api.scheme] })],
  });
  const guard = requireFreshAuth(300_000, {
    acrValues: ["phr", "phrh"],
    now: () => now,
  });
  router.get("/", { middleware: [guard] }, () => new Response());
  const fresh = { auth_time: seconds - 60 };
  const rows: [claims: Record<string, unknown>, status: number][] = [
    [{ ...fresh, acr: "phr" }, 200],
    [{ ...fresh, acr: "phrh" }, 200],
    [{ ...fresh, acr: "pwd" }, 401],
    [{ ...fresh, acr: ["phr"] }, 401],
    [{ ...fresh, acr: undefined }, 401],
    [{ acr: "phr" }, 401],
    [{ acr: "phr", auth_time: seconds - 301 }, 401],
  ];
  for (const [claims, status] of rows) {
    const response = await router.fetch("https://api.example/", {
      headers: { Authorization: `Bearer ${await sign(claims)}` },
    });
    assertEquals(response.status, status, JSON.stringify(claims));
    if (status === 200) continue;
    assertEquals(
      response.headers.get("WWW-Authenticate"),
      `${start}, error="insufficient_user_authentication", error_description="The request needs a newer or stronger login", max_age="300", acr_values="phr phrh"`,
    );
  }
});

const invalid: [option: Record<string, unknown>, message: string][] = [
  [{ resource: "http://api.example" }, "resource is not an https URL"],
  [{ resource: "http://localhost:8000" }, "allowInsecureLoopback"],
  [{ resource: "notes" }, "resource is not an https URL"],
  [{ resource: "https://api.example/#a" }, "without query and fragment"],
  [{ resource: "https://api.example/?a" }, "without query and fragment"],
  [{ resource: "https://u:p@api.example/" }, "resource is not an https URL"],
  [{ issuers: [] }, "it needs an issuer"],
  [{ issuers: undefined }, "it needs an issuer"],
  [
    { issuers: [{ issuer: "http://id.example" }] },
    "issuer is not an https URL",
  ],
  [
    {
      issuers: [{ issuer: "https://a.example" }, {
        issuer: "https://a.example",
      }],
    },
    'two issuers are "https://a.example"',
  ],
  [
    { issuers: [{ issuer: "https://a.example", algorithms: ["HS256"] }] },
    "is not an asymmetric one",
  ],
  [
    { issuers: [{ issuer: "https://a.example", audience: "" }] },
    "it needs an audience",
  ],
  [{ scopes: ["offline_access"] }, "is a scope of issuers"],
  [{ scopes: ["a b"] }, 'Cannot use the scope "a b"'],
  [{ scopes: ['a"b'] }, "Cannot use the scope"],
  [{ name: 'a"b' }, "its name must be"],
  [
    { metadata: { resource_policy_uri: "policy" } },
    "resource_policy_uri is not a URL",
  ],
  [{ metadata: { resource_tos_uri: "javascript:alert(1)" } }, "is not a URL"],
];

for (const [option, message] of invalid) {
  Deno.test(`createResourceServer() throws with ${JSON.stringify(option)}`, () => {
    assertThrows(
      () =>
        createResourceServer({
          name: "notes",
          resource,
          issuers: [{ issuer: "https://id.example" }],
          verify: ({ sub }) => ({ id: sub }),
          ...option,
        }),
      TypeError,
      message,
    );
  });
}
