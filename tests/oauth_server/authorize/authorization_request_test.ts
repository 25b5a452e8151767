import { assert, assertEquals } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import {
  API,
  authorizePath,
  browserOf,
  CALLBACK,
  ORIGIN,
  readConsent,
  startServer,
  targetOf,
} from "../_server.ts";

/** Requests whose error goes to the client. */
const ERRORS: readonly (readonly [
  Record<string, string | undefined>,
  string,
])[] = [
  [{ response_type: undefined }, "invalid_request"],
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_type: "code id_token" }, "unsupported_response_type"],
  [{ response_mode: "fragment" }, "invalid_request"],
  [{ response_mode: "form_post" }, "invalid_request"],
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge: "short" }, "invalid_request"],
  [{ code_challenge: `${"a".repeat(42)}+` }, "invalid_request"],
  [{ code_challenge_method: undefined }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge_method: "s256" }, "invalid_request"],
  [{ scope: "unknown" }, "invalid_scope"],
  [{ scope: "notes:read unknown" }, "invalid_scope"],
  [{ scope: "files:read" }, "invalid_scope"],
  [{ scope: "NOTES:READ" }, "invalid_scope"],
  [{ client_id: "other", scope: "notes:write" }, "invalid_scope"],
  [{ resource: "https://evil.example/" }, "invalid_target"],
  [{ resource: `${API}/` }, "invalid_target"],
  [{ resource: ORIGIN }, "invalid_target"],
  [{ prompt: "none" }, "consent_required"],
  [{ prompt: "none login" }, "invalid_request"],
  [{ prompt: "unknown" }, "invalid_request"],
  [{ max_age: "-1" }, "invalid_request"],
  [{ max_age: "1e3" }, "invalid_request"],
  [{ max_age: "99999999999" }, "invalid_request"],
  [{ request: "eyJ" }, "request_not_supported"],
  [{ request_uri: "https://evil.example" }, "request_uri_not_supported"],
];

Deno.test("GET /authorize redirects other errors, such as a missing challenge (RFC 9207, ASVS 10.4.6)", async () => {
  const browser = await browserOf(startServer());
  for (const [params, error] of ERRORS) {
    const response = await browser.fetch(authorizePath(params));
    const name = JSON.stringify(params);
    assertEquals(response.status, 302, name);
    const { origin, pathname, searchParams } = targetOf(response);
    assertEquals(origin + pathname, CALLBACK);
    assertEquals(searchParams.get("error"), error, name);
    assertEquals(searchParams.get("state"), "s1");
    assertEquals(searchParams.get("iss"), ORIGIN);
    assertEquals(searchParams.get("code"), null);
  }
  for (const name of ["state", "scope", "code_challenge", "prompt", "other"]) {
    const path = `${authorizePath()}&${name}=a&${name}=b`;
    const { searchParams } = targetOf(await browser.fetch(path));
    assertEquals(searchParams.get("error"), "invalid_request", name);
  }
  const path = `${authorizePath({ resource: API })}&resource=b`;
  const { searchParams } = targetOf(await browser.fetch(path));
  assertEquals(searchParams.get("error"), "invalid_target");
});

Deno.test("GET /authorize returns the state of a request, and none that it does not have", async () => {
  const browser = await browserOf(startServer());
  const rows = [["s1", "s1"], ["", null], [undefined, null]] as const;
  for (const [state, expected] of rows) {
    const path = authorizePath({ state, scope: "unknown" });
    const { searchParams } = targetOf(await browser.fetch(path));
    assertEquals(searchParams.get("state"), expected);
  }
});

Deno.test("GET /authorize accepts several prompts but none with another (OpenID Connect Core 1.0, section 3.1.2.1)", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const page = await browser
    .fetch(authorizePath({ prompt: "consent select_account" }));
  assertEquals(page.status, 200);
  await page.body?.cancel();
  for (const prompt of ["none consent", "select_account none"]) {
    const path = authorizePath({ prompt });
    const { searchParams } = targetOf(await browser.fetch(path));
    assertEquals(searchParams.get("error"), "invalid_request");
  }
});

Deno.test("GET /authorize gives no code to a client that only uses devices", async () => {
  const client = { id: "web", name: "TV", redirectUris: [CALLBACK] };
  const app = startServer({ clients: [{ ...client, grants: ["device"] }] });
  const response = await (await browserOf(app)).fetch(authorizePath());
  const { searchParams } = targetOf(response);
  assertEquals(searchParams.get("error"), "unauthorized_client");
  assertEquals(searchParams.get("code"), null);
});

Deno.test("GET /authorize has defaults for scope and resource, and leaves out scopes of others (ASVS 10.4.11)", async () => {
  const browser = await browserOf(startServer());
  const cases = [
    [{}, ["notes:read", "notes:write"]],
    [{ scope: "offline_access" }, ["notes:read", "notes:write"]],
    [{ scope: "offline_access notes:read" }, ["notes:read"]],
    [{ scope: "notes:read files:read" }, ["notes:read"]],
    [{ resource: `${ORIGIN}/files` }, ["files:read"]],
    [{ client_id: "other" }, ["notes:read"]],
    [{ client_id: "cli", redirect_uri: "http://127.0.0.1:5123/callback" }, [
      "notes:read",
      "notes:write",
    ]],
    [{ redirect_uri: undefined }, ["notes:read", "notes:write"]],
  ] as const;
  for (const [params, scopes] of cases) {
    const page = await browser.fetch(authorizePath(params));
    assertEquals((await readConsent(page)).scopes, scopes);
  }
});

Deno.test("GET /authorize refuses a URL that a login page would lose", async () => {
  const { router } = startServer();
  const anonymous = createTestClient(router, { origin: ORIGIN });
  // The parameter that asks for a login once is a part of the path.
  const { length } = `${authorizePath({ state: "" })}&login_after=1800000000`;
  const fits = authorizePath({ state: "s".repeat(2_000 - length) });
  const response = await anonymous.fetch(fits);
  assertEquals(response.status, 303);
  const location = new URL(response.headers.get("Location")!, ORIGIN);
  assert(location.searchParams.get("returnTo")!.length <= 2_000);
  const long = authorizePath({ state: "s".repeat(2_001 - length) });
  assertEquals((await anonymous.fetch(long)).status, 414);
});
