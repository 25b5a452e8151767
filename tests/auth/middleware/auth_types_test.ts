import {
  Auth,
  auth,
  type AuthenticatedUser,
  type AuthScheme,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  createSessionAuthScheme,
  requireAuth,
  requirePermission,
  requireRole,
  requireSecondFactor,
  requireUser,
} from "@gatehouse/web/auth-middleware";
import { createContextKey, createRouter } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals } from "@std/assert";
import { compiles } from "../../router/_assert_type.ts";

interface Member {
  readonly id: number;
  readonly name: string;
  readonly plan: "free" | "paid";
}

const ada: Member = { id: 1, name: "Ada", plan: "paid" };

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token): Member | null => token === "t0ken" ? ada : null,
});
const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => key === "k3y" ? { id: "key", role: "api" } : null,
});

/** Fails to compile if two types are different. */
function assertType<Actual, Expected>(
  ..._same: (<T>() => T extends Actual ? 1 : 2) extends
    (<T>() => T extends Expected ? 1 : 2) ? [] : [never]
): void {}

const withToken = {
  headers: { Authorization: "Bearer t0ken" },
};

Deno.test("context.get(Auth) is the scheme's user or null after auth() (spec 2.2)", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get("/plan", (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member | null>();
    // @ts-expect-error -- the user may be null
    const planOf = () => user.plan;
    assertEquals(typeof planOf, "function");
    return new Response(user?.plan ?? "none");
  });

  const response = await router.fetch("https://example.com/plan", withToken);
  assertEquals(await response.text(), "paid");
  const other = await router.fetch("https://example.com/plan");
  assertEquals(await other.text(), "none");
});

Deno.test("context.get(Auth) is the scheme's user after requireAuth() of a route (spec 5.3.4)", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get("/a", { middleware: [requireAuth()] }, (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member>();
    return new Response(user.plan);
  });
  router.get("/b", {
    middleware: [requireRole("admin")],
    handler: (context) => {
      const user = context.get(Auth);
      assertType<typeof user, Member>();
      return new Response(user.plan);
    },
  });
  router.get(
    "/c",
    { middleware: [requirePermission({ admin: ["x"] }, "x")] },
    (context) => new Response(context.get(Auth).plan),
  );

  const response = await router.fetch("https://example.com/a", withToken);
  assertEquals(await response.text(), "paid");
});

Deno.test("context.get(Auth) is the scheme's user after requireAuth() of a controller (spec 5.3.4)", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  const routes = route("account", { plan: "/plan", nested: { name: "/name" } });
  router.map(routes, {
    middleware: [requireAuth()],
    actions: {
      plan: (context) => new Response(context.get(Auth).plan),
      nested: {
        actions: {
          name: (context) => new Response(context.get(Auth).name),
        },
      },
    },
  });

  const url = "https://example.com/account/name";
  assertEquals(await (await router.fetch(url, withToken)).text(), "Ada");
  assertEquals((await router.fetch(url)).status, 401);
});

Deno.test("context.get(Auth) is the user of any of several schemes (spec 5.3.1)", async () => {
  const router = createRouter({
    middleware: [auth({ schemes: [tokens, keys] })],
  });
  router.get("/", { middleware: [requireAuth()] }, (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member | { id: string; role: string }>();
    return Response.json("plan" in user ? user.plan : user.role);
  });

  const response = await router.fetch("https://example.com/", {
    headers: { "X-API-Key": "k3y" },
  });
  assertEquals(await response.json(), "api");
});

Deno.test("auth({ only: true }) of a route narrows the user type of the router's auth()", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get(
    "/",
    { middleware: [auth({ schemes: [keys], only: true }), requireAuth()] },
    (context) => {
      const user = context.get(Auth);
      assertType<typeof user, { id: string; role: string }>();
      return new Response(user.role);
    },
  );

  const response = await router.fetch("https://example.com/", withToken);
  assertEquals(response.status, 401);
});

Deno.test("session() and auth() in one array both add their types (spec 5.3.5)", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    read: (session) => session.userId,
    verify: (id) => {
      assertType<typeof id, string | number>();
      return id === 1 ? ada : null;
    },
  });
  const router = createRouter({
    middleware: [session(), auth({ schemes: [scheme] })],
  });
  router.get("/", { middleware: [requireAuth()] }, (context) => {
    const session = context.get(Session);
    const user = context.get(Auth);
    assertType<typeof session, Session>();
    assertType<typeof user, Member>();
    return new Response(session.id + user.plan);
  });

  const response = await router.fetch("https://example.com/");
  assertEquals(response.status, 401);
});

