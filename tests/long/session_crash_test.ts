import { assert, assertEquals, assertGreater } from "@std/assert";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import {
  Session,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  findProgram,
  type Server,
  startPostgres,
  startRedis,
} from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";
import { until } from "../_wait.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const redis = findProgram("redis-server", "faults of Redis");
const postgres = findProgram("postgres", "faults of PostgreSQL");

/** Clients keep sockets and timers after a test. */
const LEAKS = { sanitizeOps: false, sanitizeResources: false };

for (const [kind, program] of [["redis", redis], ["postgres", postgres]]) {
  Deno.test({
    name: `two processes share one ${kind} and lose no change`,
    ignore: program === null,
    ...LEAKS,
    fn: () =>
      withStore(kind!, program!, async ({ address, store }) => {
        const browser = new Browser(store);
        await browser.send((session) => session.set("begun", true));
        const args = [kind!, String(address), browser.cookie];
        const [a, b] = await Promise.all([
          runWorker([...args, "a", "40"]),
          runWorker([...args, "b", "40"]),
        ]);
        assertEquals([a, b].map((answers) => answers.length), [40, 40]);
        await browser.send((session) => {
          for (const answer of [...a, ...b]) {
            assert(session.has(answer), answer);
          }
          assertEquals(session.get("count"), 80);
        });
      }),
  });

  Deno.test({
    name: `${kind} going away is an error, no logout, and it recovers`,
    ignore: program === null,
    ...LEAKS,
    fn: () =>
      withStore(kind!, program!, async ({ server, store }) => {
        const browser = new Browser(store);
        await browser.send((session) => session.set("userId", 7));
        const { cookie } = browser;

        // Away before the request, and away in the midst of one.
        await server!.crash();
        assertEquals(await browser.status(), 503);
        await server!.restart();
        await recovered(browser);
        const status = await browser.status(async (session) => {
          session.set("a", 1);
          await server!.crash();
        });
        assertEquals(status, 503);
        await server!.restart();
        await recovered(browser);

        assertEquals(browser.cookie, cookie);
        await browser.send((session) => assertEquals(session.userId, 7));
      }),
  });
}

Deno.test({
  name: "a hanging Redis causes an error after the timeout",
  ignore: redis === null,
  ...LEAKS,
  fn: () =>
    withStore("redis", redis!, async ({ server, store }) => {
      const browser = new Browser(store);
      await browser.send((session) => session.set("userId", 7));
      server!.freeze(true);
      // Redis is suspended, so this ends by the timeout.
      assertEquals(await browser.status(), 503);
      server!.freeze(false);
      await recovered(browser);
      await browser.send((session) => assertEquals(session.userId, 7));
    }),
});

for (
  const [kind, program] of [
    ["sqlite", ""],
    ["redis", redis],
    ["postgres", postgres],
  ]
) {
  Deno.test({
    name: `a process killed between load and save loses no data on ${kind}`,
    ignore: program === null,
    ...LEAKS,
    fn: () =>
      withStore(kind!, program!, async ({ address, store }) => {
        const browser = new Browser(store);
        await browser.send((session) => session.set("userId", 7));
        const args = [kind!, String(address), browser.cookie, "n"];
        // The 12th request pauses after it has loaded its session.
        const answers = await runWorker([...args, "1", "12"], "loaded");
        assertEquals(answers.length, 12);
        await browser.send((session) => {
          for (const answer of answers) assert(session.has(answer), answer);
          assertEquals(session.get("count"), 12);
          assertEquals(session.userId, 7);
        });
        // Killed at a random point.
        const more = await runWorker([...args, "4", "-1"], "200 n90");
        assertGreater(more.length, 40);
        await browser.send((session) => {
          for (const answer of more) assert(session.has(answer), answer);
        });
      }),
  });
}

interface Place {
  readonly store: SessionStore;
  readonly server: Server | null;
  readonly address: string | number;
}

async function withStore(
  kind: string,
  program: string,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  const folder = await makeDataFolder();
  const server = await start(kind, program);
  const address = server?.port ?? `${folder}/sessions.sqlite`;
  const { close, store } = await openStore(kind, address);
  try {
    await run({ store, server, address });
  } finally {
    await close();
    await server?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

async function start(kind: string, program: string): Promise<Server | null> {
  if (kind === "sqlite") return null;
  return kind === "redis"
    ? await startRedis(program)
    : await startPostgres(program);
}

/**
 * Runs a server process, kills it at a line of its output if there is one, and
 * returns which requests it had answered.
 */
async function runWorker(args: string[], killAt?: string): Promise<string[]> {
  const worker = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "../deno/_session_worker.ts", ...args],
    cwd: import.meta.dirname,
    stdout: "piped",
  }).spawn();
  const answered: string[] = [];
  let rest = "";
  for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("200 ")) answered.push(line.slice(4));
      if (line === killAt) worker.kill("SIGKILL");
    }
  }
  await worker.status;
  return answered;
}

type Act = (session: Session) => unknown;

/** A browser of one server, which responds with 503 if the store fails. */
class Browser {
  cookie = "";
  readonly #router: Router;
  #act: Act = () => {};

  constructor(store: SessionStore) {
    const router = createRouter({
      middleware: [session({ store, storeTimeout: 2_000 })],
      onError: (error) =>
        error instanceof SessionStoreError
          ? new Response(null, { status: 503 })
          : new Response(String(error), { status: 500 }),
    });
    router.get("/", async (context) => {
      await this.#act(context.get(Session));
      return new Response();
    });
    this.#router = router;
  }

  /** Sends a request that must succeed. */
  async send(act: Act): Promise<void> {
    this.#act = act;
    const response = await this.#fetch();
    assertEquals(response.status, 200, await response.text());
  }

  /** Sends a request and returns the status. */
  async status(act: Act = (session) => session.userId): Promise<number> {
    this.#act = act;
    return (await this.#fetch()).status;
  }

  async #fetch(): Promise<Response> {
    const headers: HeadersInit = this.cookie ? { Cookie: this.cookie } : {};
    const response = await this.#router.fetch("https://example.com/", {
      headers,
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(";")[0];
    return response;
  }
}

/** Waits until the client has found its server again. */
async function recovered(browser: Browser): Promise<void> {
  await until(async () => await browser.status() === 200);
}
