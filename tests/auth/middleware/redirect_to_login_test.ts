import { redirectToLogin, requireAuth } from "@gatehouse/web/auth-middleware";
import { createRouter, safeRedirectPath } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

const targets: [url: string, returnTo: string][] = [
  ["https://example.com/", "/"],
  ["https://example.com/a/b?c=d&e=f", "/a/b?c=d&e=f"],
  ["https://example.com/a%20b?c=%26", "/a%20b?c=%26"],
  ["https://example.com/?returnTo=//evil.example", "/?returnTo=//evil.example"],
  ["https://example.com//evil.example/", "/"],
  ["https://example.com/.//evil.example/", "/"],
  ["https://example.com/\\evil.example", "/"],
  [`https://example.com/${"a".repeat(3000)}`, "/"],
];

for (const [url, returnTo] of targets) {
  Deno.test(`redirectToLogin() returns from ${url.slice(0, 60)} to ${returnTo} (spec 5.3.3)`, () => {
    const response = redirectToLogin("/login")(new Request(url));
    const location = response.headers.get("Location") ?? "";
    assertEquals(response.status, 302);
    assertEquals(location, `/login?returnTo=${encodeURIComponent(returnTo)}`);

    const read = new URL(location, url).searchParams.get("returnTo");
    assertEquals(safeRedirectPath(read, "refused"), returnTo);
  });
}

Deno.test("redirectToLogin() omits the path of a form post, which has no page to return to", () => {
  const request = new Request("https://example.com/notes/7", {
    method: "DELETE",
  });
  const response = redirectToLogin("/login")(request);
  assertEquals(response.headers.get("Location"), "/login");
});

Deno.test("redirectToLogin() adds to the query of the login page", () => {
  const response = redirectToLogin("/login?lang=de")(
    new Request("https://example.com/a"),
  );
  const location = response.headers.get("Location");
  assertEquals(location, "/login?lang=de&returnTo=%2Fa");
});

Deno.test("redirectToLogin() redirects to a page whose path is not ASCII", () => {
  for (
    const [path, sent] of [["/登录", "/%E7%99%BB%E5%BD%95"], ["/é", "/%C3%A9"]]
  ) {
    const toLogin = redirectToLogin(path!);
    const post = toLogin(
      new Request("https://example.com/", { method: "POST" }),
    );
    assertEquals(post.headers.get("Location"), sent);
    const get = toLogin(new Request("https://example.com/a"));
    assertEquals(get.headers.get("Location"), `${sent}?returnTo=%2Fa`);
  }
});

Deno.test("redirectToLogin() works in requireAuth() with an uncacheable response (spec 5.3.3)", async () => {
  const router = createRouter();
  const middleware = [
    requireAuth({ onUnauthenticated: redirectToLogin("/login") }),
  ];
  router.get("/account", { middleware }, () => new Response("secret"));
  const response = await router.fetch("https://example.com/account?tab=1");
  assertEquals(response.status, 302);
  assertEquals(
    response.headers.get("Location"),
    "/login?returnTo=%2Faccount%3Ftab%3D1",
  );
  assertEquals(response.headers.get("Cache-Control"), "no-store");
});

for (
  const path of ["", "login", "//evil.example", "https://x.example/", "/a#b"]
) {
  Deno.test(`redirectToLogin() throws for "${path}"`, () => {
    assertThrows(() => redirectToLogin(path), TypeError, "on this origin");
  });
}