compiles(
  "context.get(Auth) has the scheme's user if auth() is in the same object literal as a handler",
  () => {
    const routes = route({ home: "/home" });
    const router = createRouter({
      middleware: [auth({ schemes: [tokens] })],
      defaultHandler: (context) => {
        const user = context.get(Auth);
        assertType<typeof user, Member | null>();
        return new Response();
      },
    });
    router.get("/write", {
      middleware: [requirePermission({ admin: ["write"] }, "write")],
      handler: (context) => {
        const user = context.get(Auth);
        assertType<typeof user, Member>();
        return new Response();
      },
    });
    createRouter().map(routes, {
      middleware: [auth({ schemes: [tokens] }), requireAuth()],
      actions: {
        home: (context) => {
          const user = context.get(Auth);
          assertType<typeof user, Member>();
          return new Response();
        },
      },
    });
  },
);

compiles(
  "context.get(Auth) is an AuthenticatedUser or null without auth() in the types",
  () => {
    createRouter().get("/", (context) => {
      const user = context.get(Auth);
      assertType<typeof user, AuthenticatedUser | null>();
      return new Response();
    });
  },
);

compiles(
  "another key with the same value type is not mistaken for Auth",
  () => {
    const Other = createContextKey<AuthenticatedUser | null>(null);
    const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
    router.get("/", { middleware: [requireAuth()] }, (context) => {
      const other = context.get(Other);
      assertType<typeof other, AuthenticatedUser | null>();
      return new Response();
    });
  },
);

Deno.test("an invalid scheme, user, role or permission does not compile", () => {
  const permissions = {
    editor: ["write"],
    admin: ["write", "delete"],
  } as const;
  requirePermission(permissions, "write", "delete");
  // @ts-expect-error -- no role has it
  requirePermission(permissions, "destroy");
  // @ts-expect-error -- a user has an id
  createBearerTokenAuthScheme({ name: "x", verify: () => ({ name: "Ada" }) });
  // @ts-expect-error -- a user is an object or null
  createBearerTokenAuthScheme({ name: "x", verify: () => true });
  // @ts-expect-error -- a scheme has a way to authenticate
  const scheme: AuthScheme<Member> = { name: "x" };
  assertEquals(scheme.name, "x");
});

Deno.test("requireUser() types the user that a guard needs, without a cast", async () => {
  const paid = requireUser((user: Member) => user.plan === "paid");
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get("/plan", [paid], (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member>();
    return new Response(user.plan);
  });
  const other = createRouter({ middleware: [auth({ schemes: [keys] })] });
  other.get("/plan", [paid], (context) => {
    const user = context.get(Auth);
    assertType<typeof user, never>();
    return new Response();
  });
  const both = createRouter({
    middleware: [auth({ schemes: [tokens, keys] })],
  });
  both.get("/plan", [paid], (context) => {
    const user = context.get(Auth);
    // The user of a key has no plan.
    assertType<typeof user, never>();
    return new Response();
  });
  // A router that knows nothing of the schemes trusts the guard.
  createRouter().get("/plan", [paid], (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member>();
    return new Response();
  });

  const response = await router.fetch("https://example.com/plan", withToken);
  assertEquals(await response.text(), "paid");
  const anonymous = await router.fetch("https://example.com/plan");
  assertEquals(anonymous.status, 401);
});

Deno.test("requireSecondFactor({ required }) takes the application's user, without a cast", () => {
  const guard = requireSecondFactor({
    required: (user: Member) => user.plan === "paid",
  });
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  router.get("/", { middleware: [guard] }, (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member>();
    return new Response();
  });
  router.get("/any", [
    requireSecondFactor({ required: ({ role }) => role === "admin" }),
  ], (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member>();
    return new Response();
  });
});

Deno.test("a second auth() adds its users to those of the first", () => {
  const router = createRouter({
    middleware: [auth({ schemes: [tokens] }), auth({ schemes: [keys] })],
  });
  router.get("/", [requireAuth()], (context) => {
    const user = context.get(Auth);
    assertType<typeof user, Member | { id: string; role: string }>();
    return new Response();
  });
});
