/** The functions that take inherited options, and the effect of each option. */
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
  externalAuthCallbacks,
  type ExternalAuthProvider,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { auth, requireAuth } from "@gatehouse/web/auth-middleware";
import {
  createDPoPBinding,
  createDPoPVerifier,
  createIntrospection,
  createJWTAuthScheme,
  createResourceServer,
  type ResourceServer,
} from "@gatehouse/web/auth/access-tokens";
import { hashPassword, verifyPassword } from "@gatehouse/web/auth/password";
import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import { any, parseSafe, string } from "@gatehouse/web/data-schema";
import { ip, url } from "@gatehouse/web/data-schema/checks";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { validate } from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { ORIGIN } from "../auth/_login.ts";
import { TestProvider } from "../auth/_test_provider.ts";

const SECRETS = ["a secret of more than thirty-two characters"];

/** Options of a function. */
export type Options = Record<string, unknown>;

/** The options of two calls, between which only one option changes. */
export interface Change {
  readonly before?: Options;
  readonly after: Options;
}

/** A function that uses options of a type which inherits some. */
export interface Use {
  /** The options that the function needs. */
  readonly given: Options;
  /** The changes of options, by name. */
  readonly changes: Readonly<Record<string, Change>>;
  /** The inherited options that have no effect here, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Uses the options, and returns the effects that a caller, a user or a provider can see. */
  readonly run: (options: never) => unknown;
}

const redirectUri = `${ORIGIN}/callback`;
const issuer = "https://id.example";
const client = { clientId: "app", clientSecret: "s3cret-of-the-client" };
const refused = () => Promise.reject(new TypeError("unavailable"));
const key = await crypto.subtle.generateKey(
  { name: "ECDSA", namedCurve: "P-256" },
  true,
  ["sign", "verify"],
);
const keyOf = (keyId: string) => ({
  clientAuthentication: "private_key_jwt",
  privateKey: { key: key.privateKey, keyId },
});
const posted = {
  clientAuthentication: "none",
  clientSecret: undefined,
  responseMode: "form_post",
};

/** Makes a response larger than the smallest limit. */
const PAD = "x".repeat(2_000);

/** Stands for the metadata of the provider of a row. */
const OWN_METADATA = "the metadata of the provider";

/** The time on all clocks, but for rows that change it: two calls have equal results. */
const START = Date.now();
const now = () => START;

/** Receives the calls of functions that are options. */
let calls: string[] = [];
const note = (name: string) => () => void calls.push(name);

/** The options that may differ between logins. */
const ofLogins: Use["changes"] = {
  prompt: { after: { prompt: "login" } },
  loginHint: { after: { loginHint: "ada@example.com" } },
  maxAge: { after: { maxAge: 60 } },
  acrValues: { after: { acrValues: ["phr"] } },
};

/** The options of requests to a provider. */
const ofIssuers: Use["changes"] = {
  maxResponseBytes: { after: { maxResponseBytes: 1_024 } },
  fetch: { after: { fetch: refused } },
  // An hour passes with each look at the clock.
  now: { after: { now: leapingClock() } },
};

const ofProviders: Use["changes"] = {
  ...ofLogins,
  ...ofIssuers,
  clientId: { after: { clientId: "another" } },
  clientSecret: { after: { clientSecret: "another" } },
  redirectUri: { after: { redirectUri: `${redirectUri}?by=example` } },
  scopes: { after: { scopes: ["openid", "extra"] } },
  clientAuthentication: {
    before: { clientAuthentication: "basic" },
    after: { clientAuthentication: "post" },
  },
  privateKey: { before: keyOf("one"), after: keyOf("two") },
  authorizationParams: { after: { authorizationParams: { audience: "x" } } },
  pushedAuthorization: { after: { pushedAuthorization: true } },
  responseMode: { after: { responseMode: "form_post" } },
  formPostSecret: {
    before: posted,
    after: { ...posted, formPostSecret: "a secret of more than 32 characters" },
  },
  dpop: { after: { dpop: createDPoPBinding() } },
  onError: {
    before: { clientSecret: "wrong" },
    after: { clientSecret: "wrong", onError: note("onError") },
  },
};

