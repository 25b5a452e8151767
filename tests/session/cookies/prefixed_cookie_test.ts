import type { SessionCookieOptions } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Server } from "../_browser.ts";

const kinds: {
  name: string;
  url: string;
  peer?: string;
  headers?: Record<string, string>;
  origin?: string;
  cookie?: SessionCookieOptions;
  secure: boolean;
}[] = [
  { name: "https", url: "https://a.example", secure: true },
  {
    name: "https to localhost",
    url: "https://localhost:8443",
    peer: "127.0.0.1",
    secure: true,
  },
  { name: "http", url: "http://a.example", peer: "1.2.3.4", secure: true },
  {
    name: "HTTP to another name from this machine",
    url: "http://a.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "HTTP to localhost from another machine",
    url: "http://localhost:8000",
    peer: "10.0.0.7",
    secure: true,
  },
  { name: "http from nowhere", url: "http://localhost:8000", secure: true },
  {
    name: "http to localhost",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    secure: false,
  },
  {
    name: "HTTP to a subdomain of localhost",
    url: "http://app.localhost:8000",
    peer: "::1",
    secure: false,
  },
  {
    name: "http to 127.0.0.1",
    url: "http://127.0.0.1:8000",
    peer: "::ffff:127.0.0.1",
    secure: false,
  },
  {
    name: "http to [::1]",
    url: "http://[::1]:8000",
    peer: "::1",
    secure: false,
  },
  {
    name: "a name that contains localhost",
    url: "http://localhost.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "a name that ends with localhost",
    url: "http://evil-localhost",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "a name that begins with 127.0.0.1",
    url: "http://127.0.0.1.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "HTTP to localhost with SameSite=None",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    cookie: { sameSite: "None" },
    secure: true,
  },
  {
    name: "HTTP to localhost with Partitioned",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    cookie: { partitioned: true },
    secure: true,
  },
  {
    name: "localhost with an HTTPS origin",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    origin: "https://a.example",
    secure: true,
  },
  {
    name: "localhost with an HTTP origin",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    origin: "http://localhost:8000",
    secure: false,
  },
  {
    name: "localhost with an HTTP origin and an unknown peer, as on Workers",
    url: "http://localhost:8787",
    headers: { "CF-Connecting-IP": "203.0.113.7" },
    origin: "http://localhost:8787",
    secure: false,
  },
  {
    name: "another host with the origin of localhost",
    url: "http://a.example",
    peer: "127.0.0.1",
    origin: "http://localhost:8000",
    secure: true,
  },
  {
    name: "HTTPS with the origin of localhost",
    url: "https://localhost:8000",
    peer: "127.0.0.1",
    origin: "http://localhost:8000",
    secure: true,
  },
  {
    name: "SameSite=None with the origin of localhost",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    origin: "http://localhost:8000",
    cookie: { sameSite: "None" },
    secure: true,
  },
  {
    name: "localhost behind a proxy, with an HTTP origin on another host",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    headers: { "X-Forwarded-For": "203.0.113.7" },
    origin: "http://a.example",
    secure: true,
  },
  ...[
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Proto",
    "X-Forwarded-Host",
    "X-Real-IP",
    "Via",
  ].map((header) => ({
    name: `localhost behind a proxy that sends ${header}`,
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    headers: { [header]: "x" },
    secure: true,
  })),
];

for (const { name, url, peer, headers, origin, cookie, secure } of kinds) {
  Deno.test(`session() ${secure ? "keeps" : "drops"} Secure and the prefix for ${name}`, async () => {
    const server = new Server({ origin, cookie });
    const platform = peer === undefined
      ? []
      : [{ remoteAddr: { hostname: peer } }];
    const send = (Cookie?: string) =>
      server.request(
        (session) => {
          session.set("a", session.has("a") ? 2 : 1);
          return session.get("a");
        },
        { ...headers, ...Cookie ? { Cookie } : {} },
        url,
        ...platform,
      );
    const [sent] = (await send()).headers.getSetCookie();
    const prefix = secure ? "__Host-Http-session=" : "session=";
    assert(sent.startsWith(prefix), sent);
    assertEquals(/;\s*Secure/i.test(sent), secure);
    assertStringIncludes(sent, "HttpOnly");

    const [pair] = sent.split(";");
    assertEquals(await (await send(pair)).json(), 2);
    // Each request reads only one of the two names.
    const other = secure
      ? pair.replace("__Host-Http-", "")
      : pair.replace("session", "__Host-Http-session");
    assertEquals(await (await send(other)).json(), 1);
    const old = pair.replace(/^(?:__Host-Http-)?/, "__Host-");
    assertEquals(await (await send(old)).json(), 1);
  });
}

Deno.test("session() uses Secure on Workers, which send CF-Connecting-IP", async () => {
  const server = new Server();
  const response = await server.request(
    (session) => session.set("a", 1),
    { "CF-Connecting-IP": "127.0.0.1" },
    "http://localhost",
    {},
    { waitUntil: () => {} },
  );
  assertStringIncludes(
    response.headers.getSetCookie()[0],
    "__Host-Http-session=",
  );
});
