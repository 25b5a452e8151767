import { expect } from "../../../session/testing.ts";
import type { Passkey, PasskeyStore } from "../store.ts";

/** The ids of two users. */
type Users = readonly [string | number, string | number];

/** A store whose new passkeys have the current version of their users. */
interface CurrentStore extends Omit<PasskeyStore, "create"> {
  create(passkey: Passkey): boolean | Promise<boolean>;
}

/** A named test of a store. */
type Check<Store> = readonly [
  name: string,
  run: (store: Store, users: Users, version?: number) => Promise<void>,
];

const use = { counter: 6, backedUp: true, usedAt: 2_000 };

/** Runs a check of a store without versions. */
export async function runWith(
  check: Check<CurrentStore>[1],
  store: PasskeyStore,
  users: Users,
  version: number | undefined,
): Promise<void> {
  const current: CurrentStore = {
    async get(id) {
      const found = await store.get(id);
      const { version: _, ...passkey } = found ?? {};
      return found && passkey as Passkey;
    },
    create: (passkey) => store.create(passkey, version),
    list: (userId) => store.list(userId),
    update: (id, use, ifCounter) => store.update(id, use, ifCounter),
    rename: (id, userId, name) => store.rename(id, userId, name),
    remove: (id, userId) => store.remove(id, userId),
  };
  await check(current, users);
}

/** The contract of a store whose users have versions. */
export const versionChecks: readonly Check<PasskeyStore>[] = [
  ["get() returns the version of the user", async (store, [user], version) => {
    const passkey = newPasskey(user);
    await store.create(passkey, version);
    expect("version", (await store.get(passkey.id))?.version, version);
  }],
  ["create() refuses another version", async (store, [user], version = 0) => {
    for (const other of [version - 1, version + 1, undefined]) {
      const passkey = newPasskey(user);
      expect("create", await store.create(passkey, other), false);
      expect("get", await store.get(passkey.id), null);
    }
  }],
];

/** The contract of a store: one check for each rule. */
export const storeChecks: readonly Check<CurrentStore>[] = [
  ["get() returns null for an unknown id", async (store) => {
    expect("get", await store.get(newId()), null);
  }],
  ["get() returns the passkey that was created", async (store, [user]) => {
    const passkey = newPasskey(user);
    expect("create", await store.create(passkey), true);
    expect("get", sorted(await store.get(passkey.id)), sorted(passkey));
  }],
  ["get() returns a passkey with the longest id", async (store, [user]) => {
    const passkey = { ...newPasskey(user), id: newId().padEnd(1364, "A") };
    expect("create", await store.create(passkey), true);
    expect("id", (await store.get(passkey.id))?.id, passkey.id);
    expect("get", await store.get(passkey.id.slice(0, -1)), null);
  }],
  ["get() distinguishes upper and lower case", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    const other = passkey.id.replace(
      /[a-z]/i,
      (letter) =>
        letter === letter.toLowerCase()
          ? letter.toUpperCase()
          : letter.toLowerCase(),
    );
    expect("get", await store.get(other), null);
  }],
  ["create() refuses the id of another user", async (store, [user, other]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    const second = { ...newPasskey(other), id: passkey.id };
    expect("create", await store.create(second), false);
    expect("get", sorted(await store.get(passkey.id)), sorted(passkey));
    expect("list", await store.list(other), []);
  }],
  ["create() accepts one of many concurrent calls", async (store, [user]) => {
    const passkey = newPasskey(user);
    const created = await Promise.all(
      Array.from({ length: 10 }, async () => await store.create(passkey)),
    );
    expect("created", created.filter(Boolean).length, 1);
  }],
  ["list() returns the user's passkeys, oldest first", async (store, users) => {
    const [user, other] = users;
    const ids: string[] = [];
    for (const createdAt of [1_000, 2_000, 3_000]) {
      const passkey = { ...newPasskey(user), createdAt };
      ids.push(passkey.id);
      await store.create(passkey);
      await store.create({ ...newPasskey(other), createdAt });
    }
    const list = await store.list(user);
    expect("ids", list.map(({ id }) => id), ids);
  }],
  ["update() stores a use", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    expect("update", await store.update(passkey.id, use, 5), true);
    const expected = { ...passkey, ...use };
    expect("get", sorted(await store.get(passkey.id)), sorted(expected));
  }],
  ["update() refuses another counter", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    expect("update", await store.update(passkey.id, use, 4), false);
    expect("get", sorted(await store.get(passkey.id)), sorted(passkey));
    expect("unknown", await store.update(newId(), use, 5), false);
  }],
  ["update() accepts one of many concurrent calls", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    const updated = await Promise.all(
      Array.from(
        { length: 10 },
        async () => await store.update(passkey.id, use, 5),
      ),
    );
    expect("updated", updated.filter(Boolean).length, 1);
  }],
  ["update() accepts the same counter again", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    const same = { ...use, counter: 5 };
    expect("update", await store.update(passkey.id, same, 5), true);
    expect("update", await store.update(passkey.id, same, 5), true);
  }],
  ["update() accepts a lower counter", async (store, [user]) => {
    const passkey = newPasskey(user);
    await store.create(passkey);
    const lower = { ...use, counter: 0 };
    expect("update", await store.update(passkey.id, lower, 5), true);
    expect("counter", (await store.get(passkey.id))?.counter, 0);
  }],
  ["rename() changes only the user's own passkey", async (store, users) => {
    const [user, other] = users;
    const passkey = newPasskey(user);
    await store.create(passkey);
    const name = "Ключ 🔑 '\"%";
    expect("other", await store.rename(passkey.id, other, name), false);
    expect("name", (await store.get(passkey.id))?.name, passkey.name);
    expect("own", await store.rename(passkey.id, user, name), true);
    expect("name", (await store.get(passkey.id))?.name, name);
    expect("unknown", await store.rename(newId(), user, name), false);
  }],
  ["remove() removes only the user's own passkey", async (store, users) => {
    const [user, other] = users;
    const passkey = newPasskey(user);
    await store.create(passkey);
    expect("other", await store.remove(passkey.id, other), false);
    expect("id", (await store.get(passkey.id))?.id, passkey.id);
    expect("own", await store.remove(passkey.id, user), true);
    expect("get", await store.get(passkey.id), null);
    expect("again", await store.remove(passkey.id, user), false);
  }],
];

function newId(): string {
  return `a${crypto.randomUUID()}`;
}

function newPasskey(userId: string | number): Passkey {
  return {
    id: newId(),
    userId,
    userHandle: "dXNlcg",
    publicKey: "cHVibGljIGtleQ",
    counter: 5,
    transports: ["internal", "hybrid"],
    backupEligible: true,
    backedUp: false,
    aaguid: "00000000-0000-0000-0000-000000000000",
    name: "Phone",
    createdAt: 1_000,
    usedAt: null,
  };
}

/** Returns the entries of a passkey, in the order of their keys. */
function sorted(passkey: Passkey | null) {
  return Object.entries(passkey ?? {}).sort(([a], [b]) => a < b ? -1 : 1);
}
