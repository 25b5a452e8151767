import { createRouter, type RouterOptions } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

type Row = readonly [
  name: string,
  platform: readonly unknown[],
  headers: Record<string, string>,
  trustedProxies: RouterOptions["trustedProxies"],
  address: string,
];

const origin = "https://example.com";

const deno = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } };

const unix = { remoteAddr: { transport: "unix", path: "/run/app.sock" } };

const incoming = { socket: { remoteAddress: "::ffff:192.0.2.4" } };

const ctx = { waitUntil() {} };

const cloudflare = { "CF-Connecting-IP": "203.0.113.9" };

const forwarded = { "X-Forwarded-For": "203.0.113.66, 203.0.113.7" };

/** A header that is too long, so that its first hop is cut off. */
const cut = {
  "X-Forwarded-For": `2203.0.113.7,${" ".repeat(4_076)}10.0.0.1`,
};

/** A header of the maximum length. */
const whole = {
  "X-Forwarded-For": `203.0.113.7,${" ".repeat(4_076)}10.0.0.1`,
};

const rows: Row[] = [
  ["nothing is known", [], {}, 0, ""],
  ["the runtime passes no address", [], forwarded, 0, ""],
  [
    "the runtime passes no address, and a hop is a trusted proxy",
    [],
    forwarded,
    1,
    "203.0.113.7",
  ],
  [
    "the runtime passes no address, and a peer is a trusted proxy",
    [],
    forwarded,
    ["192.0.2.1"],
    "",
  ],
  ["the socket has no address", [unix], {}, 0, ""],
  [
    "the socket belongs to a trusted proxy",
    [unix],
    forwarded,
    1,
    "203.0.113.7",
  ],
  [
    "there are headers of undeclared proxies",
    [deno],
    {
      ...forwarded,
      ...cloudflare,
      "Forwarded": "for=203.0.113.5",
      "X-Real-IP": "203.0.113.4",
      "True-Client-IP": "203.0.113.3",
    },
    0,
    "192.0.2.1",
  ],
  ["Deno gets the header of Workers", [deno], cloudflare, 1, "192.0.2.1"],
  [
    "Bun gets the header of Workers",
    [bun("192.0.2.2")],
    cloudflare,
    0,
    "192.0.2.2",
  ],
  ["Bun has closed the socket", [bun(null)], cloudflare, 0, ""],
  [
    "srvx runs on Node",
    [{ node: { req: incoming } }],
    cloudflare,
    0,
    "192.0.2.4",
  ],
  ["@hono/node-server runs", [{ incoming }], cloudflare, 0, "192.0.2.4"],
  [
    "a socket of Node is closed",
    [{ incoming: { socket: {} } }],
    forwarded,
    0,
    "",
  ],
  [
    "the server on Node is behind a proxy",
    [{ incoming }],
    forwarded,
    1,
    "203.0.113.7",
  ],
  ["it is Workers", [{}, ctx], cloudflare, 0, "203.0.113.9"],
  [
    "it runs on Workers, and the client sends a header",
    [{}, ctx],
    {
      ...cloudflare,
      ...forwarded,
    },
    0,
    "203.0.113.9",
  ],
  ["it runs in the simulator of Workers", [{}, ctx], {}, 0, ""],
  ["there is an env but no context", [{}], cloudflare, 0, ""],
  ["the second argument is another object", [{}, {}], cloudflare, 0, ""],
  ["the second argument is null", [null, null], cloudflare, 0, ""],
  [
    "there are more trusted proxies than hops",
    [deno],
    forwarded,
    9,
    "203.0.113.66",
  ],
  ["all hops are trusted proxies", [deno], forwarded, [
    "192.0.2.1",
    "203.0.113.7",
    "203.0.113.66",
  ], "203.0.113.66"],
  ["a hop in the middle is not trusted", [deno], forwarded, [
    "192.0.2.1",
    "203.0.113.66",
  ], "203.0.113.7"],
  ["no proxy is trusted", [deno], forwarded, [], "192.0.2.1"],
  [
    "a hop is not an address",
    [deno],
    {
      "X-Forwarded-For": "203.0.113.66, unknown, 203.0.113.7",
    },
    3,
    "203.0.113.7",
  ],
  [
    "a hop is empty",
    [deno],
    { "X-Forwarded-For": "203.0.113.7," },
    1,
    "192.0.2.1",
  ],
  [
    "hops are separated by spaces",
    [deno],
    {
      "X-Forwarded-For": "203.0.113.66 ,\t 203.0.113.7 ",
    },
    1,
    "203.0.113.7",
  ],
  ["the length limit cuts the header in a hop", [deno], cut, 2, "10.0.0.1"],
  ["the header has the maximum length", [deno], whole, 2, "203.0.113.7"],
  [
    "an IPv6 hop looks like the prefix of mapped ones",
    [deno],
    { "X-Forwarded-For": "::ffff:dead:1" },
    1,
    "::ffff:dead:1",
  ],
  [
    "an IPv6 hop has a zone",
    [deno],
    {
      "X-Forwarded-For": "fe80::1%eth0",
    },
    1,
    "192.0.2.1",
  ],
  [
    "a hop is a name",
    [deno],
    { "X-Forwarded-For": "localhost" },
    1,
    "192.0.2.1",
  ],
  [
    "a hop is a number",
    [deno],
    { "X-Forwarded-For": "3405803783" },
    1,
    "192.0.2.1",
  ],
];

