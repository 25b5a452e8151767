import {
  createIntrospection,
  createResourceServer,
  type ExternalAuthError,
  type IntrospectionOptions,
} from "@gatehouse/web/auth/access-tokens";
import {
  assert,
  assertEquals,
  assertFalse,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import {
  activeToken,
  createIntrospectingAPI,
} from "../../_introspecting_api.ts";
import { type Changes, resource, seconds, signToken } from "../../_resource.ts";
import { TestProvider } from "../../_test_provider.ts";

Deno.test("createIntrospection() accepts an active token (RFC 7662, 2)", async () => {
  const { provider, send } = await createIntrospectingAPI();
  const response = await send("t0ken");
  assertEquals(response.status, 200);
  assertEquals((await response.json()).id, "https://id.example user-1");
  const { form, headers, method } = provider.last("/introspect");
  assertEquals(method, "POST");
  assertEquals(Object.fromEntries(form), {
    token: "t0ken",
    token_type_hint: "access_token",
  });
  assertEquals(
    headers.get("Authorization"),
    `Basic ${btoa("notes-api:s3cret+%26+more")}`,
  );
});

Deno.test("createIntrospection() authenticates with a form or a private key (RFC 7662, 2.1; RFC 7523)", async () => {
  const post = await createIntrospectingAPI({ clientAuthentication: "post" });
  assertEquals((await post.send("t0ken")).status, 200);
  const { form } = post.provider.last("/introspect");
  assertEquals(form.get("client_id"), "notes-api");
  assertEquals(form.get("client_secret"), "s3cret & more");

  const pair = await generateKeyPair("ES256", { extractable: true });
  const key = await exportJWK(pair.privateKey) as JsonWebKey;
  const signed = await createIntrospectingAPI({
    clientAuthentication: "private_key_jwt",
    clientSecret: undefined,
    privateKey: { key, keyId: "k1" },
  });
  assertEquals((await signed.send("t0ken")).status, 200);
  const assertion = signed.provider.last("/introspect").form
    .get("client_assertion");
  assertEquals(decodeJwt(assertion!).aud, "https://id.example");
});

Deno.test("createIntrospection() answers 401 to a token that is not active (RFC 7662, 2.2)", async () => {
  const { send } = await createIntrospectingAPI();
  const response = await send("unknown");
  assertEquals(response.status, 401);
  assertStringIncludes(
    response.headers.get("WWW-Authenticate")!,
    'error="invalid_token", error_description="The access token is invalid"',
  );
});

Deno.test("requireScope() reads the scopes of introspected tokens", async () => {
  const { responses, send } = await createIntrospectingAPI();
  assertEquals((await send("t0ken", "POST")).status, 403);
  responses.writer = activeToken({ scope: "notes:read notes:write" });
  assertEquals((await send("writer", "POST")).status, 201);
});

const refused: [name: string, changes: Changes][] = [
  ["for another resource", { aud: "https://other.example" }],
  ["for several others", { aud: ["https://a.example", "https://b.example"] }],
  ["without an audience", { aud: undefined }],
  ["with the audience null", { aud: null }],
  ["with an audience that is a number", { aud: 7 }],
  ["with an audience that is an object", { aud: { [resource]: 1 } }],
  ["with an array in the audience", { aud: [[resource]] }],
  ["of another issuer", { iss: "https://evil.example" }],
  ["with an issuer that is null", { iss: null }],
  ["without a subject", { sub: undefined }],
  ["with an empty subject", { sub: "" }],
  ["with a subject that is a number", { sub: 1 }],
  ["that has expired", { exp: seconds - 30 }],
  ["with an exp that is a string", { exp: String(seconds + 300) }],
  ["with an exp that is null", { exp: null }],
  ["that is not valid yet", { nbf: seconds + 31 }],
  ["with an nbf that is a string", { nbf: String(seconds) }],
  ["from the future", { iat: seconds + 31 }],
  ["with an iat that is a string", { iat: String(seconds) }],
  ["bound to a key (RFC 9449)", { cnf: { jkt: "abc" } }],
  ["bound to a certificate (RFC 8705)", { cnf: { "x5t#S256": "abc" } }],
  ["with an unknown token type", { token_type: "mac" }],
  ["with a token type that is an array", { token_type: ["Bearer"] }],
  ["of a refresh", { token_type: "refresh_token" }],
];

for (const [name, changes] of refused) {
  Deno.test(`createIntrospection() refuses an active token ${name}`, async () => {
    const { responses, send } = await createIntrospectingAPI();
    responses.t0ken = activeToken(changes);
    const response = await send("t0ken");
    assertEquals(response.status, 401);
    await response.body?.cancel();
  });
}

const accepted: [name: string, changes: Changes][] = [
  ["several audiences", { aud: ["https://a.example", resource] }],
  ["its issuer", { iss: "https://id.example" }],
  ["an exp within the tolerance", { exp: seconds - 29 }],
  ["no exp", { exp: undefined }],
  ["no token type", { token_type: undefined }],
  ["a token type in lowercase", { token_type: "bearer" }],
];

for (const [name, changes] of accepted) {
  Deno.test(`createIntrospection() accepts a token with ${name}`, async () => {
    const { responses, send } = await createIntrospectingAPI();
    responses.t0ken = activeToken(changes);
    assertEquals((await send("t0ken")).status, 200);
  });
}

Deno.test("createIntrospection() accepts a token without an audience if that is allowed", async () => {
  const { responses, send } = await createIntrospectingAPI({
    allowMissingAudience: true,
  });
  responses.t0ken = activeToken({ aud: undefined });
  assertEquals((await send("t0ken")).status, 200);
  responses.other = activeToken({ aud: "https://other.example" });
  assertEquals((await send("other")).status, 401);
});

const unusable: [name: string, respond: () => Response | Promise<Response>][] =
  [
    ["an error", () => new Response("Down", { status: 500 })],
    ["an HTML page", () => new Response("<p>", { status: 200 })],
    [
      "a refused client",
      () => Response.json({ error: "invalid_client" }, { status: 401 }),
    ],
    ["too many requests", () => Response.json({}, { status: 429 })],
    ["no member active", () => Response.json({ sub: "user-1" })],
    [
      "active as a string",
      () => Response.json(activeToken({ active: "true" })),
    ],
    ["an array", () => Response.json([activeToken()])],
    ["a redirect", () => Response.redirect("https://evil.example/", 307)],
    ["a network error", () => Promise.reject(new TypeError("refused"))],
    [
      "too many bytes",
      () => Response.json({ ...activeToken(), a: "a".repeat(300_000) }),
    ],
  ];

for (const [name, respond] of unusable) {
  Deno.test(`createIntrospection() answers 503 with Retry-After if the issuer responds with ${name}`, async () => {
    const errors: ExternalAuthError[] = [];
    const { provider, respond: usual, send } = await createIntrospectingAPI(
      {},
      { onError: (error) => errors.push(error) },
    );
    provider.faults.respond = (request) =>
      request.path === "/introspect" ? respond() : usual(request);
    const response = await send("t0ken", "GET", "application/json");
    assertEquals(response.status, 503);
    assertEquals(response.headers.get("Retry-After"), "5");
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    assertEquals((await response.json()).status, 503);
    assertEquals(errors.map(({ code }) => code), ["introspection_failed"]);
    for (const secret of ["t0ken", "s3cret"]) {
      assertFalse(String(errors[0]).includes(secret));
      assertFalse(String(errors[0].cause).includes(secret));
    }
  });
}

for (const status of [400, 413, 414, 422, 431]) {
  Deno.test(`createIntrospection() answers 401 to a token that the issuer refuses with ${status}, and asks for others`, async () => {
    let errors = 0;
    const { provider, respond, send } = await createIntrospectingAPI({}, {
      onError: () => errors++,
    });
    provider.faults.respond = (request) =>
      request.form.get("token")?.startsWith("x")
        ? Response.json({ error: "invalid_request" }, { status })
        : respond(request);
    for (let count = 0; count < 20; count++) {
      assertEquals((await send(`x${count}`)).status, 401);
    }
    assertEquals((await send("t0ken")).status, 200);
    assertEquals(errors, 1);
  });
}

Deno.test("createIntrospection() keeps a response for maxCacheTime, at most until the token expires", async () => {
  const { asked, clock, responses, send } = await createIntrospectingAPI();
  for (let count = 0; count < 5; count++) await send("t0ken");
  assertEquals(asked(), 1);
  clock.now += 59_999;
  await send("t0ken");
  assertEquals(asked(), 1);
  clock.now += 1;
  delete responses.t0ken;
  assertEquals((await send("t0ken")).status, 401);
  assertEquals(asked(), 2);

  responses.short = activeToken({ exp: clock.now / 1000 + 10 });
  assertEquals((await send("short")).status, 200);
  clock.now += 10_000;
  delete responses.short;
  assertEquals((await send("short")).status, 401);
  assertEquals(asked(), 4);
});

Deno.test("createIntrospection() asks for each request if maxCacheTime is 0", async () => {
  const { asked, send } = await createIntrospectingAPI({ maxCacheTime: 0 });
  for (let count = 0; count < 3; count++) {
    assertEquals((await send("t0ken")).status, 200);
  }
  assertEquals(asked(), 3);
});

Deno.test("createIntrospection() asks for each request if maxCacheEntries is 0", async () => {
  const { asked, send } = await createIntrospectingAPI({ maxCacheEntries: 0 });
  for (let count = 0; count < 3; count++) {
    assertEquals((await send("t0ken")).status, 200);
  }
  assertEquals(asked(), 3);
});

Deno.test("createIntrospection() keeps one response if maxCacheEntries is 1", async () => {
  const { asked, responses, send } = await createIntrospectingAPI({
    maxCacheEntries: 1,
  });
  responses.other = activeToken();
  for (const token of ["t0ken", "t0ken", "other", "other", "t0ken"]) {
    assertEquals((await send(token)).status, 200);
  }
  assertEquals(asked(), 3);
});

Deno.test("createIntrospection() uses no response from the future of a wrong clock", async () => {
  const { asked, clock, send } = await createIntrospectingAPI();
  await send("t0ken");
  clock.now -= 10_000;
  await send("t0ken");
  assertEquals(asked(), 2);
});

Deno.test("createIntrospection() asks once for 100 concurrent requests with a token", async () => {
  const { asked, send } = await createIntrospectingAPI();
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => send("t0ken")),
  );
  assert(responses.every(({ status }) => status === 200));
  assertEquals(asked(), 1);
  await Promise.all(responses.map(({ body }) => body?.cancel()));
});

