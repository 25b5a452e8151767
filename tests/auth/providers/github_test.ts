// The code host, against a model of the real service at its real addresses.
import {
  createCodeHostAuthProvider,
  refreshExternalAuth,
  revokeExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, Service, visit } from "../_service.ts";
import { TestProvider } from "../_test_provider.ts";

const GITHUB = "https://github.com/login/oauth";

const octocat = {
  id: 583231,
  login: "octocat",
  email: "shown@example.com",
  name: "The Octocat",
  avatar_url: "https://avatars.githubusercontent.com/u/583231",
};

const emails = [
  { email: "old@example.com", primary: false, verified: true },
  { email: "octocat@example.com", primary: true, verified: true },
];

async function github(
  user: unknown = octocat,
  list: () => Response = () => Response.json(emails),
  host = "github.com",
): Promise<Service> {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  const api = host === "github.com"
    ? "https://api.github.com"
    : `https://${host}/api/v3`;
  provider.faults = {
    respond: ({ headers, path }) => {
      if (path !== "/user" && path !== "/user/emails") return undefined;
      const isAllowed = headers.get("User-Agent") !== null &&
        headers.get("Authorization")!.startsWith("Bearer access-");
      if (!isAllowed) return new Response("Forbidden", { status: 403 });
      return path === "/user" ? Response.json(user) : list();
    },
    token: ({ access_token }) => ({
      access_token,
      token_type: "bearer",
      scope: "read:user,user:email",
    }),
    callback: (params) => params.set("iss", `https://${host}/login/oauth`),
  };
  return new Service(provider, {
    [`https://${host}/login/oauth/access_token`]: "/token",
    [`${api}/user`]: "/user",
    [`${api}/user/emails`]: "/user/emails",
  });
}

Deno.test("createCodeHostAuthProvider() returns the profile with the verified primary email (spec 2.6, 4.3)", async () => {
  const service = await github();
  const client = createCodeHostAuthProvider(service.options());
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, { ...octocat, email: "octocat@example.com" });
  assert(result.ok);
  assertEquals([result.issuer, result.subject], [GITHUB, "583231"]);
  assertEquals(location.origin + location.pathname, `${GITHUB}/authorize`);
  assertEquals(location.searchParams.get("scope"), "user:email");
  assertEquals(location.searchParams.has("nonce"), false);
  assertEquals(location.searchParams.get("code_challenge_method"), "S256");

  const { form, headers } = service.provider.last("/token");
  assertEquals(headers.get("Accept"), "application/json");
  assertEquals(form.get("client_secret"), service.provider.clientSecret);
  const user = service.provider.last("/user").headers;
  assertEquals(user.get("Accept"), "application/vnd.github+json");
  assertEquals(user.get("X-GitHub-Api-Version"), "2022-11-28");
});

const addresses: [string, () => Response][] = [
  [
    "the primary email is not verified",
    () =>
      Response.json([{ email: "a@b.example", primary: true, verified: false }]),
  ],
  [
    "the verified email is not primary",
    () =>
      Response.json([{ email: "a@b.example", primary: false, verified: true }]),
  ],
  ["there is none", () => Response.json([])],
  [
    "the emails are not accessible",
    () => Response.json({ message: "Not Found" }, { status: 404 }),
  ],
  [
    "they are nonsense",
    () => Response.json([null, 1, { primary: true, verified: true, email: 7 }]),
  ],
  [
    "the response is a page with status 500",
    () => new Response("<h1>Unicorn!</h1>", { status: 500 }),
  ],
  [
    "the endpoint can't be reached",
    () => {
      throw new TypeError("connection reset");
    },
  ],
  [
    "the response is not an array",
    () => Response.json({ email: "a@b.example" }),
  ],
];

for (const [name, list] of addresses) {
  Deno.test(`createCodeHostAuthProvider() returns no email if ${name}`, async () => {
    const service = await github(octocat, list);
    const client = createCodeHostAuthProvider(service.options());
    assertEquals((await visit(service, client)).profile?.email, null);
  });
}

