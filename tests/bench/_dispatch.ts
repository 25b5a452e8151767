/**
 * Dispatch: `await router.fetch(request)` on a request that is ready, next to a
 * bare handler and to others. It is measured without middleware, and with five
 * that do nothing: functions that return the promise of `next()`, and async
 * functions that await it. On Deno and on Bun. Every library is given as its
 * users give it to a server: `app.fetch`.
 */
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { createRouter as createRemixRouter } from "npm:@remix-run/fetch-router@0.20.1";
import { Elysia } from "npm:elysia@1.4.30";
import { H3, type Middleware as H3Middleware } from "npm:h3@2.0.8";
import { Hono, type MiddlewareHandler } from "npm:hono@4.13.19";
import { IttyRouter } from "npm:itty-router@5.0.24";
import { type Bound, type Candidate, measure, printTable } from "./_measure.ts";

/** Responds to a request, with or without the runtime's extra arguments. */
export type Fetch = (
  request: Request,
  ...platform: unknown[]
) => Response | Promise<Response>;

const requests = Array.from(
  { length: 2_000 },
  (_, index) => new Request(`http://localhost:8000/users/${index}x`),
);
const statics = Array.from(
  { length: 2_000 },
  () => new Request("http://localhost:8000/health"),
);
const misses = Array.from(
  { length: 2_000 },
  (_, index) => new Request(`http://localhost:8000/${index}/wp-login.php`),
);

/** The result of middleware: the promise of `next()`, or one that awaits it. */
type Form = "returns" | "awaits";

/** Prints the tables; tells whether the bounds hold. */
export async function benchDispatch(quick: boolean): Promise<boolean> {
  // Every router is awaited: some answer without a promise now and then.
  const effort = {
    ...quick ? { rounds: 24, turns: 10_000 } : { rounds: 30, turns: 20_000 },
    awaitsAll: true,
  };
  let holds = true;
  for (
    const [title, list, middleware, form, bounds] of [
      ["dispatch, static route", statics, 0, "returns", PLAIN_BOUNDS],
      ["dispatch, param route", requests, 0, "returns", PLAIN_BOUNDS],
      ["dispatch, no route", misses, 0, "returns", MISS_BOUNDS],
      [FIVE, requests, 5, "returns", FIVE_BOUNDS],
      [FIVE_ASYNC, requests, 5, "awaits", FIVE_BOUNDS],
    ] as const
  ) {
    const fetches = Object.entries(applications).map(([name, create]) =>
      [name, create(middleware, form)] as const
    );
    const candidates = fetches.map(([name, fetch]): Candidate => ({
      name,
      run: (turn) => fetch(list[turn % list.length]!),
    }));
    const medians = await measure(candidates, effort);
    // Not before: who has read a body once is not optimized in the same way.
    await demandSame(fetches, list[7]!);
    holds = printTable(title, medians, bounds) && holds;
  }
  return holds;
}

/** Throws if a router responds wrongly: it would look fastest. */
async function demandSame(
  fetches: readonly (readonly [name: string, fetch: Fetch])[],
  request: Request,
): Promise<void> {
  const { status, ok } = await bare(request);
  const expected = ok ? await (await bare(request)).text() : undefined;
  for (const [name, fetch] of fetches) {
    const response = await fetch(request);
    const text = await response.text();
    // Each library has its own text for an unknown path.
    if (response.status !== status || text !== (expected ?? text)) {
      throw new Error(`${name} answers ${request.url} wrongly`);
    }
  }
}

const FIVE = "dispatch, param route, five middleware";
const FIVE_ASYNC = "dispatch, param route, five async middleware";

const of = "gatehouse";
const onBun = "Bun" in globalThis;
const PLAIN_BOUNDS: readonly Bound[] = [
  { of, to: "bare", most: onBun ? 1.3 : 2 },
  // Elysia compiles its routes with eval.
  { of, to: "elysia", most: 1.3 },
];
// On Bun, copying the response takes as long as creating it, not a fifth.
const MISS_BOUNDS: readonly Bound[] = [
  { of, to: "bare", most: onBun ? 1.8 : 1.3 },
];
const FIVE_BOUNDS: readonly Bound[] = [
  { of, to: "hono", most: 0.6 },
  { of, to: "h3", most: 1 },
];

/** The same small application everywhere, with so many idle middleware. */
export const applications: Readonly<
  Record<string, (middleware: number, form?: Form) => Fetch>
> = {
  bare: () => bare,
  gatehouse,
  elysia,
  hono,
  h3,
  "itty-router": itty,
  "@remix-run/fetch-router": remix,
};

// deno-lint-ignore require-await -- what a handler that awaits nothing costs
async function bare(request: Request): Promise<Response> {
  const { url } = request;
  const path = url.slice(url.indexOf("/", 8));
  if (path.startsWith("/users/")) return new Response(path.slice(7));
  return path === "/health"
    ? new Response("ok")
    : new Response("Not Found", { status: 404 });
}

function gatehouse(count: number, form?: Form): Fetch {
  const pass: Middleware<readonly []> = form === "awaits"
    ? async (_, next) => {
      const response = await next();
      return response;
    }
    : (_, next) => next();
  const router = createRouter({ middleware: Array(count).fill(pass) });
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return router.fetch;
}

function elysia(count: number, form?: Form): Fetch {
  const app = new Elysia();
  // It has no `next`. It looks into the source for the word `async`.
  const pass = form === "awaits" ? async () => {} : () => {};
  for (let index = 0; index < count; index++) app.onBeforeHandle(pass);
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", ({ params }) => new Response(params.id));
  return app.fetch as Fetch;
}

function hono(count: number, form?: Form): Fetch {
  const app = new Hono();
  // The types of Hono have no response of `next()`.
  const pass: MiddlewareHandler = form === "awaits"
    ? async (_, next) => await next()
    : (_, next) => next();
  for (let index = 0; index < count; index++) app.use(pass);
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", (context) => new Response(context.req.param("id")));
  return app.fetch as Fetch;
}

function h3(count: number, form?: Form): Fetch {
  const app = new H3();
  const pass: H3Middleware = form === "awaits"
    ? async (_, next) => {
      const response = await next();
      return response;
    }
    : (_, next) => next();
  for (let index = 0; index < count; index++) app.use(pass);
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", ({ context }) => new Response(context.params!.id));
  return app.fetch as Fetch;
}

function itty(count: number, form?: Form): Fetch {
  const router = IttyRouter();
  const pass = form === "awaits" ? async () => {} : () => {};
  for (let index = 0; index < count; index++) router.all("*", pass);
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  // It returns nothing for an unknown path. Its users write this function.
  router.all("*", () => new Response("Not Found", { status: 404 }));
  return router.fetch;
}

function remix(count: number, form?: Form): Fetch {
  const pass = form === "awaits"
    ? async (_: unknown, next: () => Promise<Response>) => {
      const response = await next();
      return response;
    }
    : (_: unknown, next: () => Promise<Response>) => next();
  const router = createRemixRouter({ middleware: Array(count).fill(pass) });
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  // Its method needs the router as `this`, so its users write this function.
  return (request) => router.fetch(request);
}
