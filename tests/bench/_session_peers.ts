import { createCookie } from "npm:@remix-run/cookie@0.5.3";
import { createRouter as createRemixRouter } from "npm:@remix-run/fetch-router@0.18.2";
import { Session as RemixSession } from "npm:@remix-run/session@0.4.2";
import { createCookieSessionStorage } from "npm:@remix-run/session@0.4.2/cookie-storage";
import { session as remixSession } from "npm:@remix-run/session-middleware@0.2.2";
import {
  type SessionEnv,
  useSession as useHonoSession,
  useSessionStorage,
} from "npm:@hono/session@0.2.1";
import { H3, useSession as useH3Session } from "npm:h3@2.0.8";
import { Hono } from "npm:hono@4.13.19";
import { getIronSession, sealData } from "npm:iron-session@9.0.1";
import type { Candidate } from "./_measure.ts";

/** The values of the session: about 300 bytes of JSON. */
export const VALUES = {
  userId: 4711,
  cart: Array.from({ length: 5 }, (_, n) => ({ sku: `sku-${n}`, quantity: n })),
  theme: "dark",
  locale: "en-GB",
};

/** The secret of sealed and signed cookies. */
export const SECRET = "a secret of more than thirty-two characters";

/** The work of a request: it reads its session, and perhaps changes a value. */
export type Work = "read" | "write";

/** A peer, whose sessions are in sealed or signed cookies. */
type Peer = (name: string, work: Work) => Promise<Candidate>;

/** The candidates with sessions in cookies, by name. */
export const PEERS: Readonly<Record<string, Peer>> = {
  "iron-session": ironSession,
  "h3, sealed cookie": h3Session,
  "@hono/session, sealed cookie": honoSession,
  "@remix-run, its middleware": remixMiddleware,
};

/** Throws an error if a session was not read. */
export function checkUser(userId: unknown): void {
  if (userId !== VALUES.userId) throw new Error("No session");
}

/** Runs a candidate once, and throws an error if the response has no cookie. */
export async function checked(
  candidate: Candidate,
  work: Work,
): Promise<Candidate> {
  const { headers } = await candidate.run(0) as Response;
  const isWritten = headers.getSetCookie().length > 0;
  if (isWritten === (work === "write")) return candidate;
  throw new Error(`${candidate.name} does not ${work} as it should`);
}

async function ironSession(name: string, work: Work): Promise<Candidate> {
  const options = { password: SECRET, cookieName: "session" };
  const seal = await sealData(VALUES, options);
  const request = requestWith(`session=${seal}`);
  return await checked({
    name,
    async run() {
      const response = new Response();
      const session = await getIronSession<typeof VALUES>(
        request,
        response,
        options,
      );
      checkUser(session.userId);
      if (work === "write") {
        session.theme = "light";
        await session.save();
      }
      return response;
    },
  }, work);
}

/** Unseals the cookie of each request, for which h3 derives two keys. */
async function h3Session(name: string, work: Work): Promise<Candidate> {
  const options = { password: SECRET, name: "session" };
  const app = new H3();
  app.get("/new", async (event) => {
    await (await useH3Session(event, options)).update(VALUES);
    return "";
  });
  app.get("/", async (event) => {
    const session = await useH3Session<typeof VALUES>(event, options);
    checkUser(session.data.userId);
    if (work === "write") await session.update({ theme: "light" });
    return "";
  });
  // A copy, because h3 keeps the session that it read on the request.
  const fetch = async (request: Request) =>
    await app.fetch(new Request(request));
  return await requestsOf(name, fetch, work, 4);
}

/** Reads the session from the cookie, or from a `Map` if there is one. */
export function honoSession(
  name: string,
  work: Work,
  store?: Map<string, Record<string, unknown>>,
): Promise<Candidate> {
  const app = new Hono<SessionEnv>();
  if (store !== undefined) {
    app.use(useSessionStorage({
      get: (id: string) => store.get(id) ?? null,
      set: (id: string, value: Record<string, unknown>) => {
        store.set(id, value);
      },
      delete: (id: string) => void store.delete(id),
    }));
  }
  app.use(useHonoSession({ secret: SECRET }));
  app.get("/new", async ({ body, var: { session } }) => {
    await session.update(VALUES);
    return body(null);
  });
  app.get("/", async ({ body, var: { session } }) => {
    const values = await session.get();
    checkUser(values?.userId);
    if (work === "write") await session.update({ ...values, theme: "light" });
    return body(null);
  });
  const fetch = async (request: Request) => await app.fetch(request);
  return requestsOf(name, fetch, work);
}

/** Begins a session at `/new`, and then measures requests with its cookie. */
export async function requestsOf(
  name: string,
  fetch: (request: Request) => Promise<Response>,
  work: Work,
  turns?: number,
): Promise<Candidate> {
  const begun = await fetch(new Request("https://example.com/new"));
  const [cookie] = begun.headers.getSetCookie()[0]!.split(";");
  const request = requestWith(cookie!);
  const candidate = { name, run: () => fetch(request) };
  return await checked(turns ? { ...candidate, turns } : candidate, work);
}

/** Reads a signed cookie without a middleware. */
export async function remixStorage(name: string): Promise<Candidate> {
  const { cookie, header, storage } = await remixParts();
  return {
    name,
    async run() {
      const session = await storage.read(await cookie.parse(header));
      checkUser(session.get("userId"));
    },
  };
}

async function remixMiddleware(name: string, work: Work): Promise<Candidate> {
  const { cookie, storage } = await remixParts();
  const router = createRemixRouter({
    middleware: [remixSession(cookie, storage)],
  });
  router.get("/new", (context) => {
    const session = context.get(RemixSession) as RemixSession;
    for (const [key, value] of Object.entries(VALUES)) session.set(key, value);
    return new Response();
  });
  router.get("/", (context) => {
    const session = context.get(RemixSession) as RemixSession;
    checkUser(session.get("userId"));
    if (work === "write") session.set("theme", "light");
    return new Response();
  });
  return await requestsOf(name, (request) => router.fetch(request), work);
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

function requestWith(cookie: string): Request {
  return new Request("https://example.com/", { headers: { Cookie: cookie } });
}