Deno.test("createCodeHostAuthProvider() detects an error with status 200", async () => {
  const service = await github();
  service.provider.faults.token = () => ({
    error: "bad_verification_code",
    error_description: "The code passed is incorrect or expired.",
    error_uri: "https://docs.github.com/",
  });
  const client = createCodeHostAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(!result.ok);
  assertEquals(result.error.code, "token_request_refused");
  assertEquals(result.error.providerError, "bad_verification_code");
});

for (
  const [iss, code] of [[null, ""], [GITHUB, ""], [
    "https://github.com",
    "issuer_mismatch",
  ], ["https://evil.example", "issuer_mismatch"]]
) {
  Deno.test(`createCodeHostAuthProvider() gives "${code}" for iss=${iss} in the callback`, async () => {
    const service = await github();
    service.provider.faults.callback = (params) => {
      if (iss !== null) params.set("iss", iss!);
    };
    const client = createCodeHostAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), code);
  });
}

const githubUsers: [string, unknown][] = [
  ["no id", { login: "octocat" }],
  ["an id that is a string", { ...octocat, id: "583231" }],
  ["an id that is not a safe integer", { ...octocat, id: 2 ** 60 }],
  ["no login", { id: 1 }],
  ["a list", [octocat]],
];

for (const [name, user] of githubUsers) {
  Deno.test(`createCodeHostAuthProvider() rejects a profile with ${name}`, async () => {
    const service = await github(user);
    const client = createCodeHostAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "profile_invalid");
  });
}

Deno.test("createCodeHostAuthProvider() logs in at an Enterprise Server", async () => {
  const host = "git.corp.example";
  const service = await github(octocat, () => Response.json(emails), host);
  const client = createCodeHostAuthProvider({ ...service.options(), host });
  const { result } = await visit(service, client);
  assert(result.ok);
  assertEquals(result.issuer, "https://git.corp.example/login/oauth");
});

Deno.test("createCodeHostAuthProvider() throws a TypeError for an invalid host", async () => {
  const service = await github();
  for (const host of ["", "https://git.example", "a/b", "a b", "a@b"]) {
    assertThrows(
      () => createCodeHostAuthProvider({ ...service.options(), host }),
      TypeError,
      "host",
    );
  }
});

/** Creates an app of the code host with expiring tokens. */
async function codeHost(): Promise<Service> {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  provider.faults = {
    respond: ({ path }) =>
      path === "/user"
        ? Response.json({ id: 1, login: "octocat" })
        : path === "/user/emails"
        ? Response.json([])
        : undefined,
    token: ({ id_token: _, ...token }) => ({
      ...token,
      token_type: "bearer",
      expires_in: 28800,
      refresh_token_expires_in: 15897600,
      scope: "",
    }),
  };
  return new Service(provider, {
    "https://github.com/login/oauth/access_token": "/token",
    "https://api.github.com/user": "/user",
    "https://api.github.com/user/emails": "/user/emails",
  });
}

Deno.test("the code host's apps refresh tokens by post and report errors with status 200", async () => {
  const service = await codeHost();
  const client = createCodeHostAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  const refreshed = await refreshExternalAuth(client, result.tokens);
  assert(refreshed.ok);
  assert(refreshed.tokens.refreshToken !== result.tokens.refreshToken);
  const { form, headers } = service.provider.last("/token");
  assertEquals(headers.get("Accept"), "application/json");
  assertEquals(form.get("client_secret"), service.provider.clientSecret);

  const error = "bad_refresh_token";
  service.provider.faults.respond = () => Response.json({ error });
  const refused = await refreshExternalAuth(client, refreshed.tokens);
  assert(!refused.ok);
  assertEquals(refused.error.providerError, error);
});

Deno.test("the code host has no standard revocation endpoint", async () => {
  const service = await codeHost();
  const client = createCodeHostAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  const revoked = await revokeExternalAuth(client, result.tokens);
  assertEquals(!revoked.ok && revoked.error.code, "revocation_failed");
});
