import { assertEquals } from "@std/assert";
import { Login, logIn } from "../_login.ts";
import { signingKey, TestProvider, USER } from "../_test_provider.ts";

type Key = Record<string, unknown>;

Deno.test("known keys stay in use if new ones can't be fetched", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  await login.run();
  const { keys } = provider;
  await provider.rotate();
  provider.faults = {
    respond: ({ path }) => path === "/keys" ? Response.json({}) : undefined,
  };
  assertEquals((await login.run()).code, "keys_failed");
  provider.keys = keys;
  assertEquals((await login.run()).code, "");
});

Deno.test("an invalid signature causes one request for keys, and no login succeeds", async () => {
  const provider = await TestProvider.create();
  provider.faults = { idToken: (idToken) => idToken.slice(0, -8) + "AAAAAAAA" };
  const login = new Login(provider);
  for (let i = 0; i < 3; i++) {
    assertEquals((await login.run()).code, "id_token_invalid");
  }
  assertEquals(provider.count("/keys"), 2);
});

const ignored: [string, (key: Key) => Key, string?][] = [
  ["private keys", (key) => ({ ...key, d: "AQAB" })],
  [
    "symmetric keys",
    () => ({ kty: "oct", k: "c2VjcmV0", kid: "x", alg: "HS256" }),
  ],
  [
    "keys for encryption",
    (key) => ({ ...key, use: "enc" }),
    "id_token_invalid",
  ],
  [
    "keys that may not verify",
    (key) => ({ ...key, key_ops: ["encrypt"] }),
    "id_token_invalid",
  ],
  [
    "keys of another algorithm",
    (key) => ({ ...key, alg: "RS512" }),
    "id_token_invalid",
  ],
  ["short RSA keys", (key) => ({ ...key, n: String(key.n).slice(0, 172) })],
  ["giant RSA keys", (key) => ({ ...key, n: "A".repeat(2000) })],
  ["keys without a modulus", ({ n: _, ...key }) => key],
  ["keys of unknown kinds", (key) => ({ ...key, kty: "constructor" })],
  [
    "secp256k1",
    () => ({ kty: "EC", crv: "secp256k1", x: "AA", y: "AA", kid: "x" }),
  ],
  ["nothing", () => null as never],
  ["texts", () => "key" as never],
];

for (const [name, change, code = "keys_failed"] of ignored) {
  Deno.test(`a key set with ${name} and the right key is accepted (RFC 7517, section 5)`, async () => {
    const provider = await TestProvider.create();
    const { jwk } = await signingKey("RS256");
    provider.faults = {
      keys: ({ keys }) => ({ keys: [change({ ...jwk }), ...keys] }),
    };
    assertEquals((await logIn(provider)).profile, USER);
  });

  Deno.test(`a key set with ${name} only verifies no token`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { keys: ({ keys }) => ({ keys: keys.map(change) }) };
    assertEquals((await logIn(provider)).code, code);
  });
}

const sets: [string, unknown][] = [
  ["without keys", {}],
  ["with keys that are not an array", { keys: { 0: {} } }],
  ["that is empty", { keys: [] }],
];

for (const [name, set] of sets) {
  Deno.test(`a key set ${name} fails the login with keys_failed`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { keys: () => set };
    assertEquals((await logIn(provider)).code, "keys_failed");
  });
}

Deno.test("a key with a member that is nested too deep to be cloned does not end the login", async () => {
  const provider = await TestProvider.create();
  const nested = JSON.parse("[".repeat(4000) + "]".repeat(4000));
  provider.faults = {
    keys: ({ keys }) => ({
      keys: keys.map((key) => ({ ...key, x5c: nested })),
    }),
  };
  assertEquals((await logIn(provider)).code, "");
});

Deno.test("points that are not on the curve verify no token and throw no error", async () => {
  const provider = await TestProvider.create("https://id.example", ["ES256"]);
  provider.faults = {
    keys: ({ keys }) => ({
      keys: keys.map((key) => ({
        ...key,
        x: "A".repeat(43),
        y: "A".repeat(43),
      })),
    }),
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

Deno.test("only the first hundred of a thousand keys are read", async () => {
  const provider = await TestProvider.create("https://id.example", ["ES256"]);
  const { jwk } = await signingKey("ES256", true);
  const others = Array.from(
    { length: 1000 },
    (_, kid) => ({ ...jwk, kid: `${kid}` }),
  );
  provider.faults = { keys: ({ keys }) => ({ keys: [...keys, ...others] }) };
  assertEquals((await logIn(provider)).code, "");
  provider.faults = { keys: ({ keys }) => ({ keys: [...others, ...keys] }) };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

Deno.test("at most ten keys are tried for a token without a key id", async () => {
  const provider = await TestProvider.create("https://id.example", ["ES256"]);
  const others = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await signingKey("ES256", true)).jwk,
    ),
  );
  const login = async (count: number) => {
    provider.faults = {
      header: ({ kid: _, ...header }) => header,
      keys: ({ keys }) => ({
        keys: [...others.slice(0, count), ...keys].map(({ kid: _, ...key }) =>
          key
        ),
      }),
    };
    return (await logIn(provider)).code;
  };
  assertEquals(await login(9), "");
  assertEquals(await login(10), "id_token_invalid");
});

for (const alg of ["EdDSA", "Ed25519"]) {
  Deno.test(`an Ed25519 key with the label ${alg} verifies tokens of either label`, async () => {
    const provider = await TestProvider.create("https://id.example", ["EdDSA"]);
    provider.faults = {
      keys: ({ keys }) => ({ keys: keys.map((key) => ({ ...key, alg })) }),
    };
    assertEquals((await logIn(provider)).code, "");
  });
}

Deno.test("without jwks_uri, no ID token is accepted", async () => {
  const provider = await TestProvider.create();
  provider.faults = { metadata: ({ jwks_uri: _, ...metadata }) => metadata };
  assertEquals((await logIn(provider)).code, "keys_failed");
});

Deno.test("the jwks_uri may change with the metadata", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  await login.run();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      jwks_uri: "https://id.example/new",
    }),
    respond: ({ path }) =>
      path === "/new"
        ? Response.json({ keys: provider.keys.map(({ jwk }) => jwk) })
        : undefined,
  };
  time += 3_600_000;
  assertEquals((await login.run()).profile, USER);
  assertEquals(provider.count("/new"), 1);
});
