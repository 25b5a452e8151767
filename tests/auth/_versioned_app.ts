import { completeAuth } from "@gatehouse/web/auth";
import {
  actAs,
  Auth,
  auth,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import {
  createEmailLogin,
  type EmailLogin,
} from "@gatehouse/web/auth/email-login";
import {
  createPasskeys,
  type Passkeys,
  type PasskeyStore,
} from "@gatehouse/web/auth/passkey";
import {
  createSecondFactors,
  generateTOTP,
  type SecondFactors,
} from "@gatehouse/web/auth/second-factor";
import { createRouter, type RequestContext } from "@gatehouse/web/fetch-router";
import { securityEvents } from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  createTestClient,
  type TestAuthenticator,
} from "@gatehouse/web/testing";
import { unlimited } from "./_second_factor_app.ts";

/** The user whose access is ended, and an administrator. */
export const USER = 7;
export const ADMIN = 1;

/** An application whose accounts have a version. */
export interface VersionedApp {
  readonly factors: SecondFactors;
  readonly emailLogin: EmailLogin;
  readonly emailChange: EmailLogin;
  readonly passkeys: Passkeys;
  readonly passkeyStore: PasskeyStore;
  readonly store: SessionStore;
  readonly authenticator: TestAuthenticator;
  readonly browser: Browser;
  /** The reasons of the requests that were denied. */
  readonly denied: string[];
  /** Returns the present version of the user. */
  version(): number;
  /** Ends all access, as a reset or a change of password does. */
  endAccess(): void;
  /** Ends all access right before the next call of a store. */
  endBefore(call: StoreCall): void;
  /** Ends all access right after the next call of a store. */
  endAfter(call: StoreCall): void;
  /** Returns a code of the authenticator app of the user. */
  code(offset?: number): Promise<string>;
  /** Sets up an authenticator app in a session of the user. */
  enable(browser?: Browser): Promise<boolean>;
  newBrowser(): Browser;
}

/** A call of a store: its method, and the beginning of its key. */
export type StoreCall =
  | "put second-factor:"
  | "put second-factor:device"
  | "create passkey"
  | "update passkey";

/** A browser of the application. */
export interface Browser {
  /** Runs a function in a request of this browser. */
  run<Result>(
    act: (context: RequestContext) => Promise<Result>,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly result: Result | undefined }>;
  /** Logs a user in with the present version. */
  logIn(userId?: number): Promise<void>;
  /** Lets the administrator of this browser act as the user. */
  act(): Promise<void>;
  /** Returns `true` if the user is logged in. */
  isIn(): Promise<boolean>;
}

/** Creates the application. */
export function createVersionedApp(): VersionedApp {
  const versions = new Map([[USER, 1], [ADMIN, 1]]);
  const versionOf = (id: string | number) => versions.get(Number(id))!;
  const endAccess = () => void versions.set(USER, versionOf(USER) + 1);
  let due:
    | { readonly when: "before" | "after"; readonly call: StoreCall }
    | null = null;
  const calling = async <Result>(
    call: string,
    run: () => Result | Promise<Result>,
  ): Promise<Result> => {
    const isDue = (when: "before" | "after") =>
      due?.when === when && call.startsWith(due.call);
    const end = () => {
      due = null;
      endAccess();
    };
    if (isDue("before")) end();
    const result = await run();
    if (isDue("after")) end();
    return result;
  };
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) =>
      calling(`put ${key}`, () => memory.put(key, value, options)),
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  const kept = createMemoryPasskeyStore({ version: versionOf });
  const passkeyStore: PasskeyStore = {
    ...kept,
    create: (...args) => calling("create passkey", () => kept.create(...args)),
    update: (...args) => calling("update passkey", () => kept.update(...args)),
  };
  const secrets = ["a secret of the accounts in these tests"];
  const factors = createSecondFactors({
    issuer: "Example",
    store,
    secrets,
    version: versionOf,
    throttle: unlimited,
  });
  const throttles = { mailThrottle: unlimited, codeThrottle: unlimited };
  const emails = { store, secrets, ...throttles };
  const passkeys = createPasskeys({
    rpId: "test.example",
    rpName: "Test",
    store: passkeyStore,
  });
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id: string | number) => ({ id: Number(id) }),
    version: ({ id }) => versionOf(id),
    acting: { allow: ({ id }) => id === ADMIN, audit: () => {} },
  });
  const denied: string[] = [];
  const recorder = securityEvents(({ event }) => {
    if (event.action === "access-denied") denied.push(event.reason ?? "");
  });
  const router = createRouter({
    middleware: [recorder, session({ store }), auth({ schemes: [scheme] })],
    onError: (error) => {
      throw error;
    },
  });
  let act: (context: RequestContext) => Promise<unknown> = () =>
    Promise.resolve();
  let result: unknown;
  router.post("/run", async (context) => {
    result = await act(context);
    return new Response();
  });

  function newBrowser(): Browser {
    const { fetch } = createTestClient(router, { remoteAddress: "192.0.2.1" });
    const run: Browser["run"] = async (next, init) => {
      act = next;
      result = undefined;
      const { status } = await fetch("/run", { method: "POST", ...init });
      await recorder.flush();
      return { status, result: result as Awaited<ReturnType<typeof next>> };
    };
    return {
      run,
      async logIn(userId = USER) {
        const version = versionOf(userId);
        const methods = ["pwd"];
        await run((context) =>
          completeAuth(context, userId, { methods, version })
        );
      },
      async act() {
        await this.logIn(ADMIN);
        const reason = "Ticket 12";
        await run((context) => actAs(context, USER, { reason }));
      },
      async isIn() {
        const { result } = await run((context) =>
          Promise.resolve(context.get(Auth)?.id)
        );
        return result === USER;
      },
    };
  }

  const browser = newBrowser();
  let secret = "";
  const code = (offset = 0) =>
    generateTOTP(secret, { time: Date.now() + offset * 30_000 });
  return {
    factors,
    emailLogin: createEmailLogin(emails),
    emailChange: createEmailLogin({ ...emails, purpose: "change-email" }),
    passkeys,
    passkeyStore,
    store,
    authenticator: createTestAuthenticator(),
    browser,
    denied,
    version: () => versionOf(USER),
    endAccess,
    endBefore: (call) => void (due = { when: "before", call }),
    endAfter: (call) => void (due = { when: "after", call }),
    code,
    async enable(owner = browser) {
      const totp = await factors.createTOTP(USER, "ada@example.com");
      ({ secret } = totp);
      // The code of the step before, so that the present one is not used up.
      const form = { setup: totp.setup, code: await code(-1) };
      const { result } = await owner.run((context) =>
        factors.enableTOTP(context, form)
      );
      return result?.ok === true;
    },
    newBrowser,
  };
}
