import {
  type Argon2Engine,
  argon2Engines,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { assertEquals } from "@std/assert";

const PASSWORD = "Tr0ub4dor & 3 – naïve 🔑";
const PEPPER = { id: "2026-a", key: new Uint8Array(32).fill(7) };

/** Created by each engine: `subtle` in Deno, `node` in Bun, the last in Workers. */
const made = [
  {
    by: "subtle",
    plain:
      "$argon2id$v=19$m=19456,t=2,p=1$xFw2dkc7+8ZyziI2vFc2dg$eJgj1TzvTjupMSmFBXRZyxUIjfyiUVaIg7/XkVHJvZg",
    peppered:
      "$argon2id$v=19$m=1024,t=3,p=2,keyid=MjAyNi1h$mnr7U8kzHf3+5fn3QLortQ$bv49QsfUmkH7CTOFwG5G0HZEZIww+J8RAruh10y6jyU",
  },
  {
    by: "node",
    plain:
      "$argon2id$v=19$m=19456,t=2,p=1$osPnpnWnlistnqE6DgMq7Q$I3PFH9Ukt3cNzHlfNOMF2kmo+0whOAyiknJ6qNXus/Y",
    peppered:
      "$argon2id$v=19$m=1024,t=3,p=2,keyid=MjAyNi1h$mACVYaGabv51qADF4gXhCw$QEnxgPgauZCGM+ePvs/TdkuDU5/ftziaCXyX8K9HaXg",
  },
  {
    by: "javascript",
    plain:
      "$argon2id$v=19$m=19456,t=2,p=1$1G2zbU9VyelJWtgD02+9BQ$5FDu1EnkrPSONv+TEtWXzsoOfsjELESRojS1cpDIiiA",
    peppered:
      "$argon2id$v=19$m=1024,t=3,p=2,keyid=MjAyNi1h$piLtWHnsHnMo1b0Hn/0moA$mG+ACQm0j/IMR7wQrLUe03URdKa/ft5djIqlTHGlZII",
  },
];

for (const { by, peppered } of made) {
  Deno.test(`verifyPassword() accepts hashes of ${by} with every engine (spec 5.1.4)`, async () => {
    for (const engine of await argon2Engines()) {
      const options = { engine, peppers: [PEPPER] };
      const { ok } = await verifyPassword(peppered, PASSWORD, options);
      const other = await verifyPassword(peppered, PASSWORD + " ", options);
      const without = await verifyPassword(peppered, PASSWORD, { engine });
      assertEquals([engine.name, ok], [engine.name, true]);
      assertEquals([engine.name, other.ok], [engine.name, false]);
      assertEquals([engine.name, without.ok], [engine.name, false]);
    }
  });
}

Deno.test("verifyPassword() accepts a hash of full strength with each engine (spec 5.1.4)", async () => {
  for (const engine of await argon2Engines()) {
    const { plain } = made.find(({ by }) => by !== engine.name)!;
    const { ok } = await verifyPassword(plain, PASSWORD, { engine });
    assertEquals([engine.name, ok], [engine.name, true]);
  }
});

Deno.test("verifyPassword() accepts hashes of every engine with every engine (spec 5.1.4)", async () => {
  const engines = await argon2Engines();
  for (const maker of engines) {
    const hash = await hashPassword(PASSWORD, { engine: maker, memory: 512 });
    for (const engine of engines) {
      const { ok } = await verifyPassword(hash, PASSWORD, { engine });
      assertEquals([maker.name, engine.name, ok], [
        maker.name,
        engine.name,
        true,
      ]);
    }
  }
});

/** Cheap hashes of the reference implementation, most of them from its tests. */
const reference = [
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
  "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
  "$argon2id$v=19$m=256,t=2,p=1$ZGlmZnNhbHQ$3nWsp83doBBKcEDGxsj9vyqIw3iw8VkggfDTpS4TpeY",
  "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
];

for (const hash of reference) {
  Deno.test(`verifyPassword() accepts ${hash} of the reference implementation (spec 5.1.4)`, async () => {
    assertEquals(await verifyPassword(hash, "password"), {
      ok: true,
      needsRehash: true,
    });
    assertEquals((await verifyPassword(hash, "Password")).ok, false);
  });
}

Deno.test("verifyPassword() accepts a hash of 64 MiB of the reference implementation (spec 5.1.4)", async () => {
  const hash =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assertEquals((await verifyPassword(hash, "password")).ok, true);
});

Deno.test("hashPassword() uses the engine of its options", async () => {
  const seen: unknown[] = [];
  const engine: Argon2Engine = {
    name: "mine",
    derive(inputs) {
      seen.push(inputs.variant);
      return Promise.resolve(new Uint8Array(inputs.tagLength));
    },
  };
  const hash = await hashPassword("x", { engine });
  const { ok } = await verifyPassword(hash, "y", { engine });
  assertEquals([seen, ok], [["argon2id", "argon2id"], true]);
});

Deno.test("verifyPassword() rejects a tag of the wrong length from an engine", async () => {
  const engine: Argon2Engine = {
    name: "broken",
    derive: () => Promise.resolve(new Uint8Array(0)),
  };
  const hash = await hashPassword("x", { memory: 64 });
  assertEquals((await verifyPassword(hash, "x", { engine })).ok, false);
});
