import { assert } from "@std/assert";
import {
  completeAuth,
  type CompleteAuthOptions,
  createThrottle,
  type Throttle,
} from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireSecondFactor,
} from "@gatehouse/web/auth-middleware";
import {
  createSecondFactors,
  generateTOTP,
  type SecondFactors,
  type SecondFactorsOptions,
} from "@gatehouse/web/auth/second-factor";
import {
  createRouter,
  type Middleware,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { securityEvents } from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";

/** A secret for tests. */
export const SECRET = "first secret of the second factors in tests";

/** A throttle that allows every attempt. */
export const unlimited: Pick<Throttle, "attempt" | "trustDevice"> = {
  attempt: () =>
    Promise.resolve({
      allowed: true,
      succeed: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
    }),
  trustDevice: () => Promise.resolve(),
};

/** Options for {@linkcode createFactorApp}. */
export interface FactorAppOptions extends Partial<SecondFactorsOptions> {
  /** The secrets of sessions in cookies. Without them, sessions are stored. */
  readonly cookieSecrets?: readonly string[];
  /** `true` to record security events. */
  readonly events?: boolean;
  /** The version of the credentials that logins pass on. */
  readonly loginVersion?: number;
  /** Middleware before the session. */
  readonly middleware?: readonly Middleware[];
}

/** An application whose users 1 to 9 log in with a second factor. */
export interface FactorApp {
  readonly factors: SecondFactors;
  readonly store: SessionStore;
  /** The router of the application. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly now: () => number;
  /** Returns the security events so far. */
  reports(): Promise<readonly string[]>;
  wait(passed: number): void;
  browser(address?: string): FactorBrowser;
  /** Runs a function in a request of a logged-in user, and returns its result. */
  own<Result>(
    userId: number,
    act: (context: RequestContext) => Promise<Result>,
    login?: CompleteAuthOptions,
  ): Promise<Result>;
  /** Sets up an authenticator app, and returns its secret and recovery codes. */
  enable(userId?: number): Promise<{ secret: string; codes: string[] }>;
  /** Returns the present code of an authenticator app. */
  code(secret: string, offset?: number): Promise<string>;
}

/** A browser of the application. */
export interface FactorBrowser {
  /** Sends the first factor: `true` if the user is logged in. */
  login(userId?: number): Promise<boolean>;
  /** Sends a code, and returns `ok` or the reason of the failure. */
  send(code: unknown, path?: string): Promise<string>;
  get(path: string): Promise<Response>;
  post(path: string): Promise<Response>;
  /** Returns the user that the schemes see. */
  user(): Promise<string>;
  /** Returns the cookies as a header. */
  cookie(): string;
}

/** Creates the application, with a clock. */
export function createFactorApp(options: FactorAppOptions = {}): FactorApp {
  const { cookieSecrets, events = false, middleware = [], ...others } = options;
  const { loginVersion, ...rest } = others;
  let time = 1_700_000_000_000;
  const now = () => time;
  const store = options.store ?? createMemorySessionStore({ now });
  const factors = createSecondFactors({
    issuer: "Example",
    secrets: [SECRET],
    now,
    ...rest,
    store,
  });
  const sessions = cookieSecrets === undefined
    ? { store: createMemorySessionStore({ now }), now }
    : { secrets: cookieSecrets, now };
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id) => ({ id }),
  });
  const reports: string[] = [];
  const recorder = securityEvents(({ event, user }) => {
    const { action, outcome, reason = "" } = event;
    reports.push(`${action} ${outcome} ${reason} ${user?.id}`);
  });
  const router = createRouter({
    middleware: [
      ...events ? [recorder] : [],
      ...middleware,
      session(sessions),
      auth({ schemes: [scheme] }),
    ],
  });
  router.post("/login/:id", async (context) => {
    const id = Number(context.params.id);
    const session = await factors.completeFirstFactor(context, id, {
      methods: ["pwd"],
      data: "/inbox",
      ...loginVersion !== undefined && { version: loginVersion },
    });
    return Response.json(session?.userId ?? null);
  });
  router.post("/large/:id", async (context) => {
    const data = "x".repeat(10_000);
    const id = Number(context.params.id);
    await factors.completeFirstFactor(context, id, { methods: [], data });
    return new Response();
  });
  // The pending login of a session from before the record had it.
  router.post("/plant", (context) => {
    const token = "a".repeat(22);
    context.get(Session).set("__auth.second-factor", { token });
    return new Response();
  });
  // A login whose throttle has the same store and names users by their id.
  const logins = createThrottle({ store, now });
  router.post("/password/:id", async (context) => {
    const attempt = await logins.attempt(context, context.params.id);
    if (attempt.allowed) await attempt.succeed();
    return Response.json(attempt.allowed);
  });
  router.post("/code", async (context) => {
    const { code, rememberDevice } = await context.request.json();
    const result = await factors.verifyCode(context, code, { rememberDevice });
    return Response.json(result.ok ? { ...result, session: 0 } : result);
  });
  router.post("/confirm", async (context) => {
    const { code } = await context.request.json();
    const result = await factors.confirmCode(context, code);
    return Response.json(result.ok ? { ...result, session: 0 } : result);
  });
  router.post("/passkey", async (context) => {
    const methods = ["hwk"];
    const session = await factors.completeSecondFactor(context, methods);
    return Response.json(session?.userId ?? null);
  });
  router.get("/pending", async (context) => {
    return Response.json(await factors.pendingLogin(context));
  });
  router.get("/devices/:id", async (context) => {
    const id = Number(context.params.id);
    return Response.json(await factors.devices(context, id));
  });
  router.get("/session", (context) => {
    const { userId = null, authMethods = null } = context.get(Session);
    return Response.json({ userId, authMethods });
  });
  router.get("/user", requireAuth(), () => new Response("in"));
  router.get("/two", requireSecondFactor(), () => new Response("in"));
  const fresh = requireFreshAuth(60_000, { methods: ["otp"], now });
  router.get("/fresh", fresh, () => new Response("in"));
  const freshMfa = requireFreshAuth(60_000, { methods: ["mfa"], now });
  router.get("/mfa", freshMfa, () => new Response("in"));

  const own: FactorApp["own"] = (userId, act, login) =>
    runAs(userId, act, { now, login });
  const code = (secret: string, offset = 0) =>
    generateTOTP(secret, { time: time + offset * 30_000 });
  return {
    factors,
    store,
    fetch: (request) => {
      const info = { remoteAddr: { hostname: "192.0.2.9" } };
      return router.fetch(request, info);
    },
    now,
    reports: async () => {
      await recorder.flush();
      return reports;
    },
    wait: (passed) => void (time += passed),
    code,
    own,
    async enable(userId = 1) {
      const { secret, setup } = await factors.createTOTP(userId, "ada@a.test");
      // The code of the step before, so that the present one is not used up.
      const form = { setup, code: await code(secret, -1) };
      const result = await own(
        userId,
        (context) => factors.enableTOTP(context, form),
      );
      assert(result.ok);
      return { secret, codes: [...result.recoveryCodes] };
    },
    browser(remoteAddress = "192.0.2.1") {
      const { fetch, cookies } = createTestClient(router, { remoteAddress });
      const post = (path: string, body?: unknown) =>
        fetch(path, { method: "POST", body: JSON.stringify(body) });
      return {
        async login(userId = 1) {
          const response = await post(`/login/${userId}`);
          return await response.json() !== null;
        },
        async send(code, path = "/code") {
          const response = await post(path, { code });
          const { ok, reason } = await response.json();
          return ok ? "ok" : reason;
        },
        get: (path) => fetch(path),
        post: (path) => post(path, { rememberDevice: true }),
        user: async () => String((await fetch("/user")).status),
        cookie: () =>
          [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      };
    },
  };
}

/** Runs a function in a request of a logged-in user, and returns its result. */
export async function runAs<Result>(
  userId: string | number,
  act: (context: RequestContext) => Promise<Result>,
  { now, login }: {
    readonly now?: () => number;
    readonly login?: CompleteAuthOptions | undefined;
  } = {},
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const clock = now === undefined ? {} : { now };
  const router = createRouter({ middleware: [session(clock)] });
  router.post("/", async (context) => {
    await completeAuth(context, userId, login);
    await act(context).then(resolve, reject);
    return new Response();
  });
  await router.fetch("https://test.example/", { method: "POST" });
  return await promise;
}
