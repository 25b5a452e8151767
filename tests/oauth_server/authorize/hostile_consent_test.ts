/** Forms of the consent page that no honest browser sends, and its headers. */
import { assertEquals, assertMatch } from "@std/assert";
import type { TestClient } from "@gatehouse/web/testing";
import {
  authorizePath,
  browserOf,
  CALLBACK,
  connect,
  type ConsentForm,
  exchange,
  ORIGIN,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
  type TestServer,
} from "../_server.ts";
import { both, changed, outcomeOf, testAttacks } from "../_attacks.ts";

const DENIED = `access_denied to ${CALLBACK}`;
const CODE = `code to ${CALLBACK}`;
const PENDING = 600_000;

interface Opened {
  readonly browser: TestClient;
  readonly form: ConsentForm;
}

/** Opens the consent page in a new browser. */
async function open(
  app: TestServer,
  params: Readonly<Record<string, string>> = {},
  user = "1",
): Promise<Opened> {
  const browser = await browserOf(app, user);
  return {
    browser,
    form: await readConsent(await browser.fetch(authorizePath(params))),
  };
}

/** Sends a form to the authorization endpoint. */
async function send(
  browser: TestClient,
  body: BodyInit | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
  path = "/authorize",
): Promise<string> {
  const form = Array.isArray(body)
    ? new URLSearchParams(body.map(([name, value]) => [name, value]))
    : body as BodyInit;
  return await outcomeOf(browser.fetch(path, {
    method: "POST",
    headers: { Origin: ORIGIN, ...headers },
    body: form,
  }));
}

const approve = ["decision", "approve"] as const;
const read = ["scope", "notes:read"] as const;

