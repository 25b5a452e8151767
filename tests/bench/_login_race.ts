import {
  completeAuth,
  createOIDCAuthProvider,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter, redirect } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import * as client from "npm:openid-client@6.9.0";
import { type Candidate, measure, printTable } from "./_measure.ts";

/**
 * The most that a whole login may take, as a multiple of openid-client's time
 * with the same signature check: with bare maps, and with our sessions.
 */
const BOUNDS = {
  Deno: { maps: 1.5, sessions: 1.1 },
  Bun: { maps: 2.5, sessions: 1.5 },
};

const ISSUER = "https://id.example";
const ORIGIN = "https://app.example";
const REDIRECT_URI = `${ORIGIN}/callback`;
const CLIENT_ID = "app";
const CLIENT_SECRET = "s3cret-of-the-client";
const ACCESS_TOKEN = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
const USER = {
  sub: "248289761001",
  name: "Jane Doe",
  email: "jane@example.com",
  email_verified: true,
};

/** All requests of the benchmark come from the same client. */
const UNLIMITED = { perAddress: Infinity, total: Infinity };

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
  authorization_response_iss_parameter_supported: true,
};

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** An application with the paths `/login` and `/callback`. */
interface Application {
  readonly name: string;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Measures whole logins on this runtime; tells whether the bounds hold. */
export async function raceLogins(quick: boolean): Promise<boolean> {
  const provider = await createProvider();
  const applications = [
    await openidClient("openid-client", provider, true),
    await openidClient("openid-client, no signature", provider, false),
    await openidClientInSession("openid-client, our sessions", provider),
    gatehouse("gatehouse", provider),
  ];
  let holds = true;
  for (const inFlight of [1, 20]) {
    const medians = await measure(
      applications.flatMap((application) => stepsOf(application, provider)),
      { rounds: quick ? 20 : 200, turns: 20, inFlight },
    );
    holds = print(applications, medians, inFlight) && holds;
  }
  return holds;
}

/** Prints the whole logins, and below them their two requests. */
function print(
  applications: readonly Application[],
  medians: ReadonlyMap<string, number>,
  inFlight: number,
): boolean {
  const { maps, sessions } = BOUNDS[runtime];
  const rows = new Map<string, number>();
  for (const { name } of applications) {
    const [start, callback] = stepNames(name);
    rows.set(name, medians.get(start)! + medians.get(callback)!);
  }
  for (const [name, time] of medians) rows.set(name, time);
  return printTable(
    `Login with OpenID Connect, ${inFlight} in flight on ${runtime}`,
    rows,
    [
      { of: "gatehouse", to: "openid-client", most: maps },
      { of: "gatehouse", to: "openid-client, our sessions", most: sessions },
    ],
  );
}

function stepNames(name: string): [start: string, callback: string] {
  return [`${name}, start`, `${name}, callback`];
}

/** Returns the two requests of a login. The provider's part does not count. */
function stepsOf(application: Application, provider: Provider): Candidate[] {
  const { fetch, name } = application;
  const [start, callback] = stepNames(name);
  const login = () => fetch(new Request(`${ORIGIN}/login`));
  const callbacks: Request[] = [];
  return [
    { name: start, run: login },
    {
      name: callback,
      async prepare(turn) {
        callbacks[turn] = await provider.authorize(await login());
      },
      async run(turn) {
        const response = await fetch(callbacks[turn]!);
        if (response.headers.get("Location") === "/") return response;
        throw new Error(`${name} refused the login: ${await response.text()}`);
      },
    },
  ];
}

function gatehouse(name: string, provider: Provider): Application {
  const auth = createOIDCAuthProvider({
    name: "example",
    issuer: ISSUER,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUri: REDIRECT_URI,
    fetch: provider.fetch,
  });
  const router = createRouter({
    middleware: [session({ anonymousLimit: UNLIMITED })],
  });
  router.get("/login", (context) => startExternalAuth(auth, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(auth, context);
    if (!result.ok) return new Response(result.error.message, { status: 401 });
    await completeAuth(context, result.subject);
    return redirect("/");
  });
  return { name, fetch: router.fetch };
}

/** A pending login, for the callback to check. */
interface Checks {
  readonly pkceCodeVerifier: string;
  readonly expectedState: string;
  readonly expectedNonce: string;
}

/** Creates the same application by hand, with maps for logins and sessions. */
async function openidClient(
  name: string,
  provider: Provider,
  isSignatureChecked: boolean,
): Promise<Application> {
  const config = await createConfig(provider, isSignatureChecked);
  const logins = new Map<string, Checks>();
  const sessions = new Map<string, unknown>();
  const start = async () => {
    const { url, checks } = await startLogin(config);
    const id = crypto.randomUUID();
    logins.set(id, checks);
    return redirectWithCookie(url.href, `login=${id}`);
  };
  const finish = async (request: Request) => {
    const [, id = ""] = request.headers.get("Cookie")!.split("=");
    const checks = logins.get(id);
    logins.delete(id);
    if (!checks) return new Response("Unauthorized", { status: 401 });
    const user = await finishLogin(config, new URL(request.url), checks);
    const sessionId = crypto.randomUUID();
    sessions.set(sessionId, user);
    return redirectWithCookie("/", `session=${sessionId}`);
  };
  return {
    name,
    fetch: (request) =>
      new URL(request.url).pathname === "/login" ? start() : finish(request),
  };
}

/**
 * Creates the same application with openid-client and our sessions: pending logins
 * are bounded and expire, each works once, and the login changes the id.
 */
async function openidClientInSession(
  name: string,
  provider: Provider,
): Promise<Application> {
  const config = await createConfig(provider, true);
  const router = createRouter({
    middleware: [session({ anonymousLimit: UNLIMITED })],
  });
  router.get("/login", async (context) => {
    const { url, checks } = await startLogin(config);
    context.get(Session).set("login", checks);
    return redirect(url);
  });
  router.get("/callback", async (context) => {
    const session = context.get(Session);
    const checks = session.take("login") as Checks | undefined;
    // No other callback may use the same state.
    await session.commit();
    if (!checks) return new Response("Unauthorized", { status: 401 });
    const { sub } = await finishLogin(config, context.url, checks);
    await completeAuth(context, sub);
    return redirect("/");
  });
  return { name, fetch: router.fetch };
}

async function createConfig(
  provider: Provider,
  isSignatureChecked: boolean,
): Promise<client.Configuration> {
  const config = await client.discovery(
    new URL(ISSUER),
    CLIENT_ID,
    undefined,
    client.ClientSecretBasic(CLIENT_SECRET),
    { [client.customFetch]: provider.fetch as client.CustomFetch },
  );
  if (isSignatureChecked) client.enableNonRepudiationChecks(config);
  return config;
}

async function startLogin(
  config: client.Configuration,
): Promise<{ readonly url: URL; readonly checks: Checks }> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: "openid email profile",
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  return { url, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
}

async function finishLogin(
  config: client.Configuration,
  url: URL,
  checks: Checks,
): Promise<client.UserInfoResponse> {
  const tokens = await client.authorizationCodeGrant(config, url, {
    ...checks,
    idTokenExpected: true,
  });
  const { sub } = tokens.claims()!;
  return await client.fetchUserInfo(config, tokens.access_token, sub);
}

function redirectWithCookie(location: string, cookie: string): Response {
  return new Response(null, {
    status: 302,
    headers: {
      Location: location,
      "Set-Cookie": `${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    },
  });
}

/** The identity provider, in place of the network. */
interface Provider {
  /** Answers with what was prepared. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Logs the user in, and returns the browser's next request. */
  readonly authorize: (response: Response) => Promise<Request>;
}

async function createProvider(): Promise<Provider> {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const header = { alg: "RS256", kid: "k1" };
  const jwk = { ...await exportJWK(publicKey), ...header, use: "sig" };
  const documents = new Map([
    ["/.well-known/openid-configuration", JSON.stringify(METADATA)],
    ["/keys", JSON.stringify({ keys: [jwk] })],
    ["/userinfo", JSON.stringify(USER)],
  ]);
  const answers = new Map<string, string>();
  const init = { headers: { "Content-Type": "application/json" } };
  return {
    fetch(url, request) {
      const path = url.slice(ISSUER.length);
      const document = documents.get(path) ??
        answers.get(new URLSearchParams(String(request?.body)).get("code")!);
      return Promise.resolve(new Response(document, init));
    },
    async authorize(response) {
      const { searchParams } = new URL(response.headers.get("Location")!);
      const seconds = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ iss: ISSUER, aud: CLIENT_ID, sub: USER.sub },
        ...{ iat: seconds, exp: seconds + 3600 },
        nonce: searchParams.get("nonce")!,
      };
      const code = crypto.randomUUID();
      answers.set(
        code,
        JSON.stringify({
          access_token: ACCESS_TOKEN,
          token_type: "Bearer",
          expires_in: 3600,
          id_token: await new SignJWT(claims).setProtectedHeader(header)
            .sign(privateKey),
        }),
      );
      const params = new URLSearchParams({
        code,
        state: searchParams.get("state")!,
        iss: ISSUER,
      });
      const [cookie = ""] = response.headers.getSetCookie()[0]!.split(";");
      return new Request(`${REDIRECT_URI}?${params}`, {
        headers: { Cookie: cookie },
      });
    },
  };
}
