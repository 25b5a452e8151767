import { assertEquals } from "@std/assert";
import {
  type ActionObject,
  type BuildAction,
  type ContextEntry,
  type Controller,
  createContextKey,
  createRouter,
  type HandlerContext,
  type Middleware,
  type Present,
  RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  get,
  post,
  resources,
  route,
} from "@gatehouse/web/fetch-router/routes";
import { assertSameType, compiles } from "./_assert_type.ts";

interface User {
  readonly id: number;
}
interface Admin extends User {
  readonly level: number;
}
const CurrentUser = createContextKey<User | null>(null);
const Tenant = createContextKey<string>(undefined, { name: "Tenant" });

const auth: Middleware<
  readonly [ContextEntry<typeof CurrentUser, Admin | null>]
> = (_, next) => next();
const guard: Middleware<readonly [ContextEntry<typeof CurrentUser, Present>]> =
  (_, next) => next();
const tenant: Middleware<readonly [ContextEntry<typeof Tenant, "acme">]> = (
  _,
  next,
) => next();
const ok = () => new Response();

compiles("handlers have the params of their pattern", () => {
  const router = createRouter();
  router.get("/users/:id", ({ params }) => {
    assertSameType<typeof params, { readonly id: string }>();
    // @ts-expect-error: the pattern has no such param
    params.name;
    return ok();
  });
  router.map(get("/a/:b?"), ({ params }) => {
    assertSameType<typeof params.b, string | undefined>();
    return ok();
  });
  router.post(
    "/x/:y",
    { middleware: [] },
    ({ params }) => new Response(params.y),
  );
});

compiles(
  "handlers have the values of router, route and controller middleware",
  () => {
    const router = createRouter({ middleware: [tenant, auth] });
    router.get("/", (context) => {
      const user = context.get(CurrentUser);
      assertSameType<typeof user, Admin | null>();
      const name = context.get(Tenant);
      assertSameType<typeof name, "acme">();
      return ok();
    });
    router.get("/guarded", {
      middleware: [guard],
      handler: (context) => {
        const user = context.get(CurrentUser);
        assertSameType<typeof user, Admin>();
        return ok();
      },
    });
    router.get("/third/:id", { middleware: [guard] }, (context) => {
      assertSameType<
        ReturnType<typeof context.get<typeof CurrentUser>>,
        User | null
      >;
      const user = context.get(CurrentUser);
      assertSameType<typeof user, Admin>();
      assertSameType<typeof context.params, { readonly id: string }>();
      return ok();
    });
    router.route("GET", "/fourth/:id", { middleware: [guard] }, (context) => {
      const user = context.get(CurrentUser);
      assertSameType<typeof user, Admin>();
      assertSameType<typeof context.params, { readonly id: string }>();
      return ok();
    });
    router.map(get("/fifth/:id"), {
      middleware: [guard],
      handler: (context) => {
        const user = context.get(CurrentUser);
        assertSameType<typeof user, Admin>();
        assertSameType<typeof context.params, { readonly id: string }>();
        return ok();
      },
    });
    const routes = route({ a: "/a/:id", nested: { b: post("/b") } });
    router.map(routes, {
      middleware: [guard],
      actions: {
        a: (context) => {
          const user = context.get(CurrentUser);
          assertSameType<typeof user, Admin>();
          assertSameType<typeof context.params, { readonly id: string }>();
          return ok();
        },
        nested: {
          actions: {
            b: (context) => {
              const user = context.get(CurrentUser);
              assertSameType<typeof user, Admin>();
              return ok();
            },
          },
        },
      },
    });
  },
);

compiles(
  "middleware of an action in a controller provides values to its handler",
  () => {
    const router = createRouter({ middleware: [auth] });
    const routes = route({ a: "/a/:id", nested: { b: post("/b/:x") } });
    router.map(routes, {
      actions: {
        a: {
          middleware: [guard],
          handler: (context) => {
            const user = context.get(CurrentUser);
            assertSameType<typeof user, Admin>();
            assertSameType<typeof context.params, { readonly id: string }>();
            return ok();
          },
        },
        nested: {
          middleware: [guard],
          actions: {
            b: (context) => {
              const user = context.get(CurrentUser);
              assertSameType<typeof user, Admin>();
              assertSameType<typeof context.params, { readonly x: string }>();
              return ok();
            },
          },
        },
      },
    });
  },
);

