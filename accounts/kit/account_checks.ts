import type { StoredAccount } from "../store/store.ts";
import { expect, numbers } from "../../session/testing.ts";
import {
  CALLERS,
  type Check,
  create,
  newAccount,
  newId,
  newWayIn,
  sorted,
} from "./check.ts";

/** The contract of accounts: one check for each rule. */
export const accountChecks: readonly Check[] = [
  ["migrate() can run again and concurrently", async (store) => {
    await Promise.all(numbers(10).map(() => store.migrate()));
    await store.migrate();
  }],
  ["find() returns null for an unknown id", async (store) => {
    for (const id of ["", newId(), "\0", "' OR 1=1 --", "é".repeat(500)]) {
      expect("find", await store.find(id), null);
      expect("findByEmail", await store.findByEmail(id), null);
      expect("findLogin", await store.findLogin(id), null);
      expect("findWayIn", await store.findWayIn("key", id), null);
      expect("waysIn", await store.waysIn(id), []);
    }
  }],
  ["create() stores all values", async (store) => {
    const account = newAccount({
      name: `"Ada" O'Neil 💡 ${"x".repeat(100)}`,
      language: "de",
      fields: { plan: "paid", seats: 3, tags: ["a"], active: true, none: null },
      passwordHash: "hash",
    });
    const { passwordHash, ...rest } = account;
    const created = {
      ...rest,
      hasPassword: true,
      version: 1,
      disabled: null,
      deleteAt: null,
    };
    expect("create", sorted(await store.create(account)), sorted(created));
    expect("find", sorted(await store.find(account.id)), sorted(created));
    const login = await store.findLogin(account.email);
    expect("passwordHash", login?.passwordHash, passwordHash);
    expect("account", sorted(login?.account), sorted(created));
    const { email } = account;
    expect("findByEmail", (await store.findByEmail(email))?.id, account.id);
  }],
  ["create() stores a block", async (store) => {
    for (const until of [null, 2_000_000_000_000]) {
      const disabled = { reason: "", until };
      const created = await create(store, { disabled });
      const { disabled: stored, version } = (await store.find(created.id))!;
      expect("find", sorted(stored), sorted(disabled));
      expect("create", [sorted(created.disabled), version], [
        sorted(stored),
        1,
      ]);
    }
  }],
  ["create() accepts one of many accounts with an address", async (store) => {
    const { email } = newAccount();
    const created = await Promise.all(
      numbers(CALLERS).map(() => store.create(newAccount({ email }))),
    );
    const accepted = created.filter((account) => account !== null);
    expect("accepted", accepted.length, 1);
    const owner = await store.findByEmail(email);
    expect("owner", owner?.id, accepted[0]?.id);
  }],
  ["update() changes only what it gets", async (store) => {
    const account = await create(store, { fields: { plan: "free" } });
    expect("no account", await store.update(newId(), { name: "Eve" }), false);
    expect("update", await store.update(account.id, { name: "Eve" }), true);
    expect("nothing", await store.update(account.id, {}), true);
    const found = await store.find(account.id);
    expect("find", sorted(found), sorted({ ...account, name: "Eve" }));
    const deleteAt = 2_000_000_000_000;
    const fields = { plan: null, seats: 3 };
    const details = { role: "admin", fields, language: null, deleteAt };
    await store.update(account.id, details);
    expect(
      "details",
      sorted(await store.find(account.id)),
      sorted({ ...account, name: "Eve", ...details }),
    );
    await store.update(account.id, { deleteAt: null });
    expect("deleteAt", (await store.find(account.id))?.deleteAt, null);
  }],
  ["update() keeps the fields that it does not get", async (store) => {
    const { id } = await create(store, { fields: { plan: "free", seats: 1 } });
    const absent = await store.update(newId(), { fields: { plan: "b" } });
    expect("no account", absent, false);
    const updates = numbers(5).map((n) => ({ [`field${n}`]: n }));
    await Promise.all(updates.map((fields) => store.update(id, { fields })));
    await store.update(id, { fields: { seats: 2 } });
    const expected = Object.assign({ plan: "free", seats: 2 }, ...updates);
    const found = await store.find(id);
    expect("fields", sorted(found?.fields), sorted(expected));
  }],
  ["change() raises the version and refuses another one", async (store) => {
    const account = await create(store);
    const { id } = account;
    for (const version of [0, 2]) {
      const change = { passwordHash: "stolen" };
      expect("old", await store.change(id, version, change), null);
    }
    expect("unknown", await store.change(newId(), 1, {}), null);
    expect("change", await store.change(id, 1, { passwordHash: "new" }), 2);
    const login = await store.findLogin(account.email);
    expect("hash", login?.passwordHash, "new");
    expect("version", login?.account.version, 2);
    expect("without changes", await store.change(id, 2, {}), 3);
    expect("removed", await store.change(id, 3, { passwordHash: "" }), 4);
    expect("hasPassword", (await store.find(id))?.hasPassword, false);
  }],
  ["change() accepts one of many calls with a version", async (store) => {
    const { email, id } = await create(store);
    const changed = await Promise.all(
      numbers(CALLERS).map((n) =>
        store.change(id, 1, { passwordHash: `hash ${n}` })
      ),
    );
    expect("accepted", changed.filter((version) => version !== null), [2]);
    const winner = changed.findIndex((version) => version !== null);
    const login = await store.findLogin(email);
    expect("hash", login?.passwordHash, `hash ${winner}`);
  }],
  ["change() gives an address to one of many accounts", async (store) => {
    const accounts = await Promise.all(numbers(5).map(() => create(store)));
    const { email } = newAccount();
    const changed = await Promise.all(
      accounts.map(({ id }) =>
        store.change(id, 1, { email, emailVerified: true })
      ),
    );
    expect("accepted", changed.filter((version) => version !== null), [2]);
    const [first, second] = accounts;
    const owner = await store.findByEmail(email);
    const other = owner?.id === first!.id ? second! : first!;
    expect("taken", await store.change(other.id, 1, { email }), null);
    expect("email", (await store.find(other.id))?.email, other.email);
    expect("same", await store.change(owner!.id, 2, { email }), 3);
  }],
  ["change() blocks an account and ends the block", async (store) => {
    const { id } = await create(store);
    const disabled = { reason: "spam", until: 2_000_000_000_000 };
    await store.change(id, 1, { disabled });
    expect("disabled", (await store.find(id))?.disabled, disabled);
    const forever = { reason: "spam", until: null };
    await store.change(id, 2, { disabled: forever });
    expect("forever", (await store.find(id))?.disabled, forever);
    await store.change(id, 3, { passwordHash: "new" });
    expect("still", (await store.find(id))?.disabled, forever);
    await store.change(id, 4, { disabled: null });
    expect("ended", (await store.find(id))?.disabled, null);
  }],
  ["verifyEmail() compares the version and the address", async (store) => {
    const { email, id } = await create(store, { emailVerified: false });
    expect("version", await store.verifyEmail(id, 2, email), false);
    expect("address", await store.verifyEmail(id, 1, `x${email}`), false);
    expect("before", (await store.find(id))?.emailVerified, false);
    expect("verify", await store.verifyEmail(id, 1, email), true);
    const { emailVerified, version } = (await store.find(id))!;
    expect("after", [emailVerified, version], [true, 1]);
  }],
  ["rehash() replaces only the hash that was read", async (store) => {
    const { email, id } = await create(store, { passwordHash: "old" });
    expect("other", await store.rehash(id, "other", "new"), false);
    expect("rehash", await store.rehash(id, "old", "new"), true);
    const login = await store.findLogin(email);
    expect("hash", login?.passwordHash, "new");
    expect("version", login?.account.version, 1);
  }],
  ["remove() removes the account with its ways in", async (store) => {
    const account = await create(store);
    const way = newWayIn(account);
    await store.addWayIn(way, 1);
    expect("version", await store.remove(account.id, 2), false);
    expect("remove", await store.remove(account.id, 1), true);
    expect("again", await store.remove(account.id, 1), false);
    expect("find", await store.find(account.id), null);
    expect("findByEmail", await store.findByEmail(account.email), null);
    expect("way", await store.findWayIn(way.kind, way.id), null);
    expect("ways", await store.waysIn(account.id), []);
    expect("add", await store.addWayIn(newWayIn(account), 1), false);
    const other = await create(store, { email: account.email });
    expect("free", other.email, account.email);
  }],
  ["list() returns each account once, oldest first", async (store) => {
    const word = newId().toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    const ids: string[] = [];
    for (const n of numbers(5)) {
      const name = `${word} ${n}`;
      const createdAt = 1_000 + Math.floor(n / 2);
      ids.push((await create(store, { name, createdAt })).id);
    }
    const found: StoredAccount[] = [];
    let after: string | undefined;
    do {
      const options = { search: word.toUpperCase(), limit: 2, after };
      const page = await store.list(options);
      found.push(...page.accounts);
      after = page.next;
    } while (after !== undefined);
    expect("ids", found.map(({ id }) => id).sort(), ids.sort());
    const times = found.map(({ createdAt }) => createdAt);
    expect("order", times, times.toSorted((a, b) => a - b));
    const malformed = { search: word, after: "' OR 1=1" };
    expect("malformed", (await store.list(malformed)).accounts, []);
    const admins = { search: word, role: "admin" };
    expect("role", (await store.list(admins)).accounts, []);
    for (const search of ["%", "_", `${word}%`]) {
      const { accounts } = await store.list({ search, limit: 1 });
      expect(`search ${search}`, accounts, []);
    }
  }],
  ["due() returns the accounts to delete", async (store) => {
    const { id } = await create(store);
    // In a shared database, other accounts are not due this early.
    await store.update(id, { deleteAt: 5 });
    const isDue = async (now: number) =>
      (await store.due(now)).some((account) => account.id === id);
    expect("before", await isDue(4), false);
    expect("due", await isDue(5), true);
    await store.remove(id, 1);
    expect("removed", await isDue(5), false);
  }],
  ["secret() returns one value to all callers", async (store) => {
    const name = newId();
    const values = await Promise.all(
      numbers(CALLERS).map((n) => store.secret(name, `value ${n}`)),
    );
    expect("values", new Set(values).size, 1);
    expect("later", await store.secret(name, "other"), values[0]);
    expect("another", await store.secret(newId(), "own"), "own");
  }],
  ["values stores values", async (store) => {
    const key = newId();
    const options = { ttl: 60_000, ifVersion: null };
    expect("put", await store.values.put(key, "value", options), true);
    expect("get", (await store.values.get(key))?.value, "value");
  }],
];
