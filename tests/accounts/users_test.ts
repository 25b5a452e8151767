/** Values of the application that would fail open. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { startAccounts, tokenOf } from "./_accounts.ts";
import { createMemoryApps } from "./_apps.ts";

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

Deno.test("the functions of users return false or null for unknown accounts", async () => {
  const { users } = await start();
  const calls: (() => Promise<unknown>)[] = [
    () => users.find("unknown"),
    () => users.findByEmail("unknown@example.com"),
    () => users.update("unknown", { name: "Eve" }),
    () => users.disable("unknown", { reason: "spam" }),
    () => users.enable("unknown"),
    () => users.endAccess("unknown"),
    () => users.removeFactors("unknown"),
    () => users.remove("unknown"),
    () => users.withdrawInvitation("unknown@example.com"),
    // The address has an account.
    () => users.create({ email: "ADA@example.com", name: "Eve" }),
    () => users.invite({ email: "ada@example.com" }),
  ];
  for (const call of calls) {
    assertEquals(await call() ?? false, false, String(call));
  }
});

Deno.test("users.create() and users.update() store each value", async () => {
  const { users, wait } = await start();
  const before = Date.now();
  wait(1_000);
  const email = "Bob@Example.com ";
  const user = (await users.create({ email, name: "Bob" }))!;
  assertEquals(
    user,
    {
      id: user.id,
      email: "bob@example.com",
      emailVerified: false,
      name: "Bob",
      role: "user",
      fields: {},
      createdAt: user.createdAt,
      disabled: null,
      deleteAt: null,
    } as typeof user,
  );
  assertEquals(user.createdAt >= before, true);
  assertEquals(await users.find(user.id), user);
  assertEquals(await users.update(user.id, { name: "Bob L." }), true);
  const fields = { plan: "paid" } as never;
  assertEquals(await users.update(user.id, { fields }), true);
  const changed = { ...user, name: "Bob L.", fields };
  assertEquals(await users.find(user.id), changed);
  assertEquals((await users.list({ search: "bob" })).users, [changed]);
  const given = { emailVerified: true, role: "admin", fields } as const;
  const admin = await users.create({ email: "c@x.org", name: "C", ...given });
  assertEquals([admin?.emailVerified, admin?.role], [true, "admin"]);
  assertEquals(admin?.fields, fields);
});

Deno.test("the functions of users refuse an unknown role, and change nothing", async () => {
  const { id, users } = await start();
  const role = "boss" as "admin";
  const email = "eve@example.com";
  const calls: (() => Promise<unknown>)[] = [
    () => users.create({ email, name: "Eve", role }),
    () => users.invite({ email, role }),
    () => users.setRole(id, role),
  ];
  for (const call of calls) await assertRejects(call, TypeError, "boss");
  assertEquals((await users.list()).users.map(({ role }) => role), ["user"]);
  assertEquals(await users.invitations(), []);
});

Deno.test("the end of access ends sessions, links, keys and apps, but not those of others", async () => {
  const { browser, accounts, lastMail, registered } = startAccounts({
    definition: definition as never,
  });
  const apps = createMemoryApps();
  accounts.connect(apps);
  const { keys, users } = accounts;
  const bob = await registered({ email: "bob@example.com" });
  const scopes = ["notes:read"] as never[];
  for (const change of ["endAccess", "removeFactors", "disable"] as const) {
    const email = `${change}@example.com`.toLowerCase();
    const ada = await registered({ email });
    const { id } = (await users.findByEmail(email))!;
    await keys.issue(id, { name: "CI", scopes });
    apps.add(id);
    await browser().post("/login/reset", { email });
    const token = tokenOf(await lastMail(email));
    const reason = { reason: "spam" };
    assertEquals(
      await (change === "disable"
        ? users.disable(id, reason)
        : users[change](id)),
      true,
    );
    assertEquals(await ada.isLoggedIn(), false);
    // A block keeps the keys, which do not work while it lasts.
    const count = change === "disable" ? 1 : 0;
    assertEquals((await keys.list(id)).length, count);
    assertEquals(await apps.grants(id), []);
    const values = { token, password: "another horse battery" };
    const reset = await browser().post("/login/reset/link", values);
    assertEquals(reset.status, 400, change);
  }
  assertEquals(await bob.isLoggedIn(), true);
});

Deno.test("a removed account leaves no way in, session or app, and frees its address", async () => {
  const { accounts, registered } = startAccounts();
  const apps = createMemoryApps();
  accounts.connect(apps);
  const email = "ada@example.com";
  const ada = await registered({ email });
  const { id } = (await accounts.users.findByEmail(email))!;
  apps.add(id);
  assertEquals(await accounts.users.remove(id), true);
  assertEquals(await apps.grants(id), []);
  assertEquals(await ada.isLoggedIn(), false);
  const again = await registered({ email });
  assertEquals(await again.isLoggedIn(), true);
  assertNotEquals((await accounts.users.findByEmail(email))?.id, id);
});
