// The office suite, tested with a model of the real service at its real addresses.
import {
  createOfficeSuiteAuthProvider,
  refreshExternalAuth,
} from "@gatehouse/web/auth";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { generateKeyPair } from "jose";
import { codeOf, Service, visit } from "../_service.ts";
import { TestProvider, USER } from "../_test_provider.ts";

const DISCOVERY = "/.well-known/openid-configuration";

type Body = Record<string, unknown>;

const ENTRA = "https://login.microsoftonline.com";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const OTHER = "00000000-aaaa-bbbb-cccc-111111111111";
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";
const GRAPH = "https://graph.microsoft.com/oidc/userinfo";

/** Creates a model of the service for a tenant, with an issuer in its metadata. */
async function entra(tenant: string, issuer: string, tid = TENANT) {
  const provider = await TestProvider.create(`${ENTRA}/${tid}/v2.0`);
  provider.authMethods = ["client_secret_post"];
  provider.faults = {
    metadata: ({ code_challenge_methods_supported: _, ...metadata }) => ({
      ...metadata,
      issuer,
      authorization_endpoint: `${ENTRA}/${tenant}/oauth2/v2.0/authorize`,
      token_endpoint: `${ENTRA}/${tenant}/oauth2/v2.0/token`,
      userinfo_endpoint: GRAPH,
      jwks_uri: `${ENTRA}/${tenant}/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: [
        "client_secret_post",
        "private_key_jwt",
      ],
    }),
    keys: ({ keys }) => ({
      keys: keys.map(({ alg: _, ...key }) => ({
        ...key,
        issuer: `${ENTRA}/{tenantid}/v2.0`,
      })),
    }),
    claims: (claims) => ({ ...claims, tid }),
    callback: (params) => {
      params.set("session_state", "5f0d");
      params.set("code", params.get("code")!);
    },
    userinfo: ({ sub }) => ({
      sub,
      picture: "https://graph.microsoft.com/v1.0/me/photo/$value",
    }),
  };
  const service = new Service(provider, {
    [`${ENTRA}/${tenant}/v2.0/.well-known/openid-configuration`]:
      `/${tid}/v2.0/.well-known/openid-configuration`,
    [`${ENTRA}/${tenant}/oauth2/v2.0/token`]: "/token",
    [`${ENTRA}/${tenant}/discovery/v2.0/keys`]: "/keys",
    [GRAPH]: "/userinfo",
  });
  return service;
}

const TEMPLATE = `${ENTRA}/{tenantid}/v2.0`;

const tenants: [string, string, string, string][] = [
  ["common", TEMPLATE, TENANT, ""],
  ["common", TEMPLATE, CONSUMERS, ""],
  ["organizations", TEMPLATE, TENANT, ""],
  ["organizations", TEMPLATE, CONSUMERS, "id_token_invalid"],
  ["consumers", `${ENTRA}/${CONSUMERS}/v2.0`, CONSUMERS, ""],
  ["consumers", `${ENTRA}/${CONSUMERS}/v2.0`, TENANT, "id_token_invalid"],
  [TENANT, `${ENTRA}/${TENANT}/v2.0`, TENANT, ""],
  [TENANT, `${ENTRA}/${TENANT}/v2.0`, OTHER, "id_token_invalid"],
  ["contoso.example", `${ENTRA}/${TENANT}/v2.0`, TENANT, ""],
  ["contoso.example", `${ENTRA}/${TENANT}/v2.0`, OTHER, "id_token_invalid"],
];

for (const [tenant, issuer, tid, code] of tenants) {
  Deno.test(`createOfficeSuiteAuthProvider() with tenant ${tenant} gives "${code}" to an account of ${tid}`, async () => {
    const service = await entra(tenant, issuer, tid);
    const client = createOfficeSuiteAuthProvider({
      ...service.options(),
      tenant,
    });
    const outcome = await visit(service, client);
    assertEquals(codeOf(outcome), code);
    if (!outcome.result.ok) return;
    assertEquals(outcome.result.issuer, `${ENTRA}/${tid}/v2.0`);
    assertEquals(outcome.profile, { ...USER, picture: null });
    const { searchParams } = outcome.location;
    assertEquals(searchParams.get("code_challenge_method"), "S256");
  });
}

Deno.test("refreshExternalAuth() rejects an ID token of another tenant (OpenID Connect Core 1.0, section 12.2)", async () => {
  const service = await entra("common", TEMPLATE);
  const client = createOfficeSuiteAuthProvider(service.options());
  const { result } = await visit(service, client);
  assert(result.ok);
  const { provider } = service;
  const refreshed = await refreshExternalAuth(client, result.tokens);
  assert(refreshed.ok);
  provider.faults.claims = (claims) => ({
    ...claims,
    iss: `${ENTRA}/${OTHER}/v2.0`,
    tid: OTHER,
  });
  const refused = await refreshExternalAuth(client, refreshed.tokens);
  assertEquals(!refused.ok && refused.error.code, "id_token_invalid");
});

const entraMetadata: [string, string][] = [
  ["common", `${ENTRA}/common/v2.0`],
  ["common", `${ENTRA}/${TENANT}/v2.0`],
  ["common", "https://evil.example/{tenantid}/v2.0"],
  [TENANT, TEMPLATE],
  [TENANT, `${ENTRA}/${OTHER}/v2.0`],
  ["contoso.example", TEMPLATE],
  ["contoso.example", `${ENTRA}/contoso.example/v2.0`],
  ["consumers", `${ENTRA}/${TENANT}/v2.0`],
];

for (const [tenant, issuer] of entraMetadata) {
  Deno.test(`createOfficeSuiteAuthProvider() with tenant ${tenant} rejects metadata of ${issuer}`, async () => {
    const service = await entra(tenant, issuer);
    const codes: string[] = [];
    const client = createOfficeSuiteAuthProvider({
      ...service.options(),
      tenant,
      onError: ({ code }) => codes.push(code),
    });
    await visit(service, client).catch(() => {});
    assertEquals(codes, ["discovery_failed"]);
  });
}

const tids: [string, (claims: Body) => Body][] = [
  ["is missing", ({ tid: _, ...claims }) => claims],
  ["is that of another tenant", (c) => ({ ...c, tid: OTHER })],
  [
    "is no GUID",
    (c) => ({ ...c, tid: "../evil", iss: `${ENTRA}/../evil/v2.0` }),
  ],
  ["is the placeholder", (c) => ({ ...c, tid: "{tenantid}", iss: TEMPLATE })],
  [
    "is in capitals",
    (c) => ({
      ...c,
      tid: TENANT.toUpperCase(),
      iss: `${ENTRA}/${TENANT.toUpperCase()}/v2.0`,
    }),
  ],
  ["is a list", (c) => ({ ...c, tid: [TENANT] })],
  [
    "is of another host",
    (c) => ({ ...c, tid: TENANT, iss: `https://evil.example/${TENANT}/v2.0` }),
  ],
];

for (const [name, claims] of tids) {
  Deno.test(`createOfficeSuiteAuthProvider() rejects an ID token whose tid ${name}`, async () => {
    const service = await entra("common", TEMPLATE);
    service.provider.faults.claims = claims;
    const client = createOfficeSuiteAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), "id_token_invalid");
  });
}

