import {
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createOAuthProvider,
  createOfficeSuiteAuthProvider,
  createOIDCAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createThrottle,
  createWorkforceIdAuthProvider,
  type ExternalAuthProvider,
  finishExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import {
  createIntrospection,
  createJWTAuthScheme,
  createResourceServer,
} from "@gatehouse/web/auth/access-tokens";
import { hashPassword, verifyPassword } from "@gatehouse/web/auth/password";
import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import { parseSafe, string } from "@gatehouse/web/data-schema";
import { ip, url } from "@gatehouse/web/data-schema/checks";
import { createRouter } from "@gatehouse/web/fetch-router";
import { validate } from "@gatehouse/web/middleware";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import ts from "npm:typescript@6.0.3";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["auth/", "router/", "session/", "logger/", "schema/"];
const SECRETS = ["a secret of more than thirty-two characters"];

/** The names of properties that a caller may leave out. */
type Options = Record<string, unknown>;

/** A function that uses options of a type which inherits some. */
interface Use {
  /** The options that the function needs. */
  readonly given: Options;
  /** Uses the options. */
  readonly run: (options: never) => unknown;
}

const client = { clientId: "id", clientSecret: "s3cret" };
const redirectUri = "https://app.example/callback";
const provider = { ...client, redirectUri, fetch: discoveryOnly };
const metadata = {
  issuer: "https://id.example",
  authorizationEndpoint: "https://id.example/authorize",
  tokenEndpoint: "https://id.example/token",
};
const issuer = metadata.issuer;
const refused = () => Promise.reject(new TypeError("unavailable"));

/** Runs a function within a request that has a session. */
async function inRequest(
  run: (context: never) => unknown,
): Promise<unknown> {
  let result: unknown;
  const router = createRouter({ middleware: [session()] });
  router.post("/", async (context) => {
    result = await run(context as never);
    return new Response();
  });
  await router.fetch("https://app.example/", { method: "POST" });
  return result;
}

/** Answers the discovery of any issuer, and no other request. */
function discoveryOnly(input: unknown): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const [issuer, path] = url.split("/.well-known/");
  if (path === undefined) return refused();
  return Promise.resolve(Response.json({
    // This provider ends its issuer with a slash.
    issuer: issuer!.endsWith(".auth0.com") ? `${issuer}/` : issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  }));
}

/** Returns a function that starts a login, and fails to finish it. */
function login(
  create: (options: never) => ExternalAuthProvider<unknown>,
): Use["run"] {
  return async (options) => {
    const provider = create(options);
    const router = createRouter({ middleware: [session()] });
    router.get("/login", (context) => startExternalAuth(provider, context));
    router.get("/callback", async (context) => {
      const result = await finishExternalAuth(provider, context);
      return Response.json(result === null);
    });
    const { fetch } = createTestClient(router, {
      origin: "https://app.example",
    });
    const started = await fetch("/login");
    const target = new URL(started.headers.get("Location") ?? "");
    const state = target.searchParams.get("state");
    await fetch(`/callback?code=c0de&state=${state}`);
  };
}

/** One row for each type that inherits options. */
const USES: Readonly<Record<string, Use>> = {
  FirstFactorOptions: {
    given: {},
    run: (options) =>
      inRequest((context) =>
        createSecondFactors({
          issuer: "Example",
          store: createMemorySessionStore(),
          secrets: SECRETS,
          hasOtherFactor: () => true,
        }).completeFirstFactor(context, 7, options)
      ),
  },
  StartExternalAuthOptions: {
    given: {},
    run: (options) => {
      const provider = createOIDCAuthProvider({
        name: "example",
        issuer,
        ...client,
        redirectUri,
        fetch: discoveryOnly,
      });
      return inRequest((context) =>
        startExternalAuth(provider, context, options)
      );
    },
  },
  ExternalAuthProviderOptions: {
    given: {
      ...provider,
      ...metadata,
      name: "o",
      scopes: ["profile"],
      profileEndpoint: "https://id.example/me",
      parseProfile: () => null,
    },
    run: login(createOAuthProvider),
  },
  OAuthProviderOptions: {
    given: {
      ...provider,
      ...metadata,
      name: "o",
      scopes: ["profile"],
      profileEndpoint: "https://id.example/me",
      parseProfile: () => null,
    },
    run: login(createOAuthProvider),
  },
  OIDCOptions: {
    given: { ...provider, name: "o", issuer },
    run: login(createOIDCAuthProvider),
  },
  OIDCAuthProviderOptions: {
    given: { ...provider, name: "o", issuer },
    run: login(createOIDCAuthProvider),
  },
  OfficeSuiteAuthProviderOptions: {
    given: { ...provider, tenant: "11111111-2222-3333-4444-555555555555" },
    run: login(createOfficeSuiteAuthProvider),
  },
  CodeHostAuthProviderOptions: {
    given: provider,
    run: login(createCodeHostAuthProvider),
  },
  PortalAuthProviderOptions: {
    given: provider,
    run: login(createPortalAuthProvider),
  },
  SocialAuthProviderOptions: {
    given: provider,
    run: login(createSocialAuthProvider),
  },
  WorkforceIdAuthProviderOptions: {
    given: { ...provider, issuer: "https://example.okta.com" },
    run: login(createWorkforceIdAuthProvider),
  },
  IdentityCloudAuthProviderOptions: {
    given: { ...provider, domain: "example.auth0.com" },
    run: login(createIdentityCloudAuthProvider),
  },
  ResourceServerOptions: {
    given: {
      name: "notes",
      resource: "https://api.example/",
      issuers: [{ issuer }],
      verify: () => null,
      fetch: refused,
    },
    run: (options) => createResourceServer(options),
  },
  IntrospectedIssuer: {
    given: { issuer, audience: "notes", fetch: refused },
    run: (options) =>
      createIntrospection(client).createVerifier(options, "the test"),
  },
  JWTAuthSchemeOptions: {
    given: { name: "api", issuer, audience: "notes", verify: () => null },
    run: (options) => createJWTAuthScheme(options),
  },
  HashPasswordOptions: {
    given: { memory: 8, passes: 1 },
    run: (options) => hashPassword("correct horse", options),
  },
  VerifyPasswordOptions: {
    given: { memory: 8, passes: 1 },
    run: async (options) =>
      verifyPassword(
        await hashPassword("correct horse", { memory: 8, passes: 1 }),
        "correct horse",
        options,
      ),
  },
  ThrottleOptions: {
    given: {},
    run: (options) => createThrottle(options),
  },
  ValidateOptions: {
    given: {},
    run: (options) => validate({ form: string() }, options),
  },
  UrlOptions: {
    given: {},
    run: (options) => parseSafe(string().pipe(url(options)), "x"),
  },
  IpOptions: {
    given: {},
    run: (options) => parseSafe(string().pipe(ip(options)), "x"),
  },
  RefineOptions: {
    given: {},
    run: (options) => parseSafe(string().refine(() => false, options), "x"),
  },
};

