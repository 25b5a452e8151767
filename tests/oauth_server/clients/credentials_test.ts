import { assertEquals } from "@std/assert";
import { createToken, hashToken } from "@gatehouse/web/auth";
import type { TokenClient } from "../../../oauth_server/clients/client.ts";
import { CHATGPT, ClientWorld } from "./_client_world.ts";
import {
  authenticate,
  clientWith,
  createSigner,
  ID,
  TYPE,
  unsignedForm,
} from "./_assertions.ts";

function basic(id: string, secret: string): string {
  return `Basic ${btoa(`${id}:${secret}`)}`;
}

Deno.test("authenticate() accepts a public client by its id only", async () => {
  const world = new ClientWorld();
  const client = clientWith("none");
  const check = (form: Record<string, string>, header?: string) =>
    authenticate(world, client, form, header);
  assertEquals(await check({ client_id: ID }), true);
  // Each of these is another method, or no client.
  assertEquals(await check({}), false);
  assertEquals(await check({ client_id: "other" }), false);
  assertEquals(await check({ client_id: ID, client_secret: "x" }), false);
  assertEquals(await check({ client_id: ID }, basic(ID, "")), false);
  assertEquals(await check({ client_id: ID }, basic(ID, "x")), false);
  assertEquals(await check({ client_id: ID }, "Bearer x"), false);
  assertEquals(await check({ client_id: ID, client_assertion: "x" }), false);
  const type = { client_id: ID, client_assertion_type: TYPE };
  assertEquals(await check(type), false);
});

Deno.test("authenticate() accepts both secrets of a client that changes its secret", async () => {
  const world = new ClientWorld();
  const [old, current, other] = [1, 2, 3].map(() =>
    createToken({ prefix: "acme" })
  );
  const secretHashes = [await hashToken(old!), await hashToken(current!)];
  const client = clientWith({ secretHashes });
  for (const secret of [old!, current!]) {
    assertEquals(
      await authenticate(world, client, {}, basic(ID, secret)),
      true,
    );
  }
  for (const secret of [other!, "", secretHashes[0]!, `${current} `]) {
    assertEquals(
      await authenticate(world, client, {}, basic(ID, secret)),
      false,
    );
  }
});

const SECRET = "pässword: 100%+ &";

Deno.test("authenticate() decodes both parts of Basic as a form (RFC 6749, section 2.3.1)", async () => {
  const world = new ClientWorld();
  const id = "https://partner.example/a b";
  const client: TokenClient = {
    id,
    source: "registered",
    authentication: { secretHashes: [await hashToken(SECRET)] },
    isPublic: false,
  };
  const encode = (text: string) =>
    new URLSearchParams([["", text]]).toString().slice(1);
  const header = basic(encode(id), encode(SECRET));
  assertEquals(await authenticate(world, client, {}, header), true);
  assertEquals(
    await authenticate(world, client, { client_id: id }, header),
    true,
  );
  assertEquals(
    await authenticate(world, client, { client_id: "other" }, header),
    false,
  );
});

Deno.test("authenticate() rejects a secret in any other place or form (ASVS 10.4.10)", async () => {
  const world = new ClientWorld();
  const client = clientWith({ secretHashes: [await hashToken("secret")] });
  const valid = basic(ID, "secret");
  assertEquals(await authenticate(world, client, {}, valid), true);
  const headers = [
    "Basic",
    "Basic ",
    "Basic !",
    "Basic a",
    `Basic ${btoa(ID)}`,
    `Basic ${btoa(`:secret`)}`,
    `Basic ${btoa(`${ID}:%`)}`,
    `Basic ${btoa(`${ID}:%ff`)}`,
    `Basic ${btoa(`${ID}2:secret`)}`,
    `${valid}, ${valid}`,
    `${valid} x`,
    `Bearer ${btoa(`${ID}:secret`)}`,
    `Basic ${btoa(`${ID}:secret${"a".repeat(5_000)}`)}`,
    "secret",
  ];
  for (const header of headers) {
    const form = { client_id: ID };
    assertEquals(
      await authenticate(world, client, form, header),
      false,
      header,
    );
  }
  const other = basic("other", "secret");
  assertEquals(await authenticate(world, client, {}, other), false);
  const forms: Record<string, string>[] = [
    { client_id: ID },
    { client_id: ID, client_secret: "secret" },
  ];
  for (const form of forms) {
    assertEquals(await authenticate(world, client, form), false);
  }
  // Two methods at once.
  const both = { client_id: ID, client_secret: "secret" };
  assertEquals(await authenticate(world, client, both, valid), false);
  const assertion = { client_assertion: "a.b.c", client_assertion_type: TYPE };
  assertEquals(await authenticate(world, client, assertion, valid), false);
});

