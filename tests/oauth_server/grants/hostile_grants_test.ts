/** Codes, refresh tokens and access tokens in the hands of attackers. */
import { assertEquals } from "@std/assert";
import {
  API,
  browserOf,
  callAPI,
  CALLBACK,
  CHALLENGE,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  refresh,
  startServer,
  type TestServer,
  type TokenBody,
} from "../_server.ts";
import { type AttackRow, both, outcomeOf, testAttacks } from "../_attacks.ts";

const INVALID = "400 invalid_grant";
const MINUTE = 60_000;
const DAY = 86_400_000;

/** Returns a code for user 1 and the client `web`. */
const codeOf = async (app: TestServer) => await getCode(await browserOf(app));

testAttacks("a code", [
  [
    "used again gives nothing, and keeps the grant at first",
    `${INVALID}, then 200`,
    async (app) => {
      const { code, tokens } = await exchanged(app);
      return await both(
        outcomeOf(exchange(app, code)),
        () => callAPI(app, tokens.access_token),
      );
    },
  ],
  [
    "used again later ends the grant",
    `${INVALID}, then 401`,
    async (app) => {
      const { code, tokens } = await exchanged(app);
      app.clock.now += 5_001;
      return await both(
        outcomeOf(exchange(app, code)),
        () => callAPI(app, tokens.access_token),
      );
    },
  ],
  [
    "used again by someone who has only seen it keeps the grant",
    `${INVALID}, then 200`,
    async (app) => {
      const { code, tokens } = await exchanged(app);
      app.clock.now += 5_001;
      const form = { code_verifier: "v".repeat(43) };
      return await both(
        outcomeOf(exchange(app, code, form)),
        () => callAPI(app, tokens.access_token),
      );
    },
  ],
  [
    "used again by another client keeps the grant",
    `${INVALID}, then 200`,
    async (app) => {
      const { code, tokens } = await exchanged(app);
      app.clock.now += 5_001;
      return await both(
        outcomeOf(exchange(app, code, { client_id: "other" })),
        () => callAPI(app, tokens.access_token),
      );
    },
  ],
  ["expires after a minute", INVALID, async (app) => {
    const code = await codeOf(app);
    app.clock.now += MINUTE;
    return await outcomeOf(exchange(app, code));
  }],
  [
    "does not accept the challenge as the verifier",
    INVALID,
    async (app) =>
      await outcomeOf(
        exchange(app, await codeOf(app), { code_verifier: CHALLENGE }),
      ),
  ],
  [
    "is not for another client with the same redirect URI",
    INVALID,
    async (app) =>
      await outcomeOf(
        exchange(app, await codeOf(app), { client_id: "other" }),
      ),
  ],
  ["of another client is not for this one", INVALID, async (app) => {
    const browser = await browserOf(app);
    const code = await getCode(browser, { client_id: "other" });
    return await outcomeOf(exchange(app, code));
  }],
  [
    "does not count as a refresh token",
    INVALID,
    async (app) => await outcomeOf(refresh(app, await codeOf(app))),
  ],
  [
    "does not count as an access token",
    "401",
    async (app) => String(await callAPI(app, await codeOf(app))),
  ],
  ["of a disabled user is not valid", INVALID, async (app) => {
    const code = await codeOf(app);
    app.users.delete("1");
    return await outcomeOf(exchange(app, code));
  }],
  ["from before a new password is not valid", INVALID, async (app) => {
    const code = await codeOf(app);
    app.users.get("1")!.version++;
    return await outcomeOf(exchange(app, code));
  }],
  ["of a user without a version is not valid", INVALID, async () => {
    // Without types, an application may forget to return it.
    const version = undefined as never;
    const ada = { id: "1", name: "Ada", version, scopes: [] };
    const app = startServer({ loggedIn: () => ada });
    app.users.get("1")!.version = 0;
    return await outcomeOf(exchange(app, await codeOf(app)));
  }],
  ["that a user has revoked is not valid", INVALID, async (app) => {
    const code = await codeOf(app);
    await app.server.revoke("1");
    return await outcomeOf(exchange(app, code));
  }],
  ["in 100 requests at the same time gives one answer", "1", async (app) => {
    const code = await codeOf(app);
    return await countOf(100, () => exchange(app, code));
  }],
]);

