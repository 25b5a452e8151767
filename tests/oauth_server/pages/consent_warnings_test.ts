import { assertEquals } from "@std/assert";
import {
  type ConsentPage,
  registrationEndpoint,
} from "@gatehouse/web/oauth-server";
import {
  authorizePath,
  browserOf,
  ORIGIN,
  readConsent,
  startServer,
} from "../_server.ts";

const DOCUMENT = "https://client.example/client.json";

const LOOPBACK = "http://127.0.0.1:3118/callback";

/** Starts a server with a client of each source. */
async function startWithClients() {
  const redirectUris = ["https://client.example/callback", LOOPBACK];
  const app = startServer({
    clients: [
      { id: "web", name: "Web client", redirectUris },
      { id: "app", name: "App", redirectUris: ["com.example.app:/callback"] },
    ],
    registration: registrationEndpoint(),
    cimd: {
      fetch: () =>
        Promise.resolve(Response.json({
          client_id: DOCUMENT,
          client_name: "Client",
          redirect_uris: [...redirectUris, "https://other.example/callback"],
        })),
    },
  });
  const response = await app.router.fetch(`${ORIGIN}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: "Editor",
      redirect_uris: redirectUris,
    }),
  });
  const { client_id: dynamic } = await response.json();
  return { app, dynamic: String(dynamic) };
}

const OWN_NAME =
  "The application has chosen the name Editor itself. Continue only if you have just started it.";
const OWN_DEVICE =
  "The request comes from a program on this device. Continue only if you have just started it yourself.";
const OTHER_HOST =
  "The application is described at client.example, but your browser returns to other.example. Continue only if you know both.";

/** Clients and redirect URIs, the names on the page, and its warnings. */
const ROWS: [
  client: string,
  redirectUri: string,
  names: readonly [application: string, returnsTo: string],
  warnings: readonly string[],
][] = [
  [
    "web",
    "https://client.example/callback",
    ["Web client", "client.example"],
    [],
  ],
  ["web", LOOPBACK, ["Web client", "127.0.0.1:3118"], [OWN_DEVICE]],
  ["app", "com.example.app:/callback", ["App", "com.example.app"], []],
  [
    DOCUMENT,
    "https://client.example/callback",
    ["client.example", "client.example"],
    [],
  ],
  [
    DOCUMENT,
    "https://other.example/callback",
    ["client.example", "other.example"],
    [OTHER_HOST],
  ],
  [DOCUMENT, LOOPBACK, ["client.example", "127.0.0.1:3118"], [OWN_DEVICE]],
  [
    "dynamic",
    "https://client.example/callback",
    ["Editor", "client.example"],
    [OWN_NAME],
  ],
  ["dynamic", LOOPBACK, ["Editor", "127.0.0.1:3118"], [OWN_NAME, OWN_DEVICE]],
];

Deno.test("the consent page shows where a client is from and goes, and warns of unknown ones (ASVS 10.7.2)", async () => {
  const { app, dynamic } = await startWithClients();
  const browser = await browserOf(app);
  for (const [client, redirect_uri, names, warnings] of ROWS) {
    const client_id = client === "dynamic" ? dynamic : client;
    const path = authorizePath({ client_id, redirect_uri });
    const { html } = await readConsent(await browser.fetch(path));
    const text = html.replaceAll(/\s+/g, " ");
    const facts = [...text.matchAll(/<dd>([^<]*)<\/dd>/g)];
    const found = [...text.matchAll(/<p class="warning">([^<]*)<\/p>/g)];
    const message = `${client} ${redirect_uri}`;
    assertEquals(facts.map(([, fact]) => fact), [...names, "Ada"], message);
    assertEquals(found.map(([, warning]) => warning), warnings, message);
  }
});

Deno.test("a consent page of the application gets the facts about a client", async () => {
  const seen: ConsentPage[] = [];
  const app = startServer({
    pages: {
      consent(page) {
        seen.push(page);
        return page.form;
      },
    },
  });
  const browser = await browserOf(app);
  await readConsent(await browser.fetch(authorizePath()));
  const { form: _form, messages, scopes: _scopes, ...facts } = seen[0]!;
  assertEquals(messages.language, "en");
  assertEquals(facts, {
    client: { id: "web", name: "Web client" },
    isKnown: true,
    isNew: true,
    redirectHost: "client.example",
    isLoopback: false,
    resource: "Notes",
    user: "Ada",
  });
});

Deno.test("the consent page names the user by email, name or id", async () => {
  const rows = [
    [{ id: "7", name: "Ada", email: "ada@test.example" }, "ada@test.example"],
    [{ id: "7", name: "Ada" }, "Ada"],
    [{ id: "7" }, "7"],
  ] as const;
  for (const [user, expected] of rows) {
    const app = startServer({ loggedIn: () => user as never });
    const browser = await browserOf(app);
    const { html } = await readConsent(await browser.fetch(authorizePath()));
    const [, name] = /<dt>Your account<\/dt>\s*<dd>([^<]*)</.exec(html) ?? [];
    assertEquals(name, expected);
  }
});
