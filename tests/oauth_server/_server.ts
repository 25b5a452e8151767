/** An application with an authorization server, and clients that use it. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  actAs,
  Auth,
  auth,
  type AuthenticatedUser,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  formData,
  type SecurityEvent,
  securityEvents,
} from "@gatehouse/web/middleware";
import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  deviceGrant,
  type GrantEvent,
  jwtAccessTokens,
} from "@gatehouse/web/oauth-server";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createTestClient,
  type TestClient,
  type TestTarget,
} from "@gatehouse/web/testing";
import { turns } from "../_wait.ts";

/** The issuer, and the origin of the application. */
export const ORIGIN = "https://test.example";

/** The resource. */
export const API = `${ORIGIN}/api`;

/** Another resource. */
export const FILES = `${ORIGIN}/files`;

/** The redirect URI of the client `web`. */
export const CALLBACK = "https://client.example/callback";

export const SECRET = "M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n";

/** The verifier of PKCE, and its challenge. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Creates the resources, with a format of their tokens. */
function createResources(format: "opaque" | "at+jwt") {
  return {
    [API]: {
      name: "Notes",
      scopes: {
        "notes:read": "Read your notes",
        "notes:write": "Change your notes",
        "notes:delete": "Delete all your notes",
      },
      fresh: { "notes:delete": 600_000 },
      format,
    },
    [FILES]: {
      name: "Files",
      scopes: { "files:read": "Read your files" },
      format,
    },
  } as const;
}

const CLIENTS = [
  { id: "web", name: "Web client", redirectUris: [CALLBACK] },
  { id: "cli", name: "CLI", redirectUris: ["http://127.0.0.1/callback"] },
  { id: "app", name: "App", redirectUris: ["com.example.app:/callback"] },
  {
    id: "other",
    name: "Other client",
    redirectUris: [CALLBACK, "https://other.example/callback"],
    scopes: ["notes:read"],
  },
];

/** Settings of a server whose client `web` also uses devices. */
export const WITH_DEVICES = {
  device: deviceGrant(),
  clients: [{
    id: "web",
    name: "Web client",
    redirectUris: [CALLBACK],
    grants: ["code", "device"],
  }],
} satisfies ServerSettings;

/** A private Ed25519 key (RFC 8037, appendix A.1). */
export const ED25519_KEY = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;

/** Settings of a server whose resources have JWTs. */
export const WITH_JWT = {
  jwt: jwtAccessTokens({ keys: [ED25519_KEY] }),
  resources: createResources("at+jwt"),
} satisfies ServerSettings;

/** A user with a version of the credentials. */
interface TestUser extends AuthenticatedUser {
  readonly id: string;
  readonly name: string;
  version: number;
  scopes: readonly string[];
}

type TestResources = ReturnType<typeof createResources>;

type Options = AuthorizationServerOptions<TestUser, TestResources>;

/** Creates a store in memory with other functions. */
export function changedStore(
  change: (inner: SessionStore) => Partial<SessionStore>,
): SessionStore {
  const inner = createMemorySessionStore();
  return {
    get: inner.get.bind(inner),
    put: inner.put.bind(inner),
    delete: inner.delete.bind(inner),
    byIndex: inner.byIndex!.bind(inner),
    ...change(inner),
  };
}

/** Creates a store that takes a while, and counts the calls that have not ended. */
export function slowStore() {
  const open = { calls: 0 };
  const slow = async <Result>(call: () => Promise<Result> | Result) => {
    open.calls++;
    await turns(2);
    const result = await call();
    open.calls--;
    return result;
  };
  const store = changedStore((inner) => ({
    get: (key) => slow(() => inner.get(key)),
    put: (...values) => slow(() => inner.put(...values)),
    delete: (key) => slow(() => inner.delete(key)),
    byIndex: (name) => slow(() => inner.byIndex!(name)),
  }));
  return { open, store };
}

