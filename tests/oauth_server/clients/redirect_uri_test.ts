import { assertEquals } from "@std/assert";
import {
  hasRedirectURI,
  isLoopbackRedirect,
  isRedirectURI,
} from "../../../oauth_server/clients/redirect_uri.ts";

/** The redirect URIs of the client under attack. */
const REGISTERED = [
  "https://client.example/callback",
  "https://client.example/tenant?id=1",
  "http://127.0.0.1/callback",
  "http://[::1]:8080/callback",
  "http://localhost/callback",
  "https://localhost:8443/callback",
  "com.example.app:/callback",
];

const ACCEPTED = [
  ...REGISTERED,
  "http://127.0.0.1:1/callback",
  "http://127.0.0.1:49152/callback",
  "http://[::1]/callback",
  "http://[::1]:65535/callback",
  "http://localhost:3118/callback",
];

const REFUSED = [
  "",
  "https://client.example",
  "https://client.example/",
  "https://client.example/callback/",
  "https://client.example/callback/../callback",
  "https://client.example/callback/..;/x",
  "https://client.example/./callback",
  "https://client.example/%63allback",
  "https://client.example/callback%00",
  "https://client.example/callback\n",
  " https://client.example/callback",
  "https://client.example/callback#",
  "https://client.example/callback#@evil.example",
  "https://client.example/callback?",
  "https://client.example/callback?next=https://evil.example",
  "https://client.example/callback.evil.example",
  "https://client.example.evil.example/callback",
  "https://evil.example/client.example/callback",
  "https://client.example@evil.example/callback",
  "https://evil.example@client.example/callback",
  "https://user:password@client.example/callback",
  "https://client.example:443/callback",
  "https://client.example:8443/callback",
  "https://client.example./callback",
  "https://CLIENT.example/callback",
  "HTTPS://client.example/callback",
  "http://client.example/callback",
  "https:/client.example/callback",
  "https:client.example/callback",
  "//client.example/callback",
  "/callback",
  "https:\\\\client.example\\callback",
  "https://client.example\\@evil.example/callback",
  "https://evil.example\\.client.example/callback",
  "https://client.exаmple/callback",
  "https://xn--client-.example/callback",
  "https://client.example/tenant?id=2",
  "https://client.example/tenant?id=1&id=2",
  "https://client.example/tenant",
  "https://client.example/callback,https://evil.example",
  "https://client.example/callback https://evil.example",
  "https://localhost:9443/callback",
  "http://127.0.0.1:80@evil.example/callback",
  "http://127.0.0.1:80%40evil.example/callback",
  "http://127.0.0.1:0/callback",
  "http://127.0.0.1:00080/callback",
  "http://127.0.0.1:65536/callback",
  "http://127.0.0.1:99999/callback",
  "http://127.0.0.1:/callback",
  "http://127.0.0.1:+80/callback",
  "http://127.0.0.1:80:81/callback",
  "http://127.0.0.1:80",
  "http://127.0.0.1:80/callback/",
  "http://127.0.0.1:80/other",
  "http://127.0.0.1:80/callback?code=1",
  "http://127.0.0.1:80/callback#",
  "http://127.0.0.2:80/callback",
  "http://127.1:80/callback",
  "http://2130706433:80/callback",
  "http://0x7f.0.0.1:80/callback",
  "http://0177.0.0.1:80/callback",
  "http://0.0.0.0:80/callback",
  "http://[::]:80/callback",
  "http://[0:0:0:0:0:0:0:1]:80/callback",
  "http://[::ffff:127.0.0.1]:80/callback",
  "http://[::1%25lo]:80/callback",
  "http://LOCALHOST:80/callback",
  "http://localhost.:80/callback",
  "http://localhost.evil.example:80/callback",
  "http://localhost:80.evil.example/callback",
  "http://localhost:80\\@evil.example/callback",
  "http://localhost@evil.example/callback",
  "http://user@localhost:80/callback",
  "http://evil.example:80/callback",
  "https://127.0.0.1:80/callback",
  "com.example.app:/callback/",
  "com.example.app:/other",
  "com.example.app://callback",
  "com.example.app2:/callback",
  "com.example.app:80/callback",
  "COM.EXAMPLE.APP:/callback",
  "javascript:alert(1)",
  "javascript://client.example/callback%0aalert(1)",
  "data:text/html,client.example",
  "blob:https://client.example/callback",
  "view-source:https://client.example/callback",
  "__proto__",
];

