/** Earlier versions, whose cookies have the prefix `__Host-`, run next to this one. */
import { csrfProtection, csrfToken } from "@gatehouse/web/csrf-middleware";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { seededRandom } from "../runtimes/random.ts";

const OLD = "__Host-session";
const NEW = "__Host-Http-session";
const SECRETS = ["a secret of more than thirty-two characters"];

const MIGRATION = { migrateFrom: "__Host-" } as const;

/** Creates the application of both versions. */
function createApp(options: SessionOptions, migrateFrom?: "__Host-"): Router {
  const cookie = { ...migrateFrom && { migrateFrom } };
  const router = createRouter({
    middleware: [session({ ...options, cookie }), csrfProtection({ cookie })],
  });
  const handle = (path: string, action: (session: Session) => unknown) =>
    router.get(
      path,
      (context) => Response.json(action(context.get(Session)) ?? null),
    );
  handle("/", (session) => session.userId);
  handle("/login", (session) => session.set("userId", 7));
  handle("/other-login", (session) => session.set("userId", 8));
  handle("/logout", (session) => session.destroy());
  handle("/rotate", (session) => session.regenerateId());
  handle(
    "/count",
    (session) => session.update("count", (count) => Number(count ?? 0) + 1),
  );
  router.get(
    "/token",
    async (context) => new Response(await csrfToken(context)),
  );
  router.post("/form", () => new Response("Saved"));
  return router;
}

/**
 * Turns the application into that of an earlier version: it only knows cookies
 * with the prefix `__Host-`.
 */
function asOldVersion(router: Router): Pick<Router, "fetch"> {
  return {
    async fetch(input: Request | string | URL, init?: RequestInit) {
      const request = new Request(input, init);
      const headers = new Headers(request.headers);
      const pairs = (headers.get("Cookie") ?? "").split("; ")
        .filter((pair) => !pair.startsWith("__Host-Http-"))
        .map((pair) => pair.replace("__Host-", "__Host-Http-"));
      headers.set("Cookie", pairs.join("; "));
      const response = await router.fetch(new Request(request, { headers }));
      const copy = new Response(response.body, response);
      copy.headers.delete("Set-Cookie");
      for (const line of response.headers.getSetCookie()) {
        copy.headers.append("Set-Cookie", line.replace("Http-", ""));
      }
      return copy;
    },
  } as Pick<Router, "fetch">;
}

/** A browser that reaches any machine with each request. */
class RollingBrowser {
  readonly cookies: Map<string, string>;

  constructor(cookies: Iterable<[string, string]> = []) {
    this.cookies = new Map(cookies);
  }

  async send(
    server: Pick<Router, "fetch">,
    path: string,
    init: RequestInit = {},
  ): Promise<Response> {
    const response = await this.request(server, path, init);
    this.receive(response);
    return response;
  }

  async json(server: Pick<Router, "fetch">, path = "/"): Promise<unknown> {
    return await (await this.send(server, path)).json();
  }

  request(
    server: Pick<Router, "fetch">,
    path: string,
    init: RequestInit = {},
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    const pairs = [...this.cookies].map((pair) => pair.join("="));
    headers.set("Cookie", pairs.join("; "));
    return server.fetch(`https://example.com${path}`, { ...init, headers });
  }