/** Settings of {@linkcode startServer}. */
export interface ServerSettings
  extends Partial<Omit<Options, "store" | "users" | "now">> {
  readonly store?: SessionStore;
  readonly sessions?: SessionStore;
  readonly middleware?: readonly Middleware<readonly []>[];
  /** `true` to read forms before the session. */
  readonly hasForms?: boolean;
  /** A middleware in front of the endpoints, such as a logger. */
  readonly outermost?: Middleware;
  /** `true` to prefer tokens to the login of a request that has both. */
  readonly tokensFirst?: boolean;
  /** `true` to collect security events, which a test must flush. */
  readonly hasAudit?: boolean;
  /** Returns the user of a request, if the application has its own logins. */
  readonly loggedIn?: Options["users"]["loggedIn"];
  /** Receives new grants. */
  readonly granted?: Options["users"]["granted"];
  /** `false` if users have no version. */
  readonly hasVersions?: boolean;
}

/** Starts an application whose users log in with a click. */
export function startServer(settings: ServerSettings = {}) {
  const {
    granted,
    hasAudit = false,
    hasForms = false,
    hasVersions = true,
    loggedIn,
    middleware = [],
    outermost,
    sessions,
    store,
    tokensFirst = false,
    ...options
  } = settings;
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const users = new Map<string, TestUser>();
  for (const [id, name] of [["1", "Ada"], ["2", "Eve"]] as const) {
    const scopes = ["notes:read", "notes:write", "notes:delete", "files:read"];
    users.set(id, { id, name, version: 1, scopes });
  }
  const find = (id: string) => users.get(id) ?? null;
  const events: GrantEvent[] = [];
  const security: SecurityEvent[] = [];
  const server = createAuthorizationServer<TestUser, TestResources>({
    issuer: ORIGIN,
    users: {
      find,
      loggedIn,
      granted,
      ...hasVersions && { version: ({ version }) => version },
    },
    store: store ?? createMemorySessionStore({ now }),
    secrets: [SECRET],
    resources: createResources("opaque"),
    clients: CLIENTS,
    // Workers without a flag cannot fetch documents safely.
    cimd: { fetch: () => Promise.reject(new TypeError("there is no network")) },
    loginPath: "/login",
    confirmPath: "/confirm",
    onEvent: (event) => events.push(event),
    ...options,
    now,
  });
  const api = server.resource(API);
  const files = server.resource(FILES);
  const login = createSessionAuthScheme({
    name: "login",
    verify: find,
    version: ({ version }: TestUser) => version,
    acting: { allow: () => true, audit: () => {}, now },
  });
  const schemes = [login, api.scheme, files.scheme];
  const audit = securityEvents((event) => {
    security.push(event);
  });
  const router = createRouter({
    middleware: [
      ...hasAudit ? [audit] : [],
      ...outermost === undefined ? [] : [outermost],
      server.endpoints,
      api.metadata,
      ...middleware,
      ...hasForms ? [formData()] : [],
      session({ store: sessions ?? createMemorySessionStore({ now }), now }),
      crossOriginProtection(),
      auth({ schemes: tokensFirst ? schemes.reverse() : schemes }),
    ],
  });
  router.map(server.routes, server.controller);
  if (options.device) router.map(server.deviceRoutes, server.deviceController);
  router.post("/login/:id", async (context) => {
    const { id } = context.params;
    const { version } = users.get(id)!;
    await completeAuth(context, id, { version });
    return new Response("Welcome");
  });
  router.post("/act-as/:id", async (context) => {
    await actAs(context, context.params.id, { reason: "A test" });
    return new Response("Acting");
  });
  for (const method of ["GET", "POST"] as const) {
    router.route(
      method,
      "/api",
      { middleware: [api.requireScope("notes:read")] },
      (context) => new Response(context.get(Auth)?.name),
    );
  }
  router.get("/api/write", {
    middleware: [api.requireScope("notes:write")],
    handler: () => new Response("written"),
  });
  router.get("/files", {
    middleware: [files.requireScope("files:read")],
    handler: () => new Response("files"),
  });
  return { audit, clock, events, router, security, server, users };
}

/** An application of {@linkcode startServer}. */
export type TestServer = ReturnType<typeof startServer>;

/** An application, which may run in another process. */
export interface TestApp {
  readonly router: TestTarget;
}

