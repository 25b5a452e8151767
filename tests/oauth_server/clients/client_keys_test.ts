import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  ClientAssertions,
  type ClientAssertionsOptions,
} from "../../../oauth_server/clients/_client_assertion.ts";
import type { TokenClient } from "../../../oauth_server/clients/client.ts";
import {
  authenticate,
  clientWith,
  createSigner,
  ID,
  ISSUER,
  unsignedForm,
} from "./_assertions.ts";
import { ClientWorld } from "./_client_world.ts";

const URL_ID = "https://client.example/client.json";

/** A client whose keys are in its document. */
const BY_DOCUMENT: TokenClient = {
  id: URL_ID,
  source: "document",
  authentication: { jwksUri: URL_ID },
  isPublic: false,
};

/** Creates verified assertions without the checks that come before them. */
function createAssertions(options: Partial<ClientAssertionsOptions> = {}) {
  const world = new ClientWorld();
  const errors: [code: string, message: string][] = [];
  const assertions = new ClientAssertions({
    issuer: ISSUER,
    call: (_verb, use) => use(world.store),
    fetch: null,
    documentKeys: () => Promise.resolve(undefined),
    onError: ({ code, message }) => void errors.push([code, message]),
    now: () => world.now,
    ...options,
  });
  return { assertions, errors };
}

Deno.test("verify() compares both iss and sub with the client (RFC 7523, section 3)", async () => {
  const { jwks, sign } = await createSigner();
  const { assertions } = createAssertions();
  const rows = [
    [{}, true],
    [{ sub: "other" }, false],
    [{ iss: "other" }, false],
  ] as const;
  for (const [claims, isValid] of rows) {
    const { client_assertion: jwt } = await sign(claims);
    const client = clientWith({ jwks });
    const message = JSON.stringify(claims);
    assertEquals(await assertions.verify(jwt!, client), isValid, message);
  }
});

Deno.test("verify() reports once that this runtime cannot fetch keys", async () => {
  const { sign } = await createSigner();
  const { assertions, errors } = createAssertions();
  const client = clientWith({ jwksUri: "https://partner.example/jwks" });
  const { client_assertion: jwt } = await sign();
  assertEquals(await assertions.verify(jwt!, client), false);
  assertEquals(errors, [[
    "keys_failed",
    `Cannot fetch the keys of the client "${ID}": this runtime cannot, so the option cimd needs "fetch"`,
  ]]);
});

Deno.test("verify() rejects with errors that are not about the client, and needs the keys of a document", async () => {
  const { sign } = await createSigner();
  const { client_assertion: jwt } = await sign({ iss: URL_ID, sub: URL_ID });
  const { assertions, errors } = createAssertions();
  assertEquals(await assertions.verify(jwt!, BY_DOCUMENT), false);
  const broken = createAssertions({
    documentKeys: () => Promise.reject(new TypeError("a mistake")),
  });
  await assertRejects(
    () => broken.assertions.verify(jwt!, BY_DOCUMENT),
    TypeError,
    "a mistake",
  );
  assertEquals([...errors, ...broken.errors], []);
});

Deno.test("authenticate() imports the keys of a client once", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  let reads = 0;
  const counted = {
    get keys() {
      reads++;
      return jwks.keys;
    },
  };
  const client = clientWith({ jwks: counted });
  assertEquals(await authenticate(world, client, await sign()), true);
  const { reads: first } = { reads };
  assertEquals(await authenticate(world, client, await sign()), true);
  assertEquals(reads, first);
});

Deno.test("authenticate() fetches the keys of a registered client whose id is their URL", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  world.publish(URL_ID, jwks);
  const client: TokenClient = { ...BY_DOCUMENT, source: "registered" };
  const form = await sign({ iss: URL_ID, sub: URL_ID });
  assertEquals(await authenticate(world, client, form), true);
});

Deno.test("authenticate() reads keys of 65,536 bytes, and no more", async () => {
  const { jwks, sign } = await createSigner();
  const url = "https://partner.example/jwks";
  for (const [bytes, isValid] of [[65_536, true], [65_537, false]] as const) {
    const world = new ClientWorld();
    const { length } = JSON.stringify({ ...jwks, padding: "" });
    world.publish(url, { ...jwks, padding: "a".repeat(bytes - length) });
    const client = clientWith({ jwksUri: url });
    assertEquals(await authenticate(world, client, await sign()), isValid);
  }
});

Deno.test("authenticate() keeps the keys of the 200 clients that used theirs last", async () => {
  const { jwks } = await createSigner();
  const world = new ClientWorld();
  // The server fetches the keys, and then refuses the assertion at once.
  const form = unsignedForm({ sub: ID });
  const fetches = async (index: number) => {
    const url = `https://partner.example/${index}`;
    world.publish(url, jwks);
    const { length } = world.fetched;
    await authenticate(world, clientWith({ jwksUri: url }), form);
    return world.fetched.length - length;
  };
  for (let index = 0; index < 200; index++) {
    assertEquals(await fetches(index), 1);
  }
  // Its use makes the first one the newest, so the next one evicts the second.
  assertEquals(await fetches(0), 0);
  assertEquals(await fetches(200), 1);
  const found = await Promise.all([0, 2, 200].map(fetches));
  assertEquals(found, [0, 0, 0]);
  assertEquals(await fetches(1), 1);
});

Deno.test("a user's limit of documents does not count the keys of clients, which no user asks for", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  const ids = [1, 2, 3, 4, 5].map((index) => `${URL_ID}/${index}`);
  const outcomes = await Promise.all(ids.map(async (id) => {
    world.publish(id, {
      client_id: id,
      redirect_uris: ["https://client.example/callback"],
      token_endpoint_auth_method: "private_key_jwt",
      jwks,
    });
    const client = { ...BY_DOCUMENT, id, authentication: { jwksUri: id } };
    return authenticate(world, client, await sign({ iss: id, sub: id }));
  }));
  assertEquals(outcomes, ids.map(() => true));
  // A cached document needs no further request.
  const id = ids[0]!;
  const client = { ...BY_DOCUMENT, id, authentication: { jwksUri: id } };
  const form = await sign({ iss: id, sub: id });
  assertEquals(await authenticate(world, client, form), true);
  assertEquals(world.fetched.toSorted(), ids);
});

Deno.test("keys and documents that never arrive are unavailable after five seconds", async () => {
  const world = new ClientWorld({
    cimd: { fetch: () => new Promise(() => {}) },
  });
  const { sign } = await createSigner();
  const form = await sign();
  const client = clientWith({ jwksUri: "https://partner.example/jwks" });
  const [isValid, resolved] = await Promise.all([
    authenticate(world, client, form),
    world.clients.resolve(URL_ID, "1"),
  ]);
  assertEquals([isValid, resolved], [false, null]);
  assertEquals(world.errors.length, 2);
  for (const message of world.errors) {
    assertStringIncludes(message, "no answer within 5000 ms");
  }
});