for (const [name, platform, headers, trustedProxies, address] of rows) {
  Deno.test(`context.remoteAddress is "${address}" if ${name}, with trustedProxies ${JSON.stringify(trustedProxies)}`, async () => {
    const router = createRouter({ trustedProxies });
    router.get("/", (context) => new Response(context.remoteAddress ?? ""));
    const request = new Request(origin, { headers });
    const response = await router.fetch(request, ...platform);
    assertEquals(await response.text(), address);
  });
}

Deno.test("context.remoteAddress calls requestIP() of Bun's server with the original request", async () => {
  const request = new Request(origin);
  const server = {
    peers: new Map([[request, { address: "192.0.2.3" }]]),
    requestIP(given: Request) {
      return this.peers.get(given) ?? null;
    },
  };
  const router = createRouter();
  router.get("/", (context) => new Response(context.remoteAddress));
  const response = await router.fetch(request, server);
  assertEquals(await response.text(), "192.0.2.3");
});

function bun(address: string | null): { requestIP: () => unknown } {
  return { requestIP: () => address === null ? null : { address } };
}

for (
  const platform of [
    { requestIP: () => ({ address: "::ffff:192.0.2.1", family: "IPv6" }) },
    { remoteAddr: { hostname: "::FFFF:192.0.2.1" } },
  ]
) {
  const runtime = "requestIP" in platform ? "Bun" : "Deno";

  Deno.test(`context.remoteAddress is IPv4 for an IPv4-mapped address of ${runtime}`, async () => {
    const router = createRouter();
    router.get("/", (context) => new Response(context.remoteAddress));
    const response = await router.fetch(
      new Request("https://example.com/"),
      platform,
    );
    assertEquals(await response.text(), "192.0.2.1");
  });

  for (const proxy of ["192.0.2.1", "::ffff:192.0.2.1"]) {
    Deno.test(`trustedProxies with ${proxy} matches an IPv4-mapped address of ${runtime}`, async () => {
      const router = createRouter({ trustedProxies: [proxy] });
      router.get("/", (context) => new Response(context.remoteAddress));
      const headers = { "X-Forwarded-For": "::ffff:203.0.113.7" };
      const response = await router.fetch(
        new Request("https://example.com/", { headers }),
        platform,
      );
      assertEquals(await response.text(), "203.0.113.7");
    });
  }
}

Deno.test("context.remoteAddress ignores hops after 4,096 characters", async () => {
  const router = createRouter({ trustedProxies: 2_000 });
  router.get("/", ({ remoteAddress }) => new Response(remoteAddress));
  const hops = ["9.9.9.9", ...Array(900).fill("1.1.1.1")];
  const request = new Request(origin, {
    headers: { "X-Forwarded-For": hops.join(", ") },
  });
  const response = await router.fetch(request, {
    remoteAddr: { hostname: "2.2.2.2" },
  });
  assertEquals(await response.text(), "1.1.1.1");
});