/** Creates a browser, and logs a user in. */
export async function browserOf(
  { router }: TestApp,
  user = "1",
): Promise<TestClient> {
  const browser = createTestClient(router, { origin: ORIGIN });
  const response = await browser.fetch(`/login/${user}`, { method: "POST" });
  assertEquals(response.status, 200);
  return browser;
}

/** Returns the path of an authorization request. A parameter can be left out. */
export function authorizePath(
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const all = {
    response_type: "code",
    client_id: "web",
    redirect_uri: CALLBACK,
    state: "s1",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...params,
  };
  const present = Object.entries(all)
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/authorize?${new URLSearchParams(present)}`;
}

/** The form of a consent page. */
export interface ConsentForm {
  readonly html: string;
  readonly handle: string;
  readonly scopes: readonly string[];
}

/** Reads the form of a consent page. */
export async function readConsent(response: Response): Promise<ConsentForm> {
  const html = await response.text();
  assertEquals(response.status, 200, html);
  const [, handle] = /name="request" value="([\w-]{43})"/.exec(html) ?? [];
  assert(handle !== undefined, html);
  const scopes = [...html.matchAll(/name="scope" value="([^"]+)"/g)]
    .map(([, scope]) => scope!);
  return { html, handle, scopes };
}

/** Sends the form of a consent page. */
export function sendConsent(
  browser: TestClient,
  { handle, scopes }: Pick<ConsentForm, "handle" | "scopes">,
  decision = "approve",
): Promise<Response> {
  const body = new URLSearchParams({ request: handle, decision });
  for (const scope of scopes) body.append("scope", scope);
  return browser.fetch("/authorize", {
    method: "POST",
    headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" },
    body,
  });
}

/** Returns the URL that a final page or a redirect leads to. */
export function targetOf(response: Response): URL {
  const location = response.headers.get("Location") ??
    response.headers.get("Refresh")?.replace(/^0; url=/, "");
  return new URL(location!);
}

/** Approves a request in a browser. */
export async function getCode(
  browser: TestClient,
  params: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const form = await readConsent(await browser.fetch(authorizePath(params)));
  const target = targetOf(await sendConsent(browser, form));
  assertEquals(target.searchParams.get("iss"), ORIGIN);
  assertEquals(target.searchParams.get("state"), "s1");
  return target.searchParams.get("code")!;
}

/** Sends a form to an endpoint. */
export async function post(
  { router }: TestApp,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<Response> {
  return await router.fetch(
    new Request(ORIGIN + path, {
      method: "POST",
      body: new URLSearchParams(form),
    }),
  );
}

/** The tokens of a response. */
export interface TokenBody {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly error?: string;
}

/** Exchanges a code. */
export function exchange(
  server: TestApp,
  code: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return post(server, "/token", {
    grant_type: "authorization_code",
    client_id: "web",
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code,
    ...form,
  });
}

/** Uses a refresh token. */
export function refresh(
  server: TestApp,
  token: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return post(server, "/token", {
    grant_type: "refresh_token",
    client_id: "web",
    refresh_token: token,
    ...form,
  });
}

/** Connects the client `web` to the account of a user. */
export async function connect(
  server: TestApp,
  params: Readonly<Record<string, string | undefined>> = {},
): Promise<TokenBody> {
  const browser = await browserOf(server);
  const response = await exchange(server, await getCode(browser, params));
  assertEquals(response.status, 200);
  const tokens: TokenBody = await response.json();
  assertMatch(tokens.access_token, /^oat_[\w-]{82}$|^[\w-]+\.[\w-]+\.[\w-]+$/);
  assertMatch(tokens.refresh_token, /^oar_[\w-]{71}$/);
  return tokens;
}

/** Calls the API, and returns the status. */
export async function callAPI(
  { router }: TestApp,
  token: string,
  path = "/api",
): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await router.fetch(new Request(ORIGIN + path, { headers }));
  await response.body?.cancel();
  return response.status;
}

/** Changes a character of a token. */
export function tamper(token: string, position = token.length - 5): string {
  const other = token[position] === "A" ? "B" : "A";
  return token.slice(0, position) + other + token.slice(position + 1);
}
