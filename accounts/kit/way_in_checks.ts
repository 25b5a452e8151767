import { expect, numbers } from "../../session/testing.ts";
import {
  CALLERS,
  type Check,
  create,
  newId,
  newWayIn,
  sorted,
} from "./check.ts";

/** The contract of the ways into accounts: one check for each rule. */
export const wayInChecks: readonly Check[] = [
  ["addWayIn() stores all values", async (store) => {
    const account = await create(store);
    const way = newWayIn(account, {
      id: JSON.stringify(["https://issuer.example", newId()]),
      name: "Phone 💡",
      usedAt: 5,
      counter: 4_294_967_295,
      data: { publicKey: "abc", keys: [1, null] },
    });
    expect("add", await store.addWayIn(way, 1), true);
    const found = await store.findWayIn(way.kind, way.id);
    expect("way", sorted(found?.way), sorted(way));
    expect("account", sorted(found?.account), sorted(account));
    expect("ways", (await store.waysIn(account.id)).map(sorted), [sorted(way)]);
    expect("kind", await store.waysIn(account.id, "other"), []);
    expect("other kind", await store.findWayIn("other", way.id), null);
  }],
  ["addWayIn() refuses another version", async (store) => {
    const account = await create(store);
    for (const version of [0, 2]) {
      const way = newWayIn(account);
      expect("add", await store.addWayIn(way, version), false);
      expect("find", await store.findWayIn(way.kind, way.id), null);
    }
  }],
  ["addWayIn() gives an id to one of many accounts", async (store) => {
    const accounts = await Promise.all(numbers(5).map(() => create(store)));
    const id = newId();
    const added = await Promise.all(
      accounts.map((account) => store.addWayIn(newWayIn(account, { id }), 1)),
    );
    expect("accepted", added.filter(Boolean).length, 1);
    const owner = accounts[added.indexOf(true)];
    const found = await store.findWayIn("key", id);
    expect("owner", found?.account.id, owner?.id);
  }],
  ["findWayIn() compares ids of linked logins exactly", async (store) => {
    const account = await create(store);
    const issuer = `https://id.example/${newId()}`;
    const ids = ["a", "A", "a ", "ä", 'a"', `${"s".repeat(255)}`]
      .map((subject) => JSON.stringify([issuer, subject]));
    for (const id of ids) {
      const way = newWayIn(account, { kind: "identity", id, name: id });
      expect("add", await store.addWayIn(way, 1), true);
      expect("again", await store.addWayIn(way, 1), false);
      const found = await store.findWayIn("identity", id);
      expect("find", found?.way.name, id);
    }
    const other = JSON.stringify([issuer, "B"]);
    expect("other", await store.findWayIn("identity", other), null);
    expect("kind", await store.findWayIn("passkey", ids[0]!), null);
    const ways = await store.waysIn(account.id, "identity");
    expect("ways", ways.length, ids.length);
  }],
  ["removeWaysIn removes ways in of new kinds too", async (store) => {
    const account = await create(store);
    const ways = ["identity", "passkey", "key", newId()]
      .map((kind) => newWayIn(account, { kind }));
    for (const way of ways) await store.addWayIn(way, 1);
    await store.change(account.id, 1, { passwordHash: "new" });
    expect("kept", (await store.waysIn(account.id)).length, ways.length);
    await store.change(account.id, 2, { removeWaysIn: true });
    expect("ways", await store.waysIn(account.id), []);
    for (const way of ways) {
      expect(way.kind, await store.findWayIn(way.kind, way.id), null);
      expect("again", await store.addWayIn(way, 3), true);
    }
  }],
  ["no way in survives a concurrent end of access", async (store) => {
    const account = await create(store);
    const ways = numbers(CALLERS).map(() => newWayIn(account));
    const [version] = await Promise.all([
      store.change(account.id, 1, { removeWaysIn: true }),
      ...ways.map((way) => store.addWayIn(way, 1)),
    ]);
    expect("version", version, 2);
    expect("ways", await store.waysIn(account.id), []);
    for (const { kind, id } of ways) {
      expect("find", await store.findWayIn(kind, id), null);
    }
  }],
  ["useWayIn() compares the counter", async (store) => {
    const account = await create(store);
    const { id, kind } = newWayIn(account);
    const way = newWayIn(account, { id, counter: 5 });
    await store.addWayIn(way, 1);
    const use = { usedAt: 9, counter: 6, data: { backedUp: true } };
    expect("unknown", await store.useWayIn(kind, newId(), use, 5), false);
    expect("counter", await store.useWayIn(kind, id, use, 4), false);
    const used = await Promise.all(
      numbers(CALLERS).map(() => store.useWayIn(kind, id, use, 5)),
    );
    expect("accepted", used.filter(Boolean).length, 1);
    const found = await store.findWayIn(kind, id);
    expect("way", sorted(found?.way), sorted({ ...way, ...use }));
  }],
  ["renameWayIn() and removeWayIn() need the owner", async (store) => {
    const owner = await create(store);
    const other = await create(store);
    const way = newWayIn(owner);
    await store.addWayIn(way, 1);
    const stolen = { ...way, accountId: other.id };
    expect("rename", await store.renameWayIn(stolen, "Mine"), false);
    expect("remove", await store.removeWayIn(stolen), false);
    expect("own rename", await store.renameWayIn(way, "Mine"), true);
    const found = await store.findWayIn(way.kind, way.id);
    expect("name", found?.way.name, "Mine");
    expect("own remove", await store.removeWayIn(way), true);
    expect("again", await store.removeWayIn(way), false);
  }],
];