compiles("a handler that needs a missing value does not compile", () => {
  const needsAdmin = (
    context: HandlerContext<
      Record<string, string>,
      readonly [ContextEntry<typeof CurrentUser, Admin>]
    >,
  ) => new Response(String(context.get(CurrentUser).level));
  return () => {
    const nullable = createRouter({ middleware: [auth] });
    // @ts-expect-error: no middleware provides the user
    createRouter().get("/", needsAdmin);
    // @ts-expect-error: the user may be null
    nullable.get("/", needsAdmin);
    // @ts-expect-error: the user may be null
    nullable.route("GET", "/", { handler: needsAdmin });
    // @ts-expect-error: the user may be null
    nullable.get("/", { middleware: [auth] }, needsAdmin);
    // @ts-expect-error: the user may be null
    nullable.map("/", needsAdmin);
    // @ts-expect-error: the user may be null
    nullable.map(get("/"), { handler: needsAdmin });
    const routes = route({ a: "/a", nested: { b: "/b" } });
    const nested = { actions: { b: ok } };
    // @ts-expect-error: the user may be null
    nullable.map(routes, { actions: { a: needsAdmin, nested } });
    nullable.map(routes, {
      middleware: [guard],
      actions: { a: needsAdmin, nested: { actions: { b: needsAdmin } } },
    });
    nullable.map(routes, {
      actions: {
        a: ok,
        // @ts-expect-error: the user may be null
        nested: { actions: { b: needsAdmin } },
      },
    });
    nullable.get("/", { middleware: [guard] }, needsAdmin);
    createRouter({ middleware: [auth, guard] }).get("/", needsAdmin);
  };
});

Deno.test("handlers and middleware without requirements are accepted everywhere", async () => {
  const plain = (context: RequestContext) => new Response(context.params.id);
  const list: Middleware[] = [auth, guard, (_, next) => next()];
  const router = createRouter({ middleware: list });
  router.get("/users/:id", plain);
  router.get("/", { middleware: list }, plain);
  createRouter({ middleware: [(context, next) => (context.url, next())] });
  router.get("/inline", {
    middleware: [(context, next) => (context.url, next())],
  }, ok);
  assertEquals(await bodyOf(router, "/users/7"), "7");
  assertEquals(await bodyOf(router, "/"), "");
});

compiles("controllers must have exactly the actions of their map", () => {
  const routes = route({ a: "/a", b: "/b/:id" });
  const map = createRouter().map;
  return () => {
    // @ts-expect-error: action b is missing
    map(routes, { actions: { a: ok } });
    // @ts-expect-error: there is no route c
    map(routes, { actions: { a: ok, b: ok, c: ok } });
    map(routes, {
      actions: {
        a: ok,
        // @ts-expect-error: the route has no param "name"
        b: ({ params }) => new Response(params.name),
      },
    });
    // @ts-expect-error: not a response
    map(routes, { actions: { a: ok, b: () => "text" } });
    // @ts-expect-error: not a method
    createRouter().route("fetch", "/", ok);
  };
});