Deno.test("createIntrospection() evicts the oldest response beyond maxCacheEntries", async () => {
  const { asked, responses, send } = await createIntrospectingAPI({
    maxCacheEntries: 3,
  });
  const tokens = ["a", "b", "c", "d"];
  for (const token of tokens) responses[token] = activeToken();
  for (const token of tokens) await send(token);
  for (const token of ["b", "c", "d"]) await send(token);
  assertEquals(asked(), 4);
  await send("a");
  assertEquals(asked(), 5);
});

Deno.test("createIntrospection() keeps active tokens while others flood it, and remembers inactive ones for ten seconds", async () => {
  const { asked, clock, responses, send } = await createIntrospectingAPI({
    maxCacheEntries: 2,
  });
  await send("t0ken");
  for (let count = 0; count < 1_100; count++) {
    const response = await send(`guess${count}`);
    await response.body?.cancel();
  }
  assertEquals(asked(), 1_101);
  await send("t0ken");
  await send("guess1099");
  assertEquals(asked(), 1_101);
  clock.now += 10_000;
  responses.guess1099 = activeToken();
  assertEquals((await send("guess1099")).status, 200);
});

Deno.test("createIntrospection() works in addition to an issuer of JWTs, and gets none of its tokens", async () => {
  const jwts = await TestProvider.create("https://jwt.example", ["ES256"]);
  const opaque = await createIntrospectingAPI();
  const introspection = createIntrospection({
    clientId: "a",
    clientSecret: "b",
  });
  const { asked, responses, send } = await createIntrospectingAPI({}, {
    issuers: [
      { issuer: "https://jwt.example" },
      { issuer: "https://id.example", introspection },
    ],
    fetch: (url, init) =>
      (url.startsWith("https://jwt.example") ? jwts : opaque.provider)
        .fetch(url, init),
  });
  void responses;
  assertEquals((await send(await signToken(jwts))).status, 200);
  const forged = `${(await signToken(jwts)).slice(0, -6)}AAAAAA`;
  assertEquals((await send(forged)).status, 401);
  const evil = await TestProvider.create("https://evil.example", ["ES256"]);
  assertEquals((await send(await signToken(evil))).status, 401);
  assertEquals([asked(), opaque.asked()], [0, 0]);
  assertEquals((await send("t0ken")).status, 200);
  assertEquals(opaque.asked(), 1);
});

