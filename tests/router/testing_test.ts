/** The test client: paths, cookies, redirects. */
import {
  createRouter,
  redirect,
  type Router,
} from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals, assertRejects } from "@std/assert";

Deno.test("createTestClient() resolves paths and URLs against its origin", async () => {
  const router = createRouter();
  router.get("/*", ({ url }) => new Response(url.href));
  const text = async (path: string, origin?: string) => {
    const client = createTestClient(router, origin ? { origin } : {});
    return await (await client.fetch(path)).text();
  };
  assertEquals(await text("/a?b=1"), "https://test.example/a?b=1");
  assertEquals(await text("a/../b"), "https://test.example/b");
  assertEquals(
    await text("/a", "http://localhost:8000"),
    "http://localhost:8000/a",
  );
  assertEquals(
    await text("https://tenant.example/a"),
    "https://tenant.example/a",
  );
});

Deno.test("createTestClient() sets the client's address", async () => {
  const router = createRouter();
  router.get("/", ({ remoteAddress }) => Response.json({ remoteAddress }));
  router.get("/moved", () => redirect("/"));
  const address = async (path: string, remoteAddress?: string) => {
    const client = createTestClient(router, { remoteAddress });
    return await (await client.fetch(path, { followRedirects: true })).json();
  };
  assertEquals(await address("/"), {});
  for (const remoteAddress of ["192.0.2.1", "2001:db8::1"]) {
    assertEquals(await address("/", remoteAddress), { remoteAddress });
    assertEquals(await address("/moved", remoteAddress), { remoteAddress });
  }
});

const cookies: [line: string, kept: Record<string, string>][] = [
  ["a=1", { old: "0", a: "1" }],
  ["a=1=2; Path=/x", { old: "0", a: "1=2" }],
  ["a=", { old: "0", a: "" }],
  [" a = 1 ", { old: "0", a: "1" }],
  ["old=2", { old: "2" }],
  ["old=; Max-Age=0", {}],
  ["old=; max-age=-1; Path=/", {}],
  ["old=2; Max-Age=60", { old: "2" }],
  ["old=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", {}],
  ["old=2; Expires=Fri, 31 Dec 9999 23:59:59 GMT", { old: "2" }],
  ["old=2; Expires=never", { old: "2" }],
  ["old=2; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", { old: "2" }],
  ["old=2; Max-Age=0; Max-Age=60", { old: "2" }],
  ["old=2; Max-Age=00", {}],
  ["old=2; Max-Age=", { old: "2" }],
  ["old =2", { old: "2" }],
  ["=1", { old: "0" }],
  ["a", { old: "0" }],
  ["", { old: "0" }],
];

for (const [line, kept] of cookies) {
  Deno.test(`createTestClient() stores ${JSON.stringify(kept)} for "${line}"`, async () => {
    const router = createRouter();
    router.get("/old", () => setting("old=0"));
    router.get("/set", () => setting(line));
    const client = createTestClient(router);
    await client.fetch("/old");
    await client.fetch("/set");
    assertEquals(Object.fromEntries(client.cookies), kept);
  });
}

Deno.test("createTestClient() sends its cookies unless the request has cookies", async () => {
  const router = createRouter();
  router.get("/set", () => setting("a=1", "b=2"));
  router.get(
    "/show",
    ({ headers }) => new Response(headers.get("Cookie") ?? "none"),
  );
  const client = createTestClient(router);
  const text = async (init?: RequestInit) =>
    await (await client.fetch("/show", init)).text();
  assertEquals(await text(), "none");
  await client.fetch("/set");
  assertEquals(await text(), "a=1; b=2");
  assertEquals(await text({ headers: { Cookie: "c=3" } }), "c=3");
  const other = createTestClient(router);
  assertEquals(await (await other.fetch("/show")).text(), "none");
});

const redirects = [
  [301, "GET"],
  [302, "GET"],
  [303, "GET"],
  [307, "POST"],
  [308, "POST"],
] as const;

for (const [status, method] of redirects) {
  Deno.test(`createTestClient() follows ${status} after POST with ${method} and the new cookie`, async () => {
    const router = redirecting(status, "../there?x=1");
    const client = createTestClient(router);
    const response = await client.fetch("/from/here", {
      method: "POST",
      followRedirects: true,
    });
    assertEquals(await response.text(), `${method} /there?x=1 hop=1`);
  });
}

Deno.test("createTestClient() follows redirects only if the option is set and there is a location", async () => {
  const router = redirecting(302, "/there");
  router.get("/nowhere", () => new Response(null, { status: 302 }));
  router.get(
    "/created",
    () => new Response(null, { status: 201, headers: { Location: "/there" } }),
  );
  const client = createTestClient(router);
  const post = await client.fetch("/from/here", { method: "POST" });
  assertEquals(post.status, 302);
  for (
    const [path, status] of [["/nowhere", 302], ["/created", 201]] as const
  ) {
    const response = await client.fetch(path, { followRedirects: true });
    assertEquals(response.status, status);
  }
});

for (const location of ["https://other.example/there", "//other.example/"]) {
  Deno.test(`createTestClient() does not follow a redirect to ${location}`, async () => {
    const client = createTestClient(redirecting(302, location));
    const response = await client.fetch("/from/here", {
      method: "POST",
      followRedirects: true,
    });
    assertEquals(response.headers.get("Location"), location);
  });
}

