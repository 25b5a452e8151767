import {
  createRouter,
  type Middleware,
  RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import { createCookie } from "npm:@remix-run/cookie@0.5.3";
import { RequestContext as RemixContext } from "npm:@remix-run/fetch-router@0.18.2";
import { Session as RemixSession } from "npm:@remix-run/session@0.4.2";
import { createCookieSessionStorage } from "npm:@remix-run/session@0.4.2/cookie-storage";
import { session as remixSession } from "npm:@remix-run/session-middleware@0.2.2";
import { getIronSession, sealData } from "npm:iron-session@9.0.1";
import { type Candidate, measure, printTable } from "./_measure.ts";

/** The values of the session: about 300 bytes of JSON. */
const VALUES = {
  userId: 4711,
  cart: Array.from({ length: 5 }, (_, n) => ({ sku: `sku-${n}`, quantity: n })),
  theme: "dark",
  locale: "en-GB",
};

const SECRET = "a secret of more than thirty-two characters";

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures sessions on this runtime; tells whether the bounds hold. */
export async function raceSessions(quick: boolean): Promise<boolean> {
  const areReadsFast = await raceReads(quick);
  const isDispatchFast = await raceUntouched(quick);
  return areReadsFast && isDispatchFast;
}

async function raceReads(quick: boolean): Promise<boolean> {
  const digest = "one SHA-256 digest";
  const sealed = "sealed cookie";
  const memory = "memory store";
  const iron = "iron-session";
  const remix = "@remix-run, signed cookie";
  const bytes = new Uint8Array(43);
  const candidates: Candidate[] = [
    { name: digest, run: () => crypto.subtle.digest("SHA-256", bytes) },
    await oneDecryption("one AES-GCM decryption"),
    await bareMemory("memory, by hand"),
    await ours(sealed, { secrets: [SECRET] }),
    await ours(memory, {}),
    await ironSession(iron),
    await remixStorage(remix),
    await remixMiddleware("@remix-run, its middleware"),
  ];
  const medians = await measure(candidates, {
    rounds: quick ? 30 : 300,
    turns: 200,
    inFlight: 50,
  });
  const bounds = [{ of: sealed, to: remix, most: 1 / 2 }];
  if (runtime === "Deno") {
    bounds.push(
      { of: sealed, to: iron, most: 1 / 4 },
      { of: memory, to: digest, most: 2 },
    );
  }
  return printTable(`Session, reading on ${runtime}`, medians, bounds);
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

/**
 * Reads a session through our whole middleware, from the header to the value.
 */
async function ours(name: string, options: SessionOptions): Promise<Candidate> {
  const middleware = session(options);
  const first = new RequestContext(new Request("https://example.com/"));
  const response = await middleware(first, () => {
    for (const [key, value] of Object.entries(VALUES)) {
      first.get(Session).set(key, value);
    }
    return Promise.resolve(new Response());
  });
  const [cookie] = (response as Response).headers.getSetCookie()[0]!.split(";");
  const request = new Request("https://example.com/", {
    headers: { Cookie: cookie! },
  });
  const answer = new Response(null, {
    headers: { "Cache-Control": "private" },
  });
  return {
    name,
    run() {
      const context = new RequestContext(request);
      return middleware(context, () => {
        if (context.get(Session).userId !== 4711) throw new Error("No session");
        return Promise.resolve(answer);
      });
    },
  };
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

async function ironSession(name: string): Promise<Candidate> {
  const options = { password: SECRET, cookieName: "session" };
  const seal = await sealData(VALUES, options);
  const request = new Request("https://example.com/", {
    headers: { Cookie: `session=${seal}` },
  });
  const response = new Response();
  return {
    name,
    async run() {
      const session = await getIronSession<typeof VALUES>(
        request,
        response,
        options,
      );
      if (session.userId !== 4711) throw new Error("No session");
    },
  };
}

async function remixStorage(name: string): Promise<Candidate> {
  const { cookie, header, storage } = await remixParts();
  return {
    name,
    async run() {
      const session = await storage.read(await cookie.parse(header));
      if (session.get("userId") !== 4711) throw new Error("No session");
    },
  };
}

async function remixMiddleware(name: string): Promise<Candidate> {
  const { cookie, header, storage } = await remixParts();
  const middleware = remixSession(cookie, storage);
  const request = new Request("https://example.com/", {
    headers: { Cookie: header },
  });
  const answer = new Response();
  return {
    name,
    run() {
      const context = new RemixContext(request);
      return middleware(context, () => {
        const session = context.get(RemixSession) as RemixSession;
        if (session.get("userId") !== 4711) throw new Error("No session");
        return Promise.resolve(answer);
      });
    },
  };
}

async function remixParts() {
  const cookie = createCookie("session", { secrets: [SECRET] });
  const storage = createCookieSessionStorage();
  const session = await storage.read(null);
  for (const [key, value] of Object.entries(VALUES)) session.set(key, value);
  const text = await storage.save(session) as string;
  const [header] = (await cookie.serialize(text)).split(";");
  return { cookie, storage, header: header! };
}