for (
  const [issuer, code] of [[TEMPLATE, ""], [`${ENTRA}/${TENANT}/v2.0`, ""], [
    `${ENTRA}/${OTHER}/v2.0`,
    "id_token_invalid",
  ], ["https://evil.example", "id_token_invalid"]]
) {
  Deno.test(`createOfficeSuiteAuthProvider() gives "${code}" for a key of the issuer ${issuer}`, async () => {
    const service = await entra("common", TEMPLATE);
    service.provider.faults.keys = ({ keys }) => ({
      keys: keys.map((key) => ({ ...key, issuer })),
    });
    const client = createOfficeSuiteAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), code);
  });
}

for (
  const [iss, code] of [
    [`${ENTRA}/${TENANT}/v2.0`, ""],
    [TEMPLATE, ""],
    [`https://evil.example/${TENANT}/v2.0`, "issuer_mismatch"],
    [`${ENTRA}/common/v2.0`, "issuer_mismatch"],
  ]
) {
  Deno.test(`createOfficeSuiteAuthProvider() gives "${code}" for iss=${iss} in the callback`, async () => {
    const service = await entra("common", TEMPLATE);
    service.provider.faults.callback = (params) => params.set("iss", iss);
    const client = createOfficeSuiteAuthProvider(service.options());
    assertEquals(codeOf(await visit(service, client)), code);
  });
}

