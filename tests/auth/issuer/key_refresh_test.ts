import { assertEquals } from "@std/assert";
import { Login } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";

Deno.test("keys are fetched again for an unknown key id, but only once in 30 s", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  assertEquals((await login.run()).code, "");
  await provider.rotate();
  assertEquals((await login.run()).code, "");
  assertEquals(provider.count("/keys"), 2);

  await provider.rotate();
  assertEquals((await login.run()).code, "id_token_invalid");
  assertEquals((await login.run()).code, "id_token_invalid");
  assertEquals(provider.count("/keys"), 2);

  time += 30_000;
  assertEquals((await login.run()).code, "");
  assertEquals(provider.count("/keys"), 3);
});

Deno.test("keys are fetched again if a key changes under the same id", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    header: ({ alg }) => ({ alg, kid: "the one" }),
    keys: ({ keys }) => ({
      keys: keys.map((key) => ({ ...key, kid: "the one" })),
    }),
  };
  const login = new Login(provider);
  assertEquals((await login.run()).code, "");
  await provider.rotate();
  assertEquals((await login.run()).code, "");
});

Deno.test("ten concurrent logins with new keys cause one request", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  await login.run();
  await provider.rotate();
  const callbacks: string[] = [];
  for (let i = 0; i < 8; i++) callbacks.push(await login.begin());
  await Promise.all(callbacks.map((callback) => login.visit(callback)));
  assertEquals(login.outcomes.map(({ code }) => code), Array(9).fill(""));
  assertEquals(provider.count("/keys"), 2);
});

Deno.test("keys that can't be fetched are requested again after 5 s", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  await login.run();
  await provider.rotate();
  provider.faults = {
    respond: ({ path }) => path === "/keys" ? Response.json({}) : undefined,
  };
  assertEquals((await login.run()).code, "keys_failed");
  assertEquals((await login.run()).code, "id_token_invalid");
  time += 5_000;
  assertEquals((await login.run()).code, "keys_failed");
  time += 4_999;
  assertEquals((await login.run()).code, "id_token_invalid");
  assertEquals(provider.count("/keys"), 3);
  provider.faults = {};
  time += 1;
  assertEquals((await login.run()).code, "");
});