testAttacks("a form of the consent page", [
  ["from another site gets no answer", "403", async (app) => {
    const { browser, form } = await open(app);
    const body = [["request", form.handle], approve, read] as const;
    return await send(browser, body, {
      Origin: "https://evil.example",
      "Sec-Fetch-Site": "cross-site",
    });
  }],
  ["from a subdomain gets no answer", "403", async (app) => {
    const { browser, form } = await open(app);
    const body = [["request", form.handle], approve, read] as const;
    return await send(browser, body, {
      Origin: "https://evil.test.example",
      "Sec-Fetch-Site": "same-site",
    });
  }],
  ["from a sandboxed frame gets no answer", "403", async (app) => {
    const { browser, form } = await open(app);
    const body = [["request", form.handle], approve, read] as const;
    return await send(browser, body, {
      Origin: "null",
      "Sec-Fetch-Site": "cross-site",
    });
  }],
  ["without a request is refused", "400", async (app) => {
    const { browser } = await open(app);
    return await send(browser, [approve, read]);
  }],
  ["with an empty request is refused", "400", async (app) => {
    const { browser } = await open(app);
    return await send(browser, [["request", ""], approve, read]);
  }],
  ["with two requests is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    const handle = ["request", form.handle] as const;
    return await send(browser, [handle, handle, approve, read]);
  }],
  ["with a changed request is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    return await send(browser, [
      ["request", changed(form.handle, 5)],
      approve,
      read,
    ]);
  }],
  ["with the name of a prototype is refused", "400", async (app) => {
    const { browser } = await open(app);
    return await send(browser, [["request", "__proto__"], approve, read]);
  }],
  ["with a NUL byte is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    return await send(browser, [
      ["request", `${form.handle}\0`],
      approve,
      read,
    ]);
  }],
  ["of another session of the same user is refused", "400", async (app) => {
    const { form } = await open(app);
    return await outcomeOf(sendConsent(await browserOf(app), form));
  }],
  ["of another user is refused", "400", async (app) => {
    const { form } = await open(app, {}, "2");
    return await outcomeOf(sendConsent(await browserOf(app), form));
  }],
  ["that an attacker opened in this browser is refused", "400", async (app) => {
    const { browser, form } = await open(app, {}, "2");
    await browser.fetch("/login/1", { method: "POST" });
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["from before a new login is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    await browser.fetch("/login/1", { method: "POST" });
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["without a login is refused", "403", async (app) => {
    const { browser, form } = await open(app);
    (browser.cookies as Map<string, string>).clear();
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["of a disabled user is refused", "403", async (app) => {
    const { browser, form } = await open(app);
    app.users.delete("1");
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["after a change of the password is refused", "403", async (app) => {
    const { browser, form } = await open(app);
    app.users.get("1")!.version++;
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["after ten minutes is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    app.clock.now += PENDING + 1;
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["counts once, and a second click gets the same code", "1", async (app) => {
    const { browser, form } = await open(app);
    const first = targetOf(await sendConsent(browser, form));
    const second = targetOf(await sendConsent(browser, form, "deny"));
    assertEquals(second.href, first.href);
    return String(app.events.length);
  }],
  ["counts for a minute", `${CODE}, then 400`, async (app) => {
    const { browser, form } = await open(app);
    return await both(outcomeOf(sendConsent(browser, form)), () => {
      app.clock.now += 60_000;
      return outcomeOf(sendConsent(browser, form));
    });
  }],
  ["approves nothing after a refusal", `${DENIED}, then ${DENIED}`, async (
    app,
  ) => {
    const { browser, form } = await open(app);
    return await both(
      outcomeOf(sendConsent(browser, form, "deny")),
      () => outcomeOf(sendConsent(browser, form)),
    );
  }],
  ["gives one code to 20 requests at the same time", "1", async (app) => {
    const { browser, form } = await open(app);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => sendConsent(browser, form)),
    );
    const targets = responses.map((one) => targetOf(one).href);
    assertEquals(app.events.length, 1);
    return String(new Set(targets).size);
  }],
  ["without a decision is a refusal", DENIED, async (app) => {
    const { browser, form } = await open(app);
    return await send(browser, [["request", form.handle], read]);
  }],
  ["with another decision is a refusal", DENIED, async (app) => {
    const { browser, form } = await open(app);
    return await outcomeOf(sendConsent(browser, form, "APPROVE"));
  }],
  ["with both decisions is a refusal", DENIED, async (app) => {
    const { browser, form } = await open(app);
    return await send(browser, [
      ["request", form.handle],
      approve,
      ["decision", "deny"],
      read,
    ]);
  }],
  ["without a scope is a refusal", DENIED, async (app) => {
    const { browser, form } = await open(app);
    return await send(browser, [["request", form.handle], approve]);
  }],
  [
    "with only scopes that the client did not ask for is a refusal",
    DENIED,
    async (app) => {
      const { browser, form } = await open(app, { scope: "notes:read" });
      const scopes = ["notes:write", "files:read", "admin"];
      return await outcomeOf(sendConsent(browser, { ...form, scopes }));
    },
  ],
  ["with more scopes gives those of the request", "notes:read", async (app) => {
    const { browser, form } = await open(app, { scope: "notes:read" });
    const scopes = ["notes:read", "notes:write", "notes:delete", "files:read"];
    const target = targetOf(
      await sendConsent(browser, { ...form, scopes }),
    );
    const code = target.searchParams.get("code")!;
    return (await (await exchange(app, code)).json()).scope;
  }],
  ["with fewer scopes gives only these", "notes:write", async (app) => {
    const { browser, form } = await open(app);
    const target = targetOf(
      await sendConsent(browser, { ...form, scopes: ["notes:write"] }),
    );
    const code = target.searchParams.get("code")!;
    return (await (await exchange(app, code)).json()).scope;
  }],
  ["cannot change the rest of the request", CODE, async (app) => {
    const { browser, form } = await open(app);
    return await send(
      browser,
      [
        ["request", form.handle],
        approve,
        read,
        ["redirect_uri", "https://evil.example/"],
        ["client_id", "other"],
        ["state", "s2"],
      ],
      {},
      `/authorize?redirect_uri=https%3A%2F%2Fevil.example%2F&client_id=other`,
    );
  }],
  [
    "for a dangerous scope needs a recent login",
    "login at /confirm",
    staleConsent,
  ],
  ["while an administrator acts as the user is refused", "403", async (app) => {
    const { browser, form } = await open(app, {}, "2");
    await browser.fetch("/act-as/1", { method: "POST" });
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["with a token instead of a login is refused", "403", async (app) => {
    const { access_token } = await connect(app);
    const { form } = await open(app);
    const browser = await browserOf(app);
    (browser.cookies as Map<string, string>).clear();
    const body = [["request", form.handle], approve, read] as const;
    return await send(browser, body, {
      Authorization: `Bearer ${access_token}`,
    });
  }],
  [
    "with a token and a login is refused if the token counts",
    "403",
    async () => {
      const app = startServer({ tokensFirst: true });
      const { access_token } = await connect(app);
      const { browser, form } = await open(app);
      const body = [["request", form.handle], approve, read] as const;
      return await send(browser, body, {
        Authorization: `Bearer ${access_token}`,
      });
    },
  ],
  ["as JSON is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    const body = JSON.stringify({ request: form.handle, decision: "approve" });
    return await send(browser, body, { "Content-Type": "application/json" });
  }],
  ["as text is refused", "400", async (app) => {
    const { browser, form } = await open(app);
    const body = `request=${form.handle}&decision=approve&scope=notes:read`;
    return await send(browser, body, { "Content-Type": "text/plain" });
  }],
  ["of a megabyte is refused", "413", async (app) => {
    const { browser, form } = await open(app);
    const body = [["request", form.handle], [
      "x",
      "x".repeat(2 ** 20),
    ]] as const;
    return await send(browser, body);
  }],
  ["that is not UTF-8 is refused", "400", async (app) => {
    const { browser } = await open(app);
    return await send(browser, new Uint8Array([0xff, 0xfe, 0x3d]), {
      "Content-Type": "application/x-www-form-urlencoded",
    });
  }],
  [
    "of a client that has changed its redirect URI is refused",
    "400",
    async () => {
      const client = { id: "web", name: "Web", redirectUris: [CALLBACK] };
      const app = startServer({ clients: () => client });
      const { browser, form } = await open(app);
      client.redirectUris = ["https://evil.example/"];
      return await outcomeOf(sendConsent(browser, form));
    },
  ],
  ["of a client that was removed is refused", "400", async () => {
    const clients = [{ id: "web", name: "Web", redirectUris: [CALLBACK] }];
    const app = startServer({ clients: () => clients[0] ?? null });
    const { browser, form } = await open(app);
    clients.pop();
    return await outcomeOf(sendConsent(browser, form));
  }],
  ["is one of the last five of a session", "400", async (app) => {
    const { browser, form } = await open(app);
    for (let count = 0; count < 5; count++) {
      await browser.fetch(authorizePath());
    }
    return await outcomeOf(sendConsent(browser, form));
  }],
]);

/** Sends a form whose page was opened before the login became too old. */
async function staleConsent(app: TestServer): Promise<string> {
  const browser = await browserOf(app);
  app.clock.now += PENDING - 1_000;
  const page = await browser.fetch(authorizePath({ scope: "notes:delete" }));
  const form = await readConsent(page);
  app.clock.now += 2_000;
  return await outcomeOf(sendConsent(browser, form));
}

Deno.test("no page of the server can be framed, has a script, or is kept by a cache", async () => {
  const app = startServer();
  const { browser, form } = await open(app);
  const pages = [
    await browser.fetch(authorizePath()),
    await browser.fetch(authorizePath({ client_id: "unknown" })),
    await sendConsent(browser, form),
    await sendConsent(browser, form),
  ];
  for (const { headers } of pages) {
    const policy = headers.get("Content-Security-Policy")!;
    assertMatch(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /);
    assertMatch(policy, /frame-ancestors 'none'/);
    assertMatch(policy, /base-uri 'none'/);
    assertEquals(headers.get("X-Frame-Options"), "DENY");
    assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
    assertEquals(headers.get("Cache-Control"), "no-store");
    assertEquals(headers.get("Access-Control-Allow-Origin"), null);
  }
});

Deno.test("the pages escape names, states and codes of strangers", async () => {
  const name = `<img src=x onerror=alert(1)>"'`;
  const app = startServer({
    clients: [{ id: "web", name, redirectUris: [`${CALLBACK}?a='b'`] }],
  });
  const browser = await browserOf(app);
  const params = {
    redirect_uri: `${CALLBACK}?a='b'`,
    state: `"><script>alert(1)</script>`,
  };
  const form = await readConsent(await browser.fetch(authorizePath(params)));
  const final = await (await sendConsent(browser, form)).text();
  for (const page of [form.html, final]) {
    assertEquals(/<(?:img|script)/.test(page), false, page);
    assertEquals(/="[^"]*'[^"]*"/.test(page), false, page);
  }
});
