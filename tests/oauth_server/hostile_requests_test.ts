/** Authorization requests of attackers, before and after a login. */
import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import {
  API,
  authorizePath,
  browserOf,
  CALLBACK,
  CHALLENGE,
  connect,
  getCode,
  ORIGIN,
  startServer,
  type TestServer,
  VERIFIER,
} from "./_server.ts";
import { type AttackRow, outcomeOf, testAttacks } from "./_attacks.ts";

type Params = Readonly<Record<string, string | undefined>>;

const FILES = `${ORIGIN}/files`;
const LATER = 1_200_000;

/** Parameters, and the error that the client gets, or another outcome. */
const PARAMETERS: readonly (readonly [Params, string])[] = [
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_type: "id_token" }, "unsupported_response_type"],
  [{ response_type: "code token" }, "unsupported_response_type"],
  [{ response_type: "code code" }, "unsupported_response_type"],
  [{ response_type: "CODE" }, "unsupported_response_type"],
  [{ response_type: "none" }, "unsupported_response_type"],
  [{ response_type: undefined }, "invalid_request"],
  [{ response_type: "" }, "invalid_request"],
  [{ response_mode: "fragment" }, "invalid_request"],
  [{ response_mode: "form_post" }, "invalid_request"],
  [{ response_mode: "web_message" }, "invalid_request"],
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge: "" }, "invalid_request"],
  [{ code_challenge: CHALLENGE.slice(1) }, "invalid_request"],
  [{ code_challenge: `${CHALLENGE}A` }, "invalid_request"],
  [{ code_challenge: `${CHALLENGE}=` }, "invalid_request"],
  [{ code_challenge: `${CHALLENGE.slice(1)}+` }, "invalid_request"],
  [{ code_challenge: `${CHALLENGE.slice(1)}\0` }, "invalid_request"],
  [{ code_challenge_method: undefined }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge_method: "s256" }, "invalid_request"],
  [{ code_challenge_method: "S256 plain" }, "invalid_request"],
  [
    { code_challenge: VERIFIER, code_challenge_method: "plain" },
    "invalid_request",
  ],
  [{ scope: "admin" }, "invalid_scope"],
  [{ scope: "notes:read admin" }, "invalid_scope"],
  [{ scope: "NOTES:READ" }, "invalid_scope"],
  [{ scope: "notes:read\tnotes:write" }, "invalid_scope"],
  [{ scope: "notes:*" }, "invalid_scope"],
  [{ scope: "__proto__" }, "invalid_scope"],
  [{ scope: "openid" }, "invalid_scope"],
  [{ scope: "files:read" }, "invalid_scope"],
  [{ client_id: "other", scope: "notes:write" }, "invalid_scope"],
  [{ resource: `${ORIGIN}/other` }, "invalid_target"],
  [{ resource: `${API}/` }, "invalid_target"],
  [{ resource: `${API}#x` }, "invalid_target"],
  [{ resource: `${API}?x` }, "invalid_target"],
  [{ resource: `${API}/../files` }, "invalid_target"],
  [{ resource: API.replace("https", "http") }, "invalid_target"],
  [{ resource: API.replace("test.", "TEST.") }, "invalid_target"],
  [{ resource: `${API} ${FILES}` }, "invalid_target"],
  [{ resource: "https://evil.example/api" }, "invalid_target"],
  [{ resource: "__proto__" }, "invalid_target"],
  [{ request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
  [{ request_uri: "https://evil.example/" }, "request_uri_not_supported"],
  [{ prompt: "none" }, "consent_required"],
  [{ prompt: "none login" }, "invalid_request"],
  [{ prompt: "none consent" }, "invalid_request"],
  [{ prompt: "create" }, "invalid_request"],
  [{ max_age: "-1" }, "invalid_request"],
  [{ max_age: "1e9" }, "invalid_request"],
  [{ max_age: "0x10" }, "invalid_request"],
  [{ max_age: "99999999999" }, "invalid_request"],
];

for (const [params, error] of PARAMETERS) {
  Deno.test(`an authorization request with ${JSON.stringify(params)} gets ${error}`, async () => {
    const browser = await browserOf(startServer());
    const response = await browser.fetch(authorizePath(params));
    const target = new URL(response.headers.get("Location")!);
    // RFC 9207, section 2: errors name the issuer too.
    assertEquals(target.searchParams.get("iss"), ORIGIN);
    assertEquals(target.searchParams.get("state"), "s1");
    assertEquals(target.searchParams.has("code"), false);
    assertEquals(await outcomeOf(response), `${error} to ${CALLBACK}`);
  });
}

/** Client ids that have no client. None of them may cause a request. */
const CLIENT_IDS = [
  undefined,
  "",
  "unknown",
  "WEB",
  "web ",
  "web\0",
  "__proto__",
  "constructor",
  "toString",
  "https://client.example",
  "https://client.example/",
  "http://client.example/client.json",
  "https://127.0.0.1/client.json",
  "https://[::1]/client.json",
  "https://localhost/client.json",
  "https://2130706433/client.json",
  "https://user@client.example/client.json",
  "https://client.example/client.json#x",
  "https://client.example/client.json?x",
  "https://client.example/a/../client.json",
  "https://CLIENT.example/client.json",
  "file:///etc/passwd",
  "javascript:alert(1)",
];

for (const client_id of CLIENT_IDS) {
  Deno.test(`the client id ${JSON.stringify(client_id)} gets a page, and causes no request`, async () => {
    const app = startServer({
      cimd: {
        fetch: (url) => Promise.reject(new Error(`A request to ${url}`)),
        onError: (error) => {
          throw error;
        },
      },
    });
    const browser = await browserOf(app);
    const response = browser.fetch(authorizePath({ client_id }));
    assertEquals(await outcomeOf(response), "400");
  });
}

/** Creates a browser without a login. */
function stranger({ router }: TestServer) {
  return createTestClient(router, { origin: ORIGIN });
}

testAttacks("a stranger", [
  [
    "gets the login page of the application",
    "login at /login",
    async (app) => await outcomeOf(stranger(app).fetch(authorizePath())),
  ],
  [
    "gets the login page for an unknown client too",
    "login at /login",
    async (app) =>
      await outcomeOf(
        stranger(app).fetch(authorizePath({ client_id: "unknown" })),
      ),
  ],
  [
    "gets no redirect with prompt=none",
    "401",
    async (app) =>
      await outcomeOf(stranger(app).fetch(authorizePath({ prompt: "none" }))),
  ],
  [
    "cannot send a query that the login page would cut off",
    "414",
    async (app) =>
      await outcomeOf(
        stranger(app).fetch(authorizePath({ state: "s".repeat(2_000) })),
      ),
  ],
  [
    "cannot add another place to return to",
    "/authorize",
    async (app) => {
      const path = `${authorizePath()}&returnTo=https://evil.example/`;
      return await returnPath(stranger(app).fetch(path));
    },
  ],
  [
    "cannot break out of the place to return to",
    "/authorize",
    async (app) => {
      const path = `${authorizePath()}&returnTo=//evil.example&#x`;
      return await returnPath(stranger(app).fetch(path));
    },
  ],
  [
    "cannot use two slashes as the place to return to",
    "404",
    async ({ router }) =>
      await outcomeOf(
        router.fetch(new Request(`${ORIGIN}//evil.example/authorize?x`)),
      ),
  ],
  [
    "cannot use a token as a login",
    "403",
    async (app) => {
      const { access_token } = await connect(app);
      const headers = { Authorization: `Bearer ${access_token}` };
      return await outcomeOf(stranger(app).fetch(authorizePath(), { headers }));
    },
  ],
  [
    "cannot send the request as a form",
    "403",
    async (app) =>
      await outcomeOf(
        stranger(app).fetch("/authorize", {
          method: "POST",
          body: new URLSearchParams(authorizePath().split("?")[1]),
        }),
      ),
  ],
]);

testAttacks(
  "a client",
  [
    [
      "cannot pretend that a login of the future has taken place",
      "login at /confirm",
      async (app) => {
        const browser = await browserOf(app);
        const path = authorizePath({ prompt: "login" });
        return await outcomeOf(browser.fetch(`${path}&login_after=9999999999`));
      },
    ],
    [
      "cannot pretend that any login is recent",
      "login at /confirm",
      async (app) => {
        const browser = await browserOf(app);
        const path = authorizePath({ prompt: "login" });
        return await outcomeOf(browser.fetch(`${path}&login_after=0`));
      },
    ],
    [
      "cannot give itself a recent login for a dangerous scope",
      "login at /confirm",
      async (app) => {
        const browser = await browserOf(app);
        app.clock.now += LATER;
        const after = Math.floor(app.clock.now / 1000) - 3_600;
        const path = authorizePath({ scope: "notes:delete", max_age: "99999" });
        return await outcomeOf(browser.fetch(`${path}&login_after=${after}`));
      },
    ],
    [
      "cannot ask silently for a login that is too old",
      `login_required to ${CALLBACK}`,
      async (app) => {
        const browser = await browserOf(app);
        app.clock.now += LATER;
        const path = authorizePath({ prompt: "none", max_age: "60" });
        return await outcomeOf(browser.fetch(path));
      },
    ],
    [
      "does not get the consent to another client",
      `consent_required to ${CALLBACK}`,
      async (app) => {
        const browser = await browserOf(app);
        await getCode(browser);
        const path = authorizePath({ client_id: "other", prompt: "none" });
        return await outcomeOf(browser.fetch(path));
      },
    ],
    [
      "does not get its own earlier consent without the user",
      "consent",
      async (app) => {
        const browser = await browserOf(app);
        await getCode(browser);
        return await outcomeOf(browser.fetch(authorizePath()));
      },
    ],
    [
      "gets nothing by HEAD",
      "200",
      async (app) => {
        const browser = await browserOf(app);
        const path = `${authorizePath()}&decision=approve`;
        return await outcomeOf(browser.fetch(path, { method: "HEAD" }));
      },
    ],
    [
      "cannot decide by the query",
      "consent",
      async (app) => {
        const browser = await browserOf(app);
        const path = `${authorizePath()}&decision=approve&scope=notes:read`;
        return await outcomeOf(
          browser.fetch(path.replace("&scope", "&ticked")),
        );
      },
    ],
    [
      "gets nothing while an administrator acts as the user",
      "403",
      async (app) => {
        const browser = await browserOf(app, "2");
        await browser.fetch("/act-as/1", { method: "POST" });
        return await outcomeOf(browser.fetch(authorizePath()));
      },
    ],
  ] satisfies AttackRow[],
);

Deno.test("requests of strangers write nothing, and cause no request", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const calls: string[] = [];
  const watch = (one: typeof store) => ({
    ...one,
    get: (key: string) => one.get(key),
    put: (...args: Parameters<typeof one.put>) => {
      calls.push(args[0]);
      return one.put(...args);
    },
    delete: (key: string) => one.delete(key),
    byIndex: (name: string) => one.byIndex!(name),
  });
  const app = startServer({
    store: watch(store),
    sessions: watch(sessions),
    cimd: {
      fetch: (url) => {
        calls.push(url);
        return Promise.reject(new Error("No request was expected"));
      },
    },
  });
  const client_id = "https://evil.example/client.json";
  for (const params of [{}, { client_id }, { prompt: "none", client_id }]) {
    const response = await stranger(app).fetch(authorizePath(params));
    assertEquals(response.headers.getSetCookie(), []);
  }
  assertEquals(calls, []);
});

/** Returns the path to which the login page returns. */
async function returnPath(response: Promise<Response>): Promise<string> {
  const { headers } = await response;
  const { origin, searchParams } = new URL(headers.get("Location")!, ORIGIN);
  assertEquals(origin, ORIGIN);
  const [returnTo = "", ...others] = searchParams.getAll("returnTo");
  assertEquals(others, []);
  return returnTo.split("?")[0]!;
}
