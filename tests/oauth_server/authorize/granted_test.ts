/** The call of the application after a new grant. */
import { assertEquals, assertMatch } from "@std/assert";
import { deviceGrant } from "@gatehouse/web/oauth-server";
import { captureConsole } from "../../_console.ts";
import { turns } from "../../_wait.ts";
import {
  API,
  authorizePath,
  browserOf,
  CALLBACK,
  connect,
  getCode,
  readConsent,
  sendConsent,
  type ServerSettings,
  startServer,
  targetOf,
} from "../_server.ts";
import { CLIENTS, decide, start } from "../device/_devices.ts";

/** Starts a server that notes its new grants. */
function startWithNotes(settings: ServerSettings = {}) {
  const notes: unknown[] = [];
  const app = startServer({
    granted: (context, grant, user) => {
      const { id, ...facts } = grant;
      assertMatch(id, /^[\w-]{43}$/);
      notes.push([context.url.pathname, facts, user.name]);
    },
    ...settings,
  });
  const granted = (path: string, client: object, redirectHost: string) => [
    path,
    {
      client,
      redirectHost,
      resource: API,
      resourceName: "Notes",
      scopes: ["notes:read", "notes:write"],
      scopeTexts: {
        "notes:read": "Read your notes",
        "notes:write": "Change your notes",
      },
      createdAt: app.clock.now,
      lastUsedAt: app.clock.now,
    },
    "Ada",
  ];
  return { app, granted, notes };
}

Deno.test("users.granted() receives a grant that the user approved, once", async () => {
  const { app, granted, notes } = startWithNotes();
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  await sendConsent(browser, form);
  await sendConsent(browser, form);
  const web = { id: "web", name: "Web client" };
  assertEquals(notes, [granted("/authorize", web, "client.example")]);
  const other = await readConsent(await browser.fetch(authorizePath()));
  await sendConsent(browser, other, "deny");
  assertEquals(notes.length, 1);
});

Deno.test("users.granted() receives the grant of a device, but no refusal", async () => {
  const { app, granted, notes } = startWithNotes({
    device: deviceGrant(),
    clients: CLIENTS,
  });
  const browser = await browserOf(app);
  await decide(browser, await start(app), "deny");
  assertEquals(notes, []);
  await decide(browser, await start(app));
  assertEquals(notes, [granted("/device", { id: "tv", name: "TV" }, "")]);
});

Deno.test("the response to a decision comes after the end of users.granted()", async () => {
  let calls = 0;
  const app = startServer({
    ...{ device: deviceGrant(), clients: CLIENTS },
    async granted() {
      await turns(10);
      calls++;
    },
  });
  const browser = await browserOf(app);
  await decide(browser, await start(app));
  assertEquals(calls, 1);
  const path = authorizePath({ redirect_uri: "https://client.example/cb" });
  const form = await readConsent(await browser.fetch(path));
  await sendConsent(browser, form);
  assertEquals(calls, 2);
});

Deno.test("users.granted() does not receive the logins of trusted clients", async () => {
  const { app, notes } = startWithNotes({
    clients: [{
      id: "web",
      name: "Own",
      redirectUris: [CALLBACK],
      authentication: { secretHashes: ["a".repeat(43)] },
      trusted: true,
    }],
  });
  const browser = await browserOf(app);
  const target = targetOf(await browser.fetch(authorizePath()));
  assertMatch(target.searchParams.get("code")!, /^oac_/);
  assertEquals(notes, []);
});

Deno.test("an error of users.granted() is printed, and the client gets its code", async () => {
  const app = startServer({
    granted: () => Promise.reject(new TypeError("no mail today")),
  });
  using console = captureConsole();
  await getCode(await browserOf(app));
  await connect(app);
  const printed = "TypeError: no mail today";
  assertEquals(console.printed.map(String), [printed, printed]);
});
