/**
 * Tests of applications, and of custom stores, matchers and schemas: a client of
 * the router and of an authorization server, an OpenID provider and an authenticator
 * in memory, and test suites
 * that work with any test runner.
 *
 * @example Testing a route
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter();
 * router.get("/", () => new Response("Hello"));
 *
 * const { fetch } = createTestClient(router);
 * assertEquals(await (await fetch("/")).text(), "Hello");
 * ```
 *
 * @module
 */
export { type AccountStoreTest, testAccountStore } from "./accounts/testing.ts";
export {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  type MemoryPasskeyStoreOptions,
  type PasskeyStoreTest,
  type PasskeyStoreTestOptions,
  type TestAuthenticator,
  type TestAuthenticatorOptions,
  type TestPasskeyChanges,
  testPasskeyStore,
} from "./auth/passkey/testing.ts";
export {
  createTestProvider,
  type TestLogout,
  type TestProvider,
  type TestProviderAnswer,
  type TestProviderClient,
  type TestProviderOptions,
  type TestProviderUser,
} from "./auth/testing/mod.ts";
export {
  connectTest,
  type ConnectTestOptions,
  type TestConnection,
  type TestDPoPBinding,
  type TestProofRequest,
} from "./oauth_server/testing.ts";
export {
  createTestClient,
  type MatcherTest,
  type TestClient,
  type TestClientOptions,
  testMatcher,
  type TestRequestInit,
  type TestTarget,
} from "./router/testing.ts";
export {
  type StandardSchemaSamples,
  type StandardSchemaTest,
  testStandardSchema,
} from "./schema/testing.ts";
export {
  createTestSession,
  type SessionStoreTest,
  testSessionStore,
} from "./session/testing.ts";
