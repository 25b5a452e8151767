import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  verifyCredentials,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { ADA, createEmailApp } from "./_email_app.ts";
import { done, type EventLog, type EventRow } from "./_event_log.ts";
import { createFactorApp } from "./_second_factor_app.ts";

/** Creates an application, and two browsers in which user 7 is logged in. */
async function twoSessions(log: EventLog) {
  const store = createMemorySessionStore();
  const router = createRouter({
    middleware: [log.middleware, session({ store })],
  });
  router.post("/login/:id", async (context) => {
    await completeAuth(context, Number(context.params.id));
    return done(context);
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return done(context);
  });
  router.post("/end-other/:user", async (context) => {
    const userId = Number(context.params.user);
    const own = context.get(Session).id;
    const list = await userSessions(context).list(userId);
    const other = list.find(({ id }) => id !== own)!;
    await userSessions(context).end(other.id, userId);
    return done(context);
  });
  router.post("/end-all/:user", async (context) => {
    await userSessions(context).endAll({ userId: Number(context.params.user) });
    return done(context);
  });
  const browsers = [createTestClient(router), createTestClient(router)];
  const post = (path: string, browser: TestClient = browsers[0]!) =>
    browser.fetch(path, { method: "POST" });
  for (const browser of browsers) await post("/login/7", browser);
  await log.take();
  return { post, newBrowser: () => createTestClient(router) };
}

/** Posts to a path of the application with two sessions of user 7. */
function afterLogin(path: string, as?: string) {
  return async (log: EventLog): Promise<void> => {
    const { newBrowser, post } = await twoSessions(log);
    if (as === undefined) return void await post(path);
    const browser = newBrowser();
    await post(`/login/${as}`, browser);
    await log.take();
    await post(path, browser);
  };
}

/** Sends a password, a few times. */
function sendPassword(form: Record<string, string>, times = 1) {
  return async (log: EventLog): Promise<void> => {
    const provider = createCredentialsAuthProvider({
      name: "password",
      parse: ({ url: { searchParams } }) => searchParams.get("password"),
      account: () => "ada",
      verify: () => null,
      throttle: createThrottle({
        perAccount: { attempts: 1 },
        address: () => "192.0.2.1",
      }),
    });
    const router = createRouter({ middleware: [log.middleware] });
    router.post("/", async (context) => {
      await verifyCredentials(provider, context);
      return done(context);
    });
    const url = `https://example.com/?${new URLSearchParams(form)}`;
    for (let count = 0; count < times; count++) {
      await log.take();
      await router.fetch(url, { method: "POST" });
    }
  };
}

type EmailApp = ReturnType<typeof createEmailApp>;

/** Asks for an email, and then does what fails. */
function byEmail(
  fail: (app: EmailApp, browser: ReturnType<EmailApp["browser"]>) => unknown,
) {
  return async (log: EventLog): Promise<void> => {
    const app = createEmailApp({ middleware: [log.middleware] });
    const browser = app.browser();
    await browser.ask(ADA);
    await log.take();
    await fail(app, browser);
  };
}

/** Logs in with a password, and then sends the code that another one did. */
async function sendUsedCode(log: EventLog, isUsed: boolean): Promise<void> {
  const app = createFactorApp({ middleware: [log.middleware] });
  const { secret } = await app.enable();
  const code = isUsed ? await app.code(secret) : "wrong";
  if (isUsed) {
    const first = app.browser();
    await first.login();
    await first.send(code);
  }
  const second = app.browser();
  await second.login();
  await log.take();
  await second.send(code);
}

/** Adds or removes the authenticator app of user 1. */
function changeFactors(path: "/enable" | "/disable") {
  return async (log: EventLog): Promise<void> => {
    const { code, factors, now } = createFactorApp();
    const router = createRouter({
      middleware: [log.middleware, session({ now })],
    });
    router.post("/login", async (context) => {
      await completeAuth(context, 1);
      return done(context);
    });
    router.post("/enable", async (context) => {
      const { secret, setup } = await factors.createTOTP(1, "ada@a.test");
      const form = { setup, code: await code(secret) };
      await factors.enableTOTP(context, form);
      return done(context);
    });
    router.post("/disable", async (context) => {
      await factors.disable(context);
      return done(context);
    });
    const browser = createTestClient(router);
    for (const each of ["/login", "/enable", "/disable"]) {
      await log.take();
      await browser.fetch(each, { method: "POST" });
      if (each === path) return;
    }
  };
}

/** The logins and logouts of sessions, and the failed logins. */
export const SESSION_EVENTS: readonly EventRow[] = [
  {
    from: "session/_login_reports.ts",
    event: "login success",
    user: "8",
    cause: async (log) => {
      const { newBrowser, post } = await twoSessions(log);
      await post("/login/8", newBrowser());
    },
  },
  {
    from: "session/_login_reports.ts",
    event: "logout success",
    user: "7",
    cause: afterLogin("/logout"),
  },
  {
    from: "session/user_sessions.ts",
    event: "session-end success",
    user: "7",
    cause: afterLogin("/end-other/7"),
  },
  {
    from: "session/user_sessions.ts",
    event: "session-end success",
    user: "1",
    target: "7",
    cause: afterLogin("/end-other/7", "1"),
  },
  {
    from: "session/user_sessions.ts",
    event: "logout-everywhere success",
    user: "7",
    cause: afterLogin("/end-all/7"),
  },
  {
    from: "session/user_sessions.ts",
    event: "logout-everywhere success",
    user: "1",
    target: "7",
    cause: afterLogin("/end-all/7", "1"),
  },
  {
    from: "auth/throttle/throttle.ts",
    event: "lockout failure login",
    cause: sendPassword({ password: "guess" }, 2),
  },
  {
    from: "auth/login/credentials.ts",
    event: "login failure wrong",
    cause: sendPassword({ password: "guess" }),
  },
  {
    from: "auth/login/credentials.ts",
    event: "login failure missing",
    cause: sendPassword({}),
  },
  {
    from: "auth/email_login/email_login.ts",
    event: "login failure email-wrong",
    cause: byEmail((_app, browser) => browser.code("no code")),
  },
  {
    from: "auth/email_login/email_login.ts",
    event: "login failure email-expired",
    cause: byEmail(({ outbox, wait }, browser) => {
      wait(3_600_000);
      return browser.link(outbox[0]!.token);
    }),
  },
  {
    from: "auth/email_login/email_login.ts",
    event: "login failure email-other-browser",
    cause: byEmail(({ browser, outbox }) => browser().link(outbox[0]!.token)),
  },
  {
    from: "auth/second_factor/_code_check.ts",
    event: "login failure second-factor",
    user: "1",
    cause: (log) => sendUsedCode(log, false),
  },
  {
    from: "auth/second_factor/_code_check.ts",
    event: "lockout failure second-factor",
    cause: async (log) => {
      const app = createFactorApp({ middleware: [log.middleware] });
      await app.enable();
      const browser = app.browser();
      await browser.login();
      for (let guess = 0; guess < 5; guess++) await browser.send("wrong");
      await log.take();
      await browser.send("wrong");
    },
  },
  {
    from: "auth/second_factor/_factor_changes.ts",
    event: "factor-add success",
    user: "1",
    cause: changeFactors("/enable"),
  },
  {
    from: "auth/second_factor/_factor_changes.ts",
    event: "factor-remove success",
    user: "1",
    cause: changeFactors("/disable"),
  },
  {
    from: "auth/second_factor/_code_check.ts",
    event: "token-reuse failure otp",
    user: "1",
    then: "login failure second-factor",
    cause: (log) => sendUsedCode(log, true),
  },
];
