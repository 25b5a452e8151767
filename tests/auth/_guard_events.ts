import { completeAuth } from "@gatehouse/web/auth";
import {
  Actor,
  auth,
  createBearerTokenAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireOwnLogin,
  requireRole,
  requireSecondFactor,
  requireUser,
} from "@gatehouse/web/auth-middleware";
import { createPasskeys } from "@gatehouse/web/auth/passkey";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { csrfProtection, session } from "@gatehouse/web/session-middleware";
import {
  createMemoryPasskeyStore,
  createTestClient,
} from "@gatehouse/web/testing";
import {
  createBoundApp,
  Device,
  IN_FLIGHT,
  LIFETIME,
  withCopy,
} from "./_bound_app.ts";
import { done, type EventLog, type EventRow } from "./_event_log.ts";
import { ForwardApp } from "./_forward.ts";

/** Lets a guard refuse a request, such as one with the token of user 7. */
function refuse(guard: Middleware, headers: HeadersInit = {}) {
  return async (log: EventLog): Promise<void> => {
    const scheme = createBearerTokenAuthScheme({
      name: "token",
      verify: (token) => token === "ada" ? { id: 7, role: "user" } : null,
    });
    const acting: Middleware = (context, next) => {
      if (context.request.headers.has("Acting")) {
        context.set(Actor, { id: 1, role: "admin" });
      }
      return next();
    };
    const router = createRouter({
      middleware: [log.middleware, auth({ schemes: [scheme] }), acting],
    });
    router.get("/", { middleware: [guard], handler: done });
    await router.fetch("https://example.com/", { headers });
  };
}

/** Sends a form without a token from another site. */
function post(...middleware: readonly Middleware[]) {
  return async (log: EventLog): Promise<void> => {
    const router = createRouter({
      middleware: [log.middleware, ...middleware],
    });
    router.post("/", done);
    await router.fetch("https://example.com/", {
      method: "POST",
      headers: { Origin: "https://evil.example" },
    });
  };
}

/** Creates an application, and the device of user 7 in it. */
function boundDevice(log: EventLog) {
  const app = createBoundApp({ middleware: [log.middleware] });
  return { ...app, device: new Device(app.router) };
}

/** Starts to add a passkey in a session whose user acts as another one. */
async function addPasskeyWhileActing(log: EventLog): Promise<void> {
  const passkeys = createPasskeys({
    rpId: "example.com",
    rpName: "Test",
    store: createMemoryPasskeyStore(),
  });
  const router = createRouter({ middleware: [log.middleware, session()] });
  router.post("/login", async (context) => {
    await completeAuth(context, 7);
    return done(context);
  });
  router.post("/passkey", async (context) => {
    context.set(Actor, { id: 7, role: "admin" });
    const user = { id: 8, name: "eve@example.com" };
    return Response.json(await passkeys.registrationOptions(context, user));
  });
  const browser = createTestClient(router);
  await browser.fetch("/login", { method: "POST" });
  await log.take();
  await browser.fetch("/passkey", { method: "POST" });
}

const ada = { Authorization: "Bearer ada" };
const wrong = { Authorization: "Bearer wrong" };
const denied = "access-denied failure";

/** Each guard, and the file that reports its refusals. */
const GUARDS: readonly (readonly [from: string, guard: Middleware])[] = [
  ["require_auth", requireAuth()],
  ["_allowed_user", requireRole("admin")],
  ["require_user", requireUser(() => false)],
  ["require_fresh_auth", requireFreshAuth(1)],
  ["require_second_factor", requireSecondFactor()],
  ["require_own_login", requireOwnLogin()],
];

/** The reasons for which guards refuse requests. */
export const GUARD_EVENTS: readonly EventRow[] = [
  ...GUARDS.flatMap(([name, guard]) => {
    const from = `auth/middleware/${name}.ts`;
    return [
      { from, event: `${denied} unauthenticated`, cause: refuse(guard) },
      {
        from,
        event: `${denied} invalid-credentials`,
        cause: refuse(guard, wrong),
      },
    ];
  }),
  {
    from: "auth/middleware/_allowed_user.ts",
    event: `${denied} forbidden`,
    user: "7",
    cause: refuse(requireRole("admin"), ada),
  },
  {
    from: "auth/middleware/require_user.ts",
    event: `${denied} forbidden`,
    user: "7",
    cause: refuse(requireUser(() => false), ada),
  },
  {
    from: "auth/middleware/require_fresh_auth.ts",
    event: `${denied} stale-login`,
    user: "7",
    cause: refuse(requireFreshAuth(1), ada),
  },
  {
    from: "auth/middleware/require_second_factor.ts",
    event: `${denied} second-factor`,
    user: "7",
    cause: refuse(requireSecondFactor(), ada),
  },
  {
    from: "auth/middleware/require_own_login.ts",
    event: `${denied} acting`,
    user: "1",
    cause: refuse(requireOwnLogin(), { ...ada, Acting: "yes" }),
  },
  {
    from: "auth/middleware/require_own_login.ts",
    event: `${denied} forbidden`,
    user: "7",
    cause: refuse(requireOwnLogin(), ada),
  },
  {
    from: "auth/login/own_account.ts",
    event: `${denied} acting`,
    user: "7",
    cause: addPasskeyWhileActing,
  },
  {
    from: "session/csrf.ts",
    event: `${denied} csrf`,
    cause: post(session(), csrfProtection()),
  },
  {
    from: "router/middleware/cross_origin.ts",
    event: `${denied} cross-origin`,
    cause: post(crossOriginProtection()),
  },
  {
    from: "auth/provider_tokens/forward_to.ts",
    event: `${denied} cross-origin`,
    cause: async (log) => {
      const app = new ForwardApp();
      const router = createRouter({ middleware: [log.middleware] });
      router.mount("/app", app.router);
      await router.fetch("https://app.example/app/api/notes", {
        headers: { "Sec-Fetch-Site": "cross-site" },
      });
    },
  },
  {
    from: "auth/device_bound/_routes.ts",
    event: `${denied} device-proof`,
    user: "7",
    cause: async (log) => {
      const { device } = boundDevice(log);
      await device.logIn();
      await log.take();
      await device.register({ claims: { jti: "another challenge" } });
    },
  },
  {
    from: "auth/device_bound/device_bound_sessions.ts",
    event: `${denied} device-cookie`,
    user: "7",
    cause: async (log) => {
      const { clock, device, router } = boundDevice(log);
      await device.bind();
      clock.time += LIFETIME + IN_FLIGHT;
      await log.take();
      await withCopy(router, device.jar);
    },
  },
  {
    from: "auth/device_bound/require_bound_session.ts",
    event: `${denied} unbound-session`,
    user: "7",
    cause: async (log) => {
      const { device } = boundDevice(log);
      await device.logIn();
      await log.take();
      await device.get("/bound");
    },
  },
];
