import {
  backChannelLogout,
  completeAuth,
  type ExternalAuthError,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  startExternalAuth,
} from "@gatehouse/web/auth";
import {
  type GetTokenOptions,
  keepTokens,
  type KeepTokensOptions,
  type KeptTokens,
  type TokenResult,
} from "@gatehouse/web/auth/provider-tokens";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { clientOf, ORIGIN } from "./_login.ts";
import { LogoutApp } from "./_provider_logout.ts";
import { TestProvider } from "./_test_provider.ts";
import { until } from "../_wait.ts";

/** The secret that encrypts the tokens of the tests. */
export const SECRET = "b2Ygb25lIHRlc3QsIG5vdCBvZiBhIHNlcnZpY2UgMTIz";

/** The options of an application. */
export interface TokenAppOptions {
  readonly keep?: Partial<KeepTokensOptions>;
  readonly client?: Partial<OIDCAuthProviderOptions>;
  /** Replaces the store in memory, such as by one with faults. */
  readonly store?: (memory: SessionStore) => SessionStore;
}

/** One process of an application that keeps the tokens of its users. */
export interface TokenProcess {
  readonly router: Router;
  readonly tokens: KeptTokens;
}

/** An application that keeps tokens, in one or more processes. */
export class TokenApp {
  readonly provider: TestProvider;
  readonly store: SessionStore;
  /** The errors of the provider. */
  readonly errors: ExternalAuthError[] = [];
  readonly #options: TokenAppOptions;
  readonly first: TokenProcess;
  time = Date.now();
  /** The options of the next `get`. */
  get: GetTokenOptions = {};

  private constructor(provider: TestProvider, options: TokenAppOptions) {
    this.provider = provider;
    this.#options = options;
    provider.now = () => this.time;
    const memory = createMemorySessionStore({ now: provider.now });
    this.store = options.store?.(memory) ?? memory;
    this.first = this.start();
  }

  static async create(options: TokenAppOptions = {}): Promise<TokenApp> {
    return new TokenApp(await TestProvider.create(), options);
  }

  /** Starts another process. */
  start(keep: Partial<KeepTokensOptions> = {}): TokenProcess {
    const { now } = this.provider;
    const { store } = this;
    const client = clientOf(this.provider, {
      now,
      onError: (error) => this.errors.push(error),
      ...this.#options.client,
    });
    const tokens = keepTokens(client, {
      store,
      secrets: [SECRET],
      ...this.#options.keep,
      ...keep,
    });
    const router = createRouter({
      middleware: [session({ store, now, timeouts: { idle: 43_200_000 } })],
      onError: () => new Response("{}", { status: 500 }),
    });
    router.get("/login", (context) => startExternalAuth(client, context));
    router.get("/callback", async (context) => {
      const result = await externalAuthResult(client, context);
      if (!result.ok) return new Response(result.error.code, { status: 401 });
      if (!result.data.connect) {
        await completeAuth(context, `user of ${result.subject}`);
      }
      await tokens.save(context, result);
      return new Response();
    });
    // Connects an account to the user who is logged in.
    router.get("/connect", (context) => {
      return startExternalAuth(client, context, { data: { connect: true } });
    });
    router.get("/token", async (context) => {
      return Response.json(await tokens.get(context, this.get));
    });
    router.post("/password/:user", async (context) => {
      await completeAuth(context, context.params.user);
      return new Response();
    });
    router.post("/renew", (context) => {
      context.get(Session).regenerateId();
      return new Response();
    });
    router.post("/logout", (context) => {
      context.get(Session).destroy();
      return new Response();
    });
    router.post("/unset", (context) => {
      context.get(Session).unset("userId");
      return new Response();
    });
    router.post("/end-all", async (context) => {
      await userSessions(context).endAll();
      return new Response();
    });
    router.post("/end-others", async (context) => {
      await userSessions(context).endAll({ except: context.get(Session).id });
      return new Response();
    });
    router.post("/disconnect", async (context) => {
      return Response.json(await tokens.end(context));
    });
    router.post(
      "/back-channel",
      (context) => backChannelLogout(client, context, { store }),
    );
    return { router, tokens };
  }

