import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  AccountStoreError,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const email = "ada@example.com";

Deno.test("a deletion waits, a login keeps the account, and sweep() deletes it", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  assertStringIncludes(
    await (await ada.get("/account/delete")).text(),
    "7 days",
  );
  const removed = await ada.post("/account/delete");
  assertEquals(removed.headers.get("Location"), "/login?notice=deleted");
  assertEquals(await ada.isLoggedIn(), false);
  assertStringIncludes((await lastMail(email)).subject, "will be deleted");
  await ada.post("/login", { email, password: PASSWORD });
  accounts.wait(8 * 86_400_000);
  await accounts.sweep();
  assertEquals((await accounts.users.findByEmail(email))?.deleteAt, null);

  const again = browser();
  await again.post("/login", { email, password: PASSWORD });
  await again.post("/account/delete");
  accounts.wait(8 * 86_400_000);
  await accounts.sweep();
  assertEquals(await accounts.users.findByEmail(email), null);
});

Deno.test("an account that cannot be deleted does not keep the others, and sweep() rejects", async () => {
  const database = createMemoryAccountStore();
  const { accounts, registered } = startAccounts({ database });
  const ids: string[] = [];
  for (const name of ["ada", "bob", "eve"]) {
    const email = `${name}@example.com`;
    const user = await registered({ email, name });
    ids.push((await accounts.users.findByEmail(email))!.id);
    await user.post("/account/delete");
  }
  const remove = database.remove.bind(database);
  let isBlocked = true;
  database.remove = (id, version) =>
    isBlocked && id === ids[0]
      ? Promise.reject(new Error("invoices_owner_id_fkey"))
      : remove(id, version);
  accounts.wait(8 * 86_400_000);
  await assertRejects(() => accounts.sweep(), AccountStoreError);
  const left = async () =>
    (await accounts.users.list()).users.map(({ id }) => id);
  assertEquals(await left(), [ids[0]!]);
  isBlocked = false;
  await accounts.sweep();
  assertEquals(await left(), []);
});
