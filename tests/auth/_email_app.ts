import {
  completeAuth,
  createThrottle,
  type Throttle,
} from "@gatehouse/web/auth";
import {
  createEmailLogin,
  type EmailLoginOptions,
  type EmailToSend,
} from "@gatehouse/web/auth/email-login";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";

/** A secret for tests. */
export const SECRET = "first secret of the email logins in tests";

/** The only address with an account. */
export const ADA = "ada@example.com";

/** Options for {@linkcode createEmailApp}. */
export interface EmailAppOptions extends Partial<EmailLoginOptions> {
  /** The secrets of sessions in cookies. Without them, sessions are stored. */
  readonly cookieSecrets?: readonly string[];
  /** Middleware before the session. */
  readonly middleware?: readonly Middleware[];
}

/** Creates an application with a login by email, with a clock. */
export function createEmailApp(options: EmailAppOptions = {}) {
  const { cookieSecrets, middleware = [], ...rest } = options;
  let time = 1_700_000_000_000;
  const now = () => time;
  const store: SessionStore = options.store ??
    createMemorySessionStore({ now });
  const emailLogin = createEmailLogin({
    secrets: [SECRET],
    now,
    ...rest,
    store,
  });
  const outbox: EmailToSend[] = [];
  const sessions = cookieSecrets === undefined
    ? { store: createMemorySessionStore({ now }), now }
    : { secrets: cookieSecrets, now };
  const router = createRouter({
    middleware: [...middleware, session(sessions)],
  });
  router.post("/login", async (context) => {
    const {
      email,
      account = email.trim().toLowerCase() === ADA ? 7 : null,
      data = "/inbox",
    } = await context.request.json();
    const request = { email, account, data };
    const mail = await emailLogin.start(context, request);
    if (mail !== null) outbox.push(mail);
    return new Response("If you have an account, we have sent you an email.");
  });
  router.get("/link", async (context) => {
    const token = context.url.searchParams.get("token");
    return Response.json(await emailLogin.open(context, token));
  });
  router.post("/:kind", async (context) => {
    const { code, token } = await context.request.json();
    const result = context.params.kind === "link"
      ? await emailLogin.verifyLink(context, token)
      : await emailLogin.verifyCode(context, code);
    if (result.ok) {
      await completeAuth(context, result.account, { methods: ["email"] });
    }
    return Response.json(result);
  });
  router.get("/pending", async (context) => {
    return Response.json(await emailLogin.pendingEmail(context));
  });
  let logins: Pick<Throttle, "attempt"> = createThrottle({ store, now });
  router.get("/password", async (context) => {
    return Response.json((await logins.attempt(context, ADA)).allowed);
  });
  router.get("/", (context) => {
    return Response.json(context.get(Session).userId ?? null);
  });
  return {
    emailLogin,
    /** Guards `/password` with another throttle. */
    guard: (throttle: Pick<Throttle, "attempt">) => void (logins = throttle),
    outbox,
    store,
    fetch: (request: Request) => {
      const info = { remoteAddr: { hostname: "192.0.2.9" } };
      return router.fetch(request, info);
    },
    now,
    wait: (passed: number) => void (time += passed),
    browser(remoteAddress = "192.0.2.1") {
      const { fetch, cookies } = createTestClient(router, { remoteAddress });
      const send = async (path: string, body: unknown) => {
        const init = { method: "POST", body: JSON.stringify(body) };
        return await fetch(path, init);
      };
      const result = async (path: string, body: unknown) => {
        const { ok, reason } = await (await send(path, body)).json();
        return ok ? "ok" : reason;
      };
      return {
        /** Asks for an email, to the account of the address or to another one. */
        ask: (email = ADA, account?: number) =>
          send("/login", { email, account }),
        link: (token: unknown) => result("/link", { token }),
        code: (code: unknown) => result("/code", { code }),
        send,
        get: async (path: string) => await (await fetch(path)).json(),
        fetch,
        cookie: () =>
          [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      };
    },
  };
}