Deno.test("authenticate() reads an Authorization header of 4,096 characters, and none that is longer", async () => {
  const world = new ClientWorld();
  const client = clientWith({ secretHashes: [await hashToken("secret")] });
  const valid = basic(ID, "secret");
  for (const [length, isValid] of [[4_096, true], [4_097, false]] as const) {
    const header = valid.replace(" ", " ".repeat(length - valid.length + 1));
    assertEquals(header.length, length);
    assertEquals(await authenticate(world, client, {}, header), isValid);
  }
});

/** Authorization headers and forms, and the client id that they claim. */
const CLAIMS: [
  header: string | null,
  form: Record<string, string>,
  id: string | null,
][] = [
  [null, {}, null],
  [null, { client_id: ID }, ID],
  [basic("a", "secret"), {}, "a"],
  [basic("a", ""), {}, "a"],
  [basic("", "secret"), {}, null],
  [`Basic ${btoa(ID)}`, {}, null],
  [`Basic ${btoa("a")}`, {}, null],
  [null, unsignedForm({ sub: ID }), ID],
  [null, { ...unsignedForm({ sub: ID }), client_id: "other" }, null],
  [null, unsignedForm({ sub: 7 }), null],
  [null, unsignedForm({ sub: null }), null],
  [null, unsignedForm({ sub: [ID] }), null],
  [null, unsignedForm({}), null],
];

Deno.test("claimedId() returns the id of the form, of Basic or of an assertion", () => {
  const { clients } = new ClientWorld();
  for (const [authorization, form, id] of CLAIMS) {
    const request = {
      form: new Map(Object.entries(form)),
      headers: new Headers(authorization === null ? {} : { authorization }),
    };
    const message = JSON.stringify([authorization, form]);
    assertEquals(clients.claimedId(request), id, message);
  }
});

Deno.test("authenticate() rejects a secret of a client that has keys", async () => {
  const client = clientWith({ jwks: { keys: [] } });
  const world = new ClientWorld();
  assertEquals(await authenticate(world, client, {}, basic(ID, "x")), false);
});

Deno.test("authenticate() fetches the keys of a client once, and again for a new key", async () => {
  const world = new ClientWorld();
  const url = "https://partner.example/jwks";
  const [first, second] = [await createSigner(), await createSigner()];
  const client = clientWith({ jwksUri: url });
  world.publish(url, first.jwks);
  assertEquals(await authenticate(world, client, await first.sign()), true);
  assertEquals(await authenticate(world, client, await first.sign()), true);
  assertEquals(world.fetched.length, 1);

  world.publish(url, second.jwks);
  assertEquals(await authenticate(world, client, await second.sign()), true);
  assertEquals(world.fetched.length, 2);
  // Unknown keys cause one request in 30 seconds.
  for (let count = 0; count < 5; count++) {
    assertEquals(await authenticate(world, client, await first.sign()), false);
  }
  assertEquals(world.fetched.length, 2);
});

Deno.test("authenticate() returns false if the keys are unavailable, with one request in a while", async () => {
  const world = new ClientWorld();
  const { sign } = await createSigner();
  const client = clientWith({ jwksUri: "https://partner.example/jwks" });
  for (let count = 0; count < 5; count++) {
    assertEquals(await authenticate(world, client, await sign()), false);
  }
  assertEquals(world.fetched.length, 1);
  assertEquals(world.errors.length, 1);
});

Deno.test("authenticate() accepts ChatGPT's client with a key and without one", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner("RS256");
  world.publish(CHATGPT.client_id, CHATGPT);
  world.publish(CHATGPT.jwks_uri, jwks);
  const client = await world.clients.resolve(CHATGPT.client_id, "1");
  const id = CHATGPT.client_id;
  const form = await sign({ iss: id, sub: id });
  assertEquals(await authenticate(world, client!, form), true);
  assertEquals(await authenticate(world, client!, { client_id: id }), true);
  // A signature that is sent must be valid.
  const stranger = await createSigner("RS256");
  const forged = await stranger.sign({ iss: id, sub: id });
  assertEquals(await authenticate(world, client!, forged), false);
});

Deno.test("authenticate() uses the current keys of a document that contains them", async () => {
  const world = new ClientWorld();
  const id = "https://client.example/client.json";
  const [first, second] = [await createSigner(), await createSigner()];
  const publish = ({ jwks }: typeof first) =>
    world.publish(id, {
      client_id: id,
      redirect_uris: ["https://client.example/callback"],
      token_endpoint_auth_method: "private_key_jwt",
      jwks,
    }, { "Cache-Control": "max-age=60" });
  publish(first);
  const client = await world.clients.resolve(id, "1");
  assertEquals(client?.isPublic, false);
  const claims = { iss: id, sub: id };
  const check = async (signer: typeof first) =>
    await authenticate(world, client!, await signer.sign(claims));
  assertEquals(await check(first), true);
  assertEquals(await authenticate(world, client!, { client_id: id }), false);

  publish(second);
  world.now += 60_000;
  const later = async (signer: typeof first) =>
    await authenticate(
      world,
      client!,
      await signer.sign({ ...claims, exp: 1_700_000_120 }),
    );
  assertEquals(await later(first), false);
  assertEquals(await later(second), true);
});