Deno.test("hasRedirectURI() accepts equal strings, and other ports of the loopback interface (RFC 8252, section 7.3)", () => {
  for (const uri of ACCEPTED) {
    assertEquals(hasRedirectURI(REGISTERED, uri), true, uri);
  }
});

Deno.test("hasRedirectURI() rejects everything else (OAuth 2.1, section 4.1.1)", () => {
  for (const uri of REFUSED) {
    assertEquals(hasRedirectURI(REGISTERED, uri), false, uri);
  }
});

const POSSIBLE = [
  "https://client.example/callback",
  "https://client.example",
  "https://client.example:8443/callback?tenant=1",
  "https://xn--mnchen-3ya.example/callback",
  "https://[2001:db8::1]/callback",
  "https://localhost/callback",
  "http://localhost/callback",
  "http://127.0.0.1:33418/",
  "http://[::1]/callback",
  "https://client.example/".padEnd(2_000, "a"),
];

const NATIVE = [
  "com.example.app:/callback",
  "com.example.app://callback",
  "com.example.my-app:/oauth/callback",
];

const IMPOSSIBLE = [
  "",
  "/callback",
  "https:client.example/callback",
  "HTTPS://client.example/callback",
  "https://user@client.example/callback",
  "https://client.example/callback#",
  "https://client.example/callback\n",
  "https://client.example\\@evil.example/callback",
  "http://localhost.evil.example/callback",
  "http://127.0.0.1:80@evil.example/callback",
  "http://127.0.0.1:65536/callback",
  "http://0.0.0.0/callback",
  "javascript:alert(1)",
  "data:text/html,client.example",
  "blob:https://client.example/callback",
  undefined,
  null,
  7,
  ["https://client.example/callback"],
  "https://client.example/".padEnd(2_001, "a"),
  "http://client.example/callback",
  "http://192.168.1.1/callback",
  "https://",
  "https:///callback",
  "https://client.example:443/callback",
  "https://%63lient.example/callback",
  "https://0x7f.1/callback",
  "https://münchen.example/callback",
  "https://client.example/<script>",
  'https://client.example/"',
  "https://client.example/a'b\"",
  "https://client.example/callback\u0000",
  "https://client.example/callback\u202e",
  "example:/callback",
  "myapp://callback",
  "vscode://example.extension/callback",
  "com.example.app:",
  "com.example.app:/",
  "com.example.app://user@host/callback",
  "com.example.app://:password@host/callback",
  "com.example.app:callback",
  "com..app:/callback",
  "1com.example:/callback",
  "file.x:///etc/passwd#",
  "ftp://client.example/callback",
  "ws://client.example/callback",
  "about:blank",
  "vbscript:x",
];

Deno.test("isRedirectURI() accepts https and the loopback interface", () => {
  for (const uri of POSSIBLE) assertEquals(isRedirectURI(uri), true, uri);
});

Deno.test("isRedirectURI() accepts schemes with a dot only from native applications (RFC 8252, section 7.1)", () => {
  for (const uri of NATIVE) {
    assertEquals(isRedirectURI(uri), false, uri);
    assertEquals(isRedirectURI(uri, { privateSchemes: true }), true, uri);
  }
});

Deno.test("isRedirectURI() rejects everything else, even from native applications", () => {
  for (const uri of IMPOSSIBLE) {
    const rules = { privateSchemes: true };
    assertEquals(isRedirectURI(uri, rules), false, String(uri));
  }
});

Deno.test("isLoopbackRedirect() recognizes redirects to the user's own device", () => {
  assertEquals(isLoopbackRedirect("http://localhost:3118/callback"), true);
  assertEquals(isLoopbackRedirect("http://[::1]/"), true);
  assertEquals(isLoopbackRedirect("http://localhost.example/callback"), false);
  assertEquals(isLoopbackRedirect("https://client.example/"), false);
});