const named = btoa(JSON.stringify({ iss: "https://evil.example" }));

const header = btoa(JSON.stringify({ alg: "ES256" }));

const encrypted = (more: Changes = {}) =>
  btoa(JSON.stringify({ alg: "dir", enc: "A256GCM", ...more }))
    .replace(/=+$/, "");

for (
  const [name, token] of [
    ["an encrypted JWT", `${encrypted()}..aaaa.bbbb.cccc`],
    [
      "an encrypted JWT of another issuer",
      `${encrypted({ iss: "https://evil.example" })}..aaaa.bbbb.cccc`,
    ],
    ["a JWT with claims in another format than JSON", `${header}.bm90.c2ln`],
    ["a JWT with claims that base64 cannot contain", `${header}.a.c2ln`],
    ["a JWT without an issuer", `${header}.${btoa("{}")}.c2ln`],
    ["a JWT with another issuer", `${header}.${named}.c2ln`],
  ] as const
) {
  Deno.test(`createIntrospection() does not send ${name} to an issuer that it does not name`, async () => {
    const { asked, send } = await createIntrospectingAPI();
    assertEquals((await send(token.replaceAll("=", ""))).status, 401);
    assertEquals(asked(), 0);
  });
}

for (const token of ["a.b.c", "a.b", "a.b.c.d.e", "v4.public.eyJhIjoxfQ"]) {
  Deno.test(`createIntrospection() asks about ${token}, which is not a JWT`, async () => {
    const { asked, responses, send } = await createIntrospectingAPI();
    responses[token] = activeToken();
    assertEquals((await send(token)).status, 200);
    assertEquals(asked(), 1);
  });
}

