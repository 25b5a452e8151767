import { createRouter, type Params } from "@gatehouse/web/fetch-router";
import {
  form,
  get,
  resource,
  resources,
  Route,
  route,
} from "@gatehouse/web/fetch-router/routes";
import { assertEquals } from "@std/assert";
import { assertSameType, compiles } from "../_assert_type.ts";

compiles("params have types from the pattern for the whole grammar", () => {
  assertSameType<Params<"/">, Record<never, never>>();
  assertSameType<Params<"/users/:id">, { readonly id: string }>();
  assertSameType<
    Params<"/:year-:month/@:user.:ext">,
    {
      readonly year: string;
      readonly month: string;
      readonly user: string;
      readonly ext: string;
    }
  >();
  assertSameType<Params<"/a/:b?">, { readonly b?: string }>();
  assertSameType<Params<"/a/:b+">, { readonly b: string }>();
  assertSameType<Params<"/a/:b*">, { readonly b?: string }>();
  assertSameType<Params<"/files/*">, { readonly "0": string }>();
  assertSameType<
    Params<"/files/*/x/*">,
    { readonly "0": string; readonly "1": string }
  >();
  assertSameType<Params<"/:id(\\d+)">, { readonly id: string }>();
  assertSameType<
    Params<"/:id((a|b):c)/:d">,
    { readonly id: string; readonly d: string }
  >();
  assertSameType<Params<"/(a|b)">, { readonly "0": string }>();
  assertSameType<Params<"/a{/:b}?">, { readonly b?: string }>();
  assertSameType<
    Params<"/a{/:b}/:c">,
    { readonly b: string; readonly c: string }
  >();
  assertSameType<Params<"/a\\:b/:c">, { readonly c: string }>();
  assertSameType<
    Params<"https://:tenant.example.com:8080/:id">,
    { readonly tenant: string; readonly id: string }
  >();
  assertSameType<Params<"/:naïve">, { readonly naïve: string }>();
  assertSameType<
    Params<"/:名/:a_$1">,
    { readonly 名: string; readonly a_$1: string }
  >();
  assertSameType<
    Params<"/:名/*">,
    { readonly 名: string; readonly "0": string }
  >();
  assertSameType<
    Params<"/:a?/:b+">,
    { readonly a?: string; readonly b: string }
  >();
  assertSameType<
    Params<"https://*.example.com/*/:id?/x?q=*">,
    { readonly "0": string; readonly id?: string }
  >();
  assertSameType<
    Params<"/:a" | "/:b?">,
    { readonly a: string } | { readonly b?: string }
  >();
  assertSameType<
    Params<`/:${string}`>,
    Readonly<Record<string, string>>
  >();
  assertSameType<
    Params<"/:a.:b/x:c/12:30">,
    { readonly a: string; readonly b: string; readonly c: string }
  >();
  assertSameType<
    Params<"http*://*:*/:c/x#*">,
    { readonly "0": string; readonly c: string }
  >();
  assertSameType<Params<"*://*:8080/:c">, { readonly c: string }>();
  assertSameType<Params<"https://x.test">, { readonly "0": string }>();
  assertSameType<
    Params<"https://:a.x.test">,
    { readonly a: string; readonly "0": string }
  >();
  assertSameType<Params<"https://*:8080">, { readonly "0": string }>();
  assertSameType<Params<"https://:a.x.test/">, { readonly a: string }>();
  assertSameType<Params<"https://x.test#a">, Record<never, never>>();
  assertSameType<Params<string>, Record<string, string>>();
});

Deno.test("resources() has the type of the routes in its options", () => {
  const routes = route({
    users: resources("users", {
      exclude: ["new", "edit", "destroy"],
      param: "name",
      names: { index: "list" },
    }),
    account: resource("account", { only: ["show"] }),
  });
  assertSameType<
    keyof typeof routes.users,
    "list" | "create" | "show" | "update"
  >();
  assertSameType<keyof typeof routes.account, "show">();
  assertSameType<typeof routes.users.update.method, "PUT">();
  assertEquals(routes.users.show.href({ name: "ada" }), "/users/ada");
  compiles("resources() without other routes and params", () => {
    // @ts-expect-error: the param is called otherwise
    routes.users.show.href({ id: 7 });
    // @ts-expect-error: there is no such route to leave out
    resource("account", { exclude: ["index"] });
  });
});

Deno.test("a route map has no typed params if the pattern is not a literal type", () => {
  const text: string = "/users/:id";
  const init = { hostname: ":tenant.example.com", pathname: "/:page" };
  const routes = route({
    text,
    init: get(init),
    spelled: { method: "GET", pattern: init },
    nested: route("api", { text, tenant: new Route("GET", init) }),
  });
  for (
    const target of [routes.text, routes.nested.text, routes.nested.tenant]
  ) assertSameType<typeof target, Route<"GET", string>>();
  assertSameType<typeof routes.spelled, Route<"GET", string>>();
  assertEquals(routes.nested.text.href({ id: 7 }), "/api/users/7");
  assertEquals(
    routes.init.href({ tenant: "acme", page: "a" }, { q: "x" }),
    "https://acme.example.com/a?q=x",
  );
  createRouter().get(routes.init, ({ params }) => new Response(params.page));
});

Deno.test("the root of an origin is a path, not a wildcard", () => {
  const origin = "https://:tenant.example.com";
  for (
    const routes of [
      route(origin, { home: "/" }),
      route(`${origin}/`, { home: "" }),
      route(origin, { home: route("", { home: "/" }).home }),
    ]
  ) {
    assertSameType<
      typeof routes.home,
      Route<"GET", "https://:tenant.example.com/">
    >();
    assertEquals(
      routes.home.href({ tenant: "acme" }),
      "https://acme.example.com/",
    );
  }
  const { user } = route(origin, { user: "users/:id" });
  assertSameType<
    typeof user,
    Route<"GET", "https://:tenant.example.com/users/:id">
  >();
});

compiles("href() requires the params of the pattern", () => {
  const routes = route("blog", {
    index: "/",
    show: "/:slug",
    page: "/page/:n?",
    login: form("login"),
  });
  assertSameType<typeof routes.login.action.method, "POST">();
  return () => {
    routes.index.href();
    routes.show.href({ slug: "a" });
    routes.page.href();
    routes.page.href({ n: 2 }, { q: "x" });
    routes.login.action.href();
    // @ts-expect-error: the pattern has no params
    routes.index.href({ slug: "a" });
    // @ts-expect-error: slug is missing
    routes.show.href();
    // @ts-expect-error: slug is missing
    routes.show.href({});
    // @ts-expect-error: there is no such param
    routes.show.href({ slug: "a", other: "b" });
  };
});
