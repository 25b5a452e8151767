import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertStringIncludes, assertThrows } from "@std/assert";
import { createFactorApp, SECRET } from "../_second_factor_app.ts";

Deno.test("createSecondFactors() keeps no secret and no code in the store (ASVS 6.5.2)", async () => {
  const values: string[] = [];
  const memory = createMemorySessionStore();
  const app = createFactorApp({
    store: {
      get: (key) => memory.get(key),
      put(key, value, options) {
        values.push(key, value);
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
      byIndex: (name) => memory.byIndex!(name),
    },
  });
  const { secret, codes } = await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send(codes[0]);
  const stored = values.join("\n").toLowerCase();
  for (
    const code of [
      ...codes,
      ...codes.map((one) => one.replaceAll("-", "")),
    ]
  ) {
    assert(!stored.includes(code));
  }
  assert(!stored.includes(secret.toLowerCase()));
  assertStringIncludes(stored, "second-factor:");
});

Deno.test("createSecondFactors() throws for invalid options", () => {
  const store = createMemorySessionStore();
  const valid = { issuer: "Example", store, secrets: [SECRET] };
  const eventual = { ...store, consistency: "eventual" } as const;
  const cases: [object, string][] = [
    [{ issuer: "" }, "issuer"],
    [{ issuer: "a:b" }, "colon"],
    [{ secrets: [] }, "Cannot encrypt second factors: secrets is empty"],
    [{ secrets: ["short"] }, "fewer than 32"],
    [{ secrets: ["a".repeat(40)] }, "too easy to guess"],
    [{ store: eventual }, "who uses a code first"],
    [{ pendingTimeout: 0 }, "pendingTimeout"],
    [{ pendingTimeout: 3_600_001 }, "pendingTimeout"],
    [{ rememberFor: NaN }, "rememberFor"],
    [{ storeTimeout: 0 }, "storeTimeout"],
  ];
  for (const [change, message] of cases) {
    assertThrows(
      () => createSecondFactors({ ...valid, ...change }),
      Error,
      message,
    );
  }
});
