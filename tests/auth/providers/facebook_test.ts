// The social provider, tested with a model of the real service at its real addresses.
import { createSocialAuthProvider } from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, Service, visit } from "../_service.ts";
import { type Faults, TestProvider } from "../_test_provider.ts";

const FACEBOOK = "https://graph.facebook.com/v23.0";

async function createService(profile: unknown, faults: Faults = {}) {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  provider.faults = {
    respond: ({ path }) => path === "/me" ? Response.json(profile) : undefined,
    token: ({ access_token }) => ({
      access_token,
      token_type: "bearer",
      expires_in: 5183944,
    }),
    ...faults,
  };
  return new Service(provider, {
    [`${FACEBOOK}/oauth/access_token`]: "/token",
    [`${FACEBOOK}/me`]: "/me",
  });
}

Deno.test("createSocialAuthProvider() returns the profile and sends a proof of the secret (spec 4.3)", async () => {
  const service = await createService({
    id: "10150000000000000",
    name: "Jane Doe",
    email: "jane@example.com",
    picture: { data: { height: 50, url: "https://scontent.example/1.jpg" } },
  });
  const client = createSocialAuthProvider(service.options());
  const { location, profile, result } = await visit(service, client);
  assertEquals(profile, {
    id: "10150000000000000",
    name: "Jane Doe",
    email: "jane@example.com",
    picture: "https://scontent.example/1.jpg",
  });
  assert(result.ok);
  assertEquals([result.issuer, result.subject], [
    "https://www.facebook.com",
    "10150000000000000",
  ]);
  assertEquals(
    location.href.split("?")[0],
    "https://www.facebook.com/v23.0/dialog/oauth",
  );
  assertEquals(location.searchParams.get("scope"), "email public_profile");

  const { headers, query } = service.provider.last("/me");
  assertEquals(query.get("fields"), "id,name,email,picture");
  assertEquals(query.has("access_token"), false);
  const token = headers.get("Authorization")!.replace("Bearer ", "");
  assertEquals(
    query.get("appsecret_proof"),
    await hmac(service.provider.clientSecret, token),
  );
});

Deno.test("createSocialAuthProvider() returns null for data that the user does not share", async () => {
  const service = await createService({ id: "1" });
  const client = createSocialAuthProvider(service.options());
  assertEquals((await visit(service, client)).profile, {
    id: "1",
    name: null,
    email: null,
    picture: null,
  });
});

const facebookProfiles = [{}, { id: 1 }, { id: "" }, { id: null }, [], {
  error: { message: "x" },
}];

for (const profile of facebookProfiles) {
  Deno.test(`createSocialAuthProvider() rejects the profile ${JSON.stringify(profile)}`, async () => {
    const service = await createService(profile);
    const client = createSocialAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "profile_invalid");
  });
}

Deno.test("createSocialAuthProvider() reads errors that are objects", async () => {
  const service = await createService({}, {
    respond: ({ path }) =>
      path === "/token"
        ? Response.json({
          error: {
            message: "This authorization code has been used.",
            type: "OAuthException",
            code: 100,
            fbtrace_id: "A1",
          },
        }, { status: 400 })
        : undefined,
  });
  const client = createSocialAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(!result.ok);
  assertEquals(result.error.code, "token_request_refused");
  assertEquals(result.error.providerError, "OAuthException");
});

Deno.test("createSocialAuthProvider() reads a callback with error, error_reason and error_description", async () => {
  const service = await createService({}, {
    callback: (params) => {
      params.delete("code");
      params.set("error", "access_denied");
      params.set("error_reason", "user_denied");
      params.set("error_description", "Permissions error");
    },
  });
  const client = createSocialAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "access_denied");
});

Deno.test("createSocialAuthProvider() sends no proof for a public client", async () => {
  const service = await createService({ id: "1" });
  service.provider.authMethods = ["none"];
  const client = createSocialAuthProvider({
    ...service.options(),
    clientSecret: undefined,
    clientAuthentication: "none",
  });
  assertEquals(codeOf(await visit(service, client)), "");
  assertEquals(
    service.provider.last("/me").query.has("appsecret_proof"),
    false,
  );
});

Deno.test("createSocialAuthProvider() uses a version in its URLs", async () => {
  const service = await createService({ id: "1" });
  const client = createSocialAuthProvider({
    ...service.options(),
    apiVersion: "v99.0",
  });
  await visit(service, client);
  assertEquals(service.urls, [
    "https://graph.facebook.com/v99.0/oauth/access_token",
  ]);
  assertThrows(
    () =>
      createSocialAuthProvider({ ...service.options(), apiVersion: "latest" }),
    TypeError,
    "apiVersion",
  );
});

async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle
    .importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return hex(new Uint8Array(bytes));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

Deno.test("the social provider's error for a profile is userinfo_failed", async () => {
  const provider = await TestProvider.create();
  const error = { message: "x", type: "OAuthException", code: 190 };
  provider.faults.respond = ({ path }) =>
    path === "/me"
      ? Response.json({ error }, { status: 400 })
      : Response.json({ access_token: "a", token_type: "bearer" });
  const graph = "https://graph.facebook.com/v23.0";
  const service = new Service(provider, {
    [`${graph}/oauth/access_token`]: "/token",
    [`${graph}/me`]: "/me",
  });
  const client = createSocialAuthProvider(service.options());
  assertEquals(codeOf(await visit(service, client)), "userinfo_failed");
});