/** Types that inherit options and are only used inside the library. */
const INTERNAL = new Map([
  ["ActionObject", "its middleware is tested in tests/router/types_test.ts"],
  ["CompleteLoginOptions", "completeFirstFactor passes it"],
  ["Controller", "its middleware is tested in tests/router/types_test.ts"],
  ["CredentialsAuthProvider", "a provider is its options, frozen"],
  ["KnownDevicesOptions", "throttles and second factors pass them"],
  ["ProviderEngine", "the provider keeps its resolved options"],
  [
    "ResourcesOptions",
    "the routes are tested in tests/router/routes/routes_test.ts",
  ],
]);

/** The own members of an interface, and the interfaces that it extends. */
interface Shape {
  readonly isExported: boolean;
  readonly own: readonly string[];
  readonly bases: readonly string[];
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sources(`${path}/`);
    else if (/\/(?!_)[^/]*\.ts$/.test(path)) yield path;
  }
}

/** Returns all interfaces of the library. */
async function interfaces(): Promise<Map<string, Shape>> {
  const found = new Map<string, Shape>();
  for (const folder of FOLDERS) {
    for await (const path of sources(folder)) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
      for (const node of file.statements) {
        if (!ts.isInterfaceDeclaration(node)) continue;
        const own = node.members.flatMap((member) =>
          member.name === undefined ? [] : [member.name.getText(file)]
        );
        const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
          types.map(({ expression }) => expression.getText(file))
        );
        const isExported = node.modifiers?.some(({ kind }) =>
          kind === ts.SyntaxKind.ExportKeyword
        ) ?? false;
        found.set(node.name.text, { isExported, own, bases });
      }
    }
  }
  return found;
}

/** Returns the members that an interface inherits. */
function inherited(name: string, all: Map<string, Shape>): string[] {
  return (all.get(name)?.bases ?? []).flatMap((base) => [
    ...all.get(base)?.own ?? [],
    ...inherited(base, all),
  ]);
}

const all = await interfaces();
const heirs = [...all].filter(([, { bases, isExported }]) =>
  isExported && bases.some((base) => /(?:Options|Limits)$/.test(base))
).map(([name]) => name);

Deno.test("every type that inherits options has a row with a function that takes them", () => {
  const known = [...Object.keys(USES), ...INTERNAL.keys()];
  assertEquals(heirs.filter((name) => !known.includes(name)), []);
  assertEquals(known.filter((name) => !heirs.includes(name)), []);
  assert(inherited("FirstFactorOptions", all).includes("timeouts"));
});

for (const [name, { given, run }] of Object.entries(USES)) {
  Deno.test(`a function reads every option that ${name} inherits`, async () => {
    const names = new Set(inherited(name, all));
    const read = new Set<string>();
    const options = new Proxy(given, {
      get(target, key) {
        read.add(String(key));
        return target[String(key)];
      },
      has: (target, key) => key in target,
      // A copy reads every option that it may contain.
      ownKeys: (target) => [...new Set([...names, ...Object.keys(target)])],
      getOwnPropertyDescriptor: (target, key) => ({
        value: target[String(key)],
        enumerable: true,
        configurable: true,
      }),
    });
    await run(options as never);
    const dropped = [...names].filter((option) => !read.has(option));
    assertEquals(dropped, []);
  });
}
