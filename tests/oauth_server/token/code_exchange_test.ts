import { assertEquals } from "@std/assert";
import { base64url } from "jose";
import {
  API,
  browserOf,
  callAPI,
  exchange,
  getCode,
  ORIGIN,
  refresh,
  startServer,
  type TokenBody,
} from "../_server.ts";

/** Requests with a good code, and the error. */
const EXCHANGES: readonly (readonly [Record<string, string>, string])[] = [
  [{ client_id: "other" }, "invalid_grant"],
  [{ client_id: "unknown" }, "invalid_grant"],
  [{ client_id: "" }, "invalid_client"],
  [{ client_secret: "secret" }, "invalid_client"],
  [{ redirect_uri: "https://client.example/other" }, "invalid_grant"],
  [{ code_verifier: "a".repeat(43) }, "invalid_grant"],
  [{ code_verifier: "" }, "invalid_grant"],
  [{ code_verifier: "short" }, "invalid_grant"],
  [{ code_verifier: "a".repeat(129) }, "invalid_grant"],
  [{ resource: `${ORIGIN}/files` }, "invalid_target"],
];

Deno.test("a request with a mistake does not use up the code (ASVS 10.4.6)", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  for (const [params, error] of EXCHANGES) {
    const response = await exchange(app, code, params);
    const status = error === "invalid_client" ? 401 : 400;
    assertEquals(response.status, status, JSON.stringify(params));
    assertEquals((await response.json()).error, error);
  }
  const request = new Request(`${ORIGIN}/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa("web:secret")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code }),
  });
  const basic = await app.router.fetch(request);
  assertEquals(basic.status, 401);
  assertEquals(
    basic.headers.get("WWW-Authenticate"),
    'Basic realm="token"',
  );
  const response = await exchange(app, code, { resource: API });
  assertEquals(response.status, 200);
});

Deno.test("a verifier has 43 to 128 characters (RFC 7636, section 4.1)", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const rows = [[42, 400], [43, 200], [128, 200], [129, 400]] as const;
  for (const [length, status] of rows) {
    const code_verifier = "v".repeat(length);
    const bytes = new TextEncoder().encode(code_verifier);
    const hash = await crypto.subtle.digest("SHA-256", bytes);
    const code_challenge = base64url.encode(new Uint8Array(hash));
    const code = await getCode(browser, { code_challenge });
    const response = await exchange(app, code, { code_verifier });
    assertEquals(response.status, status, `${length}`);
  }
});

Deno.test("a second use of a code counts from its first use, not from a refresh", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  const tokens: TokenBody = await (await exchange(app, code)).json();
  app.clock.now += 6_000;
  assertEquals((await refresh(app, tokens.refresh_token)).status, 200);
  assertEquals((await exchange(app, code)).status, 400);
  assertEquals(await callAPI(app, tokens.access_token), 401);
});

Deno.test("a second use of a code ends the grant, but only with the verifier and later (ASVS 10.4.2)", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  const tokens: TokenBody = await (await exchange(app, code)).json();
  assertEquals((await exchange(app, code)).status, 400);
  assertEquals(await callAPI(app, tokens.access_token), 200);
  app.clock.now += 5_000;
  assertEquals((await exchange(app, code)).status, 400);
  assertEquals(await callAPI(app, tokens.access_token), 200);
  app.clock.now++;
  const wrong = { code_verifier: "a".repeat(43) };
  assertEquals((await exchange(app, code, wrong)).status, 400);
  assertEquals(await callAPI(app, tokens.access_token), 200);
  const response = await exchange(app, code);
  assertEquals((await response.json()).error, "invalid_grant");
  assertEquals(await callAPI(app, tokens.access_token), 401);
  assertEquals(app.events.at(-1)?.name, "code-reuse");
});
