/** Requests to the token endpoint that no honest client sends. */
import { assertEquals } from "@std/assert";
import {
  browserOf,
  CALLBACK,
  exchange,
  getCode,
  ORIGIN,
  post,
  startServer,
  type TestServer,
  VERIFIER,
} from "../_server.ts";
import { type AttackRow, outcomeOf, testAttacks } from "../_attacks.ts";

const FORM = "application/x-www-form-urlencoded";

/** Returns the parameters of a request that would succeed. */
async function validForm(app: TestServer): Promise<Record<string, string>> {
  return {
    grant_type: "authorization_code",
    client_id: "web",
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code: await getCode(await browserOf(app)),
  };
}

/** Sends a request with a valid form that was changed. */
async function sendToken(
  app: TestServer,
  change: (form: Record<string, string>) => RequestInit,
  path = "/token",
): Promise<string> {
  const form = await validForm(app);
  const outcome = await outcomeOf(app.router.fetch(
    new Request(ORIGIN + path, { method: "POST", ...change(form) }),
  ));
  // A wrong request does not use up the code.
  const code = await outcomeOf(exchange(app, form.code!));
  assertEquals(
    code,
    outcome === "200 tokens" ? "400 invalid_grant" : "200 tokens",
  );
  return outcome;
}

/** Creates a form with more or other parameters. */
function body(
  form: Record<string, string>,
  ...more: readonly (readonly [string, string])[]
): RequestInit {
  const params = new URLSearchParams(form);
  for (const [name, value] of more) params.append(name, value);
  return { body: params };
}

/** A valid form with a parameter in addition, and the outcome. */
const ADDED: readonly (readonly [string, string, string])[] = [
  ["client_id", "web", "400 invalid_request"],
  ["client_id", "other", "400 invalid_request"],
  ["code", "x", "400 invalid_request"],
  ["grant_type", "authorization_code", "400 invalid_request"],
  ["redirect_uri", CALLBACK, "400 invalid_request"],
  ["code_verifier", VERIFIER, "400 invalid_request"],
  ["client_secret", "secret", "401 invalid_client"],
  ["client_assertion", "a.b.c", "401 invalid_client"],
  ["client_assertion_type", "x", "401 invalid_client"],
  ["resource", "https://evil.example/", "400 invalid_target"],
  ["resource", `${ORIGIN}/files`, "400 invalid_target"],
];

