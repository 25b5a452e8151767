// No error contains a code, token, secret or verifier, for every kind of failure
// and a provider that repeats the request.
import {
  type ExternalAuthError,
  refreshExternalAuth,
  revokeExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals, assertGreater } from "@std/assert";
import { generateKeyPair } from "jose";
import { clientOf, Login } from "../_login.ts";
import {
  type Faults,
  type SeenRequest,
  TestProvider,
} from "../_test_provider.ts";

/** Creates a response with all data of the request. */
function echo(request: SeenRequest, status = 400): Response {
  const text = textOf(request);
  const body = { error: text, error_description: text, message: text };
  return Response.json(body, { status });
}

function textOf({ form, headers, query }: SeenRequest): string {
  return `${headers.get("Authorization")} ${form} ${query} ${
    [...form.values()].join(" ")
  }`;
}

const only = (
  wanted: string,
  answer: (request: SeenRequest) => Response | Promise<Response>,
): Faults => ({
  respond: (request) => request.path === wanted ? answer(request) : undefined,
});

const failures: [string, Faults][] = [
  [
    "the token endpoint repeats the request as an error",
    only("/token", (r) => echo(r)),
  ],
  [
    "the token endpoint repeats a value as an error",
    only(
      "/token",
      ({ form }) =>
        Response.json({ error: form.get("code_verifier") }, { status: 400 }),
    ),
  ],
  [
    "the token endpoint repeats the code as an error",
    only("/token", ({ form }) => Response.json({ error: form.get("code") })),
  ],
  [
    "fetch fails with the request in its message",
    only("/token", (r) => Promise.reject(new Error(textOf(r)))),
  ],
  [
    "fetch fails with the profile request in its message",
    only("/userinfo", (r) => Promise.reject(new Error(textOf(r)))),
  ],
  [
    "fetch fails with the request as the error's cause",
    only(
      "/token",
      (r) => Promise.reject(new Error("failed", { cause: textOf(r) })),
    ),
  ],
  [
    "the token endpoint responds with HTML",
    only("/token", (r) => new Response(textOf(r), { status: 500 })),
  ],
  [
    "the userinfo endpoint repeats the request",
    only("/userinfo", (r) => echo(r)),
  ],
  ["the ID token is that of another user", {
    claims: (c) => ({ ...c, aud: c.nonce }),
  }],
  ["the nonce is wrong", { claims: (c) => ({ ...c, nonce: `${c.nonce}x` }) }],
  ["the ID token is broken", { idToken: (idToken) => `${idToken}x` }],
  ["the access token is malformed", {
    token: (t) => ({ ...t, access_token: `${t.access_token}\n` }),
  }],
  ["the token type is the access token", {
    token: (t) => ({ ...t, token_type: t.access_token }),
  }],
  ["userinfo is about another user", { userinfo: (c) => ({ ...c, sub: "x" }) }],
  ["the key set is broken", only("/keys", () => Response.json({ keys: 1 }))],
];

for (const [name, faults] of failures) {
  for (
    const method of [
      "client_secret_basic",
      "client_secret_post",
      "private_key_jwt",
    ]
  ) {
    Deno.test(`the error contains no secret if ${name}, with ${method}`, async () => {
      const { privateKey: key } = await generateKeyPair("ES256");
      const provider = await TestProvider.create();
      provider.clientSecret = "s3cret of the client/+=";
      provider.authMethods = [method];
      provider.faults = faults;
      const errors: ExternalAuthError[] = [];
      const login = new Login(provider, {
        onError: (error) => errors.push(error),
        ...method === "private_key_jwt" &&
          { clientSecret: undefined, privateKey: { key } },
      });
      const secrets = watch(provider, faults);
      const callback = await login.begin();
      secrets.add(new URL(callback).searchParams.get("code")!);
      const outcome = await login.end(callback);
      assertEquals(outcome.profile, null);
      assertEquals(errors.length, 1);
      assertGreater(secrets.size, 2);
      for (const secret of secrets) assertClean(errors[0], secret);
    });
  }
}

Deno.test("the error of a pushed request, a refresh or a revocation contains no secret", async () => {
  const provider = await TestProvider.create();
  const errors: ExternalAuthError[] = [];
  const options = {
    pushedAuthorization: true,
    onError: (error: ExternalAuthError) => void errors.push(error),
  };
  const faults: Faults = {
    respond: (request) =>
      request.path === "/par" || request.path === "/token" ||
        request.path === "/revoke"
        ? echo(request)
        : undefined,
  };
  provider.faults = faults;
  const secrets = watch(provider, faults);
  await new Login(provider, options).visit("/login");
  const client = clientOf(provider, options);
  const tokens = {
    accessToken: "the-access-token",
    refreshToken: "the-refresh-token",
    issuer: provider.issuer,
    subject: "1",
  };
  await refreshExternalAuth(client, tokens);
  await revokeExternalAuth(client, tokens);
  assertEquals(errors.map(({ code }) => code), [
    "pushed_authorization_failed",
    "token_request_refused",
    "revocation_failed",
    "revocation_failed", // for each of the two tokens
  ]);
  for (const secret of secrets) {
    for (const error of errors) assertClean(error, secret);
  }
});

/** Collects all secrets that the provider gets or sends. */
function watch(provider: TestProvider, faults: Faults): Set<string> {
  const secrets = new Set([provider.clientSecret]);
  const names = [
    "code",
    "code_verifier",
    "client_secret",
    "client_assertion",
    "refresh_token",
    "token",
    "state",
    "nonce",
  ];
  provider.faults = {
    ...faults,
    respond: (request) => {
      const authorization = request.headers.get("Authorization");
      if (authorization !== null) secrets.add(authorization.split(" ")[1]);
      for (const name of names) {
        const value = request.form.get(name);
        if (value !== null) secrets.add(value);
      }
      return faults.respond?.(request);
    },
    token: (token) => {
      for (const name of ["access_token", "refresh_token", "id_token"]) {
        if (token[name]) secrets.add(String(token[name]));
      }
      return faults.token?.(token) ?? token;
    },
    claims: (claims) => {
      if (claims.nonce) secrets.add(String(claims.nonce));
      return faults.claims?.(claims) ?? claims;
    },
  };
  return secrets;
}

/** Asserts that no output of a logger for an error contains a secret. */
function assertClean(error: unknown, secret: string): void {
  const encoded = new URLSearchParams({ x: secret }).toString().slice(2);
  for (const text of textsOf(error)) {
    assert(!text.includes(secret), `"${secret}" is in "${text}"`);
    assert(!text.includes(encoded), `"${encoded}" is in "${text}"`);
  }
}

function textsOf(value: unknown, depth = 0): string[] {
  if (depth > 5) return [];
  if (typeof value !== "object" || value === null) return [String(value)];
  const names = Object.getOwnPropertyNames(value) as (keyof typeof value)[];
  return [
    String(value),
    JSON.stringify(value) ?? "",
    ...names.flatMap((name) => textsOf(value[name], depth + 1)),
  ];
}
