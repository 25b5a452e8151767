/**
 * What tests of an application with external login need.
 *
 * @module
 */
import type { TestClient } from "../router/testing.ts";
import { randomToken } from "../session/secrets.ts";
import { InMemoryProvider } from "./_in_memory_provider.ts";

/** Who logs in at a test provider: `sub`, and any further claims. */
export interface TestProviderUser {
  /** Who the user is to the provider. */
  readonly sub: string;
  /** What else the provider tells, such as `name`, `email` or `tid`. */
  readonly [claim: string]: unknown;
}

/** Options for {@linkcode createTestProvider}. */
export interface TestProviderOptions {
  /**
   * The provider's identifier. A named provider is tested with its own, such as
   * `https://accounts.google.com`.
   *
   * @default {"https://id.example"}
   */
  readonly issuer?: string;
  /**
   * Who logs in where a test does not say.
   *
   * @default {{ sub: "1", name: "Test User", email: "user@example.com", email_verified: true }}
   */
  readonly user?: TestProviderUser;
  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** How the application is registered: spread it into the provider's options. */
export interface TestProviderClient {
  /** The provider's identifier. */
  readonly issuer: string;
  /** The id of the application. */
  readonly clientId: string;
  /** The secret of the application. */
  readonly clientSecret: string;
  /** Answers in place of the network. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Tells the provider's time. */
  readonly now: () => number;
}

/** How a user answers the provider. */
export interface TestProviderAnswer {
  /**
   * Who logs in.
   *
   * @default {the user of the options}
   */
  readonly user?: TestProviderUser;
  /**
   * What goes wrong: `access_denied` where the user says no.
   *
   * @default {undefined}
   */
  readonly error?: string;
}

/** Whom a logout token names; one of the two at least. */
export interface TestLogout {
  /**
   * The user.
   *
   * @default {undefined}
   */
  readonly sub?: string;
  /**
   * The provider's session, as the claim `sid` of the login has it.
   *
   * @default {undefined}
   */
  readonly sid?: string;
}

/** An OpenID provider for tests. */
export interface TestProvider {
  /** How the application is registered. */
  readonly client: TestProviderClient;
  /**
   * Does what happens in a browser from the application's redirect on: the user
   * answers, and is sent back.
   *
   * @param location Where the application sent the browser to.
   * @param answer What the user does.
   * @returns The URL of the callback.
   * @throws {Error} If it is no request that a provider accepts.
   */
  authorize(location: string | null, answer?: TestProviderAnswer): string;
  /**
   * Walks a browser through a login, from the path that starts it to the
   * callback.
   *
   * @param browser The browser.
   * @param path Where the application starts the login.
   * @param answer What the user does.
   * @returns The response of the callback.
   * @throws {Error} If the path does not lead to the provider.
   */
  logIn(
    browser: TestClient,
    path: string,
    answer?: TestProviderAnswer,
  ): Promise<Response>;
  /**
   * Signs a logout token, for the form field `logout_token` of a back-channel
   * logout.
   *
   * @param logout Whom it names.
   * @returns The token.
   */
  logoutToken(logout: TestLogout): Promise<string>;
}

/**
 * Creates an OpenID provider for tests: in memory, with a real key, as strict
 * as a real one. It checks the client's secret, the redirect URI and the code
 * verifier, signs ID tokens, and answers for userinfo, refresh and revocation.
 *
 * Trust: everybody logs in as whoever they like. It belongs into tests alone.
 *
 * @example A login from the first click to the last
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   completeAuth,
 *   createOIDCAuthProvider,
 *   externalAuthResult,
 *   startExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { createTestProvider } from "@gatehouse/web/auth/testing";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/fetch-router/testing";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const testProvider = createTestProvider();
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   redirectUri: "https://test.example/callback",
 *   ...testProvider.client,
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.get("/login", (context) => startExternalAuth(provider, context));
 * router.get("/callback", async (context) => {
 *   const result = await externalAuthResult(provider, context);
 *   if (!result.ok) return new Response(result.error.code, { status: 401 });
 *   await completeAuth(context, result.subject);
 *   return redirect(result.returnTo);
 * });
 * router.get("/", (context) => new Response(`${context.get(Session).userId}`));
 *
 * const browser = createTestClient(router);
 * await testProvider.logIn(browser, "/login", { user: { sub: "jane" } });
 * assertEquals(await (await browser.fetch("/")).text(), "jane");
 *
 * const refused = await testProvider.logIn(browser, "/login", {
 *   error: "access_denied",
 * });
 * assertEquals(await refused.text(), "access_denied");
 * ```
 *
 * @param options The issuer, the user and the clock.
 * @returns The provider.
 */
export function createTestProvider(
  options: TestProviderOptions = {},
): TestProvider {
  const { issuer = "https://id.example", now = Date.now } = options;
  const { user = TEST_USER } = options;
  const clientId = "test-client";
  const clientSecret = randomToken();
  const provider = new InMemoryProvider({
    issuer,
    clientId,
    clientSecret,
    now,
  });
  const authorize: TestProvider["authorize"] = (location, answer = {}) =>
    provider.authorize(location, { user, ...answer }).href;
  return {
    client: { issuer, clientId, clientSecret, fetch: provider.fetch, now },
    authorize,
    async logIn(browser, path, answer) {
      const { headers, status } = await browser.fetch(path);
      const location = headers.get("Location");
      if (location === null) {
        throw new Error(
          `Cannot log in at the test provider: "${path}" answers ${status}, and does not lead there`,
        );
      }
      const callback = authorize(location, answer);
      return await provider.sendBack(browser, location, callback);
    },
    logoutToken: ({ sid, sub }) => provider.logoutToken({ sid, sub }),
  };
}

const TEST_USER: TestProviderUser = {
  sub: "1",
  name: "Test User",
  email: "user@example.com",
  email_verified: true,
};
