// The microblog, tested with a model of the real service at its real addresses.
import {
  createMicroblogAuthProvider,
  refreshExternalAuth,
  revokeExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals } from "@std/assert";
import { codeOf, Service, visit } from "../_service.ts";
import { type Faults, TestProvider } from "../_test_provider.ts";

async function createService(
  data: unknown,
  faults: Faults = {},
): Promise<Service> {
  const provider = await TestProvider.create();
  provider.clientId = "UFRUc1RrM2Zf-_MTpjaQ";
  provider.clientSecret = "s3cret-_with+every/sign=";
  provider.faults = {
    respond: ({ headers, path }) => {
      if (path === "/2/users/me") return Response.json({ data });
      const { clientId, clientSecret } = provider;
      const isRaw = headers.get("Authorization") ===
        `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
      return isRaw
        ? Response.json({ access_token: "a", token_type: "bearer" })
        : Response.json({ error: "unauthorized_client" }, { status: 401 });
    },
    ...faults,
  };
  return new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/2/oauth2/token",
    "https://api.x.com/2/users/me": "/2/users/me",
  });
}

const user = {
  id: "2244994945",
  username: "jane",
  name: "Jane Doe",
  profile_image_url: "https://pbs.twimg.com/1.jpg",
};

Deno.test("createMicroblogAuthProvider() sends raw Basic credentials and unwraps data (spec 4.3)", async () => {
  const service = await createService(user);
  const client = createMicroblogAuthProvider(service.options());
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, { ...user, email: null });
  assert(result.ok);
  assertEquals([result.issuer, result.subject], [
    "https://x.com",
    "2244994945",
  ]);
  assertEquals(location.href.split("?")[0], "https://x.com/i/oauth2/authorize");
  assertEquals(location.searchParams.get("scope"), "users.read tweet.read");
  assertEquals(location.searchParams.get("code_challenge_method"), "S256");
  const { query } = service.provider.last("/2/users/me");
  assertEquals(query.get("user.fields"), "profile_image_url");
});

Deno.test("createMicroblogAuthProvider() requests the email with its scope", async () => {
  const service = await createService({
    ...user,
    confirmed_email: "jane@example.com",
  });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    scopes: ["users.read", "tweet.read", "users.email"],
  });
  const { profile } = await visit(service, client);
  assertEquals(profile?.email, "jane@example.com");
  const { query } = service.provider.last("/2/users/me");
  assertEquals(query.get("user.fields"), "profile_image_url,confirmed_email");
});

Deno.test("createMicroblogAuthProvider() works for a public client, with its id in the body", async () => {
  const service = await createService(user, {
    respond: ({ form, path }) =>
      path === "/2/users/me"
        ? Response.json({ data: user })
        : form.get("client_id") === "UFRUc1RrM2Zf-_MTpjaQ"
        ? Response.json({ access_token: "a", token_type: "bearer" })
        : Response.json({ error: "invalid_request" }, { status: 400 }),
  });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    clientSecret: undefined,
    clientAuthentication: "none",
  });
  assertEquals(codeOf(await visit(service, client)), "");
});

for (
  const data of [
    undefined,
    null,
    {},
    { id: 1, username: "a" },
    { id: "1" },
    "text",
  ]
) {
  Deno.test(`createMicroblogAuthProvider() rejects data ${JSON.stringify(data)}`, async () => {
    const service = await createService(data);
    const client = createMicroblogAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "profile_invalid");
  });
}

Deno.test("the microblog's tokens are refreshed and revoked with the same raw Basic credentials", async () => {
  const provider = await TestProvider.create();
  provider.clientId = "UFRUc1RrM2Zf-_MTpjaQ";
  provider.clientSecret = "s3cret-_with+every/sign=";
  const basic = `Basic ${
    btoa(`${provider.clientId}:${provider.clientSecret}`)
  }`;
  const seen: (string | null)[] = [];
  provider.faults.respond = ({ form, headers, path }) => {
    if (path === "/me") {
      return Response.json({ data: { id: "7", username: "jane" } });
    }
    seen.push(
      `${form.get("grant_type") ?? path} ${
        headers.get("Authorization") === basic
      }`,
    );
    const tokens = { access_token: "a", refresh_token: "r" };
    return Response.json({ ...tokens, token_type: "bearer", expires_in: 7200 });
  };
  const service = new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/token",
    "https://api.x.com/2/oauth2/revoke": "/revoke",
    "https://api.x.com/2/users/me": "/me",
  });
  const client = createMicroblogAuthProvider({
    ...service.options(),
    scopes: ["users.read", "tweet.read", "offline.access"],
  });
  const { result } = await visit(service, client);
  assert(result.ok);
  assert((await refreshExternalAuth(client, result.tokens)).ok);
  assert((await revokeExternalAuth(client, result.tokens)).ok);
  assertEquals(seen, [
    "authorization_code true",
    "refresh_token true",
    "/revoke true",
    "/revoke true",
  ]);
});

Deno.test("the microblog's errors with status 200 and no data are not a profile", async () => {
  const provider = await TestProvider.create();
  provider.faults.respond = ({ path }) =>
    path === "/me"
      ? Response.json({ errors: [{ title: "Forbidden", status: 403 }] })
      : Response.json({ access_token: "a", token_type: "bearer" });
  const service = new Service(provider, {
    "https://api.x.com/2/oauth2/token": "/token",
    "https://api.x.com/2/users/me": "/me",
  });
  const client = createMicroblogAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "profile_invalid");
});