Deno.test("BuildAction and Controller type actions in other files (spec A.5, A.6)", async () => {
  const routes = route({
    users: resources("users", {
      only: ["show", "index"],
      names: { index: "list" },
    }),
  });
  const show: BuildAction<"GET", typeof routes.users.show> = ({ params }) =>
    new Response(params.id);
  const text: BuildAction<"GET", "/x/:y"> = {
    handler: ({ params }) => new Response(params.y),
  };
  const guarded: ActionObject<
    { readonly id: string },
    readonly [],
    readonly [typeof auth, typeof guard]
  > = {
    middleware: [auth, guard],
    handler: (context) => new Response(String(context.get(CurrentUser).level)),
  };
  createRouter().get("/:id", guarded);
  const users: Controller<typeof routes.users> = {
    actions: { show, list: ok },
  };
  const router = createRouter({ middleware: [auth] });
  router.map(routes, { actions: { users } });
  router.get("/x/:y", text);
  type Entries = readonly [ContextEntry<typeof CurrentUser, Admin>];
  const admin: BuildAction<"GET", "/admin", Entries> = (context) =>
    new Response(String(context.get(CurrentUser).level));
  createRouter({ middleware: [auth, guard] }).get("/admin", admin);
  assertEquals(await bodyOf(router, "/users/7"), "7");
  assertEquals(await bodyOf(router, "/x/8"), "8");
});

async function bodyOf(router: Router, path: string): Promise<string> {
  return await (await router.fetch(`https://example.com${path}`)).text();
}

Deno.test("context.router is a Router with any middleware (spec 2.7)", async () => {
  const router = createRouter({ middleware: [auth, tenant] });
  router.get("/a", (context) => {
    assertSameType<typeof context.router, Router>();
    return new Response(String(context.router.routes.length));
  });
  const request = new Request("https://example.com/");
  const context = new RequestContext(request, { router });
  const response = await context.router.fetch("https://example.com/a");
  assertEquals(await response.text(), "1");
});

/** Typed as a condition whose value the compiler does not know. */
const isTracing: boolean = [true].length > 0;
const trace: Middleware = (_, next) => next();
const ownTrace: Middleware<readonly []> = (_, next) => next();

compiles("middleware with a condition keeps the user of the others", () => {
  const routers = [
    createRouter({ middleware: [isTracing && trace, auth, guard] }),
    createRouter({ middleware: [auth, isTracing && trace, guard] }),
    createRouter({ middleware: [auth, guard, isTracing ? trace : undefined] }),
    createRouter({ middleware: [false, auth, undefined, guard] }),
  ] as const;
  for (const router of routers) {
    router.get("/", (context) => {
      const user = context.get(CurrentUser);
      assertSameType<typeof user, Admin>();
      return ok();
    });
  }
  const spread = createRouter({
    middleware: [auth, ...(isTracing ? [trace] : []), guard],
  });
  spread.get("/", (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    return ok();
  });
  const first = createRouter({
    middleware: [...(isTracing ? [ownTrace] : []), auth, guard],
  });
  first.get("/", (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    return ok();
  });
});

compiles("a guard with a condition guarantees nothing", () => {
  const router = createRouter({ middleware: [auth, isTracing && guard] });
  router.get("/", (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin | null>();
    return ok();
  });
});

compiles("an array of guards stands before a handler without an object", () => {
  const router = createRouter({ middleware: [auth] });
  router.get("/", [guard, tenant], (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    const name = context.get(Tenant);
    assertSameType<typeof name, "acme">();
    return ok();
  });
  router.post("/:id", [isTracing && trace, guard], (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    assertSameType<typeof context.params, { readonly id: string }>();
    return ok();
  });
  router.route("PUT", "/", [guard], (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    return ok();
  });
  router.map(get("/other"), [guard], (context) => {
    const user = context.get(CurrentUser);
    assertSameType<typeof user, Admin>();
    return ok();
  });
  // @ts-expect-error: a string is not a middleware
  router.get("/x", ["guard"], () => ok());
});

compiles("a route with conditional middleware in an action", () => {
  const router = createRouter({ middleware: [auth] });
  router.get("/", {
    middleware: [isTracing && trace, guard],
    handler: (context) => {
      const user = context.get(CurrentUser);
      assertSameType<typeof user, Admin>();
      return ok();
    },
  });
  router.map(route({ home: get("/") }), {
    middleware: [isTracing && trace, guard],
    actions: {
      home: (context) => {
        const user = context.get(CurrentUser);
        assertSameType<typeof user, Admin>();
        return ok();
      },
    },
  });
});