const ofOpenID: Use["changes"] = {
  ...ofProviders,
  clockTolerance: { after: { clockTolerance: 0 } },
  cache: { after: { cache: { get: note("get"), set: note("set") } } },
  canReauthenticate: {
    before: { canReauthenticate: false },
    after: { canReauthenticate: true },
  },
  userinfo: { after: { userinfo: false } },
  idTokenAlgorithms: { after: { idTokenAlgorithms: ["ES256"] } },
  trustedAudiences: {
    before: { trustedAudiences: [] },
    after: { trustedAudiences: ["another"] },
  },
  metadata: { after: { metadata: OWN_METADATA } },
};

const waits =
  "a test of it needs real time: tests/auth/issuer/bounded_fetch_test.ts";
const loopback =
  "its addresses are not on localhost, tests/auth/external/options_test.ts";
const NO_TOKEN = "there is no ID token";
const NO_DOCUMENT = "there is no document to keep";
const withoutOpenID = {
  timeout: waits,
  allowInsecureLoopback: loopback,
  clockTolerance: NO_TOKEN,
  cache: NO_DOCUMENT,
};
const withOpenID = { timeout: waits, allowInsecureLoopback: loopback };

function leapingClock(): () => number {
  let time = START;
  return () => time += 3_600_000;
}

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

/** Removes what differs between two logins with the same options. */
function stable(params: URLSearchParams): [string, string][] {
  const random =
    /^(?:state|nonce|code|code_challenge|code_verifier|dpop_jkt|request_uri|client_assertion)$/;
  return [...params].map(([name, value]) => {
    if (!random.test(name)) return [name, value];
    // The header names the key.
    return [name, name === "client_assertion" ? value.split(".")[0]! : ""];
  });
}

type CreateProvider = (options: never) => ExternalAuthProvider<unknown>;

/** Logs in, and returns what the browser and the provider have seen. */
function login(create: CreateProvider, address?: string): Use["run"] {
  return async (options: Options) => {
    const provider = await TestProvider.create(address);
    provider.now = now;
    provider.faults.metadata = (metadata) => ({ ...metadata, PAD });
    const isTrusting = "trustedAudiences" in options;
    provider.faults.claims = (claims) => ({
      ...claims,
      // The clocks differ by ten seconds.
      exp: Math.floor(START / 1000) - 10,
      tid: TENANT,
      ...isTrusting && { aud: ["app", "another"], azp: "app" },
    });
    const seen: unknown[] = [];
    const answer = address === undefined ? answerOAuth : provider.fetch;
    const fetch = async (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      const body = new URLSearchParams(init.body as string ?? "");
      const credentials = headers.get("Authorization") ?? "";
      seen.push([
        url,
        stable(body),
        credentials.replace(/(?<=Bearer|DPoP).*/, ""),
        headers.has("DPoP"),
      ]);
      // The provider of the tests accepts one method at a time.
      provider.authMethods = init.method === "POST" && credentials === ""
        ? ["client_secret_post"]
        : ["client_secret_basic", "client_secret_post"];
      return await answer(url, init);
    };
    const outcome: Options = { seen };
    try {
      const metadata = options.metadata === OWN_METADATA
        ? { metadata: provider.metadata() }
        : {};
      const own = create({ fetch, now, ...options, ...metadata } as never);
      const { canReauthenticate, scopes } = own;
      Object.assign(outcome, { canReauthenticate, scopes });
      Object.assign(outcome, await visit(own, provider));
    } catch (error) {
      outcome.error = String(error);
    }
    return outcome;
  };
}

/** Answers as a provider without OpenID Connect. */
function answerOAuth(url: string, init: RequestInit): Promise<Response> {
  const body = init.method === "POST" && !url.includes("me?")
    ? { access_token: "t0ken", token_type: "bearer" }
    : { PAD, id: 7, sub: "7", login: "ada", name: "Ada", username: "ada" };
  const secret = `${init.body}${
    new Headers(init.headers).get("Authorization")
  }`;
  return Promise.resolve(
    secret.includes("wrong") || secret.includes(btoa("app:wrong"))
      ? Response.json({ error: "invalid_client" }, { status: 401 })
      : Response.json(body),
  );
}

