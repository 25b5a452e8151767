import { assertEquals, assertThrows } from "@std/assert";
import type {
  ClientAuthentication,
  RegisteredClient,
} from "../../../oauth_server/clients/client.ts";
import { ClientWorld } from "./_client_world.ts";

const ID = "partner";

const PARTNER: RegisteredClient = { id: ID, name: "Partner" };

const HASH = "a".repeat(43);

/** Clients that a program must not register, and the reason. */
const MISTAKES: [client: object, reason: string][] = [
  [{ id: "" }, "its id is not"],
  [{ id: "a b" }, "its id is not"],
  [{ id: 7 }, "its id is not"],
  [{ name: "" }, "it has no name"],
  [{ name: 7 }, "it has no name"],
  [{ redirectUris: ["http://partner.example/"] }, "not a redirect URI"],
  [{ redirectUris: ["myapp://callback"] }, "not a redirect URI"],
  [{
    redirectUris: ["com.example.app:/callback"],
    authentication: { secretHashes: [HASH] },
  }, "not a redirect URI"],
  [{ trusted: true }, "without authentication"],
  [{ grants: ["introspection"] }, "without authentication"],
  [{ authentication: { secretHashes: [] } }, "one or two results"],
  [{ authentication: { secretHashes: ["s3cret"] } }, "one or two results"],
  [{ authentication: { secretHashes: [HASH, "s3cret"] } }, "one or two"],
  [{ authentication: { secretHashes: [HASH, HASH, HASH] } }, "one or two"],
  [{ authentication: { jwksUri: "http://partner.example/" } }, "https URL"],
  [{ authentication: { jwks: {} } }, "not a key set"],
];

for (const [client, reason] of MISTAKES) {
  Deno.test(`createClients() throws for a client with ${JSON.stringify(client)}`, () => {
    const clients = [{ ...PARTNER, ...client } as RegisteredClient];
    assertThrows(() => new ClientWorld({ clients }), TypeError, reason);
  });
}

Deno.test("find() asks no database for ids that a client cannot have", async () => {
  const asked: string[] = [];
  const { clients } = new ClientWorld({
    clients(id) {
      asked.push(id);
      return null;
    },
  });
  for (
    const id of ["", "a b", "a\0", "a\n", "ä", "\ud800", "a".repeat(1_001)]
  ) {
    assertEquals(await clients.find(id), null);
    assertEquals(await clients.resolve(id, "1"), null);
  }
  assertEquals(asked, []);
  await clients.find("partner");
  assertEquals(asked, ["partner"]);
});

Deno.test("find() returns partners with secrets, keys and their URL", async () => {
  const methods: ClientAuthentication[] = [
    { secretHashes: [HASH] },
    { secretHashes: [HASH, HASH] },
    { jwks: { keys: [] } },
    { jwksUri: "https://partner.example/jwks" },
  ];
  for (const authentication of methods) {
    const partner = { ...PARTNER, authentication, trusted: true };
    const { clients } = new ClientWorld({ clients: [partner] });
    const found = await clients.find(ID);
    assertEquals(found?.authentication, authentication);
    assertEquals([found?.isPublic, found?.trusted], [false, true]);
  }
});

Deno.test("createClients() throws for two clients with the same id", () => {
  const clients = [PARTNER, PARTNER];
  assertThrows(() => new ClientWorld({ clients }), TypeError, "same id");
});

Deno.test("find() returns the clients of the application, from a list and from a function", async () => {
  const partner = { ...PARTNER, redirectUris: ["com.example.app:/callback"] };
  const expected = {
    ...partner,
    authentication: "none",
    isPublic: true,
    grants: ["code"],
    trusted: false,
    source: "registered",
  };
  const fromFunction = new ClientWorld({
    // A database may ignore the case.
    clients: (id) => id.toLowerCase() === ID ? partner : null,
  });
  for (const world of [new ClientWorld({ clients: [partner] }), fromFunction]) {
    assertEquals<unknown>(await world.clients.find(ID), expected);
    assertEquals<unknown>(await world.clients.resolve(ID, "1"), expected);
    for (const id of ["PARTNER", "", "__proto__", "a".repeat(1_001)]) {
      assertEquals(await world.clients.find(id), null);
    }
    const granted = { id: ID, source: "registered" } as const;
    assertEquals<unknown>(await world.clients.ofGrant(granted), expected);
    const other = { id: "other", source: "registered" } as const;
    assertEquals(await world.clients.ofGrant(other), null);
  }
});

Deno.test("find() and resolve() find each kind of client in addition to the others", async () => {
  const id = "https://client.example/client.json";
  const hosts: string[] = [];
  const world = new ClientWorld({
    clients: (id) => id === ID ? PARTNER : null,
    registration: {},
    cimd: {
      allow({ host }) {
        hosts.push(host);
        return true;
      },
    },
  });
  const redirect_uris = ["https://client.example/callback"];
  world.publish(id, { client_id: id, redirect_uris });
  assertEquals((await world.clients.resolve(id, "1"))?.source, "document");
  assertEquals((await world.clients.find(id))?.source, "document");
  assertEquals((await world.clients.find(ID))?.source, "registered");
  // The function is asked only about URLs.
  assertEquals(await world.clients.resolve("other", "1"), null);
  assertEquals(new Set(hosts), new Set(["client.example"]));
});

Deno.test("ofGrant() returns a client that is not public without a note of it, and none that registered without the option", async () => {
  const { clients } = new ClientWorld();
  const id = "https://client.example/client.json";
  assertEquals(await clients.ofGrant({ id, source: "document" }), {
    ...{ id, authentication: "none", isPublic: false, source: "document" },
  });
  const granted = { id: `dcr_${"a".repeat(22)}`, source: "dynamic" } as const;
  assertEquals(await clients.ofGrant(granted), null);
});

Deno.test("createClients() needs no fetch for clients that a function returns", async () => {
  const world = new ClientWorld({ cimd: false, clients: () => PARTNER });
  assertEquals((await world.clients.find(ID))?.id, ID);
});
