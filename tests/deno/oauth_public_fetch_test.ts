/**
 * The fetch of metadata documents with real sockets, in this process. A hostile
 * server and the other runtimes follow in `tests/long/oauth_public_fetch_test.ts`.
 */
import * as tls from "node:tls";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  createPinnedFetch,
  type PinnedFetchOptions,
  publicFetch,
} from "../../oauth_server/clients/_public_fetch.ts";
import { until, withinMinute } from "../_wait.ts";
import {
  type Certificate,
  createCertificate,
  isOpenSSLInstalled,
} from "./_certificate.ts";
import { HostileServer, NameServer, type Zone } from "./_hostile_documents.ts";
import { serveLocally } from "./_serve.ts";

const HOST = "client.example";

/** Addresses on which nothing listens, as both families. */
const CLOSED = [2, 3, 4, 5].map((last) => `127.0.0.${last}`);
const CLOSED_6 = [2, 3, 4, 5].map((last) => `0:0:0:0:0:ffff:7f00:${last}`);

const ZONE: Zone = {
  [HOST]: [[CLOSED[0]!, "127.0.0.1"]],
  "other.example": [["127.0.0.1"]],
  "mixed.example": [["127.0.0.1", "192.0.43.10"]],
  "closed.example": [[...CLOSED, ...CLOSED_6]],
  "empty.example": [[]],
  "silent.example": [],
};

/** The types of Deno lack a function. */
const { getCACertificates, setDefaultCACertificates } = tls as
  & typeof tls
  & { setDefaultCACertificates(certificates: readonly string[]): void };

const certificate: Certificate = isOpenSSLInstalled
  ? await createCertificate(`DNS:${HOST}`)
  : { cert: "", key: "", spki: "" };
const test = isOpenSSLInstalled ? Deno.test : Deno.test.ignore;

/** Lets `node:https` trust only the certificate until the end of a block. */
function trustCertificate(): Disposable {
  const before = getCACertificates("default");
  setDefaultCACertificates([certificate.cert]);
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) };
}

const isLocal = (address: string) => address.startsWith("127.");

/** Starts a name server, and creates a function that fetches with it. */
async function createWorld(
  options: PinnedFetchOptions = { isAllowed: isLocal },
) {
  const names = await NameServer.start(ZONE);
  const nameServers = [names.address];
  const fetch = createPinnedFetch({ nameServers, ...options });
  return {
    names,
    fetch,
    [Symbol.asyncDispose]: () => names[Symbol.asyncDispose](),
  };
}

/** Starts a server with TLS, and fetches a path of it. */
async function fetchFrom(
  respond: (request: Request) => Response,
  init: RequestInit = {},
): Promise<Response> {
  await using server = serveLocally(respond, certificate);
  await using world = await createWorld();
  const url = `https://${HOST}:${server.addr.port}/client.json`;
  const response = await world.fetch(url, init);
  const body = await response.arrayBuffer();
  const { headers, status } = response;
  return new Response(body.byteLength === 0 ? null : body, { headers, status });
}

test("createPinnedFetch() sends a GET that asks for no compression, to the addresses of the name", async () => {
  using _trust = trustCertificate();
  const seen: unknown[] = [];
  const response = await fetchFrom((request) => {
    const { headers, method, url } = request;
    const { host, pathname } = new URL(url);
    seen.push([method, host.split(":")[0], pathname]);
    seen.push(["accept", "accept-encoding"].map((name) => headers.get(name)));
    return Response.json({}, {
      headers: {
        "Age": "7",
        "Cache-Control": "max-age=60",
        "Content-Encoding": "identity",
        "Set-Cookie": "a=1",
      },
    });
  }, { headers: { Accept: "application/json" } });
  assertEquals(seen, [
    ["GET", HOST, "/client.json"],
    ["application/json", "identity"],
  ]);
  assertEquals([...response.headers], [
    ["age", "7"],
    ["cache-control", "max-age=60"],
    ["content-type", "application/json"],
  ]);
  assertEquals(await response.text(), "{}");
});

test("createPinnedFetch() returns redirects and errors as they are, and follows none", async () => {
  using _trust = trustCertificate();
  for (const status of [302, 307, 404, 500]) {
    let requests = 0;
    const response = await fetchFrom(() => {
      requests++;
      const headers = { Location: `https://${HOST}/other` };
      return new Response(null, { status, headers });
    });
    assertEquals(response.status, status);
    assertEquals([...response.headers], []);
    assertEquals(requests, 1);
  }
});

test("createPinnedFetch() refuses a compressed response, and closes its connection", async () => {
  using _trust = trustCertificate();
  const closed = Promise.withResolvers<void>();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => closed.resolve(),
  });
  await using server = serveLocally(
    () => new Response(endless, { headers: { "Content-Encoding": "gzip" } }),
    certificate,
  );
  await using world = await createWorld();
  await assertRejects(
    () => world.fetch(`https://${HOST}:${server.addr.port}/`, {}),
    Error,
    "the response is compressed",
  );
  await withinMinute(closed.promise, () => "The connection is open");
});

