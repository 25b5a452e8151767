import { assertEquals, assertThrows } from "@std/assert";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { API, ORIGIN } from "./_server.ts";
import { OPTIONS, RESOURCE } from "./_options.ts";

Deno.test("resource() throws for a URL that is not one of the resources", () => {
  const server = createAuthorizationServer(OPTIONS);
  assertThrows(
    // @ts-expect-error the URL is not one of the resources
    () => server.resource(`${ORIGIN}/other`),
    TypeError,
    "it is not one of the resources",
  );
  const { requireScope } = server.resource(API);
  requireScope("notes:read");
  // @ts-expect-error the resource does not have the scope
  assertThrows(() => requireScope("notes:write"));
});

Deno.test("resource() accepts an API or a server on the loopback interface", () => {
  const rows = [
    [ORIGIN, "http://localhost:9000/api"],
    ["http://localhost:9000", "https://notes.example/api"],
  ] as const;
  for (const [issuer, url] of rows) {
    const resources = { [url]: RESOURCE };
    createAuthorizationServer({ ...OPTIONS, issuer, resources }).resource(url);
  }
});

Deno.test("resource() describes its tokens for OpenAPI documents", () => {
  const { scheme } = createAuthorizationServer({
    ...OPTIONS,
    issuer: `${ORIGIN}/tenant`,
    paths: { authorize: "/oauth/authorize", token: "/oauth/token" },
  }).resource(API);
  assertEquals(scheme.security, {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: `${ORIGIN}/oauth/authorize`,
        tokenUrl: `${ORIGIN}/oauth/token`,
        refreshUrl: `${ORIGIN}/oauth/token`,
        scopes: RESOURCE.scopes,
      },
    },
  });
});
