/** Redirect URIs of attackers never get a response, not even an error. */
import { assertEquals } from "@std/assert";
import { authorizePath, browserOf, CALLBACK, startServer } from "./_server.ts";
import { outcomeOf } from "./_attacks.ts";

/** The redirect URIs that each client must not get. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  web: [
    "https://client.example",
    "https://client.example/",
    "https://client.example/callback/",
    "https://client.example/callback2",
    "https://client.example/callback/../evil",
    "https://client.example/./callback",
    "https://client.example//callback",
    "https://client.example/Callback",
    "https://client.example/%63allback",
    "https://client.example/callback%2f..%2fevil",
    "https://client.example/callback?next=https://evil.example",
    "https://client.example/callback?",
    "https://client.example/callback#",
    "https://client.example/callback#code",
    "https://client.example/callback;x",
    "https://client.example:443/callback",
    "https://client.example:8443/callback",
    "http://client.example/callback",
    "HTTPS://client.example/callback",
    "https://CLIENT.example/callback",
    "https://client.example./callback",
    "https://client.example.evil.example/callback",
    "https://evil-client.example/callback",
    "https://sub.client.example/callback",
    "https://user@client.example/callback",
    "https://user:password@client.example/callback",
    "https://client.example@evil.example/callback",
    "https://client.example%40evil.example/callback",
    "https://client.example%2eevil.example/callback",
    "https://client.example\\@evil.example/callback",
    "https://evil.example\\.client.example/callback",
    "https:\\\\client.example\\callback",
    "https:client.example/callback",
    "https:/client.example/callback",
    "https:///client.example/callback",
    "//client.example/callback",
    "/callback",
    "callback",
    "client.example/callback",
    "https://evil.example/?https://client.example/callback",
    "https://evil.example/callback",
    "https://cli\u0435nt.example/callback",
    "https://xn--clint-8of.example/callback",
    "https://client\u3002example/callback",
    "https://client.example/callback\u0000",
    "https://client.example/callback\r\nSet-Cookie: a=b",
    "https://client.example/call\tback",
    " https://client.example/callback",
    "https://client.example/callback ",
    "https://client.example/callback,https://evil.example",
    "https://client.example/callback https://evil.example",
    "https://*.example/callback",
    "javascript:alert(1)",
    "javascript://client.example/callback%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "blob:https://client.example/callback",
    "view-source:https://client.example/callback",
    "http://localhost/callback",
    "http://127.0.0.1/callback",
    "com.example.app:/callback",
    "urn:ietf:wg:oauth:2.0:oob",
    "null",
    "__proto__",
  ],
  cli: [
    "http://127.0.0.1:8000/other",
    "http://127.0.0.1:8000/callback/",
    "http://127.0.0.1:8000/callback?x=1",
    "http://127.0.0.1:8000/callback#x",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:99999/callback",
    "http://127.0.0.1:080/callback",
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:80@evil.example/callback",
    "http://127.0.0.1:80:80/callback",
    "http://user@127.0.0.1:8000/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.2/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://0x7f.0.0.1/callback",
    "http://0177.0.0.1/callback",
    "http://0.0.0.0/callback",
    "http://localhost/callback",
    "http://[::1]/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "https://127.0.0.1/callback",
    "ws://127.0.0.1/callback",
    "HTTP://127.0.0.1/callback",
  ],
  app: [
    "com.example.app://callback",
    "com.example.app:callback",
    "com.example.app:/other",
    "com.example.app:/callback/",
    "com.example.app:/callback?x",
    "com.example.app:/callback#x",
    "com.example.app2:/callback",
    "COM.example.app:/callback",
    "com.example.app://evil.example/callback",
    "app:/callback",
    "javascript:/callback",
  ],
};

for (const [client_id, uris] of Object.entries(REFUSED)) {
  for (const redirect_uri of uris) {
    Deno.test(`no response goes to ${JSON.stringify(redirect_uri)} of the client ${client_id}`, async () => {
      const browser = await browserOf(startServer());
      const path = authorizePath({ client_id, redirect_uri });
      assertEquals(await outcomeOf(browser.fetch(path)), "400");
      // Errors would go to the attacker as well.
      const wrong = authorizePath({ client_id, redirect_uri, scope: "x" });
      assertEquals(await outcomeOf(browser.fetch(wrong)), "400");
    });
  }
}

const twice = encodeURIComponent("https://evil.example/");

/** Changes of the query, and the outcome. */
const QUERIES: readonly (readonly [string, string, string])[] = [
  ["a second redirect URI", `&redirect_uri=${twice}`, "400"],
  [
    "the same redirect URI again",
    `&redirect_uri=${encodeURIComponent(CALLBACK)}`,
    "400",
  ],
  ["a redirect URI in brackets", `&redirect_uri[]=${twice}`, "consent"],
  ["a redirect URI in upper case", `&REDIRECT_URI=${twice}`, "consent"],
  ["a second client", "&client_id=other", "400"],
  [
    "a second state",
    "&state=s2",
    "invalid_request to https://client.example/callback",
  ],
];

for (const [name, suffix, expected] of QUERIES) {
  Deno.test(`no response goes elsewhere because of ${name}`, async () => {
    const browser = await browserOf(startServer());
    const response = browser.fetch(authorizePath() + suffix);
    assertEquals(await outcomeOf(response), expected);
  });
}

/** Requests without a redirect URI, by client. */
const MISSING = [
  ["web", undefined, "consent"],
  ["web", "", "400"],
  ["other", undefined, "400"],
] as const;

for (const [client_id, redirect_uri, expected] of MISSING) {
  Deno.test(`the client ${client_id} with the redirect URI ${JSON.stringify(redirect_uri)} gets: ${expected}`, async () => {
    const browser = await browserOf(startServer());
    const path = authorizePath({ client_id, redirect_uri });
    assertEquals(await outcomeOf(browser.fetch(path)), expected);
  });
}

Deno.test("the registered redirect URIs, and other ports of the loopback interface, get the consent page", async () => {
  const browser = await browserOf(startServer());
  const valid = [
    ["web", CALLBACK],
    ["cli", "http://127.0.0.1/callback"],
    ["cli", "http://127.0.0.1:53682/callback"],
    ["app", "com.example.app:/callback"],
  ] as const;
  for (const [client_id, redirect_uri] of valid) {
    const path = authorizePath({ client_id, redirect_uri });
    assertEquals(await outcomeOf(browser.fetch(path)), "consent");
  }
});
