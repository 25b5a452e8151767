import type { TestClient } from "../../router/testing.ts";
import { randomToken } from "../../session/secrets.ts";
import { InMemoryProvider } from "./in_memory_provider.ts";

/** The claims of a user: `sub` and any others. */
export interface TestProviderUser {
  /** The id of the user at the provider. */
  readonly sub: string;
  /** Other claims, such as `name`, `email` or `tid`. */
  readonly [claim: string]: unknown;
}

/** Options for {@linkcode createTestProvider}. */
export interface TestProviderOptions {
  /**
   * The issuer of the provider. To test a named provider, use its real issuer,
   * such as `https://accounts.google.com`.
   *
   * @default {"https://id.example"}
   */
  readonly issuer?: string;
  /**
   * The user who logs in by default.
   *
   * @default {sub: "1", name: "Test User", email: "user@example.com", email_verified: true}
   */
  readonly user?: TestProviderUser;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The client registration. Spread it into the options of your provider. */
export interface TestProviderClient {
  /** The issuer of the provider. */
  readonly issuer: string;
  /** The client id of the application. */
  readonly clientId: string;
  /** The client secret of the application. */
  readonly clientSecret: string;
  /** Replaces the network. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns the time at the provider. */
  readonly now: () => number;
  /** The timeout of requests, in milliseconds. It is long, for slow machines. */
  readonly timeout: number;
}

/** The user's answer to the provider. */
export interface TestProviderAnswer {
  /**
   * The user who logs in.
   *
   * @default {the user of the options}
   */
  readonly user?: TestProviderUser;
  /**
   * The error that the provider sends back, such as `access_denied` if the user
   * cancels.
   *
   * @default {undefined}
   */
  readonly error?: string;
}

/** The subject of a logout token, with at least one property. */
export interface TestLogout {
  /**
   * The id of the user.
   *
   * @default {undefined}
   */
  readonly sub?: string;
  /**
   * The session at the provider, as in the claim `sid` of the login.
   *
   * @default {undefined}
   */
  readonly sid?: string;
}

/** An OpenID provider for tests. */
export interface TestProvider {
  /** The client registration of the application. */
  readonly client: TestProviderClient;
  /**
   * Plays the part of the browser after the application's redirect: the user
   * answers, and the provider sends the browser back.
   *
   * @param location The `Location` header of the application's redirect.
   * @param answer The user's answer.
   * @returns The URL of the callback.
   * @throws {Error} If the request is invalid.
   */
  authorize(location: string | null, answer?: TestProviderAnswer): string;
  /**
   * Takes a browser through a login, from the path that starts it to the
   * callback.
   *
   * @param browser The browser.
   * @param path The path at which the application starts the login.
   * @param answer The user's answer.
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
   * @param logout The user or the session that it ends.
   * @returns The token.
   */
  logoutToken(logout: TestLogout): Promise<string>;
}

/**
 * Creates an OpenID provider for tests. It lives in memory and has a real key.
 * It checks the client secret, the redirect URI and the code verifier, signs ID
 * tokens, and supports userinfo, refresh and revocation.
 *
 * Trust: anyone can log in as any user. Use it only in tests.
 *
 * @example A complete login
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   completeAuth,
 *   createOIDCAuthProvider,
 *   externalAuthResult,
 *   startExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import {
 *   createTestClient,
 *   createTestProvider,
 * } from "@gatehouse/web/testing";
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
 * const canceled = await testProvider.logIn(browser, "/login", {
 *   error: "access_denied",
 * });
 * assertEquals(await canceled.text(), "access_denied");
 * ```
 *
 * @param options The issuer, the default user and the clock.
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
    client: {
      issuer,
      clientId,
      clientSecret,
      fetch: provider.fetch,
      now,
      timeout: 60_000,
    },
    authorize,
    async logIn(browser, path, answer) {
      const { headers, status } = await browser.fetch(path);
      const location = headers.get("Location");
      if (location === null) {
        throw new Error(
          `Cannot log in at the test provider: "${path}" responds with ${status} and no redirect`,
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
