/** Values of the application that would fail open. */
import { assertEquals, assertRejects } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";

const definition = defineAccounts({ scopes: ["notes:read"] });

async function start() {
  const database = createMemoryAccountStore();
  const accounts = testAccounts({ database, definition });
  const ada = { email: "ada@example.com", name: "Ada" };
  const { id } = (await accounts.users.create(ada))!;
  return { ...accounts, database, id };
}

for (const expiresAt of [NaN, Infinity, 1e16, "tomorrow"]) {
  Deno.test(`keys.issue() refuses the expiry ${expiresAt}, which is not a time`, async () => {
    const { id, keys } = await start();
    const key = { name: "Job", scopes: ["notes:read"] as const };
    await assertRejects(
      () => keys.issue(id, { ...key, expiresAt: expiresAt as number }),
      RangeError,
      `Cannot set expiresAt "${expiresAt}"`,
    );
    assertEquals(await keys.list(id), []);
  });
}

for (const until of [NaN, Infinity, 1e16]) {
  Deno.test(`users.disable() refuses the end ${until}`, async () => {
    const { id, users } = await start();
    await assertRejects(
      () => users.disable(id, { reason: "spam", until }),
      RangeError,
      `Cannot set until "${until}"`,
    );
    assertEquals((await users.find(id))?.disabled, null);
  });
}

Deno.test("users and the database list at most 1,000 accounts", async () => {
  const { database, users } = await start();
  assertEquals((await database.list({ limit: 1_000 })).accounts.length, 1);
  assertEquals((await users.list({ limit: 1_000 })).users.length, 1);
  for (const limit of [0, 1_001, 1.5, NaN]) {
    for (const source of [database, users]) {
      await assertRejects(
        async () => await source.list({ limit }),
        RangeError,
        "is not from 1 to 1,000",
      );
    }
  }
});

const addresses = [
  "",
  "eve",
  "eve@example.com\r\nBcc: all@example.com",
  "eve@example.com, all@example.com",
  `${"e".repeat(250)}@example.com`,
];

for (const email of addresses) {
  Deno.test(`users.create() refuses the address ${JSON.stringify(email).slice(0, 60)}`, async () => {
    const { database, users } = await start();
    await assertRejects(
      () => users.create({ email, name: "Eve" }),
      TypeError,
      "email is not an address",
    );
    assertEquals((await database.list()).accounts.length, 1);
  });
}

Deno.test("users.setRole() keeps the last administrator, even if two lose the role at once", async () => {
  const { users } = testAccounts();
  const ids = await Promise.all(
    ["ada", "bob"].map(async (name) => {
      const email = `${name}@example.com`;
      const user = await users.create({ email, name, role: "admin" });
      return user!.id;
    }),
  );
  const changed = await Promise.all(ids.map((id) => users.setRole(id, "user")));
  assertEquals(changed.filter(Boolean).length, 1);
  const roles = await Promise.all(
    ids.map(async (id) => (await users.find(id))?.role),
  );
  assertEquals(roles.sort(), ["admin", "user"]);
  const last = roles.indexOf("admin");
  assertEquals(await users.setRole(ids[last]!, "admin"), true);
  assertEquals(await users.setRole("unknown", "admin"), false);
});
