/**
 * The entries for APIs in every place: in a router, inside of a mount, around a
 * mount, and with a response of `onError`. The runner of other runtimes runs
 * this file too.
 */
import { eventStream, html, htmlResponse } from "@gatehouse/web/content";
import {
  createRouter,
  type Middleware,
  platformKey,
  type RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  bodyLimit,
  cors,
  createLifecycle,
  etag,
  reportSecurityEvent,
  securityEvents,
  telemetry,
  timeout,
} from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  parseCookies,
  serializeCookie,
} from "@gatehouse/web/session";
import { rateLimit } from "@gatehouse/web/session-middleware";
import { assert, assertEquals } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { createRecorder } from "../_open_telemetry.ts";

type Handler = (context: RequestContext) => Response | Promise<Response>;

/** An entry in use: what it adds to a router, and what a request then shows. */
interface Use {
  readonly middleware?: Middleware;
  readonly handler: Handler;
  check(send: (init?: RequestInit) => Promise<Response>): Promise<void>;
}

const hello: Handler = () => new Response("Hello");

const Arguments = platformKey<readonly [{ readonly greeting: string }]>();

const uses: Record<string, () => Use> = {
  "cors()": () => ({
    middleware: cors({ trustedOrigins: ["https://app.example"] }),
    handler: hello,
    async check(send) {
      const headers = { Origin: "https://app.example" };
      const response = await send({ headers });
      assertEquals(
        response.headers.get("Access-Control-Allow-Origin"),
        "https://app.example",
      );
      assertEquals(await response.text(), "Hello");
      const preflight = await send({
        method: "OPTIONS",
        headers: { ...headers, "Access-Control-Request-Method": "POST" },
      });
      const allowed = preflight.headers.get("Access-Control-Allow-Methods");
      assertEquals([preflight.status, allowed], [204, "GET, HEAD, POST"]);
    },
  }),
  "rateLimit()": () => ({
    middleware: rateLimit({
      store: createMemorySessionStore(),
      limit: 2,
      window: 60_000,
    }),
    handler: hello,
    async check(send) {
      const responses = [await send(), await send(), await send()];
      const fields = responses.map(({ headers }) => headers.get("RateLimit"));
      assertEquals(responses.map(({ status }) => status), [200, 200, 429]);
      assertEquals(fields[0], '"default";r=1;t=30');
    },
  }),
  "createErrorResponse()": () => ({
    handler: (context) => context.createErrorResponse({ status: 409 }),
    async check(send) {
      const headers = { Accept: "application/json" };
      const response = await send({ headers });
      assertEquals(response.status, 409);
      assertEquals((await response.json()).title, "Conflict");
      assertEquals(await (await send()).text(), "Conflict");
    },
  }),
  "telemetry()": () => {
    const { api, spans } = createRecorder();
    return {
      middleware: telemetry({ api }),
      handler: hello,
      async check(send) {
        await send();
        const [{ attributes, isEnded, name } = fail()] = spans;
        assertEquals([spans.length, isEnded], [1, true]);
        assertEquals(name, `GET ${attributes["http.route"]}`);
        assert(name.endsWith("/use"));
      },
    };
  },
  "securityEvents()": () => {
    const actions: string[] = [];
    const events = securityEvents(({ event }) => {
      actions.push(event.action);
    });
    return {
      middleware: events,
      handler(context) {
        reportSecurityEvent(context, { action: "role-change", userId: 1 });
        return new Response("Hello");
      },
      async check(send) {
        await send();
        await events.flush();
        assertEquals(actions, ["role-change"]);
      },
    };
  },
  "bodyLimit()": () => ({
    middleware: bodyLimit({ maxBytes: 10 }),
    handler: async ({ request }) => new Response(await request.text()),
    async check(send) {
      const post = (body: string) => send({ method: "POST", body });
      assertEquals(await (await post("x".repeat(10))).text(), "x".repeat(10));
      assertEquals((await post("x".repeat(11))).status, 413);
    },
  }),
  "timeout()": () => {
    let isLate = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      middleware: timeout(10),
      async handler() {
        if (isLate) await promise;
        return new Response("Hello");
      },
      async check(send) {
        assertEquals(await (await send()).text(), "Hello");
        isLate = true;
        assertEquals((await send()).status, 503);
        resolve();
      },
    };
  },
  "etag()": () => ({
    middleware: etag(),
    handler: hello,
    async check(send) {
      const tag = (await send()).headers.get("ETag") ?? "";
      const response = await send({ headers: { "If-None-Match": tag } });
      assertEquals([response.status, await response.text()], [304, ""]);
    },
  }),
  "eventStream()": () => ({
    handler: (context) =>
      eventStream(context, async function* ({ lastEventId }) {
        yield { data: lastEventId };
      }),
    async check(send) {
      const response = await send({ headers: { "Last-Event-ID": "7" } });
      assertEquals(await response.text(), ":\n\ndata: 7\n\n");
    },
  }),
  "createLifecycle()": () => {
    const lifecycle = createLifecycle({ delay: 1 });
    return {
      handler: () => lifecycle.ready(),
      async check(send) {
        assertEquals((await send()).status, 200);
        assertEquals(await lifecycle.drain(() => {}), true);
        assertEquals((await send()).status, 503);
      },
    };
  },
  "html": () => ({
    handler: ({ request }) =>
      htmlResponse(html`<p>${request.headers.get("X-Name")}</p>`),
    async check(send) {
      const response = await send({ headers: { "X-Name": "<b>" } });
      assertEquals(
        await response.text(),
        "<!doctype html>\n<p>&lt;b&gt;</p>",
      );
    },
  }),
  "cookies": () => ({
    handler({ headers }) {
      const theme = parseCookies(headers.get("Cookie")).get("theme") ?? "";
      const cookie = serializeCookie("theme", `${theme}er`);
      return new Response(theme, { headers: { "Set-Cookie": cookie } });
    },
    async check(send) {
      const response = await send({ headers: { Cookie: "theme=dark" } });
      assertEquals(await response.text(), "dark");
      const [cookie = ""] = response.headers.getSetCookie();
      assert(cookie.startsWith("theme=darker;"));
    },
  }),
  "platformKey()": () => ({
    handler: (context) => new Response(context.get(Arguments)[0].greeting),
    async check(send) {
      assertEquals(await (await send()).text(), "Hi");
    },
  }),
};