  /** Logs a user in, in a new browser. */
  async logIn(claims: Record<string, unknown> = {}): Promise<TestClient> {
    const browser = createTestClient(this.first.router, { origin: ORIGIN });
    await this.logInAgain(browser, claims);
    return browser;
  }

  /** Logs a user in with a browser. */
  async logInAgain(
    browser: TestClient,
    claims: Record<string, unknown> = {},
    path = "/login",
  ): Promise<void> {
    const started = await browser.fetch(path);
    const callback = this.provider.authorize(started.headers.get("Location"));
    const { faults } = this.provider;
    this.provider.faults = {
      ...faults,
      claims: (right) => ({ ...right, ...claims }),
      userinfo: ({ sub, ...right }) => ({ ...right, sub: claims.sub ?? sub }),
    };
    const finished = await browser.fetch(callback);
    if (!finished.ok) throw new Error(await finished.text());
    this.provider.faults = faults;
  }

  /** Lets the provider log users out, with a logout token. */
  async logOut(claims: Record<string, unknown>): Promise<void> {
    const signer = new LogoutApp(this.provider, this.store);
    await this.sendLogout(await signer.logoutToken(claims));
  }

  /** Sends a logout token. */
  async sendLogout(token: string): Promise<void> {
    const { status } = await this.first.router.fetch(`${ORIGIN}/back-channel`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    });
    if (status !== 200) throw new Error(`${status}`);
  }

  /** Moves the clock. */
  wait(milliseconds: number): void {
    this.time += milliseconds;
  }

  /** Lets the access tokens expire. */
  expire(): void {
    this.wait(3_700_000);
  }

  /** Returns the number of refreshes at the provider. */
  get refreshes(): number {
    return this.provider.requests.filter(({ path, form }) =>
      path === "/token" && form.get("grant_type") === "refresh_token"
    ).length;
  }

  /** Waits until the provider has received a number of refreshes. */
  async hasRefreshed(count: number): Promise<void> {
    await until(() => this.refreshes >= count);
  }

  /** Returns the revoked tokens. */
  get revoked(): (string | null)[] {
    return this.provider.requests.filter(({ path }) => path === "/revoke")
      .map(({ form }) => form.get("token"));
  }
}

/** Returns the keys of the tokens with an index name, such as `user:7`. */
export async function tokenKeys(
  { provider, store }: TokenApp,
  name: string,
): Promise<readonly string[]> {
  const names = JSON.stringify(["test", provider.clientId, name]);
  return await store.byIndex!(`tokens:${names}`);
}

/** Sends the cookie of a browser to another process. */
export async function fetchBy(
  { cookies }: TestClient,
  { router }: TokenProcess,
): Promise<TokenResult> {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const response = await router.fetch(`${ORIGIN}/token`, {
    headers: { Cookie: cookie },
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return await response.json();
}

/** Returns the result of `get` in a browser. */
export async function tokenOf(browser: TestClient): Promise<TokenResult> {
  const response = await browser.fetch("/token");
  if (!response.ok) throw new Error(`${response.status}`);
  return await response.json();
}

/** Returns the access token, or the reason why it is missing. */
export async function seenBy(browser: TestClient): Promise<string> {
  const result = await tokenOf(browser);
  return result.ok ? result.accessToken : result.reason;
}

/** Returns an application in which refreshed tokens arrive after their lease. */
export async function withLateTokens() {
  const gate = Promise.withResolvers<void>();
  let isLate = true;
  const app: TokenApp = await TokenApp.create({
    client: {
      timeout: 60_000,
      fetch: async (url, init) => {
        const response = await app.provider.fetch(url, init);
        // The provider has rotated the refresh token, and the response is late.
        if (url.endsWith("/token") && app.refreshes === 1 && isLate) {
          isLate = false;
          await gate.promise;
        }
        return response;
      },
    },
  });
  const browser = await app.logIn();
  app.expire();
  const late = fetchBy(browser, app.first);
  await app.hasRefreshed(1);
  app.wait(130_000);
  return { app, arrive: gate.resolve, browser, late };
}
