import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { registrationEndpoint } from "@gatehouse/web/oauth-server";
import { METADATA } from "./_registrations.ts";
import {
  authorizePath,
  browserOf,
  ORIGIN,
  readConsent,
  sendConsent,
  type ServerSettings,
  startServer,
} from "../_server.ts";

/** Registers a client at a server. */
async function register(settings: ServerSettings, path = "/oauth/register") {
  const app = startServer(settings);
  const response = await app.router.fetch(
    new Request(ORIGIN + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(METADATA),
    }),
  );
  return { app, response };
}

Deno.test("registrationEndpoint() lets clients register, and users approve them", async () => {
  const { app, response } = await register({
    registration: registrationEndpoint(),
  });
  assertEquals(response.status, 201);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  const { client_id } = await response.json();
  const browser = await browserOf(app);
  const path = authorizePath({
    client_id,
    redirect_uri: METADATA.redirect_uris[1]!,
  });
  const form = await readConsent(await browser.fetch(path));
  assertStringIncludes(form.html, "has chosen the name Editor itself");

  // Without the approval, the client would be gone.
  assertEquals((await sendConsent(browser, form)).status, 200);
  app.clock.now += 300 * 86_400_000;
  const later = await browserOf(app);
  assertEquals((await later.fetch(path)).status, 200);
  app.clock.now += 65 * 86_400_000;
  const last = await browserOf(app);
  assertEquals((await last.fetch(path)).status, 400);
});

Deno.test("the registration endpoint is in the metadata, at its path", async () => {
  const registration = registrationEndpoint();
  const { app } = await register({ registration });
  const url = `${ORIGIN}/oauth/register`;
  assertEquals(app.server.metadata.registration_endpoint, url);
  const paths = { register: "/dcr" };
  const { app: other, response } = await register(
    { paths, registration },
    "/dcr",
  );
  assertEquals(response.status, 201);
  assertEquals(other.server.metadata.registration_endpoint, `${ORIGIN}/dcr`);
});

Deno.test("without the option, no client can register", async () => {
  const { app, response } = await register({});
  assertEquals(response.status, 404);
  assertEquals("registration_endpoint" in app.server.metadata, false);
});

Deno.test("a registration that is not the result of registrationEndpoint() throws", () => {
  for (const registration of [{}, { parts: {} }, { perAddress: 1 }]) {
    assertThrows(
      () => startServer({ registration } as ServerSettings),
      TypeError,
      "registration is not the result of its function",
    );
  }
});
