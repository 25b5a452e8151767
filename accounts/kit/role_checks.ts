import type { AccountStore } from "../store/store.ts";
import { expect } from "../../session/testing.ts";
import { type Check, create, newId } from "./check.ts";

/** A role that no other check uses, because the database may be shared. */
const newRole = () => `admin-${newId()}`;

/** The contract of roles: the last administrator keeps the role. */
export const roleChecks: readonly Check[] = [
  ["setRole() keeps the last account with a role", async (store) => {
    const last = newRole();
    const [first, second] = [await create(store), await create(store)];
    expect("unknown", await store.setRole(newId(), "user", last), false);
    expect("gain", await store.setRole(first.id, last, last), true);
    expect("last", await store.setRole(first.id, "user", last), false);
    await store.setRole(second.id, last, last);
    expect("one of two", await store.setRole(first.id, "user", last), true);
    expect("role", (await store.find(first.id))?.role, "user");
    expect("the other", await store.setRole(second.id, "user", last), false);
    expect("kept", (await store.find(second.id))?.role, last);
  }],
  ["setRole() does not count blocked and leaving accounts", async (store) => {
    const last = newRole();
    const accounts = [];
    for (let n = 0; n < 3; n++) {
      accounts.push(await create(store, { role: last }));
    }
    const [first, blocked, leaving] = accounts;
    const disabled = { reason: "spam", until: null };
    await store.change(blocked!.id, 1, { disabled });
    await store.update(leaving!.id, { deleteAt: 2_000_000_000_000 });
    expect("last", await store.setRole(first!.id, "user", last), false);
  }],
  ["setRole() lets one of two keep the last role", async (store) => {
    for (let round = 0; round < 5; round++) {
      const last = newRole();
      const pair = [
        await create(store, { role: last }),
        await create(store, { role: last }),
      ];
      const lost = await Promise.all(
        pair.map(({ id }) => store.setRole(id, "user", last)),
      );
      expect("lost", lost.filter((isLost) => isLost).length, 1);
      expect("kept", await countRole(store, last), 1);
    }
  }],
];

async function countRole(store: AccountStore, role: string): Promise<number> {
  return (await store.list({ role })).accounts.length;
}
