import { createOAuthProvider } from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, Service, visit } from "../_service.ts";
import { TestProvider } from "../_test_provider.ts";

type Claims = Record<string, unknown>;

const subjects: [
  string,
  Claims,
  ((body: Claims) => string) | undefined,
  string,
][] = [
  ["an id that is a string", { id: "a" }, undefined, "a"],
  ["an id that is a number", { id: 7 }, undefined, "7"],
  ["sub without an id", { sub: "s" }, undefined, "s"],
  ["no id", { name: "x" }, undefined, ""],
  ["an id that is null", { id: null }, undefined, ""],
  ["an id that is an object", { id: {} }, undefined, ""],
  ["an id that is not a safe integer", { id: 2 ** 53 }, undefined, ""],
  ["a giant id", { id: "a".repeat(300) }, undefined, ""],
  [
    "an id in another member",
    { user: { key: "k" } },
    ({ user }) => (user as { key: string }).key,
    "k",
  ],
  [
    "a function that throws",
    {},
    ({ user }) => (user as { key: string }).key,
    "",
  ],
];

for (const [name, body, subjectOf, subject] of subjects) {
  Deno.test(`createOAuthProvider() returns the subject "${subject}" for ${name}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      respond: ({ path }) => path === "/me" ? Response.json(body) : undefined,
    };
    const service = new Service(provider, {
      "https://music.example/token": "/token",
      "https://api.music.example/me": "/me",
    });
    const client = createOAuthProvider({
      ...service.options(),
      name: "music",
      issuer: "https://music.example",
      authorizationEndpoint: "https://music.example/authorize",
      tokenEndpoint: "https://music.example/token",
      profileEndpoint: "https://api.music.example/me",
      scopes: ["profile"],
      parseProfile: (profile) => profile,
      subjectOf,
    });
    const outcome = await visit(service, client);
    assertEquals(codeOf(outcome), subject === "" ? "profile_invalid" : "");
    if (!outcome.result.ok) return;
    assertEquals(outcome.result.subject, subject);
    assertEquals(outcome.result.issuer, "https://music.example");
  });
}

/** Creates a provider for one realm of a host with several. */
function realmOf(service: Service, realm: string, issuer: string) {
  const base = `https://sso.example/${realm}`;
  return createOAuthProvider({
    ...service.options(),
    name: realm,
    issuer,
    authorizationEndpoint: `${base}/authorize`,
    tokenEndpoint: `${base}/token`,
    profileEndpoint: `${base}/me`,
    scopes: ["profile"],
    parseProfile: ({ id }) => ({ id }),
  });
}

Deno.test("createOAuthProvider() distinguishes users of two realms on one host", async () => {
  const keys: string[] = [];
  for (const realm of ["staff", "guests"]) {
    const base = `https://sso.example/${realm}`;
    const service = new Service(await TestProvider.create(), {
      [`${base}/token`]: "/token",
      [`${base}/me`]: "/userinfo",
    });
    service.provider.user = { id: 1 };
    const { result } = await visit(service, realmOf(service, realm, base));
    assert(result.ok);
    keys.push(`${result.issuer} ${result.subject}`);
  }
  assertEquals(keys, [
    "https://sso.example/staff 1",
    "https://sso.example/guests 1",
  ]);
});

for (const issuer of [undefined, "", "a".repeat(256), "line\nbreak", 7]) {
  Deno.test(`createOAuthProvider() does not invent an issuer: ${JSON.stringify(issuer)?.slice(0, 12)} throws a TypeError`, async () => {
    const service = new Service(await TestProvider.create(), {});
    assertThrows(
      () => realmOf(service, "staff", issuer as string),
      TypeError,
      'external provider "staff": issuer is missing or not an identifier',
    );
  });
}
