import {
  createContextKey,
  createRouter,
  MissingContextValueError,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";

const WithDefault = createContextKey("public");

const Without = createContextKey<string>(undefined, { name: "Tenant" });

Deno.test("RequestContext.get() returns the default until a value is set (spec A.4)", () => {
  const context = newContext();
  assertEquals(context.get(WithDefault), "public");
  assertEquals(context.has(WithDefault), false);

  context.set(WithDefault, "acme");
  assertEquals(context.get(WithDefault), "acme");
  assertEquals(context.has(WithDefault), true);
});

Deno.test("RequestContext.get() throws for a key without a value and a default (spec 7)", () => {
  const error = assertThrows(
    () => newContext().get(Without),
    MissingContextValueError,
    'Cannot read context key "Tenant"',
  );
  assertEquals(error.code, "missing_context_value");
  assertEquals(error.key, "Tenant");
});

Deno.test("RequestContext.get() returns null, false and undefined if set or default", () => {
  const Nullable = createContextKey<string | null>(null);
  const Flag = createContextKey<boolean>(false);
  const context = newContext();
  assertEquals(context.get(Nullable), null);
  assertEquals(context.get(Flag), false);
  const Maybe = createContextKey<string | undefined>();
  context.set(Maybe, undefined);
  assertEquals(context.get(Maybe), undefined);
  assertEquals(context.has(Maybe), true);
});

Deno.test("RequestContext.get() accepts a class as key and names it in the error", () => {
  const context = newContext();
  assertThrows(
    () => context.get(FormData),
    MissingContextValueError,
    "FormData",
  );
  const form = new FormData();
  context.set(FormData, form);
  assertStrictEquals(context.get(FormData), form);
});

Deno.test("RequestContext has request, url, params, method, headers and router (spec 2.7)", async () => {
  const router = createRouter();
  const request = new Request("https://example.com/users/7?tab=keys", {
    headers: { "X-Test": "1" },
  });
  router.get("/users/:id", (context) => {
    assertStrictEquals(context.request, request);
    assert(context.url instanceof URL);
    assertEquals(context.url.search, "?tab=keys");
    assertEquals(context.params.id, "7");
    assertEquals(context.method, "GET");
    assertEquals(context.headers.get("x-test"), "1");
    assertStrictEquals(context.router.fetch, router.fetch);
    return new Response("checked");
  });
  assertEquals(await (await router.fetch(request)).text(), "checked");
});

Deno.test("RequestContext.headers is a copy (spec 2.7)", () => {
  const context = newContext();
  context.headers.set("X-Added", "1");
  assertEquals(context.request.headers.get("X-Added"), null);
  assertEquals(context.headers.get("X-Added"), "1");
});

Deno.test("RequestContext.router throws if the context was created without one", () => {
  assertThrows(
    () => newContext().router,
    TypeError,
    "Cannot read context.router",
  );
});

function newContext(): RequestContext {
  return new RequestContext(new Request("https://example.com/"));
}