type Place = (
  middleware: Middleware[],
  add: (router: Router) => void,
  onError: Handler,
) => [router: Router, path: string];

const places: Record<string, Place> = {
  "in a router"(middleware, add, onError) {
    const router = createRouter({ middleware, onError: answer(onError) });
    add(router);
    return [router, "/use"];
  },
  "inside of mounts"(middleware, add, onError) {
    const inner = createRouter({ middleware, onError: answer(onError) });
    add(inner);
    const between = createRouter();
    between.mount("/v1", inner);
    const router = createRouter();
    router.mount("/api", between);
    return [router, "/api/v1/use"];
  },
  "around a mount"(middleware, add, onError) {
    const inner = createRouter({ onError: answer(onError) });
    add(inner);
    const router = createRouter({ middleware });
    router.mount("/api", inner);
    return [router, "/api/use"];
  },
};

for (const [name, createUse] of Object.entries(uses)) {
  for (const [where, place] of Object.entries(places)) {
    for (const isError of [false, true]) {
      const title = isError ? ", for a response of onError" : "";
      Deno.test(`${name} works ${where}${title}`, async () => {
        const { middleware, handler, check } = createUse();
        const handle: Handler = isError ? throwBug : handler;
        const [router, path] = place(
          middleware === undefined ? [] : [middleware],
          (target) => {
            // One handler for several methods.
            target.route(["GET", "POST"], "/use", handle);
          },
          handler,
        );
        // An error that the response of onError throws is printed.
        using calls = captureConsole();
        await check((init) => {
          const request = new Request(`https://api.example${path}`, init);
          return router.fetch(request, { greeting: "Hi" }, {});
        });
        if (!isError) assertEquals(calls.printed, []);
      });
    }
  }
}

function throwBug(): never {
  throw new Error("bug");
}

/** Returns an `onError` that responds like a handler. */
function answer(handler: Handler) {
  return (error: unknown, context: RequestContext) => {
    assertEquals((error as Error).message, "bug");
    return handler(context);
  };
}

function fail(): never {
  throw new Error("There is no span");
}
