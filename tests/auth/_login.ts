import {
  createOIDCAuthProvider,
  externalAuthCallbacks,
  type ExternalAuthError,
  type ExternalAuthProvider,
  type ExternalAuthResult,
  externalAuthResult,
  finishExternalAuth,
  type OIDCAuthProviderOptions,
  type OIDCProfile,
  startExternalAuth,
  type StartExternalAuthOptions,
} from "@gatehouse/web/auth";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import type { TestProvider } from "./_test_provider.ts";

/** The origin of the test application. */
export const ORIGIN = "https://app.example";

/** The URL of its callback. */
export const REDIRECT_URI = `${ORIGIN}/callback`;

/** The result of a login and the status of the response. */
export interface Outcome {
  readonly status: number;
  readonly profile: OIDCProfile | null;
  readonly result: ExternalAuthResult<OIDCProfile>;
  /** The error code, or `""` for a success. */
  readonly code: string;
}

/** Creates a provider that is configured as a client of the test provider. */
export function clientOf(
  provider: TestProvider,
  options: Partial<OIDCAuthProviderOptions> = {},
): ExternalAuthProvider<OIDCProfile> {
  return createOIDCAuthProvider({
    name: "test",
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    redirectUri: REDIRECT_URI,
    fetch: provider.fetch,
    now: provider.now,
    ...options,
  });
}

/** An application with a login, and a browser that uses it. */
export class Login {
  readonly provider: TestProvider;
  router: Router;
  readonly outcomes: Outcome[] = [];
  readonly store: SessionStore;
  readonly #isPosted: boolean;
  #client: TestClient;

  constructor(
    provider: TestProvider,
    options: Partial<OIDCAuthProviderOptions> = {},
    start: StartExternalAuthOptions = {},
  ) {
    this.provider = provider;
    this.store = createMemorySessionStore({ now: () => provider.now() });
    const client = clientOf(provider, options);
    this.#isPosted = options.responseMode === "form_post";
    this.router = createRouter({
      middleware: [
        externalAuthCallbacks([client]),
        crossOriginProtection(),
        session({ store: this.store, now: provider.now }),
      ],
    });
    this.#client = createTestClient(this.router, { origin: ORIGIN });
    this.add("/login", "/callback", client, start);
  }

  /** Adds a login at a provider. */
  add(
    login: string,
    callback: string,
    client: ExternalAuthProvider<OIDCProfile>,
    start: StartExternalAuthOptions = {},
  ): void {
    this.router.get(login, (context) =>
      startExternalAuth(client, context, {
        returnTo: context.url.searchParams.get("returnTo"),
        ...start,
      }));
    this.router.get(callback, async (context) => {
      const profile = await finishExternalAuth(client, context);
      const result = await externalAuthResult(client, context);
      const status = profile === null ? 401 : 200;
      const code = result.ok ? "" : result.error.code;
      this.outcomes.push({ status, profile, result, code });
      return new Response(profile?.sub ?? "Authentication failed", { status });
    });
  }

  /** Continues with another application. */
  moveTo(router: Router): void {
    this.router = router;
    this.newBrowser();
  }

  /** Returns another browser without cookies. */
  newBrowser(): void {
    this.#client = createTestClient(this.router, { origin: ORIGIN });
  }

  /** Opens a URL in the browser. */
  visit(url: string, init?: RequestInit): Promise<Response> {
    return this.#client.fetch(url, init);
  }

  /** Starts a login and returns the URL of the provider's redirect. */
  async begin(path = "/login", provider = this.provider): Promise<string> {
    const response = await this.visit(path);
    return provider.authorize(response.headers.get("Location"));
  }

  /** Finishes a login at the callback. */
  async end(callback: string): Promise<Outcome> {
    if (this.#isPosted) await this.#post(new URL(callback));
    else await this.visit(callback);
    return this.outcomes.at(-1)!;
  }

  /** Posts a response as the provider's page does with response_mode form_post. */
  async #post({ pathname, searchParams }: URL): Promise<void> {
    const posted = await this.visit(pathname, {
      method: "POST",
      headers: {
        "Origin": this.provider.issuer,
        "Sec-Fetch-Site": "cross-site",
      },
      body: searchParams,
    });
    await this.visit(posted.headers.get("Location")!);
  }

  /** Runs a complete login. */
  async run(path = "/login"): Promise<Outcome> {
    return await this.end(await this.begin(path));
  }
}

/** Runs a complete login with a new application. */
export function logIn(
  provider: TestProvider,
  options: Partial<OIDCAuthProviderOptions> = {},
  start: StartExternalAuthOptions = {},
): Promise<Outcome> {
  return new Login(provider, options, start).run();
}

/** Returns the error of an outcome. */
export function errorOf({ result }: Outcome): ExternalAuthError {
  if (result.ok) throw new Error("The login succeeded");
  return result.error;
}
