import { assertEquals } from "@std/assert";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { createRouter } from "@gatehouse/web/fetch-router";
import { ORIGIN } from "./_server.ts";
import { OPTIONS } from "./_options.ts";

Deno.test("the metadata names clients with documents only if the server has them", () => {
  const name = "client_id_metadata_document_supported";
  const without = createAuthorizationServer(OPTIONS).metadata;
  assertEquals(name in without, false);
  const cimd = { fetch: () => Promise.reject(new TypeError("unused")) };
  const { metadata } = createAuthorizationServer({ ...OPTIONS, cimd });
  assertEquals(metadata[name], true);
});

Deno.test("an issuer with a path has its metadata where RFC 8414 puts it, and paths can change", async () => {
  const server = createAuthorizationServer({
    ...OPTIONS,
    issuer: `${ORIGIN}/tenant`,
    paths: { authorize: "/oauth/authorize", token: "/oauth/token" },
  });
  const router = createRouter({ middleware: [server.endpoints] });
  const well = `${ORIGIN}/.well-known`;
  const response = await router
    .fetch(`${well}/oauth-authorization-server/tenant`);
  const { authorization_endpoint, issuer, token_endpoint } = await response
    .json();
  assertEquals([issuer, authorization_endpoint, token_endpoint], [
    `${ORIGIN}/tenant`,
    `${ORIGIN}/oauth/authorize`,
    `${ORIGIN}/oauth/token`,
  ]);
  assertEquals(server.routes.authorize.href(), "/oauth/authorize");
  for (
    const url of [
      `${well}/openid-configuration/tenant`,
      `${ORIGIN}/tenant/.well-known/openid-configuration`,
    ]
  ) {
    const { headers, status } = await router.fetch(url);
    assertEquals([status, headers.get("Content-Type")], [
      404,
      "application/json",
    ]);
  }
  const post = await router.fetch(`${well}/oauth-authorization-server/tenant`, {
    method: "POST",
  });
  assertEquals([post.status, post.headers.get("Allow")], [
    405,
    "GET, HEAD, OPTIONS",
  ]);
});
