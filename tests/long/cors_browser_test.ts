/** `cors()` in a browser: an API, a page that it trusts, and another page. */
import {
  createRouter,
  type Middleware,
  type Router,
} from "@gatehouse/web/fetch-router";
import { cors, crossOriginProtection } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals } from "@std/assert";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { serveLocally } from "../deno/_serve.ts";

const page = "<!doctype html><title>Page</title>";
const html = { "Content-Type": "text/html; charset=utf-8" };
const serve = (fetch: (request: Request) => Response | Promise<Response>) =>
  serveLocally((request) => fetch(request));
const servePage = () => serve(() => new Response(page, { headers: html }));
const originOf = ({ addr }: { addr: Deno.NetAddr }) =>
  `http://127.0.0.1:${addr.port}`;

/** A request of a script, and its status; `null` if the browser blocks it. */
type Row = readonly [path: string, init: RequestInit, status: number | null];

function createAPI(trusted: string): Router {
  const options = { trustedOrigins: [trusted], credentials: true };
  const requireUser: Middleware<readonly []> = (context) =>
    context.get(Session).userId === undefined
      ? new Response("Unauthorized", { status: 401 })
      : undefined;
  const notes = createRouter({ middleware: [requireUser] });
  notes.get("/", () => {
    return Response.json([], { headers: { "X-Total": "0" } });
  });
  notes.put("/:id", () => new Response("Saved"));
  const router = createRouter({
    middleware: [
      cors({ ...options, exposedHeaders: ["X-Total"] }),
      crossOriginProtection(options),
      session(),
    ],
    onError: () => new Response("Sorry", { status: 500 }),
  });
  router.get("/", () => new Response(page, { headers: html }));
  router.post("/login", (context) => {
    context.get(Session).set("userId", 7);
    return new Response("Welcome");
  });
  router.get("/throws", () => {
    throw new Error("bug");
  });
  router.mount("/notes", notes);
  router.mount("/public", createPublic());
  return router;
}

/** Creates a part with its own origins. The outer `cors()` decides instead. */
function createPublic(): Router {
  const router = createRouter({ middleware: [cors({ trustedOrigins: "*" })] });
  router.get("/", () => new Response("Public"));
  return router;
}

const credentials = "include";
const json = { "Content-Type": "application/json" };

/** The requests of each page, in order. */
const rows: readonly Row[] = [
  ["/notes", {}, 401],
  ["/notes", { credentials }, 401],
  ["/login", { method: "POST", credentials }, 200],
  ["/notes", { credentials }, 200],
  ["/notes", {}, 401],
  ["/notes/7", { method: "PUT", credentials, headers: json, body: "{}" }, 200],
  ["/notes/7", { method: "PUT", headers: { "X-Key": "1" } }, 401],
  ["/notes/7", { method: "POST", credentials }, 405],
  ["/throws", { headers: { Authorization: "Bearer x" } }, 500],
  ["/nowhere", { method: "DELETE", credentials }, 404],
  ["/public", {}, 200],
];

/** These are blocked for the trusted page too: the path has no such method. */
const blocked: readonly Row[] = [
  ["/notes/7", { method: "DELETE", credentials }, null],
  ["/notes/7", { method: "patch", credentials }, null],
];

testInChromium(
  "cors() lets a trusted page read responses in Chromium, and no other page",
  async () => {
    await using trusted = servePage();
    await using stranger = servePage();
    await using api = serve(createAPI(originOf(trusted)).fetch);
    await using browser = await launch();
    const fetchFrom = async (origin: string, requests: readonly Row[]) => {
      const tab = await (await browser.newContext()).newPage();
      await tab.goto(origin);
      const seen: Row[] = [];
      for (const [path, init] of requests) {
        const status = await tab.evaluate(
          ([url, init]) =>
            fetch(url, init).then(({ status }) => status, () => null),
          [originOf(api) + path, init] as [string, RequestInit],
        );
        seen.push([path, init, status]);
      }
      const total = await tab.evaluate(
        (url) =>
          fetch(url, { credentials: "include" })
            .then(({ headers }) => headers.get("X-Total"), () => "blocked"),
        `${originOf(api)}/notes`,
      );
      return { seen, total };
    };

    const all = [...rows, ...blocked];
    assertEquals(await fetchFrom(originOf(trusted), all), {
      seen: all,
      total: "0",
    });
    assertEquals(await fetchFrom(originOf(stranger), all), {
      seen: all.map(([path, init]): Row => [path, init, null]),
      total: "blocked",
    });
    // The API's own page needs no permission.
    const own = await fetchFrom(originOf(api), rows);
    assertEquals(own.seen[3]?.[2], 200);
    await browser.close();
  },
);