/** Visits the login and the callback in a browser. */
async function visit(
  own: ExternalAuthProvider<unknown>,
  provider: TestProvider,
): Promise<Options> {
  const errors: string[] = [];
  const router = createRouter({
    middleware: [externalAuthCallbacks([own]), session()],
    onError(error) {
      errors.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  router.get("/login", (context) => startExternalAuth(own, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(own, context);
    return Response.json(result.ok ? result.subject : result.error.code);
  });
  const { fetch } = createTestClient(router, { origin: ORIGIN });
  const started = await fetch("/login");
  const target = started.headers.get("Location") ?? "";
  if (!target.startsWith("https:")) return { errors, target };
  const { searchParams } = new URL(target);
  const isPushed = searchParams.has("request_uri");
  const state = searchParams.get("state");
  const back = isPushed || provider.requests.length > 0
    ? provider.authorize(target)
    : `/callback?code=c0de&state=${state}`;
  const response = await fetch(back);
  return {
    errors,
    location: stable(searchParams),
    status: response.status,
    body: await response.text(),
    headers: [...response.headers.keys()],
  };
}

const ofPasswords: Use["changes"] = {
  memory: { after: { memory: 16 } },
  passes: { after: { passes: 2 } },
  parallelism: {
    before: { memory: 16 },
    after: { memory: 16, parallelism: 2 },
  },
  peppers: {
    after: { peppers: [{ id: "one", key: new Uint8Array(32).fill(7) }] },
  },
  queue: { after: { queue: { run: refused } } },
  engine: { after: { engine: { name: "own", hash: refused } } },
};

/** Returns the result without the salt and the hash, or the error. */
async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    const result = await run();
    return typeof result === "string"
      ? result.split("$").slice(0, 4).join("$")
      : result;
  } catch (error) {
    return String(error);
  }
}

const cheap = { memory: 8, passes: 1 };
const openID = (
  create: CreateProvider,
  address: string,
  given: Options,
): Use => ({
  given: { ...client, redirectUri, ...given },
  changes: ofOpenID,
  without: withOpenID,
  run: login(create, address),
});
const oauth = (create: CreateProvider, given: Options = {}): Use => ({
  given: { ...client, redirectUri, ...given },
  changes: ofProviders,
  without: withoutOpenID,
  run: login(create),
});
const endpoints = {
  name: "o",
  issuer,
  authorizationEndpoint: `${issuer}/authorize`,
  tokenEndpoint: `${issuer}/token`,
  scopes: ["profile"],
  profileEndpoint: "https://id.example/me",
  parseProfile: () => ({ id: "7" }),
};
const TENANT = "11111111-2222-3333-4444-555555555555";

/** The user of an API. */
interface User {
  readonly id: string;
}

const dpop = createDPoPVerifier({ store: createMemorySessionStore() });
const ofTokens: Use["changes"] = {
  ...ofIssuers,
  clockTolerance: { after: { clockTolerance: 0 } },
  cache: { after: { cache: { get: note("get"), set: note("set") } } },
  dpop: { after: { dpop } },
  requireDPoP: { before: { dpop }, after: { dpop, requireDPoP: true } },
};

/** Calls an API without a token and with one, and returns the responses. */
function api(
  create: (options: never) => Pick<
    ResourceServer<User, string>,
    "scheme" | "metadata"
  >,
  audience: string,
): Use["run"] {
  return async (options: Options) => {
    const provider = await TestProvider.create();
    provider.now = now;
    provider.faults.metadata = (metadata) => ({ ...metadata, PAD });
    provider.faults.header = (header) => ({ ...header, typ: "at+jwt" });
    const token = await provider.idToken({
      aud: audience,
      client_id: "app",
      jti: "1",
      // The clocks differ by ten seconds.
      exp: Math.floor(START / 1000) - 10,
    });
    const { metadata, scheme } = create(
      { fetch: provider.fetch, now, ...options } as never,
    );
    const router = createRouter({ middleware: [auth({ schemes: [scheme] })] });
    router.get(
      "/metadata",
      (context) => metadata(context, refused) as Response,
    );
    router.get("/", requireAuth(), () => new Response());
    const url = "https://api.example/";
    const responses = [
      await router.fetch(url),
      await router.fetch(url, {
        headers: { Authorization: `Bearer ${token}` },
      }),
      await router.fetch(`${url}metadata`),
    ];
    return await Promise.all(responses.map(async (response) => [
      response.status,
      response.headers.get("WWW-Authenticate"),
      await response.text(),
    ]));
  };
}

/** One row for each type that inherits options. */
export const USES: Readonly<Record<string, Use>> = {
  FirstFactorOptions: {
    given: {},
    changes: {
      authenticatedAt: { after: { authenticatedAt: 1_000_000 } },
      methods: { after: { methods: ["pwd"] } },
      version: { after: { version: 7 } },
      timeouts: { after: { timeouts: { idle: 1_000, absolute: 1_000 } } },
    },
    run: async (options) => {
      let time = 2_000_000;
      const now = () => time;
      const store = createMemorySessionStore({ now });
      const factors = createSecondFactors({
        issuer: "Example",
        store,
        secrets: SECRETS,
        hasOtherFactor: () => true,
        now,
      });
      const router = createRouter({ middleware: [session({ store, now })] });
      router.post("/", async (context) => {
        await factors.completeFirstFactor(context, 7, options);
        await factors.completeSecondFactor(context, ["otp"]);
        return new Response();
      });
      router.get("/", (context) => {
        const { authenticatedAt, authMethods, userId, version } = context.get(
          Session,
        );
        return Response.json([authenticatedAt, authMethods, userId, version]);
      });
      const { fetch } = createTestClient(router, { origin: ORIGIN });
      await fetch("/", { method: "POST" });
      time += 2_000;
      return await (await fetch("/")).json();
    },
  },
  StartExternalAuthOptions: {
    given: {},
    changes: ofLogins,
    run: (options) => {
      const given = { name: "example", issuer, ...client, redirectUri };
      return inRequest(async (context) => {
        const { fetch } = await TestProvider.create();
        const provider = createOIDCAuthProvider({ ...given, fetch });
        const { headers } = await startExternalAuth(provider, context, options);
        const { searchParams } = new URL(headers.get("Location")!);
        return stable(searchParams);
      });
    },
  },
  ExternalAuthProviderOptions: oauth(createOAuthProvider, endpoints),
  OAuthProviderOptions: oauth(createOAuthProvider, endpoints),
  OIDCOptions: openID(createOIDCAuthProvider, issuer, { name: "o", issuer }),
  OIDCAuthProviderOptions: openID(createOIDCAuthProvider, issuer, {
    name: "o",
    issuer,
  }),
  OfficeSuiteAuthProviderOptions: openID(
    createOfficeSuiteAuthProvider,
    `https://login.microsoftonline.com/${TENANT}/v2.0`,
    { tenant: TENANT },
  ),
  CodeHostAuthProviderOptions: oauth(createCodeHostAuthProvider),
  PortalAuthProviderOptions: openID(
    createPortalAuthProvider,
    "https://accounts.google.com",
    {},
  ),
  SocialAuthProviderOptions: oauth(createSocialAuthProvider),
  WorkforceIdAuthProviderOptions: openID(
    createWorkforceIdAuthProvider,
    "https://example.okta.com",
    { issuer: "https://example.okta.com" },
  ),
  IdentityCloudAuthProviderOptions: openID(
    createIdentityCloudAuthProvider,
    "https://example.auth0.com/",
    { domain: "example.auth0.com" },
  ),
  ResourceServerOptions: {
    given: {
      name: "notes",
      resource: "https://api.example/",
      issuers: [{ issuer }],
      verify: ({ sub }: { sub: string }) => ({ id: sub }),
      onError: () => {},
    },
    changes: ofTokens,
    without: withOpenID,
    run: api(createResourceServer, "https://api.example/"),
  },
  IntrospectedIssuer: {
    given: { issuer, audience: "notes", onError: () => {} },
    changes: {
      ...ofIssuers,
      clockTolerance: { after: { clockTolerance: 0 } },
      cache: { after: { cache: { get: note("get"), set: note("set") } } },
    },
    without: withOpenID,
    run: async (options: Options) => {
      const provider = await TestProvider.create();
      provider.faults.metadata = (metadata) => ({
        ...metadata,
        PAD,
        introspection_endpoint: `${issuer}/introspect`,
      });
      provider.faults.respond = ({ path }) =>
        path !== "/introspect" ? undefined : Response.json({
          active: true,
          sub: "7",
          aud: "notes",
          client_id: "app",
          exp: Math.floor(START / 1000) - 10,
        });
      const all = { fetch: provider.fetch, now, ...options };
      const verify = createIntrospection(client)
        .createVerifier(all as never, "the test");
      return await outcomeOf(() => verify("opaque"));
    },
  },
  JWTAuthSchemeOptions: {
    given: {
      name: "api",
      issuer,
      audience: "notes",
      verify: ({ sub }: { sub: string }) => ({ id: sub }),
      onError: () => {},
    },
    changes: ofTokens,
    without: withOpenID,
    run: api((options) => {
      const scheme = createJWTAuthScheme<User>(options);
      return { scheme, metadata: () => new Response() };
    }, "notes"),
  },
  HashPasswordOptions: {
    given: cheap,
    changes: ofPasswords,
    without: {
      readers: "the same object of options is passed to both functions",
    },
    run: (options) => outcomeOf(() => hashPassword("correct horse", options)),
  },
  VerifyPasswordOptions: {
    given: cheap,
    changes: {
      ...ofPasswords,
      readers: { after: { readers: [() => () => Promise.resolve(true)] } },
    },
    run: async (options: Options) => {
      const saved: string[] = [];
      const saveHash = (hash: string) => void saved.push(hash);
      const hash = await hashPassword("correct horse", cheap);
      const all = { ...options, saveHash };
      const results = [hash, "$own$1"].map((one) =>
        outcomeOf(() => verifyPassword(one, "correct horse", all))
      );
      return [
        await Promise.all(results),
        saved.map((one) => one.split("$").slice(0, 4)),
      ];
    },
  },
  ThrottleOptions: {
    given: {},
    changes: {
      perAccountAndAddress: {
        after: { perAccountAndAddress: { attempts: 1 } },
      },
      perAccount: { after: { perAccount: { attempts: 1 } } },
      perAddress: { after: { perAddress: { attempts: 1 } } },
      perNetwork: { after: { perNetwork: { attempts: 1 } } },
    },
    run: async (options) => {
      const throttle = createThrottle(options);
      const allowed: boolean[] = [];
      for (let n = 1; n <= 3; n++) {
        const request = new Request("https://app.example/login");
        const context = new RequestContext(request, {
          remoteAddress: "2001:db8::1",
        });
        allowed.push((await throttle.attempt(context, "ada")).allowed);
      }
      return allowed;
    },
  },
  ValidateOptions: {
    given: {},
    changes: {
      maxBytes: { after: { maxBytes: 1 } },
      maxParts: { after: { maxParts: 1 } },
      maxFiles: { after: { maxFiles: 0 } },
    },
    without: {
      timeout:
        "a test of it needs real time: tests/router/middleware/form_data_limits_test.ts",
    },
    run: async (options) => {
      const router = createRouter();
      router.post(
        "/",
        validate({ form: any() }, options),
        () => new Response(),
      );
      const body = new FormData();
      body.append("a", new File(["b"], "b.txt"));
      body.append("c", "d");
      const request = { method: "POST", body };
      return (await router.fetch("https://app.example/", request)).status;
    },
  },
  UrlOptions: {
    given: {},
    changes: { message: { after: { message: "own" } } },
    run: (options) => parseSafe(string().pipe(url(options)), "x"),
  },
  IpOptions: {
    given: {},
    changes: { message: { after: { message: "own" } } },
    run: (options) => parseSafe(string().pipe(ip(options)), "x"),
  },
  RefineOptions: {
    given: {},
    changes: { message: { after: { message: "own" } } },
    run: (options) => parseSafe(string().refine(() => false, options), "x"),
  },
};

/** Returns the effects of a function with some options. */
export async function outcome({ run }: Use, options: Options): Promise<string> {
  calls = [];
  const result = await run(options as never);
  return JSON.stringify([result, calls.length > 0]);
}