  receive({ headers }: Response): void {
    for (const line of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0/i.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
  }
}

function createServers(options: SessionOptions) {
  const older = asOldVersion(createApp(options));
  const newer = createApp(options, "__Host-");
  return { older, newer, both: [older, newer] };
}

const places = {
  store: () => ({ store: createMemorySessionStore() }),
  cookies: () => ({ secrets: SECRETS }),
} satisfies Record<string, () => SessionOptions>;

for (const [place, create] of Object.entries(places)) {
  Deno.test(`migrateFrom keeps the logins of earlier versions on both (${place})`, async () => {
    const { older, newer, both } = createServers(create());
    const browser = new RollingBrowser();
    await browser.send(older, "/login");
    assertEquals([...browser.cookies.keys()], [OLD]);
    for (const server of [newer, older, newer, older]) {
      assertEquals(await browser.json(server), 7);
    }
    await browser.send(newer, "/count");
    for (const server of both) assertEquals(await browser.json(server), 7);
    assert(browser.cookies.has(NEW));
  });

  Deno.test(`migrateFrom lets earlier versions see new logins and logouts (${place})`, async () => {
    const { older, newer, both } = createServers(create());
    const browser = new RollingBrowser();
    await browser.send(newer, "/login");
    for (const server of both) assertEquals(await browser.json(server), 7);
    const copy = new RollingBrowser(browser.cookies);
    await browser.send(newer, "/logout");
    for (const server of both) assertEquals(await browser.json(server), null);

    await copy.send(newer, "/login");
    await copy.send(older, "/logout");
    for (const server of both) assertEquals(await copy.json(server), null);
  });

  Deno.test(`migrateFrom lets no planted old cookie win over the new one (${place})`, async () => {
    const { newer } = createServers(create());
    const attacker = new RollingBrowser();
    await attacker.send(newer, "/other-login");
    const browser = new RollingBrowser();
    await browser.send(newer, "/login");
    for (const cookies of [[OLD, NEW], [NEW, OLD]]) {
      const planted = new RollingBrowser(cookies.map((name) => {
        const owner = name === OLD ? attacker : browser;
        return [name, owner.cookies.get(NEW)!];
      }));
      assertEquals(await planted.json(newer), 7);
    }
  });

  Deno.test(`session() ignores old cookies without migrateFrom (${place})`, async () => {
    const options = create();
    const { older } = createServers(options);
    const browser = new RollingBrowser();
    await browser.send(older, "/login");
    assertEquals(await browser.json(createApp(options)), null);
  });

  Deno.test(`session() keeps the logins after migrateFrom is removed (${place})`, async () => {
    const options = create();
    const { older, newer } = createServers(options);
    const browser = new RollingBrowser();
    await browser.send(older, "/login");
    await browser.send(newer, "/count");
    assertEquals(await browser.json(createApp(options)), 7);
  });
}

Deno.test("migrateFrom reads encrypted cookies that earlier versions have set", async () => {
  // Version 0.1.0 of 2026-11-23, before the change of the prefix.
  const sealed =
    "gVkuHmg8.i5wwrNBV-2u4aJ3JoXes0Yz7vIiocKAC459hc80P1v-4Czy7zpyqnsHK9473sYku5aujQ9mcdOOPsfZ9dXGwpEbH60BQb1v6A7KvS_rtMQq-hgaabw7UupuKUpzRDPRsb4rOrwG3ywjNa52DF3XsR2Dx87gSn82B-FWrhBYXtGyN2MjXLeqjI9CAvS2Mw-TzGybjcYodP_i4uzrgaglZABYlhxEaa9oSzAOyVx1vpAyhAWBSJQJDzcfH-v8WLFYHn61hQG4PkNC-glw1KJE";
  const options = { secrets: SECRETS, now: () => 1_000_000_001_000 };
  const browser = new RollingBrowser([[OLD, sealed]]);
  assertEquals(await browser.json(createApp(options)), null);
  assertEquals(await browser.json(createApp(options, "__Host-")), 7);
});

Deno.test("migrateFrom sets the new cookie with the first request of an old session", async () => {
  const { older, newer } = createServers(places.store());
  const browser = new RollingBrowser();
  await browser.send(older, "/login");
  const response = await browser.send(newer, "/");
  const names = response.headers.getSetCookie().map((line) =>
    line.slice(0, line.indexOf("="))
  );
  assertEquals(names, [NEW]);
  assertEquals(browser.cookies.get(NEW), browser.cookies.get(OLD));
  const second = await browser.send(newer, "/");
  assertEquals(second.headers.getSetCookie(), []);
});

Deno.test("migrateFrom keeps a login whose response arrives before that of an older request", async () => {
  const { older, newer, both } = createServers(places.store());
  const browser = new RollingBrowser();
  await browser.send(older, "/login");
  const late = await browser.request(newer, "/");
  const login = await browser.request(newer, "/other-login");
  browser.receive(login);
  browser.receive(late);
  for (const server of [...both, ...both]) {
    assertEquals(await browser.json(server), 8);
  }
});

Deno.test("two versions side by side lose no login in 2,000 random steps", async () => {
  const random = seededRandom(28);
  const { both } = createServers(places.store());
  const browser = new RollingBrowser();
  let user: number | null = null;
  const users = { "/login": 7, "/other-login": 8, "/logout": null } as const;
  const paths = ["/", "/", "/count", "/rotate", ...Object.keys(users)];
  for (let step = 0; step < 2_000; step++) {
    const server = both[Math.floor(random() * 2)]!;
    const path = paths[Math.floor(random() * paths.length)]!;
    await browser.send(server, path);
    if (path in users) user = users[path as keyof typeof users];
    for (const server of both) {
      assertEquals(await browser.json(server), user, `${step} ${path}`);
    }
  }
});

Deno.test("migrateFrom keeps the tokens of open forms valid on both versions", async () => {
  const { both, newer, older } = createServers(places.store());
  for (const [first, second] of [[older, newer], [newer, older]] as const) {
    const browser = new RollingBrowser();
    const token = await (await browser.send(first, "/token")).text();
    await browser.send(second, "/token");
    for (const server of both) {
      const response = await browser.send(server, "/form", {
        method: "POST",
        headers: { "X-CSRF-Token": token },
      });
      assertEquals(response.status, 200);
    }
  }
});

Deno.test("migrateFrom has no effect on local development and on cookies with a domain", async () => {
  const cases = [
    [{ domain: "example.com" }, "__Secure-session"],
    [{ path: "/a" }, "__Secure-session"],
  ] as const;
  for (const [options, name] of cases) {
    const cookie = { ...options, ...MIGRATION };
    const router = createRouter({ middleware: [session({ cookie })] });
    router.get("/a", (context) => {
      context.get(Session).set("userId", 7);
      return new Response();
    });
    const { headers } = await router.fetch("https://example.com/a");
    const lines = headers.getSetCookie();
    assertEquals(lines.map((line) => line.split("=")[0]), [name]);
  }
});

Deno.test("session() refuses names with a prefix", () => {
  for (const name of ["__Host-Http-a", "__Http-a", "__HTTP-a", "__Host-a"]) {
    assertThrows(() => session({ cookie: { name } }), TypeError, name);
  }
});

Deno.test("migrateFrom costs no call of the store", async () => {
  const memory = createMemorySessionStore();
  const calls: string[] = [];
  const store: SessionStore = {
    get: (id) => (calls.push("get"), memory.get(id)),
    put: (
      id,
      value,
      options,
    ) => (calls.push("put"), memory.put(id, value, options)),
    delete: (id) => (calls.push("delete"), memory.delete(id)),
  };
  const { older, newer } = createServers({ store });
  const browser = new RollingBrowser();
  await browser.send(older, "/login");
  calls.length = 0;
  await browser.send(newer, "/");
  assertEquals(calls, ["get"]);
});
