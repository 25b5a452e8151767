// Two issuers with one redirectUri (RFC 9700, section 4.4): the application could
// send the codes of one to a hostile other one.
import {
  completeAuth,
  externalAuthCallbacks,
  type ExternalAuthProvider,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { clientOf, ORIGIN } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

interface App {
  readonly router: Router;
  /** The messages of the handlers' errors. */
  readonly errors: string[];
}

/** Creates an application with one callback that remembers the chosen provider. */
function createApp(
  clients: Readonly<Record<string, ExternalAuthProvider>>,
  callbacks: readonly string[] = ["/callback"],
  sessions: SessionStore | { readonly secrets: readonly string[] } =
    createMemorySessionStore(),
): App {
  const errors: string[] = [];
  const router = createRouter({
    middleware: [
      session("secrets" in sessions ? sessions : { store: sessions }),
    ],
    onError(error) {
      errors.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  router.get("/login/:name", (context) => {
    const { name } = context.params;
    context.get(Session).set("chosen", name);
    return startExternalAuth(clients[name]!, context);
  });
  for (const callback of callbacks) {
    router.get(callback, async (context) => {
      const chosen = clients[context.get(Session).get("chosen") as string]!;
      const result = await externalAuthResult(chosen, context);
      if (!result.ok) return new Response(result.error.code, { status: 401 });
      await completeAuth(context, `${result.issuer} ${result.subject}`);
      return new Response("logged in");
    });
  }
  router.get(
    "/user",
    (context) => Response.json(context.get(Session).userId ?? null),
  );
  return { router, errors };
}

/** Returns another person's browser. */
function browserOf({ router }: App) {
  const client = createTestClient(router, { origin: ORIGIN });
  const visit = (url: string) => client.fetch(url);
  return {
    visit,
    async begin(name: string): Promise<URL | null> {
      const { headers } = await visit(`/login/${name}`);
      return URL.parse(headers.get("Location") ?? "");
    },
    async user(): Promise<unknown> {
      return await (await visit("/user")).json();
    },
  };
}

/**
 * Runs the attack. The attacker starts a login at the honest provider. The victim
 * starts one at the hostile provider, which redirects to the honest one with the
 * challenge and the nonce of the attacker.
 *
 * @returns The user of the attacker's session.
 */
async function attack(
  honest: TestProvider,
  evil: TestProvider,
  app: App,
  evilFirst: boolean,
  victimsApp: App = app,
): Promise<unknown> {
  const [attacker, victim] = [browserOf(app), browserOf(victimsApp)];
  const names = evilFirst ? ["evil", "honest"] : ["honest", "evil"];
  const begun: Record<string, URL | null> = {};
  for (const name of names) {
    const browser = name === "evil" ? victim : attacker;
    begun[name] = await browser.begin(name);
  }
  const [own, victims] = [begun.honest, begun.evil];
  if (!own || !victims) return await attacker.user();

  const relayed = new URL(own);
  relayed.searchParams.set("state", victims.searchParams.get("state")!);
  await victim.visit(honest.authorize(relayed.href));

  const stolen = evil.requests.map(({ form }) => form.get("code"))
    .find((code) => code !== null) ?? "none";
  const callback = new URL(own.searchParams.get("redirect_uri")!);
  callback.searchParams.set("code", stolen);
  callback.searchParams.set("state", own.searchParams.get("state")!);
  await attacker.visit(callback.href);
  return await attacker.user();
}

const shared: [string, string, string][] = [
  ["the same redirectUri", "/callback", "/callback"],
  ["another origin", "/callback", "https://www.app.example/callback"],
  ["a query that the hostile one lacks", "/callback?p=honest", "/callback"],
  ["a query that the honest one lacks", "/callback", "/callback?p=evil"],
];

for (const [name, honestUri, evilUri] of shared) {
  for (const evilFirst of [false, true]) {
    Deno.test(`the attacker is not logged in as the victim with ${name}, started ${evilFirst ? "first" : "last"} (RFC 9700, section 4.4: mix-up)`, async () => {
      const honest = await TestProvider.create();
      const evil = await TestProvider.create("https://evil.example");
      const app = createApp({
        honest: clientAt(honest, honestUri),
        evil: clientAt(evil, evilUri),
      });
      assertEquals(await attack(honest, evil, app, evilFirst), null);
      assertEquals(
        evil.count("/token"),
        0,
        "no code reaches the hostile provider",
      );
      assertEquals(app.errors.length, 1);
      assertMatch(app.errors[0]!, /^TypeError: Cannot start the external /);
      assertMatch(app.errors[0]!, /redirectUri.*RFC 9700, section 4\.4/);
    });
  }
}

for (const evilFirst of [false, true]) {
  Deno.test(`the attacker is not logged in as the victim if two processes each have seen one provider, the hostile one ${evilFirst ? "first" : "last"} (RFC 9700, section 4.4: mix-up)`, async () => {
    const honest = await TestProvider.create();
    const evil = await TestProvider.create("https://evil.example");
    const store = createMemorySessionStore();
    const clients = {
      honest: clientAt(honest, "/callback"),
      evil: clientAt(evil, "/callback"),
    };
    const [one, two] = [0, 1].map(() =>
      createApp(clients, ["/callback"], store)
    );
    assertEquals(await attack(honest, evil, one!, evilFirst, two), null);
    assertEquals(evil.count("/token"), 0);
    const [error = ""] = [...one!.errors, ...two!.errors];
    assertMatch(
      error,
      /^TypeError: Cannot start the external .*one redirectUri/,
    );
  });
}

Deno.test("startExternalAuth() accepts another issuer of a callback 20 minutes after the one before", async () => {
  const clock = { time: 1_700_000_000_000 };
  const now = () => clock.time;
  const store = createMemorySessionStore({ now });
  const issuers = ["https://old.example", "https://new.example"];
  const statuses: boolean[] = [];
  for (const minutes of [0, 4, 19, 20, 21]) {
    clock.time = 1_700_000_000_000 + minutes * 60_000;
    const issuer = issuers[minutes < 19 ? 0 : 1]!;
    const provider = await TestProvider.create(issuer);
    const app = createApp(
      { own: clientAt(provider, "/callback", { now }) },
      ["/callback"],
      store,
    );
    statuses.push((await browserOf(app).begin("own")) !== null);
  }
  assertEquals(statuses, [true, true, false, true, true]);
});

Deno.test("the attacker is not logged in as the victim with a login from before a restart (RFC 9700, section 4.4: mix-up)", async () => {
  const honest = await TestProvider.create();
  const evil = await TestProvider.create("https://evil.example");
  const clients = {
    honest: clientAt(honest, "/callback"),
    evil: clientAt(evil, "/callback"),
  };
  const store = createMemorySessionStore();
  const before = createApp(clients, ["/callback"], store);
  const attacker = createTestClient(before.router, { origin: ORIGIN });
  const begun = await attacker.fetch("/login/honest");
  const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
  const state = new URL(begun.headers.get("Location")!).searchParams;

  const after = createApp(clients, ["/callback"], store);
  await browserOf(after).begin("evil");
  const response = await after.router.fetch(
    `${ORIGIN}/callback?code=stolen&state=${state.get("state")}`,
    { headers: { cookie } },
  );
  assertEquals(response.status, 500);
  assertMatch(after.errors[0]!, /^TypeError: Cannot start the external /);
  assertMatch(after.errors[1]!, /^TypeError: Cannot finish the external /);
  assertEquals(honest.count("/token"), 0);
});

Deno.test("startExternalAuth() refuses sessions in cookies without a list of all providers, which no process can learn from others (RFC 9700, section 4.4: mix-up)", async () => {
  const honest = await TestProvider.create();
  const evil = await TestProvider.create("https://evil.example");
  const clients = {
    honest: clientAt(honest, "/callback"),
    evil: clientAt(evil, "/callback"),
  };
  const secrets = ["a secret of more than thirty-two characters"];
  const [one, two] = [0, 1].map(() =>
    createApp(clients, ["/callback"], { secrets })
  );
  assertEquals(await attack(honest, evil, one!, false, two), null);
  assertEquals(evil.count("/token"), 0);
  for (const { errors } of [one!, two!]) {
    assertMatch(
      errors[0]!,
      /^TypeError: Cannot start the .* in cookies .*externalAuthCallbacks\(\)/,
    );
  }
});

Deno.test("externalAuthCallbacks() refuses two lists in which issuers share a callback, and accepts others", async () => {
  const issuers = ["https://one.example", "https://two.example"];
  const [one, two] = await Promise.all(
    issuers.map((issuer) => TestProvider.create(issuer)),
  );
  const secrets = ["a secret of more than thirty-two characters"];
  for (const [uri, status] of [["/callback", 500], ["/two", 302]] as const) {
    const clients = [clientAt(one!, "/callback"), clientAt(two!, uri)];
    const router = createRouter({
      middleware: [
        ...clients.map((client) => externalAuthCallbacks([client])),
        session({ secrets }),
      ],
      onError: () => new Response(null, { status: 500 }),
    });
    router.get("/login", (context) => startExternalAuth(clients[0]!, context));
    assertEquals((await router.fetch(`${ORIGIN}/login`)).status, status);
  }
});

function clientAt(
  provider: TestProvider,
  redirectUri: string,
  options: Partial<OIDCAuthProviderOptions> = {},
): ExternalAuthProvider {
  const { href } = new URL(redirectUri, ORIGIN);
  return clientOf(provider, { ...options, redirectUri: href });
}

Deno.test("startExternalAuth() accepts two issuers with different paths or queries of their callbacks", async () => {
  const providers = await Promise.all(
    ["one", "two", "three"].map((name) =>
      TestProvider.create(`https://${name}.example`)
    ),
  );
  const uris = ["/one", "/callback?p=two", "/callback?p=three"];
  const clients = Object.fromEntries(providers.map((provider, i) => [
    `${i}`,
    clientAt(provider, uris[i]!),
  ]));
  const app = createApp(clients, ["/one", "/callback"]);
  for (const [i, provider] of providers.entries()) {
    const browser = browserOf(app);
    const location = await browser.begin(`${i}`);
    await browser.visit(provider.authorize(location!.href));
    assertMatch(String(await browser.user()), /^https:.*\.example \d+$/);
  }
  assertEquals(app.errors, []);
});

Deno.test("startExternalAuth() accepts two registrations at one issuer with one redirectUri", async () => {
  const provider = await TestProvider.create();
  const clients = {
    plain: clientAt(provider, "/callback"),
    admin: clientAt(provider, "/callback", { prompt: "login" }),
  };
  const app = createApp(clients);
  for (const name of ["plain", "admin"]) {
    const browser = browserOf(app);
    const location = await browser.begin(name);
    await browser.visit(provider.authorize(location!.href));
    assertMatch(String(await browser.user()), /^https:/);
  }
});

Deno.test("startExternalAuth() ignores other applications in the process", async () => {
  for (const issuer of ["https://one.example", "https://two.example"]) {
    const provider = await TestProvider.create(issuer);
    const app = createApp({ own: clientAt(provider, "/callback") });
    const location = await browserOf(app).begin("own");
    assertEquals(location?.origin, issuer);
  }
});

Deno.test("externalAuthResult() remembers the last thousand callbacks with one path, not more", async () => {
  const issuer = (name: string) => ({ issuer: `https://${name}.example` });
  const provider = await TestProvider.create();
  const client = (name: string, tenant: string) =>
    clientOf(provider, {
      ...issuer(name),
      redirectUri: `${ORIGIN}/callback?tenant=${tenant}`,
    });
  let current = client("first", "0");
  const errors: string[] = [];
  const router = createRouter({
    middleware: [session()],
    onError(error) {
      errors.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  router.get("/callback", async (context) => {
    await externalAuthResult(current, context);
    return new Response();
  });
  const use = async (next: ExternalAuthProvider) => {
    current = next as typeof current;
    const { status } = await router.fetch(`${ORIGIN}/callback`);
    return status;
  };
  const other = client("other", "0");
  assertEquals(await use(current), 200);
  assertEquals(await use(other), 500);
  assertMatch(errors[0]!, /different issuers with one redirectUri/);
  for (let tenant = 1; tenant < 1000; tenant++) {
    await use(client("first", String(tenant)));
  }
  assertEquals(await use(other), 500);
  await use(client("first", "1000"));
  assertEquals(await use(other), 200);
});