Deno.test("createIntrospection() asks about an encrypted JWT whose header names its issuer (RFC 7519, 5.3)", async () => {
  const { responses, send } = await createIntrospectingAPI();
  const token = `${encrypted({ iss: "https://id.example" })}..aaaa.bbbb.cccc`;
  responses[token] = activeToken();
  assertEquals((await send(token)).status, 200);
});

Deno.test("createIntrospection() asks about JWTs of its issuer", async () => {
  const { asked, provider, responses, send } = await createIntrospectingAPI();
  const token = await signToken(provider);
  assertEquals((await send(token)).status, 401);
  responses[token] = activeToken();
  assertEquals(asked(), 1);
});

Deno.test("createIntrospection() uses the endpoint of the options without metadata", async () => {
  const { provider, send } = await createIntrospectingAPI({
    endpoint: "https://id.example/introspect",
  });
  assertEquals((await send("t0ken")).status, 200);
  assertEquals(provider.requests.map(({ path }) => path), ["/introspect"]);
});

for (
  const changes of [
    { introspection_endpoint: undefined },
    { introspection_endpoint: "http://id.example/introspect" },
    { introspection_endpoint: ["https://id.example/introspect"] },
    { issuer: "https://evil.example" },
  ]
) {
  Deno.test(`createIntrospection() answers 503 if the metadata has ${JSON.stringify(changes)}`, async () => {
    const codes: string[] = [];
    const { provider, send } = await createIntrospectingAPI({}, {
      onError: ({ code }) => codes.push(code),
    });
    provider.faults.metadata = (metadata) => ({ ...metadata, ...changes });
    assertEquals((await send("t0ken")).status, 503);
    assertEquals(codes, ["discovery_failed"]);
  });
}

Deno.test("createIntrospection() answers 503 if the metadata has the status 400", async () => {
  const { provider, send } = await createIntrospectingAPI({}, {
    onError: () => {},
  });
  provider.faults.respond = () => Response.json({}, { status: 400 });
  assertEquals((await send("a")).status, 503);
  assertEquals((await send("b")).status, 503);
  assertEquals(provider.requests.length, 1);
});

const invalid: [options: Record<string, unknown>, message: string][] = [
  [{ clientId: "" }, "clientId is missing"],
  [{ clientSecret: "" }, "clientSecret or privateKey is missing"],
  [{ clientSecret: undefined }, "clientSecret or privateKey is missing"],
  [
    { clientAuthentication: "none" },
    'clientAuthentication "none" is not one of',
  ],
  [
    { clientAuthentication: "private_key_jwt" },
    "clientSecret or privateKey is missing",
  ],
  [
    { privateKey: { key: { kty: "oct", k: "a" } } },
    "privateKey is not a private key",
  ],
  [{ maxCacheTime: -1 }, 'maxCacheTime "-1" is not a number from 0'],
  [{ maxCacheTime: NaN }, 'maxCacheTime "NaN" is not a number from 0'],
  [{ maxCacheEntries: Infinity }, "is not a number from 0"],
];

for (const [options, message] of invalid) {
  Deno.test(`createIntrospection() throws with ${JSON.stringify(options)}`, () => {
    const all = { clientId: "a", clientSecret: "b", ...options };
    assertThrows(
      () => createIntrospection(all as IntrospectionOptions),
      Error,
      message,
    );
  });
}

Deno.test("createResourceServer() throws with an insecure introspection endpoint or two of them", () => {
  const create = (...endpoints: string[]) =>
    createResourceServer({
      name: "notes",
      resource,
      issuers: endpoints.map((endpoint, index) => ({
        issuer: `https://id${index}.example`,
        introspection: createIntrospection({
          clientId: "a",
          clientSecret: "b",
          endpoint,
        }),
      })) as never,
      verify: ({ sub }) => ({ id: sub }),
    });
  create("https://id.example/introspect");
  assertThrows(() => create("http://a.example"), TypeError, "not an https URL");
  assertThrows(
    () => create("https://a.example", "https://b.example"),
    TypeError,
    "two issuers have introspection",
  );
});
