import {
  Auth,
  auth,
  type AuthenticatedUser,
  type AuthScheme,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals, assertRejects } from "@std/assert";

/** Returns the response of a router with a session scheme after a login as 1. */
async function responseInSession(
  scheme: AuthScheme<AuthenticatedUser>,
): Promise<unknown> {
  const router = createRouter({
    middleware: [session(), auth({ schemes: [scheme] })],
  });
  router.post("/login", (context) => {
    context.get(Session).set("userId", 1);
    context.get(Session).set("member", "m1");
    return new Response();
  });
  router.get("/", (context) => Response.json(context.get(Auth)));
  const login = await router.fetch("https://example.com/login", {
    method: "POST",
  });
  const cookie = login.headers.getSetCookie()[0].split(";")[0];
  const headers = { cookie };
  return (await router.fetch("https://example.com/", { headers })).json();
}

Deno.test("createSessionAuthScheme() verifies session.userId by default (spec 2.3, 5.3)", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id) => ({ id, name: "Ada" }),
  });
  assertEquals(await responseInSession(scheme), { id: 1, name: "Ada" });
});

Deno.test("createSessionAuthScheme() verifies the result of read (spec 5.3)", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    read: (session) => session.get("member"),
    verify: (id) => ({ id: String(id) }),
  });
  assertEquals(await responseInSession(scheme), { id: "m1" });
});

for (const nothing of [null, undefined]) {
  Deno.test(`createSessionAuthScheme() does not call verify if read returns ${nothing} (spec 5.3)`, async () => {
    const scheme = createSessionAuthScheme({
      name: "session",
      read: (): string | null | undefined => nothing,
      verify: (id) => ({ id }),
    });
    assertEquals(await responseInSession(scheme), null);
  });
}

Deno.test("createSessionAuthScheme() returns null for a deleted user (spec 5.3)", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: () => null,
  });
  assertEquals(await responseInSession(scheme), null);
});

Deno.test("createSessionAuthScheme() names the missing middleware and the order (spec 5.3.5)", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: () => null,
  });
  const request = new Request("https://example.com/");
  await assertRejects(
    async () => await scheme.authenticate(new RequestContext(request)),
    TypeError,
    "put the session middleware in front (logger, formData, session, auth)",
  );
});
