import { completeAuth } from "@gatehouse/web/auth";
import { deviceChanges } from "@gatehouse/web/auth-middleware";
import {
  createPasskeys,
  type PasskeyAuthResult,
  type PasskeyPurpose,
  type PasskeyRegistrationResult,
  type Passkeys,
  type PasskeysOptions,
  type PasskeyStore,
} from "@gatehouse/web/auth/passkey";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  createTestClient,
  type TestAuthenticator,
  type TestClient,
  type TestPasskeyChanges,
} from "@gatehouse/web/testing";

/** A response of the browser that a test may change in any way. */
// deno-lint-ignore no-explicit-any -- tests change any member
export type Loose = any;

/** An application with passkeys, and one browser. */
export interface PasskeyApp {
  readonly passkeys: Passkeys;
  readonly store: PasskeyStore;
  readonly browser: TestClient;
  /** Creates another browser. */
  newBrowser(): TestClient;
  /** Advances the time by milliseconds. */
  wait(passed: number): void;
  /** Posts JSON and returns the JSON of the response. */
  post(path: string, body?: unknown, browser?: TestClient): Promise<Loose>;
  /** Registers a passkey of user 7. */
  register(
    authenticator: TestAuthenticator,
    changes?: TestPasskeyChanges,
    tamper?: (response: Loose) => Loose,
  ): Promise<PasskeyRegistrationResult>;
  /** Logs in with a passkey. */
  logIn(
    authenticator: TestAuthenticator,
    changes?: TestPasskeyChanges,
    tamper?: (response: Loose) => Loose,
    purpose?: PasskeyPurpose,
  ): Promise<PasskeyAuthResult>;
}

export interface PasskeyAppOptions extends Partial<PasskeysOptions> {
  readonly sessionStore?: SessionStore;
  /** Middleware before the session. */
  readonly middleware?: readonly Middleware[];
}

/** The user of the registrations. */
export const USER = { id: 7, name: "ada@example.com", displayName: "Ada" };

/** Creates the application. */
export function createPasskeyApp(options: PasskeyAppOptions = {}): PasskeyApp {
  let time = 1_700_000_000_000;
  const now = () => time;
  const {
    store = createMemoryPasskeyStore(),
    sessionStore = createMemorySessionStore({ now }),
    middleware = [],
  } = options;
  const passkeys = createPasskeys({
    rpId: "test.example",
    rpName: "Test",
    now,
    ...options,
    store,
  });
  const router = createRouter({
    middleware: [
      ...middleware,
      session({ store: sessionStore, now }),
      deviceChanges({ stepUp: true, onChange: () => {} }),
    ],
    onError: (error) => {
      throw error;
    },
  });
  const user = (url: URL) => ({
    ...USER,
    id: Number(url.searchParams.get("user") ?? USER.id),
  });
  router.post("/password", async (context) => {
    const { searchParams } = context.url;
    const methods = [searchParams.get("method") ?? "pwd"];
    await completeAuth(context, user(context.url).id, { methods });
    return Response.json({});
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return Response.json({});
  });
  router.post("/register/options", async (context) =>
    Response.json(
      await passkeys.registrationOptions(context, user(context.url)),
    ));
  router.post(
    "/upgrade/options",
    async (context) =>
      Response.json(await passkeys.upgradeOptions(context, user(context.url))),
  );
  router.post(
    "/register",
    async (context) =>
      Response.json(await passkeys.finishRegistration(context)),
  );
  router.post("/:purpose/options", async (context) => {
    const purpose = context.params.purpose as PasskeyPurpose;
    const request = purpose === "login"
      ? { purpose }
      : { purpose, userId: user(context.url).id };
    return Response.json(
      await passkeys.authenticationOptions(context, request),
    );
  });
  router.post("/:purpose", async (context) => {
    const purpose = context.params.purpose as PasskeyPurpose;
    return Response.json(await passkeys.finishAuthentication(context, purpose));
  });

  const newBrowser = () => createTestClient(router);
  const browser = newBrowser();
  const post: PasskeyApp["post"] = async (path, body, from = browser) => {
    const response = await from.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return await response.json();
  };
  const same = (response: Loose) => response;
  return {
    passkeys,
    store,
    browser,
    newBrowser,
    wait: (passed) => void (time += passed),
    post,
    async register(authenticator, changes, tamper = same) {
      const options = await post("/register/options");
      const response = await authenticator.register(options, changes);
      return await post("/register", tamper(response));
    },
    async logIn(authenticator, changes, tamper = same, purpose = "login") {
      const options = await post(`/${purpose}/options`);
      const response = await authenticator.authenticate(options, changes);
      return await post(`/${purpose}`, tamper(response));
    },
  };
}

/** Creates an application and an authenticator with a passkey of user 7. */
export async function withPasskey(
  options: PasskeyAppOptions = {},
  device: Parameters<typeof createTestAuthenticator>[0] = {},
): Promise<{ app: PasskeyApp; authenticator: TestAuthenticator; id: string }> {
  const app = createPasskeyApp(options);
  const authenticator = createTestAuthenticator(device);
  const result = await app.register(authenticator);
  if (!result.ok) throw new Error(result.reason);
  return { app, authenticator, id: result.passkey.id };
}
