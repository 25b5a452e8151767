import { assertEquals, assertThrows } from "@std/assert";
import { createDPoPVerifier } from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createAuthorizationServer,
  dpopTokens,
} from "@gatehouse/web/oauth-server";
import { API, ORIGIN } from "./_server.ts";
import { memory, OPTIONS, RESOURCE } from "./_options.ts";

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

Deno.test("resource() has the proofs of the server, unless an option changes them (RFC 9728, section 2)", async () => {
  const dpop = createDPoPVerifier({ store: memory, algorithms: ["ES384"] });
  const server = createAuthorizationServer({
    ...OPTIONS,
    dpop: dpopTokens({ required: true, algorithms: ["ES256"] }),
  });
  const rows = [
    [{}, ["ES256"], true],
    [{ dpop }, ["ES384"], true],
    [{ requireDPoP: false }, ["ES256"], undefined],
  ] as const;
  for (const [options, algorithms, isRequired] of rows) {
    const { metadata } = server.resource(API, options);
    const router = createRouter({ middleware: [metadata] });
    const path = "/.well-known/oauth-protected-resource/api";
    const body = await (await router.fetch(ORIGIN + path)).json();
    assertEquals(body.dpop_signing_alg_values_supported, algorithms);
    assertEquals(body.dpop_bound_access_tokens_required, isRequired);
  }
});