Deno.test("createOfficeSuiteAuthProvider() authenticates by certificate, with the thumbprint in the header and the token endpoint as audience", async () => {
  const { privateKey: key } = await generateKeyPair("PS256");
  const service = await entra("common", TEMPLATE);
  service.provider.authMethods = ["private_key_jwt"];
  const client = createOfficeSuiteAuthProvider({
    ...service.options(),
    clientSecret: undefined,
    privateKey: { key, certificateThumbprint: "thumb" },
  });
  assertEquals(codeOf(await visit(service, client)), "");
  const assertion = service.provider.last("/token").form.get(
    "client_assertion",
  )!;
  const [header, payload] = assertion.split(".").slice(0, 2).map(decode);
  assertEquals(header, { alg: "PS256", typ: "JWT", "x5t#S256": "thumb" });
  assertEquals(payload!.aud, `${ENTRA}/common/oauth2/v2.0/token`);
});

for (const tenant of ["", "a/b", "{tenantid}", "a b", "?x"]) {
  Deno.test(`createOfficeSuiteAuthProvider() throws a TypeError for the tenant "${tenant}"`, async () => {
    const service = await entra("common", TEMPLATE);
    assertThrows(
      () => createOfficeSuiteAuthProvider({ ...service.options(), tenant }),
      TypeError,
      "tenant",
    );
  });
}

function decode(part: string): Body {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
}

Deno.test("the office suite's code of 2 kB is exchanged, and its email is not verified", async () => {
  const base = "https://login.microsoftonline.com";
  const tid = "72f988bf-86f1-41af-91ab-2d7cd011db47";
  const provider = await TestProvider.create(`${base}/${tid}/v2.0`);
  provider.authMethods = ["client_secret_post"];
  const { email_verified: _, ...user } = USER;
  provider.user = { ...user, tid };
  const pad = "1.AXAA".padEnd(2048, "x");
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      token_endpoint: `${base}/${tid}/oauth2/v2.0/token`,
      jwks_uri: `${base}/${tid}/discovery/v2.0/keys`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
    }),
    callback: (params) => params.set("code", pad + params.get("code")),
    respond: ({ form, path }) => {
      if (path !== "/token") return undefined;
      assert(form.get("code")!.startsWith(pad));
      form.set("code", form.get("code")!.slice(pad.length));
    },
  };
  const service = new Service(provider, {
    [`${base}/${tid}/v2.0${DISCOVERY}`]: `/${tid}/v2.0${DISCOVERY}`,
    [`${base}/${tid}/oauth2/v2.0/token`]: "/token",
    [`${base}/${tid}/discovery/v2.0/keys`]: "/keys",
    "https://graph.microsoft.com/oidc/userinfo": "/userinfo",
  });
  const client = createOfficeSuiteAuthProvider({
    ...service.options(),
    tenant: tid,
  });
  const { profile } = await visit(service, client);
  assertEquals(profile, {
    sub: USER.sub,
    email: USER.email,
    name: USER.name,
    picture: null,
  });
});
