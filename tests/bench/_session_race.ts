import {
  createRouter,
  type Middleware,
  type Router,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import {
  type Candidate,
  type Effort,
  measure,
  printTable,
} from "./_measure.ts";
import {
  checkUser,
  honoSession,
  PEERS,
  remixStorage,
  requestsOf,
  SECRET,
  VALUES,
  type Work,
} from "./_session_peers.ts";

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures sessions on this runtime; tells whether the bounds hold. */
export async function raceSessions(quick: boolean): Promise<boolean> {
  const areReadsFast = await raceReads(quick);
  const areWritesFast = await raceWrites(quick);
  const isDispatchFast = await raceUntouched(quick);
  return areReadsFast && areWritesFast && isDispatchFast;
}

async function raceReads(quick: boolean): Promise<boolean> {
  const digest = "one SHA-256 digest";
  const sealed = "gatehouse, sealed cookie";
  const memory = "gatehouse, memory store";
  const remix = "@remix-run, signed cookie";
  const hono = "@hono/session, a Map";
  const bytes = new Uint8Array(43);
  const medians = await measure([
    { name: digest, run: () => crypto.subtle.digest("SHA-256", bytes) },
    await oneDecryption("one AES-GCM decryption"),
    await bareMemory("memory, by hand"),
    await ours(sealed, "read", { secrets: [SECRET] }),
    await ours(memory, "read", {}),
    await remixStorage(remix),
    await honoSession(hono, "read", new Map()),
    ...await peers("read"),
  ], effort(quick));
  const bounds = [
    { of: sealed, to: remix, most: 1 / 2 },
    { of: memory, to: hono, most: 1 / 2 },
  ];
  if (runtime === "Deno") {
    bounds.push(
      { of: sealed, to: "iron-session", most: 1 / 4 },
      { of: memory, to: digest, most: 2 },
    );
  }
  return printTable(`Session, reading on ${runtime}`, medians, bounds);
}

/** Measures requests that read their session and change one value. */
async function raceWrites(quick: boolean): Promise<boolean> {
  const sealed = "gatehouse, sealed cookie";
  const medians = await measure([
    await ours(sealed, "write", { secrets: [SECRET] }),
    ...await peers("write"),
  ], effort(quick));
  return printTable(
    `Session, changing a sealed or signed cookie on ${runtime}`,
    medians,
    [{ of: sealed, to: "@remix-run, its middleware", most: 1 }],
  );
}

function effort(quick: boolean): Effort {
  return { rounds: quick ? 30 : 300, turns: 200, inFlight: 50 };
}

function peers(work: Work): Promise<Candidate[]> {
  const candidates = Object.entries(PEERS)
    .map(([name, create]) => create(name, work));
  return Promise.all(candidates);
}

/** Measures the middleware with requests that do not touch their session. */
async function raceUntouched(quick: boolean): Promise<boolean> {
  const url = "https://example.com/articles/17";
  const headers = { Accept: "text/html", "User-Agent": "bench" };
  const candidates = untouchedRouters().map(({ name, fetch }) => ({
    name,
    run: () => fetch(new Request(url, { headers })),
  }));
  const medians = await measure(candidates, {
    rounds: quick ? 50 : 500,
    turns: 200,
  });
  return printTable(
    `Session, untouched, in the router only on ${runtime}`,
    medians,
  );
}

/** Creates the same route without a session, and with an unused one. */
export function untouchedRouters(): {
  readonly name: string;
  readonly fetch: Router["fetch"];
}[] {
  const lists: Record<string, Middleware[]> = {
    "no middleware": [],
    "an empty middleware": [(_context, next) => next()],
    "session": [session()],
    "session, lazy": [session({ lazy: true })],
  };
  return Object.entries(lists).map(([name, middleware]) => {
    const router = createRouter({ middleware });
    // The first read of any header is dear on Deno. A handler does one here, as
    // real ones do, so that it is not the session that pays for all of them.
    router.get("/articles/:id", ({ params, request }) => {
      const type = request.headers.get("Accept") ?? "text/plain";
      return new Response(params.id, { headers: { "Content-Type": type } });
    });
    return { name, fetch: router.fetch };
  });
}

/** Begins a session at `/new`, and then measures requests to a router. */
function ours(
  name: string,
  work: Work,
  options: SessionOptions,
): Promise<Candidate> {
  const router = createRouter({ middleware: [session(options)] });
  router.get("/new", (context) => {
    for (const [key, value] of Object.entries(VALUES)) {
      context.get(Session).set(key, value);
    }
    return new Response();
  });
  router.get("/", (context) => {
    const session = context.get(Session);
    checkUser(session.userId);
    if (work === "write") session.set("theme", "light");
    return new Response();
  });
  return requestsOf(name, router.fetch, work);
}

/** Decrypts as many bytes as our sealed cookie has. */
async function oneDecryption(name: string): Promise<Candidate> {
  const aes = { name: "AES-GCM", iv: new Uint8Array(12) };
  const key = await crypto.subtle.generateKey(
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
  const bytes = new TextEncoder().encode(JSON.stringify(VALUES));
  const sealed = await crypto.subtle.encrypt(aes, key, bytes);
  return { name, run: () => crypto.subtle.decrypt(aes, key, sealed) };
}

/** Reads a minimal session from memory, without checks or saving. */
async function bareMemory(name: string): Promise<Candidate> {
  const token = crypto.randomUUID().padEnd(43, "x");
  const request = new Request("https://example.com/", {
    headers: { Cookie: `__Host-Http-session=${token}` },
  });
  const idOf = async (token: string) => {
    const bytes = new TextEncoder().encode(token);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return new Uint8Array(digest).toBase64();
  };
  const store = new Map([[await idOf(token), JSON.stringify(VALUES)]]);
  return {
    name,
    async run() {
      const header = request.headers.get("Cookie")!;
      const id = await idOf(header.slice(header.indexOf("=") + 1));
      const session = JSON.parse(store.get(id)!);
      if (session.userId !== 4711) throw new Error("No session");
    },
  };
}
