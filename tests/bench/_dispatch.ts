/**
 * Dispatch: `await router.fetch(request)` on a request that is ready, without
 * middleware and with five that do nothing, next to a bare handler and to
 * others. Bounds: 1.7 times the bare handler, and faster than Elysia, which
 * compiles with eval; half of Hono with middleware. On Deno and on Bun.
 */
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { createRouter as createRemixRouter } from "npm:@remix-run/fetch-router@0.20.1";
import { Elysia } from "npm:elysia@1.4.30";
import { H3 } from "npm:h3@2.0.8";
import { Hono } from "npm:hono@4.13.19";
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

/** Prints the tables; tells whether the bounds hold. */
export async function benchDispatch(quick: boolean): Promise<boolean> {
  // Every router is awaited: some answer without a promise now and then.
  const effort = {
    ...quick ? { rounds: 24, turns: 10_000 } : { rounds: 30, turns: 20_000 },
    awaitsAll: true,
  };
  let holds = true;
  for (
    const [title, list, middleware] of [
      ["dispatch, static route", statics, 0],
      ["dispatch, param route", requests, 0],
      ["dispatch, param route, five middleware", requests, 5],
    ] as const
  ) {
    const fetches = Object.entries(applications).map(([name, create]) =>
      [name, create(middleware)] as const
    );
    const candidates = fetches.map(([name, fetch]): Candidate => ({
      name,
      run: (turn) => fetch(list[turn % list.length]!),
    }));
    const medians = await measure(candidates, effort);
    // Not before: who has read a body once is not optimized in the same way.
    await demandSame(fetches, list[7]!);
    holds = printTable(title, medians, bounds(middleware)) && holds;
  }
  return holds;
}

/** Throws if a router responds wrongly: it would look fastest. */
async function demandSame(
  fetches: readonly (readonly [name: string, fetch: Fetch])[],
  request: Request,
): Promise<void> {
  const expected = await (await bare(request)).text();
  for (const [name, fetch] of fetches) {
    const response = await fetch(request);
    if (response.status !== 200 || await response.text() !== expected) {
      throw new Error(`${name} answers ${request.url} wrongly`);
    }
  }
}

function bounds(middleware: number): Bound[] {
  const of = "gatehouse";
  return middleware === 0
    ? [{ of, to: "bare", most: 1.7 }, { of, to: "elysia", most: 1 }]
    : [{ of, to: "hono", most: 0.5 }, { of, to: "h3", most: 1 }];
}

/** The same small application everywhere, with so many idle middleware. */
export const applications: Readonly<
  Record<string, (middleware: number) => Fetch>
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
  return path.startsWith("/users/")
    ? new Response(path.slice(7))
    : new Response("ok");
}

function gatehouse(count: number): Fetch {
  const pass: Middleware<readonly []> = (_, next) => next();
  const router = createRouter({ middleware: Array(count).fill(pass) });
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return router.fetch;
}

function elysia(count: number): Fetch {
  const app = new Elysia();
  for (let index = 0; index < count; index++) app.onBeforeHandle(() => {});
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", ({ params }) => new Response(params.id));
  return app.fetch as Fetch;
}

function hono(count: number): Fetch {
  const app = new Hono();
  for (let index = 0; index < count; index++) app.use((_, next) => next());
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", (context) => new Response(context.req.param("id")));
  return (request) => app.fetch(request);
}

function h3(count: number): Fetch {
  const app = new H3();
  for (let index = 0; index < count; index++) app.use((_, next) => next());
  app.get("/health", () => new Response("ok"));
  app.get("/users/:id", ({ context }) => new Response(context.params!.id));
  return (request) => app.fetch(request);
}

function itty(count: number): Fetch {
  const router = IttyRouter();
  for (let index = 0; index < count; index++) router.all("*", () => {});
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return (request) => router.fetch(request);
}

function remix(count: number): Fetch {
  const pass = (_: unknown, next: () => Promise<Response>) => next();
  const router = createRemixRouter({ middleware: Array(count).fill(pass) });
  router.get("/health", () => new Response("ok"));
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return (request) => router.fetch(request);
}
