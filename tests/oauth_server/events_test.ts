import { assertEquals, assertMatch } from "@std/assert";
import { captureConsole } from "../_console.ts";
import {
  authorizePath,
  browserOf,
  connect,
  exchange,
  getCode,
  post,
  readConsent,
  refresh,
  sendConsent,
  startServer,
  type TestServer,
  type TokenBody,
} from "./_server.ts";

/** Each event: how it is caused, and the security event, if there is one. */
const ROWS: Readonly<
  Record<string, readonly [string, (app: TestServer) => Promise<unknown>]>
> = {
  "granted": ["key-create success oauth", async (app) => {
    await getCode(await browserOf(app));
  }],
  "denied": ["", async (app) => {
    const browser = await browserOf(app);
    const page = await browser.fetch(authorizePath());
    await sendConsent(browser, await readConsent(page), "deny");
  }],
  "revoked": ["key-revoke success oauth", async (app) => {
    const { refresh_token } = await connect(app);
    const form = { token: refresh_token, client_id: "web" };
    await post(app, "/revoke", form);
  }],
  "token-reuse": ["token-reuse failure refresh-token", async (app) => {
    const { refresh_token } = await connect(app);
    await refresh(app, refresh_token);
    app.clock.now += 31_000;
    await refresh(app, refresh_token);
  }],
  "code-reuse": ["token-reuse failure code", async (app) => {
    const code = await getCode(await browserOf(app));
    await exchange(app, code);
    app.clock.now += 6_000;
    await exchange(app, code);
  }],
};

for (const [name, [expected, cause]] of Object.entries(ROWS)) {
  Deno.test(`the event "${name}" names the user, the client and the grant`, async () => {
    const app = startServer({ hasAudit: true });
    using console = captureConsole();
    await cause(app);
    // The event comes before the response.
    const event = app.events.at(-1)!;
    await app.audit.flush();
    assertEquals(console.printed, []);
    const { client, userId } = event;
    assertEquals({ name: event.name, client, userId }, {
      name,
      client: "web",
      userId: "1",
    });
    assertMatch(event.grant, name === "denied" ? /^$/ : /^[\w-]{43}$/);
    const reports = app.security
      .filter(({ event }) => event.action !== "login")
      .map(({ event: { action, outcome, reason }, user }) =>
        `${action} ${outcome} ${reason} ${user?.id}`
      );
    const granted = "key-create success oauth 1";
    const others = expected === "" ? [] : [`${expected} 1`];
    assertEquals(
      reports,
      name === "granted" || name === "denied" ? others : [granted, ...others],
    );
  });
}

Deno.test("an error of onEvent is printed, and the request succeeds", async () => {
  const app = startServer({
    onEvent: () => {
      throw new TypeError("broken");
    },
  });
  using console = captureConsole();
  const tokens: TokenBody = await connect(app);
  assertEquals(tokens.token_type, "Bearer");
  assertEquals(console.printed.map(String), ["TypeError: broken"]);
});

Deno.test("revoke() reports each grant, and a refresh none", async () => {
  const app = startServer({ hasAudit: true });
  const { refresh_token } = await connect(app);
  await refresh(app, refresh_token);
  await connect(app);
  using console = captureConsole();
  const ids = (await app.server.grants("1")).map(({ id }) => id);
  assertEquals(await app.server.revoke("1"), 2);
  await app.audit.flush();
  const reports = app.events.map(({ grant, name }) => [name, grant]);
  assertEquals(reports, [
    ["granted", ids.find((id) => id === app.events[0]!.grant)],
    ["granted", ids.find((id) => id === app.events[1]!.grant)],
    ...ids.map((id) => ["revoked", id]),
  ]);
  assertEquals(console.printed, []);
});

Deno.test("a server without onEvent prints nothing", async () => {
  const app = startServer({ onEvent: undefined } as object);
  using console = captureConsole();
  const { refresh_token } = await connect(app);
  await post(app, "/revoke", { token: refresh_token, client_id: "web" });
  assertEquals(console.printed, []);
  assertEquals(app.events, []);
});