test("createPinnedFetch() refuses malformed responses", async () => {
  using _trust = trustCertificate();
  await using server = new HostileServer(certificate);
  await using world = await createWorld();
  const paths = ["/status-999", "/status-0", "/not-http", "/closes"];
  for (const path of paths) {
    const url = `https://${HOST}:${server.port}${path}`;
    await assertRejects(() => world.fetch(url, {}), Error, "", path);
  }
  assertEquals(server.requests.length, paths.length);
});

test("createPinnedFetch() needs a certificate of the name that it trusts", async () => {
  await using server = new HostileServer(certificate);
  await using world = await createWorld();
  const urlOf = (host: string) => `https://${host}:${server.port}/valid`;
  await assertRejects(() => world.fetch(urlOf(HOST), {}), Error, "self-signed");
  using _trust = trustCertificate();
  await assertRejects(
    () => world.fetch(urlOf("other.example"), {}),
    Error,
    "altnames",
  );
  assertEquals(server.requests, []);
});

/** URLs without a request, and the reasons. */
const REFUSED: [url: string, reason: string, questions: readonly string[]][] = [
  [`http://${HOST}/`, "the URL has no name of a public host", []],
  ["https://127.0.0.1/", "the URL has no name of a public host", []],
  ["https://[::1]/", "the URL has no name of a public host", []],
  ["https://localhost/", "the URL has no name of a public host", []],
  ["https://empty.example/", "the host has no address", ["empty.example"]],
  [
    "https://unknown.example/",
    "the host has no address",
    ["unknown.example"],
  ],
  [
    "https://mixed.example/",
    "the host has an address that is not public",
    ["mixed.example"],
  ],
];

for (const [url, reason, questions] of REFUSED) {
  Deno.test(`createPinnedFetch() sends no request to ${url}: ${reason}`, async () => {
    await using world = await createWorld();
    const { message } = await assertRejects(() => world.fetch(url, {}), Error);
    assertEquals(message, reason);
    // A busy machine may ask again.
    assertEquals([...new Set(world.names.questions)], questions);
  });
}

test("createPinnedFetch() refuses addresses that are not public by default, before it connects", async () => {
  await using server = new HostileServer(certificate);
  await using world = await createWorld({});
  using _trust = trustCertificate();
  await assertRejects(
    () => world.fetch(`https://other.example:${server.port}/valid`, {}),
    Error,
    "the host has an address that is not public",
  );
  assertEquals(server.requests, []);
});

Deno.test("createPinnedFetch() tries three addresses of each family, IPv4 first (RFC 8305, section 4)", async () => {
  await using world = await createWorld({ isAllowed: () => true });
  // The port is free again.
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  server.close();
  const { errors } = await assertRejects(
    () => world.fetch(`https://closed.example:${server.addr.port}/`, {}),
    AggregateError,
  );
  const tried = errors.map(({ address }) => address);
  assertEquals(tried, [
    ...["127.0.0.2", "::ffff:127.0.0.2"],
    ...["127.0.0.3", "::ffff:127.0.0.3"],
    ...["127.0.0.4", "::ffff:127.0.0.4"],
  ]);
});

Deno.test("createPinnedFetch() cancels its questions if the request is aborted", async () => {
  await using world = await createWorld();
  const { names } = world;
  const controller = new AbortController();
  const { signal } = controller;
  const pending = world.fetch("https://silent.example/", { signal });
  await until(() => names.questions.length > 0);
  controller.abort(new Error("the time is up"));
  await assertRejects(() => pending, Error);
  // Without an answer, it would have asked again.
  assertEquals(names.questions, ["silent.example"]);
});

Deno.test("createPinnedFetch() does not connect if the request was aborted meanwhile", async () => {
  const controller = new AbortController();
  const reason = new Error("the time is up");
  await using world = await createWorld({
    isAllowed() {
      controller.abort(reason);
      return true;
    },
  });
  const { signal } = controller;
  const url = `https://${HOST}:9/`;
  const error = await assertRejects(() => world.fetch(url, { signal }));
  assert(error === reason);
});

test("createPinnedFetch() ends a request that is aborted", async () => {
  using _trust = trustCertificate();
  await using server = new HostileServer(certificate);
  await using world = await createWorld();
  const controller = new AbortController();
  const { signal } = controller;
  const url = `https://${HOST}:${server.port}/silent`;
  const pending = world.fetch(url, { signal });
  await until(() => server.requests.length > 0);
  controller.abort();
  const { name } = await assertRejects(
    () => withinMinute(pending, () => "The request did not end"),
    Error,
  );
  assertEquals(name, "AbortError");
});

Deno.test("createAuthorizationServer() can fetch documents and keys on Deno without an option", () => {
  assert(publicFetch() !== null);
  const settings = {
    issuer: "https://app.example",
    store: createMemorySessionStore(),
    users: { find: (id: string) => ({ id }) },
    secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
    resources: {
      "https://app.example/api": { name: "API", scopes: { a: "A" } },
    },
    loginPath: "/login",
  } as const;
  const { metadata } = createAuthorizationServer(settings);
  assertEquals(metadata.client_id_metadata_document_supported, true);
  const authentication = { jwksUri: "https://partner.example/jwks" };
  const clients = [{ id: "1", name: "Partner", authentication }];
  const withKeys = createAuthorizationServer({
    ...{ ...settings, cimd: false, clients },
  });
  assertEquals(
    withKeys.metadata.client_id_metadata_document_supported,
    undefined,
  );
});