Deno.test("createTestClient() follows ten redirects, not eleven", async () => {
  const router = createRouter();
  router.get(
    "/:left",
    ({ params: { left } }) =>
      left === "0" ? new Response("arrived") : new Response("body", {
        status: 302,
        headers: { Location: `/${Number(left) - 1}` },
      }),
  );
  const client = createTestClient(router);
  const follow = (path: string) =>
    client.fetch(path, { followRedirects: true });
  assertEquals(await (await follow("/10")).text(), "arrived");
  await assertRejects(
    () => follow("/11"),
    Error,
    "Cannot follow more than 10 redirects",
  );
});

Deno.test("createTestClient() accepts any object with fetch()", async () => {
  const client = createTestClient({
    fetch: (request) => Promise.resolve(new Response(request.url)),
  });
  assertEquals(
    await (await client.fetch("/a")).text(),
    "https://test.example/a",
  );
});

function setting(...lines: string[]): Response {
  const headers = new Headers();
  for (const line of lines) headers.append("Set-Cookie", line);
  return new Response(null, { headers });
}

Deno.test("createTestClient() accepts a fetch() without promises", async () => {
  const app = {
    fetch: ({ url }: Request): Response | Promise<Response> =>
      new Response(url),
  };
  const response = await createTestClient(app).fetch("/a");
  assertEquals(await response.text(), "https://test.example/a");
});

/** Creates a router that redirects a POST to /from/here and echoes requests to /there. */
function redirecting(status: number, location: string): Router {
  const router = createRouter();
  router.post("/from/here", () =>
    new Response("body", {
      status,
      headers: { Location: location, "Set-Cookie": "hop=1" },
    }));
  router.route(
    "ANY",
    "/there",
    ({ method, url, headers }) =>
      new Response(`${method} /there${url.search} ${headers.get("Cookie")}`),
  );
  return router;
}

Deno.test("createTestClient() follows only redirect statuses", async () => {
  for (const status of [200, 201, 300, 304, 305, 306, 309, 400]) {
    const client = createTestClient({
      fetch: () => {
        const headers = { Location: "/b" };
        return Promise.resolve(new Response(null, { status, headers }));
      },
    });
    const response = await client.fetch("/a", { followRedirects: true });
    assertEquals(response.status, status);
  }
});

for (const status of [301, 302, 303, 307, 308]) {
  for (const method of ["POST", "PUT", "HEAD"]) {
    const becomesGet = status === 303
      ? method !== "HEAD"
      : status < 303 && method === "POST";
    Deno.test(`createTestClient() follows ${status} of ${method} like browsers`, async () => {
      const seen: unknown[] = [];
      const client = createTestClient({
        async fetch(request) {
          const { headers, url } = request;
          if (url.endsWith("/a")) {
            return new Response(null, { status, headers: { Location: "/b" } });
          }
          const type = headers.get("Content-Type");
          seen.push(request.method, await request.text(), type);
          seen.push(headers.get("X-Own"));
          return new Response();
        },
      });
      const body = method === "HEAD" ? null : "text";
      const headers = { "Content-Type": "text/plain", "X-Own": "own" };
      await client.fetch("/a", {
        method,
        body,
        headers,
        followRedirects: true,
      });
      assertEquals(
        seen,
        becomesGet
          ? ["GET", "", null, "own"]
          : [method, body ?? "", "text/plain", "own"],
      );
    });
  }
}

Deno.test("createTestClient() keeps and removes cookies, and follows redirects on its origin", async () => {
  const router = createRouter();
  router.get("/set", () => {
    const response = new Response();
    response.headers.append("Set-Cookie", "a=1; Path=/; HttpOnly");
    response.headers.append("Set-Cookie", "b=2; Secure");
    return response;
  });
  router.get(
    "/drop",
    () => new Response(null, { headers: { "Set-Cookie": "a=; Max-Age=0" } }),
  );
  router.get(
    "/show",
    ({ request }) => new Response(request.headers.get("Cookie")),
  );
  router.get(
    "/hop",
    () => new Response(null, { status: 302, headers: { Location: "/show" } }),
  );
  router.get(
    "/away",
    () =>
      new Response(null, {
        status: 302,
        headers: { Location: "https://other.example/" },
      }),
  );
  router.get(
    "/loop",
    () => new Response(null, { status: 302, headers: { Location: "/loop" } }),
  );
  const client = createTestClient(router);
  await client.fetch("/set");
  assertEquals(await (await client.fetch("/show")).text(), "a=1; b=2");
  await client.fetch("/drop");
  assertEquals([...client.cookies], [["b", "2"]]);
  assertEquals((await client.fetch("/hop")).status, 302);
  assertEquals(
    await (await client.fetch("/hop", { followRedirects: true })).text(),
    "b=2",
  );
  assertEquals(
    (await client.fetch("/away", { followRedirects: true })).status,
    302,
  );
  let message = "";
  await client.fetch("/loop", { followRedirects: true }).catch((error) =>
    message = error.message
  );
  assertEquals(message, "Cannot follow more than 10 redirects");
});
