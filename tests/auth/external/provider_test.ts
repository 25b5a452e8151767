import {
  createOIDCAuthProvider,
  type ExternalAuthProvider,
  finishExternalAuth,
} from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { createTestSession } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { right } from "./_right_options.ts";

Deno.test("a provider does not expose its secrets", () => {
  const provider = createOIDCAuthProvider(right);
  assertEquals(Object.keys(provider), [
    "name",
    "clientId",
    "redirectUri",
    "scopes",
    "canReauthenticate",
  ]);
  assertEquals(JSON.stringify(provider).includes("s3cret"), false);
});

Deno.test("finishExternalAuth() throws a TypeError for an object that is not a provider", async () => {
  const context = new RequestContext(new Request("https://app.example/"));
  context.set(Session, createTestSession());
  const fake: ExternalAuthProvider<string> = {
    name: "x",
    clientId: "x",
    redirectUri: "https://app.example/",
    scopes: [],
    canReauthenticate: false,
  };
  let error: unknown;
  try {
    await finishExternalAuth(fake, context);
  } catch (thrown) {
    error = thrown;
  }
  assertEquals(error instanceof TypeError, true);
});
