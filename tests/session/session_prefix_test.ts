import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { SessionCookieOptions } from "@gatehouse/web/session-middleware";
import { Server } from "./_browser.ts";

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
    name: "http to another name from this machine",
    url: "http://a.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "http to localhost from another machine",
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
    name: "http to a name below localhost",
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
    name: "a name that only looks like localhost",
    url: "http://localhost.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "a name that only ends like localhost",
    url: "http://evil-localhost",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "a name that only begins like 127.0.0.1",
    url: "http://127.0.0.1.example",
    peer: "127.0.0.1",
    secure: true,
  },
  {
    name: "http to localhost, for other sites",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    cookie: { sameSite: "None" },
    secure: true,
  },
  {
    name: "http to localhost, partitioned",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    cookie: { partitioned: true },
    secure: true,
  },
  {
    name: "localhost with an https origin",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    origin: "https://a.example",
    secure: true,
  },
  {
    name: "localhost with an http origin",
    url: "http://localhost:8000",
    peer: "127.0.0.1",
    origin: "http://localhost:8000",
    secure: false,
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
    const prefix = secure ? "__Host-session=" : "session=";
    assert(sent.startsWith(prefix), sent);
    assertEquals(/;\s*Secure/i.test(sent), secure);
    assertStringIncludes(sent, "HttpOnly");

    const [pair] = sent.split(";");
    assertEquals(await (await send(pair)).json(), 2);
    // Neither name is read where the other is due.
    const other = secure
      ? pair.replace("__Host-", "")
      : pair.replace("session", "__Host-session");
    assertEquals(await (await send(other)).json(), 1);
  });
}

Deno.test("session() goes by CF-Connecting-IP on Workers, where none is loopback", async () => {
  const server = new Server();
  const response = await server.request(
    (session) => session.set("a", 1),
    { "CF-Connecting-IP": "127.0.0.1" },
    "http://localhost",
    {},
    { waitUntil: () => {} },
  );
  assertStringIncludes(response.headers.getSetCookie()[0], "__Host-session=");
});