testAttacks("a refresh token", [
  ["is not for another client", `${INVALID}, then 200 tokens`, async (app) => {
    const { refresh_token } = await connect(app);
    return await both(
      outcomeOf(refresh(app, refresh_token, { client_id: "other" })),
      () => outcomeOf(refresh(app, refresh_token)),
    );
  }],
  ["needs the client", "401 invalid_client", async (app) => {
    const { refresh_token } = await connect(app);
    return await outcomeOf(refresh(app, refresh_token, { client_id: "" }));
  }],
  ["gives no scope that the grant lacks", "400 invalid_scope", async (app) => {
    const { refresh_token } = await connect(app, { scope: "notes:read" });
    const form = { scope: "notes:read notes:write" };
    return await outcomeOf(refresh(app, refresh_token, form));
  }],
  ["gives no unknown scope", "400 invalid_scope", async (app) => {
    const { refresh_token } = await connect(app);
    return await outcomeOf(refresh(app, refresh_token, { scope: "admin" }));
  }],
  ["gives a narrow token if asked", "403", async (app) => {
    const { refresh_token } = await connect(app);
    const form = { scope: "notes:read" };
    const tokens = await (await refresh(app, refresh_token, form)).json();
    return String(await callAPI(app, tokens.access_token, "/api/write"));
  }],
  ["gives no token for another resource", "400 invalid_target", async (app) => {
    const { refresh_token } = await connect(app);
    const form = { resource: `${ORIGIN}/files` };
    return await outcomeOf(refresh(app, refresh_token, form));
  }],
  ["gives no token for two resources", "400 invalid_request", async (app) => {
    const { refresh_token } = await connect(app);
    const params = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: "web",
      refresh_token,
    });
    params.append("resource", API);
    params.append("resource", API);
    return await outcomeOf(app.router.fetch(
      new Request(`${ORIGIN}/token`, { method: "POST", body: params }),
    ));
  }],
  [
    "does not count as a code",
    INVALID,
    async (app) =>
      await outcomeOf(exchange(app, (await connect(app)).refresh_token)),
  ],
  [
    "does not count as an access token",
    "401",
    async (app) =>
      String(await callAPI(app, (await connect(app)).refresh_token)),
  ],
  [
    "that was used half a minute ago ends the grant",
    `${INVALID}, then 401`,
    async (app) => {
      const first = await connect(app);
      const second = await refreshed(app, first.refresh_token);
      app.clock.now += 30_001;
      return await both(
        outcomeOf(refresh(app, first.refresh_token)),
        () => callAPI(app, second.access_token),
      );
    },
  ],
  [
    "before the last one ends the grant at once",
    `${INVALID}, then ${INVALID}`,
    async (app) => {
      const first = await connect(app);
      const second = await refreshed(app, first.refresh_token);
      const third = await refreshed(app, second.refresh_token);
      return await both(
        outcomeOf(refresh(app, first.refresh_token)),
        () => outcomeOf(refresh(app, third.refresh_token)),
      );
    },
  ],
  [
    "that was used just before gives the same successor",
    "true",
    async (app) => {
      const { refresh_token } = await connect(app);
      const one = await refreshed(app, refresh_token);
      app.clock.now += 30_000;
      const two = await refreshed(app, refresh_token);
      return String(one.refresh_token === two.refresh_token);
    },
  ],
  [
    "in 100 requests at the same time has one successor",
    "1 of 100",
    async (app) => {
      const { refresh_token } = await connect(app);
      const all = await Promise.all(
        Array.from({ length: 100 }, () => refreshed(app, refresh_token)),
      );
      const different = new Set(all.map((one) => one.refresh_token));
      return `${different.size} of ${all.length}`;
    },
  ],
  ["of a disabled user is not valid", INVALID, async (app) => {
    const { refresh_token } = await connect(app);
    app.users.delete("1");
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["from before a new password is not valid", INVALID, async (app) => {
    const { refresh_token } = await connect(app);
    app.users.get("1")!.version++;
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["that was not used for 30 days is not valid", INVALID, async (app) => {
    const { refresh_token } = await connect(app);
    app.clock.now += 30 * DAY;
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["is not valid a year after the consent", INVALID, async (app) => {
    let { refresh_token } = await connect(app);
    for (let days = 0; days < 364; days += 28) {
      ({ refresh_token } = await refreshed(app, refresh_token));
      app.clock.now += 28 * DAY;
    }
    app.clock.now += DAY;
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["of a client that was removed is not valid", INVALID, async () => {
    const clients = [{ id: "web", name: "Web", redirectUris: [CALLBACK] }];
    const app = startServer({ clients: () => clients[0] ?? null });
    const { access_token, refresh_token } = await connect(app);
    clients.pop();
    assertEquals(await callAPI(app, access_token), 401);
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["that the client has revoked is not valid", INVALID, async (app) => {
    const { refresh_token } = await connect(app);
    await post(app, "/revoke", { client_id: "web", token: refresh_token });
    return await outcomeOf(refresh(app, refresh_token));
  }],
  ["in use while the user revokes it ends all the same", "401", async (app) => {
    const { refresh_token } = await connect(app);
    const [tokens] = await Promise.all([
      refresh(app, refresh_token).then((one) => one.json()),
      app.server.revoke("1"),
    ]);
    return String(await callAPI(app, tokens.access_token ?? "x"));
  }],
]);

testAttacks("an access token", [
  [
    "is not for another resource",
    "403",
    async (app) =>
      String(await callAPI(app, (await connect(app)).access_token, "/files")),
  ],
  ["of another resource is not for this one", "403", async (app) => {
    const tokens = await connect(app, { resource: `${ORIGIN}/files` });
    return String(await callAPI(app, tokens.access_token));
  }],
  ["does not have all scopes of its user", "403", async (app) => {
    const tokens = await connect(app, { scope: "notes:read" });
    return String(await callAPI(app, tokens.access_token, "/api/write"));
  }],
  [
    "does not count as a code",
    INVALID,
    async (app) =>
      await outcomeOf(exchange(app, (await connect(app)).access_token)),
  ],
  [
    "does not count as a refresh token",
    INVALID,
    async (app) =>
      await outcomeOf(refresh(app, (await connect(app)).access_token)),
  ],
  ["expires after ten minutes", "401", async (app) => {
    const { access_token } = await connect(app);
    app.clock.now += 10 * MINUTE;
    return String(await callAPI(app, access_token));
  }],
  ["of a disabled user is not valid", "401", async (app) => {
    const { access_token } = await connect(app);
    app.users.delete("1");
    return String(await callAPI(app, access_token));
  }],
  ["from before a new password is not valid", "401", async (app) => {
    const { access_token } = await connect(app);
    app.users.get("1")!.version++;
    return String(await callAPI(app, access_token));
  }],
  ["that a user has revoked is not valid", "401", async (app) => {
    const { access_token } = await connect(app);
    await app.server.revoke("1");
    return String(await callAPI(app, access_token));
  }],
  ["that the client has revoked is not valid", "401", async (app) => {
    const { access_token } = await connect(app);
    await post(app, "/revoke", { client_id: "web", token: access_token });
    return String(await callAPI(app, access_token));
  }],
  ["does not revoke the grants of another user", "0, then 200", async (app) => {
    const { access_token } = await connect(app);
    const [grant] = await app.server.grants("1");
    return await both(
      String(await app.server.revoke("2", { id: grant!.id })),
      () => callAPI(app, access_token),
    );
  }],
  ...([
    ["the query", (token) => [`/api?access_token=${token}`, {}]],
    ["a cookie", (token) => ["/api", { Cookie: `access_token=${token}` }]],
    ["Basic", (token) => ["/api", { Authorization: `Basic ${token}` }]],
    ["a header of proxies", (token) => [
      "/api",
      { "X-Forwarded-Authorization": `Bearer ${token}` },
    ]],
    ["no scheme", (token) => ["/api", { Authorization: token }]],
    ["DPoP", (token) => ["/api", { Authorization: `DPoP ${token}` }]],
    ["a list", (token) => [
      "/api",
      { Authorization: `Bearer ${token}, Bearer x` },
    ]],
  ] as readonly [string, (token: string) => [string, Record<string, string>]][])
    .map(([place, requestOf]): AttackRow => [
      `in ${place} does not count`,
      "401",
      async (app) => {
        const [path, headers] = requestOf((await connect(app)).access_token);
        const request = new Request(ORIGIN + path, { headers });
        return String((await app.router.fetch(request)).status);
      },
    ]),
]);

async function exchanged(app: TestServer) {
  const code = await codeOf(app);
  const response = await exchange(app, code);
  assertEquals(response.status, 200);
  return { code, tokens: await response.json() as TokenBody };
}

async function refreshed(app: TestServer, token: string): Promise<TokenBody> {
  const response = await refresh(app, token);
  assertEquals(response.status, 200);
  return await response.json();
}

/** Sends a request several times at once, and returns the number of successes. */
async function countOf(
  count: number,
  send: () => Promise<Response>,
): Promise<string> {
  const all = await Promise.all(Array.from({ length: count }, send));
  return String(all.filter(({ ok }) => ok).length);
}