/** Changes of a valid form, and the outcome. */
const CHANGED: readonly (readonly [Record<string, string>, string])[] = [
  [{ grant_type: "" }, "400 invalid_request"],
  [{ grant_type: "password" }, "400 unsupported_grant_type"],
  [{ grant_type: "client_credentials" }, "400 unsupported_grant_type"],
  [{ grant_type: "implicit" }, "400 unsupported_grant_type"],
  [{ grant_type: "AUTHORIZATION_CODE" }, "400 unsupported_grant_type"],
  [{ grant_type: " authorization_code" }, "400 unsupported_grant_type"],
  [{ grant_type: "__proto__" }, "400 unsupported_grant_type"],
  [{ grant_type: "toString" }, "400 unsupported_grant_type"],
  [
    { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" },
    "400 unsupported_grant_type",
  ],
  [
    { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange" },
    "400 unsupported_grant_type",
  ],
  [{ grant_type: "refresh_token" }, "400 invalid_grant"],
  [{ client_id: "" }, "401 invalid_client"],
  [{ client_id: "other" }, "400 invalid_grant"],
  [{ client_id: "WEB" }, "400 invalid_grant"],
  [{ client_id: "web\0" }, "400 invalid_grant"],
  [{ client_id: "__proto__" }, "400 invalid_grant"],
  [{ redirect_uri: "https://other.example/callback" }, "400 invalid_grant"],
  [{ redirect_uri: `${CALLBACK}/` }, "400 invalid_grant"],
  [{ redirect_uri: `${CALLBACK}\0` }, "400 invalid_grant"],
  [{ code_verifier: "" }, "400 invalid_grant"],
  [{ code_verifier: VERIFIER.toLowerCase() }, "400 invalid_grant"],
  [{ code_verifier: `${VERIFIER}\0` }, "400 invalid_grant"],
  [{ code_verifier: "v".repeat(42) }, "400 invalid_grant"],
  [{ code_verifier: "v".repeat(129) }, "400 invalid_grant"],
  [{ code_verifier: "v".repeat(10_000) }, "400 invalid_grant"],
];

testAttacks("the token endpoint", [
  ...ADDED.map(([name, value, expected]): AttackRow => [
    `answers ${expected} to ${name}=${value} in addition`,
    expected,
    (app) => sendToken(app, (form) => body(form, [name, value])),
  ]),
  ...CHANGED.map(([change, expected]): AttackRow => [
    `answers ${expected} to ${JSON.stringify(change).slice(0, 80)}`,
    expected,
    (app) => sendToken(app, (form) => body({ ...form, ...change })),
  ]),
  ...["GET", "HEAD", "PUT", "DELETE", "PATCH"].map((method): AttackRow => [
    `answers 405 to ${method}`,
    method === "HEAD" ? "405" : "405 invalid_request",
    async ({ router }) => {
      const response = await router
        .fetch(new Request(`${ORIGIN}/token`, { method }));
      assertEquals(response.headers.get("Allow"), "POST, OPTIONS");
      return method === "HEAD"
        ? String(response.status)
        : await outcomeOf(response);
    },
  ]),
  ...[
    "application/json",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded2",
    "application/x-www-form-urlencoded, application/json",
    "*/*",
    "form",
    "",
  ].map((type): AttackRow => [
    `answers 400 to a form that is declared as "${type}"`,
    "400 invalid_request",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": type },
        body: new TextEncoder().encode(String(new URLSearchParams(form))),
      })),
  ]),
  [
    "answers 400 to JSON",
    "400 invalid_request",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(form),
      })),
  ],
  [
    "answers 400 to JSON that is declared as a form",
    "400 invalid_request",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": FORM },
        body: JSON.stringify(form),
      })),
  ],
  [
    "answers 400 to an empty body",
    "400 invalid_request",
    (app) => sendToken(app, () => ({ headers: { "Content-Type": FORM } })),
  ],
  [
    "answers 413 to a megabyte",
    "413 invalid_request",
    (app) => sendToken(app, (form) => body(form, ["x", "x".repeat(2 ** 20)])),
  ],
  [
    "answers 413 to a hundred thousand parameters",
    "413 invalid_request",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": FORM },
        body: `${new URLSearchParams(form)}${"&a".repeat(100_000)}`,
      })),
  ],
  [
    "answers 400 to bytes that are not UTF-8",
    "400 invalid_request",
    (app) =>
      sendToken(app, () => ({
        headers: { "Content-Type": FORM },
        body: new Uint8Array([0x63, 0x3d, 0xff, 0xfe]),
      })),
  ],
  [
    "answers 400 to a malformed percent-encoding",
    "400 invalid_grant",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": FORM },
        body: `${new URLSearchParams(form)}`.replace("code=", "code=%zz%"),
      })),
  ],
  [
    "answers 400 to an overlong percent-encoding",
    "400 invalid_grant",
    (app) =>
      sendToken(app, (form) => ({
        headers: { "Content-Type": FORM },
        body: `${new URLSearchParams(form)}`.replace("code=", "code=%c0%80"),
      })),
  ],
  [
    "does not read the query",
    "400 invalid_request",
    async (app) => {
      const query = new URLSearchParams(await validForm(app));
      return await outcomeOf(post(app, `/token?${query}`, {}));
    },
  ],
  [
    "answers 401 to Basic of a public client",
    "401 invalid_client",
    (app) =>
      sendToken(app, (form) => ({
        ...body(form),
        headers: { Authorization: `Basic ${btoa("web:")}` },
      })),
  ],
  [
    "answers 401 to Basic of another client than the form names",
    "401 invalid_client",
    (app) =>
      sendToken(app, (form) => ({
        ...body(form),
        headers: { Authorization: `Basic ${btoa("other:secret")}` },
      })),
  ],
  [
    "answers 401 to malformed Basic",
    "401 invalid_client",
    (app) =>
      sendToken(app, (form) => ({
        ...body(form),
        headers: { Authorization: "Basic %%%" },
      })),
  ],
  [
    "answers 401 to a bearer token",
    "401 invalid_client",
    (app) =>
      sendToken(app, (form) => ({
        ...body(form),
        headers: { Authorization: "Bearer x" },
      })),
  ],
  ...["/TOKEN", "/token/", "//token", "/token/x", "/%74oken"].map(
    (path): AttackRow => [
      `does not exist at ${path}`,
      "404",
      (app) => sendToken(app, (form) => body(form), path),
    ],
  ),
]);

Deno.test("the token endpoint names Basic only to a client that has tried it (RFC 6749, section 5.2)", async () => {
  const app = startServer();
  const form = await validForm(app);
  const challenges = [];
  for (const header of [undefined, "Bearer x", `Basic ${btoa("web:x")}`]) {
    const { headers, status } = await app.router.fetch(
      new Request(`${ORIGIN}/token`, {
        method: "POST",
        body: new URLSearchParams({ ...form, client_secret: "x" }),
        headers: header === undefined ? {} : { Authorization: header },
      }),
    );
    assertEquals(status, 401);
    challenges.push(headers.get("WWW-Authenticate"));
  }
  assertEquals(challenges, [null, null, 'Basic realm="token"']);
});
